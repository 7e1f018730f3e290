import { expect, test } from 'vitest'
import { type Body, makeCustomer, makePrice, type Twin } from '../twin.ts'
import { listAll, openTwin } from './story.ts'

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8]
const STARTS = ['2026-01-31T10:00:00Z', '2026-04-01T00:00:00Z', '2024-02-29T00:00:00Z']
const COUPONS = 5

/** Returns a function that returns an integer from 0 to below a limit, the same sequence for each seed. */
function numbersFrom(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return (state >> 8) % limit
  }
}

/** Creates a subscription or a schedule with random items, coupons and phases. @returns the id of the subscription */
async function begin(twin: Twin, next: (limit: number) => number): Promise<string> {
  const products: string[] = []
  for (const name of ['A', 'B']) products.push((await twin.post('/v1/products', { name })).id)
  const prices: string[] = []
  for (let count = 0; count < 3; count += 1) {
    const price = { unit_amount: 100 + next(5000), product: products[next(2)] }
    prices.push((await makePrice(twin, price)).id)
  }
  for (let count = 0; count < COUPONS; count += 1) {
    const duration = ['once', 'repeating', 'forever'][next(3)]
    await twin.post('/v1/coupons', {
      ...{ id: `C${count}`, duration },
      ...(duration === 'repeating' && { duration_in_months: 1 + next(3) }),
      ...(next(2) ? { percent_off: 1 + next(100) } : { amount_off: 1 + next(4000), currency: 'usd' }),
      ...(next(3) === 0 && { applies_to: { products: [products[next(2)]] } }),
    })
  }
  const two = (limit: number) => [...new Set([next(limit), next(limit)])]
  const discounts = (): Body =>
    next(2) ? {} : { discounts: two(COUPONS).map((number) => ({ coupon: `C${number}` })) }
  const items = () =>
    two(3).map((number) => ({ price: prices[number], quantity: 1 + next(3), ...discounts() }))
  const { customer, method } = await makeCustomer(twin)
  if (next(3) === 0) await twin.post(`/v1/customers/${customer.id}`, { coupon: `C${next(COUPONS)}` })
  const phases = Array.from({ length: 1 + next(4) }, () => ({
    ...{ items: items(), iterations: 1 + next(2) },
    ...discounts(),
  }))
  const { id } = next(2)
    ? await twin.post('/v1/subscriptions', {
        ...{ customer: customer.id, currency: 'usd', default_payment_method: method.id, items: items() },
        ...discounts(),
      })
    : await managed(twin, { customer: customer.id, phases, method: method.id })
  const item = { customer: customer.id, subscription: id, amount: 1 + next(3000), currency: 'usd' }
  if (next(2)) await twin.post('/v1/invoiceitems', { ...item, ...discounts() })
  return id
}

const managed = async (twin: Twin, { customer, phases, method }: Body): Promise<{ id: string }> => {
  const default_settings = { default_payment_method: method }
  const { subscription } = await twin.post('/v1/subscription_schedules', {
    customer,
    phases,
    default_settings,
  })
  return { id: subscription }
}

const lineOf = ({ at, amount }: { at: number; amount: number }) => `${at} ${amount}`

test.each(SEEDS)('timelines and previews show what will be billed, with the seed %i', async (seed) => {
  const next = numbersFrom(seed * 7919)
  const twin = await openTwin({ now: STARTS[next(STARTS.length)] ?? '' })
  const id = await begin(twin, next)
  const headers = { Authorization: `Bearer ${twin.sandbox.adminToken}`, Host: 'localhost' }
  const { body } = await twin.request('GET', `/_paytwin/subscriptions/${id}`, undefined, headers)
  const renewals = body.timeline.upcoming.data.filter(({ kind }: Body) => kind === 'renewal')
  const preview = await twin.post('/v1/invoices/create_preview', { subscription: id })
  const before = (await listAll(twin, '/v1/invoices')).length
  await twin.advance({ to: renewals.at(-1).due + 1 })
  const invoices = (await listAll(twin, '/v1/invoices')).slice(before)
  const billed = invoices.map(({ created: due, total }) => lineOf({ at: due, amount: total }))
  expect(renewals.map(({ due, amount }: Body) => lineOf({ at: due, amount }))).toEqual(billed)
  expect(lineOf({ at: preview.created, amount: preview.total })).toBe(billed[0])
})
