import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MAX_LINES } from '../../src/core/invoice.ts'
import { billedLines } from '../../src/engine/resources/billed-lines.ts'
import { Statement } from '../../src/store/statements.ts'
import { type Body, makePrice, startTwin, type Twin } from '../twin.ts'

const LARGE = Object.fromEntries(Array.from({ length: 49 }, (_, n) => [`key_${n}`, 'x'.repeat(490)]))
const LARGE_LENGTH = JSON.stringify(LARGE).length

let twin: Twin
beforeEach(async () => {
  twin = await startTwin()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await twin.close()
})

/** Returns the length of the longest result of a statement during some work, in characters of JSON. */
async function longestResult(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  const { all, get } = Statement.prototype
  const measured = <T>(result: T): T => {
    longest = Math.max(longest, JSON.stringify(result)?.length ?? 0)
    return result
  }
  vi.spyOn(Statement.prototype, 'all').mockImplementation(function (this: Statement<unknown>, values) {
    return measured(all.call(this, values))
  })
  vi.spyOn(Statement.prototype, 'get').mockImplementation(function (this: Statement<unknown>, values) {
    return measured(get.call(this, values))
  })
  await work()
  vi.restoreAllMocks()
  return longest
}

async function times<T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> {
  const made: T[] = []
  for (let n = 0; n < count; n += 1) made.push(await make(n))
  return made
}

const makeOne = (params: Body = {}) => twin.post('/v1/customers', params)
const subscribe = (customer: Body, price: Body, params: Body = {}) =>
  twin.post('/v1/subscriptions', {
    ...{ customer: customer.id, currency: 'usd', collection_method: 'send_invoice', days_until_due: 30 },
    ...{ items: [{ price: price.id }], ...params },
  })

test('deleting a customer reads one large subscription at a time', async () => {
  const customer = await makeOne()
  const price = await makePrice(twin)
  const subscriptions = await times(5, () => subscribe(customer, price, { metadata: LARGE }))
  const schedules = await times(5, () =>
    twin.post('/v1/subscription_schedules', {
      ...{ customer: customer.id, start_date: 1_772_323_200 },
      phases: [{ items: [{ price: price.id }], metadata: LARGE }],
    }),
  )
  twin.sandbox.engine.store.objects.forget()
  const longest = await longestResult(() => twin.delete(`/v1/customers/${customer.id}`))
  expect(longest).toBeLessThan(2 * LARGE_LENGTH)
  expect(longest).toBeGreaterThan(LARGE_LENGTH)
  for (const { id } of subscriptions)
    expect(await twin.get(`/v1/subscriptions/${id}`)).toMatchObject({ status: 'canceled' })
  for (const { id } of schedules)
    expect(await twin.get(`/v1/subscription_schedules/${id}`)).toMatchObject({ status: 'canceled' })
})

test('deleting a test clock reads one large customer at a time', async () => {
  const clock = await twin.post('/v1/test_helpers/test_clocks', { frozen_time: 1_767_225_600 })
  const customers = await times(5, () => makeOne({ test_clock: clock.id, metadata: LARGE }))
  twin.sandbox.engine.store.objects.forget()
  const longest = await longestResult(() => twin.delete(`/v1/test_helpers/test_clocks/${clock.id}`))
  expect(longest).toBeLessThan(2 * LARGE_LENGTH)
  for (const { id } of customers)
    expect(await twin.get(`/v1/customers/${id}`)).toMatchObject({ deleted: true })
})

test('deleting a coupon reads one large promotion code at a time', async () => {
  const coupon = await twin.post('/v1/coupons', { percent_off: 10, duration: 'once' })
  const codes = await times(5, (n) =>
    twin.post('/v1/promotion_codes', { coupon: coupon.id, code: `CODE${n}`, metadata: LARGE }),
  )
  twin.sandbox.engine.store.objects.forget()
  const longest = await longestResult(() => twin.delete(`/v1/coupons/${coupon.id}`))
  expect(longest).toBeLessThan(2 * LARGE_LENGTH)
  for (const { id } of codes)
    expect(await twin.get(`/v1/promotion_codes/${id}`)).toMatchObject({ active: false })
})

test('the billed lines of a period are added up from one large proration at a time', async () => {
  const customer = await makeOne()
  const price = await makePrice(twin)
  const { id, items } = await subscribe(customer, price)
  const [item] = items.data
  await twin.advance({ by: '1d' })
  await times(3, (n) =>
    twin.post(`/v1/subscriptions/${id}`, {
      items: [{ id: item.id, quantity: n + 2 }],
      proration_behavior: 'create_prorations',
    }),
  )
  const { data: prorations } = await twin.get('/v1/invoiceitems')
  expect(prorations).toHaveLength(6)
  for (const proration of prorations) await twin.post(`/v1/invoiceitems/${proration.id}`, { metadata: LARGE })
  const { engine, merchant } = twin.sandbox
  engine.store.objects.forget()
  const longest = await longestResult(() =>
    engine.command(merchant, null, (unit) => {
      unit.store.billedPeriods.delete(id)
      return billedLines(unit, unit.need('subscription', id))
    }),
  )
  expect(longest).toBeLessThan(2 * LARGE_LENGTH)
  expect(longest).toBeGreaterThan(LARGE_LENGTH)
})

test('deleting a customer releases the pending items beyond the limit of an invoice one at a time', async () => {
  const customer = await makeOne()
  const { id } = await subscribe(customer, await makePrice(twin))
  const item = { customer: customer.id, subscription: id, amount: 1, currency: 'usd' }
  await times(MAX_LINES, () => twin.post('/v1/invoiceitems', item))
  await times(5, () => twin.post('/v1/invoiceitems', { ...item, metadata: LARGE }))
  const { engine, merchant } = twin.sandbox
  const { objects } = engine.store
  const waiting = () =>
    objects.ids('invoice_item', merchant.settings.ordinal, [{ field: 'billed_with', is: id }], { limit: 500 })
  expect(waiting()).toHaveLength(MAX_LINES + 5)
  objects.forget()
  expect(await longestResult(() => twin.delete(`/v1/customers/${customer.id}`))).toBeLessThan(
    5 * LARGE_LENGTH,
  )
  expect(waiting()).toEqual([])
})
