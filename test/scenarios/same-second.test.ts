import { describe, expect, test } from 'vitest'
import { linesOf } from '../table.ts'
import type { Body, Twin } from '../twin.ts'
import { at, historyOf, listAll, openTwin, subscribe, timelineOf } from './story.ts'

const FAILED = 'decline:insufficient_funds'
const WEEKLY = { recurring: { interval: 'week' } }
const NOW = '2026-06-01T09:00:00Z'
const DUE = '2026-06-15T09:00:00Z'

/** Lists the events of the second, with the customers' names. */
async function linesOfDue(twin: Twin, names: Record<string, string> = {}): Promise<string[]> {
  const events = (await twin.events()).filter(({ created }) => created === at(DUE))
  return timelineOf(events, names).map((line) => line.slice(DUE.length + 1))
}

/** A weekly subscription whose renewal of 8 June fails; its last retry falls on the renewal of the 15th. */
const failing = (twin: Twin, afterwards: string) =>
  subscribe(twin, { price: WEEKLY, outcomes: ['succeed', ...Array(4).fill(FAILED)], afterwards })

describe('in one second', () => {
  test('subscriptions follow one another in the order of their creation, each with all its jobs', async () => {
    const twin = await openTwin({ now: NOW })
    const first = await failing(twin, 'succeed')
    const second = await failing(twin, FAILED)
    const third = await subscribe(twin, { price: WEEKLY })
    await twin.advance({ to: DUE })
    const names = {
      [first.customer.id]: 'first',
      [second.customer.id]: 'second',
      [third.customer.id]: 'third',
    }
    expect(await linesOfDue(twin, names)).toEqual(
      linesOf(`
      first invoice.paid paid #5
      first payment_intent.succeeded succeeded
      first charge.succeeded succeeded
      first subscription.updated active Δ status
      first invoice.created draft
      first invoice.finalized open
      first invoice.paid paid #1
      first payment_intent.succeeded succeeded
      first charge.succeeded succeeded
      first subscription.updated active Δ latest_invoice current_period_start current_period_end
      second invoice.payment_failed open #5
      second payment_intent.payment_failed requires_payment_method
      second charge.failed failed
      second subscription.deleted canceled
      third invoice.created draft
      third invoice.finalized open
      third invoice.paid paid #1
      third payment_intent.succeeded succeeded
      third charge.succeeded succeeded
      third subscription.updated active Δ latest_invoice current_period_start current_period_end
      `),
    )
  })

  test('a retry comes before a scheduled cancellation', async () => {
    const twin = await openTwin({ now: NOW })
    const { subscription } = await failing(twin, 'succeed')
    await twin.advance({ to: '2026-06-10T09:00:00Z' })
    await twin.delete(`/v1/subscriptions/${subscription.id}`, { cancel_at_period_end: true })
    await twin.advance({ to: DUE })
    expect(await linesOfDue(twin)).toEqual(
      linesOf(`
      invoice.paid paid #5
      payment_intent.succeeded succeeded
      charge.succeeded succeeded
      subscription.updated active Δ status
      subscription.deleted canceled
      `),
    )
    expect((await twin.get(`/v1/subscriptions/${subscription.id}`)).cancellation_details).toEqual({
      reason: 'cancellation_requested',
    })
  })

  test('after the final action of the last retry a scheduled cancellation has no effect', async () => {
    const twin = await openTwin({ now: NOW })
    const { subscription } = await failing(twin, FAILED)
    await twin.advance({ to: '2026-06-10T09:00:00Z' })
    await twin.delete(`/v1/subscriptions/${subscription.id}`, { cancel_at_period_end: true })
    await twin.advance({ to: DUE })
    expect(await linesOfDue(twin)).toEqual(
      linesOf(`
      invoice.payment_failed open #5
      payment_intent.payment_failed requires_payment_method
      charge.failed failed
      subscription.deleted canceled
      `),
    )
    expect((await twin.get(`/v1/subscriptions/${subscription.id}`)).cancellation_details).toEqual({
      reason: 'payment_failed',
    })
  })

  test('the last retry of an incomplete subscription comes before its expiry, and expires it once', async () => {
    const twin = await openTwin({ now: '2026-06-08T09:00:00Z' })
    await subscribe(twin, { price: WEEKLY, outcomes: [], afterwards: FAILED })
    await twin.advance({ to: DUE })
    expect(await linesOfDue(twin)).toEqual(
      linesOf(`
      invoice.payment_failed open #5
      payment_intent.payment_failed requires_payment_method
      charge.failed failed
      invoice.voided void
      subscription.updated incomplete_expired Δ status ended_at
      `),
    )
  })

  test('a due date comes before the renewal', async () => {
    const twin = await openTwin({ now: '2026-06-08T09:00:00Z' })
    await subscribe(twin, { price: WEEKLY, collection_method: 'send_invoice', days_until_due: 7 })
    await twin.advance({ to: DUE })
    expect(await linesOfDue(twin)).toEqual(
      linesOf(`
      subscription.updated past_due Δ status
      invoice.created draft
      invoice.finalized open
      subscription.updated past_due Δ current_period_start current_period_end
      `),
    )
  })

  test('subscriptions of one customer number their invoices in the order of their creation', async () => {
    const twin = await openTwin({ now: NOW })
    const { customer, method, subscription } = await subscribe(twin, { price: WEEKLY })
    const other = await twin.post('/v1/subscriptions', {
      customer: customer.id,
      currency: 'usd',
      default_payment_method: method.id,
      items: [{ price: subscription.items.data[0].price.id }],
    })
    await twin.advance({ to: DUE })
    const invoices = await listAll(twin, '/v1/invoices')
    expect(invoices.map(({ subscription: id, number }) => [id, number.slice(-1)])).toEqual([
      [subscription.id, '1'],
      [other.id, '2'],
      [subscription.id, '3'],
      [other.id, '4'],
      [subscription.id, '5'],
      [other.id, '6'],
    ])
  })
})

test('jobs of no subscription come first, in the order in which they were made', async () => {
  const twin = await openTwin({ now: NOW })
  await subscribe(twin, { price: WEEKLY })
  const due: string[] = []
  for (const [time, days_until_due] of [
    ['2026-06-01T09:00:00Z', 14],
    ['2026-06-08T09:00:00Z', 7],
    ['2026-06-14T09:00:00Z', 1],
  ] as const) {
    if (time !== NOW) await twin.advance({ to: time })
    due.push(await sendByHand(twin, days_until_due))
  }
  const { data } = await twin.get('/v1/test_helpers/upcoming')
  expect(data.map(({ kind, invoice }: Body) => [kind, invoice])).toEqual([
    ['invoice_due', due[0]],
    ['invoice_due', due[1]],
    ['invoice_due', due[2]],
    ['renewal', null],
  ])
  expect((await twin.advance({ to: DUE })).summary).toMatchObject({ jobs: 4, events: 6 })
})

/** A manual invoice that is sent to a new customer. */
async function sendByHand(twin: Twin, days_until_due: number): Promise<string> {
  const { id: customer } = await twin.post('/v1/customers')
  await twin.post('/v1/invoiceitems', { customer, amount: 500, currency: 'usd' })
  const { id } = await twin.post('/v1/invoices', {
    customer,
    collection_method: 'send_invoice',
    days_until_due,
  })
  await twin.post(`/v1/invoices/${id}/finalize`)
  return id
}

test('upcoming lists what is due in the order in which it will run', async () => {
  const twin = await openTwin({ now: NOW })
  const first = await failing(twin, FAILED)
  const second = await failing(twin, FAILED)
  await twin.advance({ to: '2026-06-13T09:00:00Z' })
  const { data } = await twin.get('/v1/test_helpers/upcoming')
  const { invoices } = await historyOf(twin)
  const invoiceOf = (subscription: Body) =>
    invoices.find((invoice) => invoice.subscription === subscription.id && invoice.status === 'open')?.id
  const row = (kind: string, { subscription }: { subscription: Body }, invoice: string | null) => ({
    object: 'upcoming',
    due: at(DUE),
    kind,
    subscription: subscription.id,
    invoice,
  })
  expect(data).toMatchObject([
    row('payment_retry', first, invoiceOf(first.subscription)),
    row('renewal', first, null),
    row('payment_retry', second, invoiceOf(second.subscription)),
    row('renewal', second, null),
  ])
})
