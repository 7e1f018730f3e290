import { describe, expect, test } from 'vitest'
import { type Body, makePrice, type Twin } from '../twin.ts'
import {
  adjust,
  begin,
  END,
  invoicesOf,
  linesOf,
  MIDDLE,
  newestInvoice,
  pendingAmounts,
} from './plan-story.ts'
import { at, listAll } from './story.ts'

const addItem = (twin: Twin, { customer, id }: Body, amount: number) =>
  twin.post('/v1/invoiceitems', { customer, subscription: id, amount, currency: 'usd' })

describe('two periods that begin in the same second', () => {
  test('are billed twice without proration, and only the current one is credited', async () => {
    const { twin, change, item, prices } = await begin()
    await change({ billing_cycle_anchor: 'now' }, 'none')
    expect(await invoicesOf(twin)).toEqual(['paid 2000 due 2000', 'paid 2000 due 2000'])
    await twin.advance({ to: MIDDLE })
    await change({ items: [{ id: item, price: prices.pro }] })
    expect(await pendingAmounts(twin)).toEqual([-1000, 2500])
  })

  test('credit nothing twice if an item of the first one waits beyond the largest amount', async () => {
    const { twin, change, item, path } = await begin()
    const recurring = { interval: 'month', interval_count: 3 }
    const { id: price } = await makePrice(twin, { unit_amount: 99_999_999, recurring })
    for (const quantity of [30, 1]) await change({ items: [{ id: item, quantity }] })
    await change({ items: [{ id: item, price }] })
    expect(await pendingAmounts(twin)).toEqual([60_000])
    await twin.request('DELETE', path, { prorate: true, invoice_now: true })
    const totals = (await listAll(twin, '/v1/invoices')).map(({ total }) => total)
    expect(totals).toEqual([2000, 99_999_999 - 62_000, 60_000 - 99_999_999])
    expect(totals.reduce((sum, total) => sum + total)).toBe(0)
  })

  test('credit nothing twice if items of the first one wait beyond the lines of an invoice', async () => {
    const { twin, change, item } = await begin()
    for (let n = 0; n < 150; n += 1) await change({ items: [{ id: item, quantity: n % 2 ? 3 : 2 }] })
    await change({ items: [{ id: item, quantity: 10 }] })
    await change({ billing_cycle_anchor: 'now' })
    // The oldest 250 items, and the credit of 10 units.
    const { lines } = await newestInvoice(twin)
    expect(lines.data.at(-2)).toMatchObject({ amount: -20_000 })
    expect(lines.data.at(-1)).toMatchObject({ amount: 20_000 })
    expect(await pendingAmounts(twin)).toHaveLength(302 - 250)
    // The new period billed 10 units.
    await change({ items: [{ id: item, quantity: 1 }] })
    const waiting = await pendingAmounts(twin)
    expect(waiting.slice(-2)).toEqual([-20_000, 2000])
    const totals = (await listAll(twin, '/v1/invoices')).map(({ total }) => total)
    expect([...totals, ...waiting].reduce((sum, amount) => sum + amount)).toBe(2000)
    // The next invoice bills what waits: nothing of it corrects the new period.
    await change({}, 'always_invoice')
    await change({ items: [{ id: item, quantity: 0 }] })
    expect(await pendingAmounts(twin)).toEqual([-2000])
  })

  test('credit what waits beyond the largest amount if the second one waits for a payment that never comes', async () => {
    const { twin, change, customer, item, path } = await begin()
    const recurring = { interval: 'month', interval_count: 3 }
    const { id: price } = await makePrice(twin, { unit_amount: 99_999_999, recurring })
    const { id: card } = await twin.post('/v1/payment_methods/pm_card_chargeDeclined/attach', {
      customer: customer.id,
    })
    await twin.post(path, { default_payment_method: card })
    await change({ items: [{ id: item, quantity: 30 }] })
    const { pending_update } = await change({
      items: [{ id: item, price, quantity: 1 }],
      payment_behavior: 'pending_if_incomplete',
    })
    expect(pending_update).not.toBeNull()
    expect(await pendingAmounts(twin)).toEqual([60_000])
    await change({ items: [{ id: item, quantity: 1 }] })
    expect(await pendingAmounts(twin)).toEqual([-2000, 60_000, -60_000, 2000])
  })

  test('have no update of the subscription between them if nothing that is shown changes', async () => {
    const { twin, change, path } = await begin()
    await twin.post(path, { pause_collection: { behavior: 'void' } })
    const before = await twin.get(path)
    const { length } = await listAll(twin, '/v1/events')
    expect(await change({ billing_cycle_anchor: 'now' })).toEqual(before)
    const types = (await listAll(twin, '/v1/events')).slice(length).map(({ type }) => type)
    expect(types).not.toContain('subscription.updated')
  })
})

test('a change whose lines were removed from its draft takes nothing from the credits of other items', async () => {
  const { twin, change, path, prices, item } = await begin()
  await twin.post(path, { pause_collection: { behavior: 'keep_as_draft' } })
  // In the first second of the period, its invoice looks like that of a new period.
  const { items } = await change({ items: [{ price: prices.pro }] }, 'always_invoice')
  const [line] = (await newestInvoice(twin)).lines.data
  await twin.delete(`/v1/invoiceitems/${line.invoice_item}`)
  expect(await newestInvoice(twin)).toMatchObject({
    status: 'draft',
    total: 0,
    billing_reason: 'subscription_update',
  })
  await twin.advance({ to: MIDDLE })
  await change({ items: [{ id: item, deleted: true }] })
  expect(items.data).toHaveLength(2)
  expect(await pendingAmounts(twin)).toEqual([-1000])
})

test('a cancellation at the end of the period moves along when a new period begins', async () => {
  const { twin, change, path } = await begin()
  await twin.post(path, { cancel_at_period_end: true })
  await twin.advance({ to: MIDDLE })
  const changed = await change({ billing_cycle_anchor: 'now' })
  expect(changed).toMatchObject({ cancel_at: at('2026-05-16T00:00:00Z') })
  await twin.advance({ to: '2026-05-15T23:59:59Z' })
  expect(await twin.get(path)).toMatchObject({ status: 'active' })
  await twin.advance({ by: '1s' })
  expect(await twin.get(path)).toMatchObject({ status: 'canceled' })
})

test('an earlier cancel_at stays when a new period begins', async () => {
  const { twin, change, path } = await begin()
  await twin.post(path, { cancel_at: at(END) - 60 })
  await twin.advance({ to: MIDDLE })
  expect(await change({ billing_cycle_anchor: 'now' })).toMatchObject({ cancel_at: at(END) - 60 })
})

test('items beyond the largest amount wait for the invoice after the next one', async () => {
  const { twin, change, subscription, path } = await begin()
  const { id: price } = await makePrice(twin, { unit_amount: 99_999_999 })
  await addItem(twin, subscription, 700)
  await change({ items: [{ price }, { id: subscription.items.data[0].id, deleted: true }] }, 'none')
  await twin.advance({ to: END })
  expect(await newestInvoice(twin)).toMatchObject({ total: 99_999_999, status: 'paid' })
  expect(await pendingAmounts(twin)).toEqual([700])
  const [item] = (await twin.get(path)).items.data
  await change({ items: [{ id: item.id, quantity: 0 }] }, 'none')
  await twin.advance({ to: '2026-06-01T00:00:00Z' })
  expect(await newestInvoice(twin)).toMatchObject({ total: 700, status: 'paid' })
})

describe('a final invoice', () => {
  test('bills items that are pending during a trial', async () => {
    const { twin, subscription, path } = await begin({ trial_period_days: 14 })
    await addItem(twin, subscription, 300)
    await twin.delete(path, { invoice_now: true })
    expect(linesOf(await newestInvoice(twin))).toHaveLength(1)
    expect(await invoicesOf(twin)).toEqual(['paid 300 due 300'])
  })

  test.each([
    ['keep_as_draft', 'draft'],
    ['void', 'void'],
    ['mark_uncollectible', 'uncollectible'],
  ])('is held back while collection is paused: %s', async (behavior, status) => {
    const { twin, subscription, path } = await begin()
    await twin.post(path, { pause_collection: { behavior } })
    await addItem(twin, subscription, 300)
    await twin.delete(path, { invoice_now: true })
    expect(await invoicesOf(twin)).toEqual(['paid 2000 due 2000', `${status} 300 due 300`])
    expect((await twin.get('/v1/charges')).data).toHaveLength(1)
  })

  test('is held back at a planned cancellation too', async () => {
    const { twin, subscription, path } = await begin()
    await addItem(twin, subscription, 300)
    await twin.post(path, { pause_collection: { behavior: 'void' }, cancel_at_period_end: true })
    await twin.advance({ to: END })
    expect(await invoicesOf(twin)).toEqual(['paid 2000 due 2000', 'void 300 due 300'])
  })

  test('is not retried if its payment fails', async () => {
    const { twin, subscription, path } = await begin({ outcomes: ['succeed', 'decline:expired_card'] })
    await addItem(twin, subscription, 300)
    await twin.delete(path, { invoice_now: true })
    expect(await newestInvoice(twin)).toMatchObject({
      ...{ status: 'open', attempt_count: 1, next_payment_attempt: null, auto_advance: false },
    })
    await twin.advance({ by: '30d' })
    expect(await newestInvoice(twin)).toMatchObject({ status: 'open', attempt_count: 1 })
  })
})

test('pending items of a subscription that expires are billed by the next manual invoice', async () => {
  const { twin, subscription, customer, path } = await begin({ card: 'pm_card_chargeCustomerFail' })
  await addItem(twin, subscription, 300)
  await twin.advance({ by: '8d' })
  expect(await twin.get(path)).toMatchObject({ status: 'incomplete_expired' })
  expect(await twin.post('/v1/invoices', { customer: customer.id })).toMatchObject({ total: 300 })
})

test('a debt that would exceed the largest amount stays in the balance', async () => {
  const { twin, customer } = await begin()
  await adjust(twin, customer, 99_999_999)
  await twin.advance({ to: END })
  expect(await newestInvoice(twin)).toMatchObject({
    ...{ total: 2000, starting_balance: 99_999_999, amount_due: 99_999_999, ending_balance: 2000 },
  })
})

test('the currency of a customer is that of the oldest balance', async () => {
  const { twin, customer } = await begin()
  const shown = async () => {
    const { currency, balance } = await twin.get(`/v1/customers/${customer.id}`)
    return [currency, balance]
  }
  await adjust(twin, customer, -500)
  await adjust(twin, customer, -70, 'eur')
  await adjust(twin, customer, -100)
  expect(await shown()).toEqual(['usd', -600])
  await adjust(twin, customer, 600)
  expect(await shown()).toEqual(['eur', -70])
  await adjust(twin, customer, 70, 'eur')
  expect(await shown()).toEqual([null, 0])
})
