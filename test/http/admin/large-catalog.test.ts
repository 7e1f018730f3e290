import { afterEach, beforeEach, expect, test } from 'vitest'
import { Change } from '../../../src/core/change.ts'
import type { Objects } from '../../../src/core/kinds.ts'
import { apply } from '../../../src/engine/machine/apply.ts'
import { type Body, makePrice, startTwin, type Twin } from '../../twin.ts'
import { charactersReadBy } from '../characters-read.ts'
import { asOperator } from '../support.ts'

const LARGE = { large: 'x'.repeat(1_500_000) }

let twin: Twin
let customer: Body
beforeEach(async () => {
  twin = await startTwin()
  customer = await twin.post('/v1/customers')
})
afterEach(() => twin.close())

/** Gives an object of the catalog metadata that the API would refuse. */
async function enlarge(kind: 'price' | 'product' | 'coupon', id: string): Promise<void> {
  const { engine, merchant } = twin.sandbox
  await engine.command(merchant, null, (unit) => {
    const named = [{ field: 'public_id', is: id }]
    const [own = ''] =
      kind === 'coupon' ? unit.store.objects.ids(kind, unit.owner, named, { limit: 1 }) : [id]
    const found: Objects[typeof kind] = unit.need(kind, own)
    const change = new Change()
    change.update(kind, found, (before) => ({ ...before, metadata: LARGE }))
    apply(unit, change)
  })
}

/** Creates a price with large metadata, whose product has as much. */
async function makeLargePrice(): Promise<Body> {
  const product = await twin.post('/v1/products', { name: 'Plan' })
  const price = await makePrice(twin, { product: product.id })
  await enlarge('price', price.id)
  await enlarge('product', product.id)
  return price
}

/** Creates a schedule that has not started, of a large price. Its second phase redeems a coupon. */
async function schedule(): Promise<Body> {
  const price = await makeLargePrice()
  const coupon = await twin.post('/v1/coupons', { percent_off: 10, duration: 'forever' })
  const items = [{ price: price.id }]
  await twin.post('/v1/subscription_schedules', {
    ...{ customer: customer.id, start_date: customer.created + 86_400, end_behavior: 'release' },
    default_settings: { collection_method: 'send_invoice', days_until_due: 30 },
    phases: [
      { items, iterations: 1 },
      { items, iterations: 2, discounts: [{ coupon: coupon.id }] },
    ],
  })
  return coupon
}

const forget = () => twin.sandbox.engine.store.objects.forget()

/** Reads the amounts of the customer's future jobs, and counts the characters that are read for them. */
async function futureAmounts(query = '') {
  forget()
  const page = () => asOperator(twin)('GET', `customers/${customer.id}${query}`)
  const { result, read } = await charactersReadBy(page)
  const amounts: number[] = result.body.timeline.upcoming.data.map(({ amount }: Body) => amount)
  return { amounts, read }
}

test('the page of a customer reads no long metadata of prices and coupons', async () => {
  const coupon = await schedule()
  await enlarge('coupon', coupon.id)
  const { amounts, read } = await futureAmounts()
  expect(amounts).toContain(1_800)
  expect(read).toBeLessThan(1_000_000)
})

test('the page of a customer at a past moment reads no long metadata of prices', async () => {
  await schedule()
  await twin.advance({ by: '1h' })
  const { amounts, read } = await futureAmounts(`?at=${customer.created}`)
  expect(amounts).toContain(1_800)
  expect(read).toBeLessThan(1_000_000)
})

test.each<[string, () => Promise<unknown>]>([
  ['the deletion of a customer', () => twin.request('DELETE', `/v1/customers/${customer.id}`)],
  ['a renewal', () => twin.advance({ by: '20d' })],
])('%s reads no long metadata of prices', async (_name, act) => {
  const price = await makeLargePrice()
  await twin.post('/v1/subscriptions', {
    ...{ customer: customer.id, currency: 'usd', collection_method: 'send_invoice', days_until_due: 30 },
    ...{ items: [{ price: price.id }], billing_cycle_anchor: customer.created + 10 * 86_400 },
  })
  forget()
  const { read } = await charactersReadBy(act)
  expect(read).toBeLessThan(1_000_000)
})
