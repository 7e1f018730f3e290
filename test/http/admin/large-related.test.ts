import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MAX_PAGE_LENGTH } from '../../../src/core/json-text.ts'
import type { Kind } from '../../../src/core/kinds.ts'
import { type Body, makeCustomer, makePrice, startTwin, type Twin } from '../../twin.ts'
import { charactersReadBy } from '../characters-read.ts'
import { enlarge } from '../enlarge.ts'
import { asOperator } from '../support.ts'

let twin: Twin
let customer: Body
beforeEach(async () => {
  twin = await startTwin()
  customer = await twin.post('/v1/customers')
})
afterEach(async () => {
  vi.restoreAllMocks()
  await twin.close()
})

/** Counts the characters that lists read. */
const lengthRead = <T>(work: () => Promise<T>) => charactersReadBy(work, ['all', 'allWithin'])

const page = () => asOperator(twin)('GET', `customers/${customer.id}`)

test('the page of a customer shows the large invoices that fit, and what is owed for all', async () => {
  for (let n = 0; n < 9; n += 1) {
    const item = { customer: customer.id, amount: 100, currency: 'usd' }
    await twin.post('/v1/invoiceitems', item)
    const invoice = await twin.post('/v1/invoices', {
      ...{ customer: customer.id, currency: 'usd', collection_method: 'send_invoice', days_until_due: 30 },
    })
    await twin.post(`/v1/invoices/${invoice.id}/finalize`)
    await enlarge(twin, 'invoice', invoice.id)
  }
  twin.sandbox.engine.store.objects.forget()
  const { result, read } = await lengthRead(page)
  const { related } = result.body
  expect(related.owed).toEqual([{ amount: 900, currency: 'usd' }])
  expect(related.invoices.data.length).toBeLessThan(4)
  expect(related.invoices.data.length).toBeGreaterThan(0)
  expect(related.invoices.has_more).toBe(true)
  expect(read).toBeLessThan(3 * MAX_PAGE_LENGTH)
})

test('the page of a customer shows the large subscriptions that fit', async () => {
  const price = await makePrice(twin)
  for (let n = 0; n < 9; n += 1) {
    const { id } = await twin.post('/v1/subscriptions', {
      ...{ customer: customer.id, currency: 'usd', collection_method: 'send_invoice', days_until_due: 30 },
      items: [{ price: price.id }],
    })
    await enlarge(twin, 'subscription', id)
  }
  twin.sandbox.engine.store.objects.forget()
  const { result, read } = await lengthRead(page)
  const { related, timeline } = result.body
  expect(related.subscriptions.data.length).toBeGreaterThan(0)
  expect(related.subscriptions.has_more).toBe(true)
  expect(timeline.upcoming.data.length).toBeGreaterThan(0)
  expect(read).toBeLessThan(3 * MAX_PAGE_LENGTH)
})

/** Lists the ids of the objects that are read whole during some work, each time that they are. */
async function readWhole<T>(kind: Kind, work: () => Promise<T>): Promise<{ result: T; ids: string[] }> {
  const spy = vi.spyOn(twin.sandbox.engine.store.objects, 'get')
  const result = await work()
  return { result, ids: spy.mock.calls.flatMap(([read, , id]) => (read === kind ? id : [])) }
}

test('the page of a customer reads only the schedules that wait, beside those of its subscriptions', async () => {
  const price = await makePrice(twin)
  const schedule = (start_date: number | 'now') =>
    twin.post('/v1/subscription_schedules', {
      ...{ customer: customer.id, start_date },
      default_settings: { collection_method: 'send_invoice', days_until_due: 30 },
      phases: [{ items: [{ price: price.id }], iterations: 2 }],
    })
  const started = await schedule('now')
  const waiting = await schedule(customer.created + 86_400)
  const { result, ids } = await readWhole('subscription_schedule', page)
  expect(result.body.timeline.upcoming.data.length).toBeGreaterThan(2)
  expect(ids.toSorted()).toEqual([started.id, waiting.id])
})

test('the page of a customer reads no drafts without a planned finalization', async () => {
  await twin.close()
  twin = await startTwin({ dialect: 'stripe' })
  customer = await twin.post('/v1/customers')
  await twin.post('/v1/invoices', { customer: customer.id })
  const waiting = await twin.post('/v1/invoices', { customer: customer.id, auto_advance: true })
  const newest = () => asOperator(twin)('GET', `customers/${customer.id}?limit=1`)
  const { result, ids } = await readWhole('invoice', newest)
  expect(result.body.related.invoices.data.map(({ id }: Body) => id)).toEqual([waiting.id])
  expect(new Set(ids)).toEqual(new Set([waiting.id]))
})

test('the page of a customer shows prorations without reading large invoice items', async () => {
  const [first, second] = [await makePrice(twin), await makePrice(twin, { unit_amount: 3_000 })]
  const subscription = await twin.post('/v1/subscriptions', {
    ...{ customer: customer.id, currency: 'usd', collection_method: 'send_invoice', days_until_due: 30 },
    items: [{ price: first.id }],
  })
  const [{ id: item }] = subscription.items.data
  for (const price of [second.id, first.id]) {
    await twin.advance({ by: '1d' })
    const change = { items: [{ id: item, price }], proration_behavior: 'always_invoice' }
    await twin.post(`/v1/subscriptions/${subscription.id}`, change)
    await twin.post('/v1/invoiceitems', { customer: customer.id, amount: 100, currency: 'usd' })
  }
  const items = await twin.get(`/v1/invoiceitems?customer=${customer.id}`)
  for (const { id } of items.data) await enlarge(twin, 'invoice_item', id)
  twin.sandbox.engine.store.objects.forget()
  const { result, read } = await charactersReadBy(page)
  const changes = result.body.timeline.happened.data.filter(({ prorations }: Body) => prorations)
  expect(changes.map(({ prorations }: Body) => prorations.length)).toEqual([2, 2])
  expect(read).toBeLessThan(1_000_000)
})

test('the explanation of a payment reads no metadata of its refunds', async () => {
  const intent = await twin.post('/v1/payment_intents', {
    ...{ amount: 1_000, currency: 'usd', payment_method: 'pm_card_visa', confirm: true },
  })
  for (let n = 0; n < 5; n += 1) {
    const refund = await twin.post('/v1/refunds', { payment_intent: intent.id, amount: 10 })
    await enlarge(twin, 'refund', refund.id)
  }
  twin.sandbox.engine.store.objects.forget()
  const { result, read } = await lengthRead(() => asOperator(twin)('GET', `explanations/${intent.id}`))
  expect(result.status).toBe(200)
  expect(read).toBeLessThan(100_000)
})

test('the page of a customer ends its changes early if the invoices that they name are large', async () => {
  const { customer: payer, method } = await makeCustomer(twin)
  const settings = { default_payment_method: method.id }
  await twin.post(`/v1/customers/${payer.id}`, { invoice_settings: settings })
  for (let n = 0; n < 9; n += 1) {
    await twin.post('/v1/invoiceitems', { customer: payer.id, amount: 100, currency: 'usd' })
    const { id } = await twin.post('/v1/invoices', { customer: payer.id, currency: 'usd' })
    const { charge } = await twin.post(`/v1/invoices/${id}/pay`)
    await enlarge(twin, 'invoice', id)
    await twin.post('/v1/refunds', { charge, amount: 10 })
  }
  twin.sandbox.engine.store.objects.forget()
  const newest = () => asOperator(twin)('GET', `customers/${payer.id}?limit=18`)
  const { result, read } = await charactersReadBy(newest)
  const { data, has_more } = result.body.timeline.happened
  expect([data.length > 0, has_more]).toEqual([true, true])
  expect(read).toBeLessThan(2 * MAX_PAGE_LENGTH)
})

test('the explanation of a dispute reads its newest changes up to the length of a page', async () => {
  const payment = { amount: 1_000, currency: 'usd', payment_method: 'pm_card_createDispute', confirm: true }
  await twin.post('/v1/payment_intents', payment)
  const [dispute] = (await twin.get('/v1/disputes')).data
  for (const letter of 'abcdefghi')
    await enlarge(twin, 'dispute', dispute.id, { event: 'charge.dispute.updated', letter })
  twin.sandbox.engine.store.objects.forget()
  const { result, read } = await charactersReadBy(() => asOperator(twin)('GET', `explanations/${dispute.id}`))
  expect(result.status).toBe(200)
  expect(read).toBeLessThan(3 * MAX_PAGE_LENGTH)
})

test('a past moment shows the subscriptions that fit, if they have large rows now', async () => {
  const price = await makePrice(twin)
  const ids: string[] = []
  for (let n = 0; n < 9; n += 1) {
    const { id } = await twin.post('/v1/subscriptions', {
      ...{ customer: customer.id, currency: 'usd', collection_method: 'send_invoice', days_until_due: 30 },
      items: [{ price: price.id }],
    })
    ids.push(id)
  }
  await twin.advance({ by: '1d' })
  for (const id of ids) await enlarge(twin, 'subscription', id)
  twin.sandbox.engine.store.objects.forget()
  const { body } = await asOperator(twin)('GET', `customers/${customer.id}?at=${customer.created}`)
  const { data, has_more } = body.related.subscriptions
  expect(has_more).toBe(true)
  expect(data.length).toBeGreaterThan(0)
  expect(data.length).toBeLessThan(4)
  expect(body.timeline.happened.has_more).toBe(true)
})

test('a past moment reads drafts without a planned finalization up to the length of a page', async () => {
  await twin.close()
  twin = await startTwin({ dialect: 'stripe' })
  customer = await twin.post('/v1/customers')
  const drafts = await Promise.all(
    Array.from({ length: 9 }, () => twin.post('/v1/invoices', { customer: customer.id })),
  )
  await asOperator(twin)('POST', 'clock/advance', { by: '1d' })
  for (const { id } of drafts) await enlarge(twin, 'invoice', id)
  twin.sandbox.engine.store.objects.forget()
  const past = () => asOperator(twin)('GET', `customers/${customer.id}?at=${customer.created}`)
  const { result, read } = await charactersReadBy(past)
  expect(result.status).toBe(200)
  // For the changes, the related invoices and the drafts.
  expect(read).toBeLessThan(4 * MAX_PAGE_LENGTH)
})

test('retrying all deliveries reads no endpoints to find none', async () => {
  for (let n = 0; n < 5; n += 1) {
    const endpoint = await twin.post('/v1/webhook_endpoints', {
      url: 'http://127.0.0.1:9',
      enabled_events: ['*'],
    })
    await enlarge(twin, 'webhook_endpoint', endpoint.id)
  }
  await asOperator(twin)('POST', 'webhooks/retry', { all: true })
  twin.sandbox.engine.store.objects.forget()
  const retryAll = () => asOperator(twin)('POST', 'webhooks/retry', { all: true })
  const { result, read } = await charactersReadBy(retryAll)
  expect(result.status).toBe(200)
  expect(read).toBeLessThan(100_000)
})
