import { describe, expect, test } from 'vitest'
import { linesOf } from '../table.ts'
import { makePrice } from '../twin.ts'
import { at, listAll, play, subscribe } from './story.ts'

const FAILED = 'decline:insufficient_funds'

describe('D: a trial that ends without a payment method', () => {
  test('it is billed, retried four times and canceled, and never has a latest invoice', async () => {
    const { twin, lines, begun, history } = await play({
      now: '2026-04-01T00:00:00Z',
      until: '2026-06-01T00:00:00Z',
      begin: async (fresh) => {
        const customer = await fresh.post('/v1/customers')
        const price = await makePrice(fresh)
        return fresh.post('/v1/subscriptions', {
          customer: customer.id,
          currency: 'usd',
          items: [{ price: price.id }],
          trial_end: 1776211200,
        })
      },
    })
    expect(lines).toEqual(
      linesOf(`
      2026-04-01T00:00:00Z subscription.created trialing
      2026-04-15T00:00:00Z invoice.created draft
      2026-04-15T00:00:00Z invoice.finalized open
      2026-04-15T00:00:00Z invoice.payment_failed open #1 next 2026-04-16T00:00:00Z
      2026-04-15T00:00:00Z payment_intent.payment_failed requires_payment_method
      2026-04-15T00:00:00Z subscription.updated past_due Δ status current_period_start current_period_end
      2026-04-16T00:00:00Z invoice.payment_failed open #2 next 2026-04-18T00:00:00Z
      2026-04-16T00:00:00Z payment_intent.payment_failed requires_payment_method
      2026-04-18T00:00:00Z invoice.payment_failed open #3 next 2026-04-20T00:00:00Z
      2026-04-18T00:00:00Z payment_intent.payment_failed requires_payment_method
      2026-04-20T00:00:00Z invoice.payment_failed open #4 next 2026-04-22T00:00:00Z
      2026-04-20T00:00:00Z payment_intent.payment_failed requires_payment_method
      2026-04-22T00:00:00Z invoice.payment_failed open #5
      2026-04-22T00:00:00Z payment_intent.payment_failed requires_payment_method
      2026-04-22T00:00:00Z subscription.deleted canceled
      `),
    )
    const emitted = history.events.filter(({ type }) => type.startsWith('subscription.'))
    expect(emitted.map(({ data }) => data.object.latest_invoice)).toEqual([null, null, null])
    expect(begun).toMatchObject({ trial_start: at('2026-04-01'), trial_end: 1776211200 })
    expect(await twin.get(`/v1/subscriptions/${begun.id}`)).toMatchObject({
      status: 'canceled',
      latest_invoice: null,
      billing_cycle_anchor: 1776211200,
      current_period_start: 1776211200,
      current_period_end: at('2026-05-15'),
      canceled_at: 1776816000,
      ended_at: 1776816000,
      cancellation_details: { reason: 'payment_failed' },
    })
    expect(history.invoices.at(-1)).toMatchObject({
      status: 'open',
      billing_reason: 'subscription_cycle',
      charge: null,
      attempted: true,
      attempt_count: 5,
    })
    expect(history.charges).toEqual([])
  })
})

describe('E: weekly, and the last retry falls on the next renewal', () => {
  test('the retry comes first, then the renewal of the recovered subscription', async () => {
    const { twin, lines, begun } = await play({
      now: '2026-06-01T09:00:00Z',
      until: '2026-06-15T09:00:00Z',
      begin: (fresh) =>
        subscribe(fresh, {
          price: { recurring: { interval: 'week' } },
          outcomes: ['succeed', FAILED, FAILED, FAILED, FAILED],
        }),
    })
    expect(lines.slice(6)).toEqual(
      linesOf(`
      2026-06-08T09:00:00Z invoice.created draft
      2026-06-08T09:00:00Z invoice.finalized open
      2026-06-08T09:00:00Z invoice.payment_failed open #1 next 2026-06-09T09:00:00Z
      2026-06-08T09:00:00Z payment_intent.payment_failed requires_payment_method
      2026-06-08T09:00:00Z charge.failed failed
      2026-06-08T09:00:00Z subscription.updated past_due Δ status latest_invoice current_period_start current_period_end
      2026-06-09T09:00:00Z invoice.payment_failed open #2 next 2026-06-11T09:00:00Z
      2026-06-09T09:00:00Z payment_intent.payment_failed requires_payment_method
      2026-06-09T09:00:00Z charge.failed failed
      2026-06-11T09:00:00Z invoice.payment_failed open #3 next 2026-06-13T09:00:00Z
      2026-06-11T09:00:00Z payment_intent.payment_failed requires_payment_method
      2026-06-11T09:00:00Z charge.failed failed
      2026-06-13T09:00:00Z invoice.payment_failed open #4 next 2026-06-15T09:00:00Z
      2026-06-13T09:00:00Z payment_intent.payment_failed requires_payment_method
      2026-06-13T09:00:00Z charge.failed failed
      2026-06-15T09:00:00Z invoice.paid paid #5
      2026-06-15T09:00:00Z payment_intent.succeeded succeeded
      2026-06-15T09:00:00Z charge.succeeded succeeded
      2026-06-15T09:00:00Z subscription.updated active Δ status
      2026-06-15T09:00:00Z invoice.created draft
      2026-06-15T09:00:00Z invoice.finalized open
      2026-06-15T09:00:00Z invoice.paid paid #1
      2026-06-15T09:00:00Z payment_intent.succeeded succeeded
      2026-06-15T09:00:00Z charge.succeeded succeeded
      2026-06-15T09:00:00Z subscription.updated active Δ latest_invoice current_period_start current_period_end
      `),
    )
    const invoices = await listAll(twin, '/v1/invoices')
    expect(invoices.map(({ created, status }) => [created, status])).toEqual([
      [at('2026-06-01T09:00:00Z'), 'paid'],
      [1780909200, 'paid'],
      [1781514000, 'paid'],
    ])
    expect(invoices[1]?.status_transitions.paid_at).toBe(1781514000)
    expect(await twin.get(`/v1/subscriptions/${begun.subscription.id}`)).toMatchObject({
      status: 'active',
      current_period_start: 1781514000,
      current_period_end: at('2026-06-22T09:00:00Z'),
      latest_invoice: invoices[2]?.id,
    })
  })
})

describe('F: the first payment fails', () => {
  const BEGINNING = `
    2026-05-10T15:30:00Z subscription.created incomplete
    2026-05-10T15:30:00Z invoice.created draft
    2026-05-10T15:30:00Z invoice.finalized open
    2026-05-10T15:30:00Z invoice.payment_failed open #1 next 2026-05-11T15:30:00Z
    2026-05-10T15:30:00Z payment_intent.payment_failed requires_payment_method
    2026-05-10T15:30:00Z charge.failed failed
    2026-05-11T15:30:00Z invoice.payment_failed open #2 next 2026-05-13T15:30:00Z
    2026-05-11T15:30:00Z payment_intent.payment_failed requires_payment_method
    2026-05-11T15:30:00Z charge.failed failed`

  test('a successful retry makes it active within its first period', async () => {
    const { twin, lines, begun, history } = await play({
      now: '2026-05-10T15:30:00Z',
      until: '2026-06-10T15:29:59Z',
      begin: (fresh) => subscribe(fresh, { outcomes: [FAILED, FAILED] }),
    })
    expect(lines).toEqual(
      linesOf(`${BEGINNING}
      2026-05-13T15:30:00Z invoice.paid paid #3
      2026-05-13T15:30:00Z payment_intent.succeeded succeeded
      2026-05-13T15:30:00Z charge.succeeded succeeded
      2026-05-13T15:30:00Z subscription.updated active Δ status latest_invoice
      `),
    )
    const [invoice] = history.invoices
    expect(begun.subscription).toMatchObject({ status: 'incomplete', latest_invoice: null })
    expect(history.events.at(-1)?.data.previous_attributes).toEqual({
      status: 'incomplete',
      latest_invoice: null,
    })
    expect(await twin.get(`/v1/subscriptions/${begun.subscription.id}`)).toMatchObject({
      status: 'active',
      latest_invoice: invoice?.id,
      billing_cycle_anchor: at('2026-05-10T15:30:00Z'),
      current_period_start: at('2026-05-10T15:30:00Z'),
      current_period_end: at('2026-06-10T15:30:00Z'),
    })
  })

  test('the last failed retry expires it and voids its invoice', async () => {
    const { twin, lines, begun, history } = await play({
      now: '2026-05-10T15:30:00Z',
      until: '2026-07-01T00:00:00Z',
      begin: (fresh) => subscribe(fresh, { outcomes: [], afterwards: FAILED }),
    })
    expect(lines).toEqual(
      linesOf(`${BEGINNING}
      2026-05-13T15:30:00Z invoice.payment_failed open #3 next 2026-05-15T15:30:00Z
      2026-05-13T15:30:00Z payment_intent.payment_failed requires_payment_method
      2026-05-13T15:30:00Z charge.failed failed
      2026-05-15T15:30:00Z invoice.payment_failed open #4 next 2026-05-17T15:30:00Z
      2026-05-15T15:30:00Z payment_intent.payment_failed requires_payment_method
      2026-05-15T15:30:00Z charge.failed failed
      2026-05-17T15:30:00Z invoice.payment_failed open #5
      2026-05-17T15:30:00Z payment_intent.payment_failed requires_payment_method
      2026-05-17T15:30:00Z charge.failed failed
      2026-05-17T15:30:00Z invoice.voided void
      2026-05-17T15:30:00Z subscription.updated incomplete_expired Δ status ended_at
      `),
    )
    const [invoice, intent] = [history.invoices[0], history.payment_intents[0]]
    expect(invoice).toMatchObject({
      status: 'void',
      attempt_count: 5,
      next_payment_attempt: null,
      status_transitions: { voided_at: 1779031800 },
    })
    expect(intent).toMatchObject({ status: 'canceled', canceled_at: 1779031800 })
    expect(await twin.get(`/v1/subscriptions/${begun.subscription.id}`)).toMatchObject({
      status: 'incomplete_expired',
      latest_invoice: null,
      ended_at: 1779031800,
      current_period_end: at('2026-06-10T15:30:00Z'),
    })
  })
})
