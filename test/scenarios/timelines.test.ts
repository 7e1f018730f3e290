import { describe, expect, test } from 'vitest'
import { linesOf } from '../table.ts'
import type { Twin } from '../twin.ts'
import { at, listAll, play, setFinalAction, subscribe } from './story.ts'

const FAILED_FOR_EVER = 'decline:insufficient_funds'

const newestInvoice = async (twin: Twin) => (await listAll(twin, '/v1/invoices')).at(-1)

describe('A: monthly from 31 January with a good card', () => {
  test('it renews on the last day of shorter months, and on the 31st of the others', async () => {
    const { twin, lines, begun } = await play({
      now: '2026-01-31T10:00:00Z',
      until: '2026-06-01T00:00:00Z',
      begin: subscribe,
    })
    expect(lines).toEqual(
      linesOf(`
      2026-01-31T10:00:00Z subscription.created active
      2026-01-31T10:00:00Z invoice.created draft
      2026-01-31T10:00:00Z invoice.finalized open
      2026-01-31T10:00:00Z invoice.paid paid #1
      2026-01-31T10:00:00Z payment_intent.succeeded succeeded
      2026-01-31T10:00:00Z charge.succeeded succeeded
      2026-02-28T10:00:00Z invoice.created draft
      2026-02-28T10:00:00Z invoice.finalized open
      2026-02-28T10:00:00Z invoice.paid paid #1
      2026-02-28T10:00:00Z payment_intent.succeeded succeeded
      2026-02-28T10:00:00Z charge.succeeded succeeded
      2026-02-28T10:00:00Z subscription.updated active Δ latest_invoice current_period_start current_period_end
      2026-03-31T10:00:00Z invoice.created draft
      2026-03-31T10:00:00Z invoice.finalized open
      2026-03-31T10:00:00Z invoice.paid paid #1
      2026-03-31T10:00:00Z payment_intent.succeeded succeeded
      2026-03-31T10:00:00Z charge.succeeded succeeded
      2026-03-31T10:00:00Z subscription.updated active Δ latest_invoice current_period_start current_period_end
      2026-04-30T10:00:00Z invoice.created draft
      2026-04-30T10:00:00Z invoice.finalized open
      2026-04-30T10:00:00Z invoice.paid paid #1
      2026-04-30T10:00:00Z payment_intent.succeeded succeeded
      2026-04-30T10:00:00Z charge.succeeded succeeded
      2026-04-30T10:00:00Z subscription.updated active Δ latest_invoice current_period_start current_period_end
      2026-05-31T10:00:00Z invoice.created draft
      2026-05-31T10:00:00Z invoice.finalized open
      2026-05-31T10:00:00Z invoice.paid paid #1
      2026-05-31T10:00:00Z payment_intent.succeeded succeeded
      2026-05-31T10:00:00Z charge.succeeded succeeded
      2026-05-31T10:00:00Z subscription.updated active Δ latest_invoice current_period_start current_period_end
      `),
    )
    const invoices = await listAll(twin, '/v1/invoices')
    expect(invoices.map(({ created }) => created)).toEqual([
      1769853600, 1772272800, 1774951200, 1777543200, 1780221600,
    ])
    for (const list of ['charges', 'payment_intents']) {
      const made = await listAll(twin, `/v1/${list}`)
      expect(made.map(({ created }) => created)).toEqual(invoices.map(({ created }) => created))
    }
    expect(await twin.get(`/v1/subscriptions/${begun.subscription.id}`)).toMatchObject({
      status: 'active',
      billing_cycle_anchor: 1769853600,
      current_period_start: 1780221600,
      current_period_end: at('2026-06-30T10:00:00Z'),
      latest_invoice: invoices.at(-1)?.id,
    })
  })
})

describe('B: the renewal of 28 February fails and the second retry succeeds', () => {
  test('the subscription recovers on 3 March and renews on 31 March as usual', async () => {
    const { twin, lines, begun, history } = await play({
      now: '2026-01-31T10:00:00Z',
      until: '2026-04-01T00:00:00Z',
      begin: (fresh) => subscribe(fresh, { outcomes: ['succeed', FAILED_FOR_EVER, FAILED_FOR_EVER] }),
    })
    expect(lines.slice(6)).toEqual(
      linesOf(`
      2026-02-28T10:00:00Z invoice.created draft
      2026-02-28T10:00:00Z invoice.finalized open
      2026-02-28T10:00:00Z invoice.payment_failed open #1 next 2026-03-01T10:00:00Z
      2026-02-28T10:00:00Z payment_intent.payment_failed requires_payment_method
      2026-02-28T10:00:00Z charge.failed failed
      2026-02-28T10:00:00Z subscription.updated past_due Δ status latest_invoice current_period_start current_period_end
      2026-03-01T10:00:00Z invoice.payment_failed open #2 next 2026-03-03T10:00:00Z
      2026-03-01T10:00:00Z payment_intent.payment_failed requires_payment_method
      2026-03-01T10:00:00Z charge.failed failed
      2026-03-03T10:00:00Z invoice.paid paid #3
      2026-03-03T10:00:00Z payment_intent.succeeded succeeded
      2026-03-03T10:00:00Z charge.succeeded succeeded
      2026-03-03T10:00:00Z subscription.updated active Δ status
      2026-03-31T10:00:00Z invoice.created draft
      2026-03-31T10:00:00Z invoice.finalized open
      2026-03-31T10:00:00Z invoice.paid paid #1
      2026-03-31T10:00:00Z payment_intent.succeeded succeeded
      2026-03-31T10:00:00Z charge.succeeded succeeded
      2026-03-31T10:00:00Z subscription.updated active Δ latest_invoice current_period_start current_period_end
      `),
    )
    const [first, second, third] = await listAll(twin, '/v1/invoices')
    const [fails, recovers, renews] = history.events.filter(({ type }) => type === 'subscription.updated')
    expect(fails).toMatchObject({
      created: 1772272800,
      data: {
        object: {
          status: 'past_due',
          latest_invoice: second?.id,
          current_period_start: 1772272800,
          current_period_end: 1774951200,
        },
        previous_attributes: {
          status: 'active',
          latest_invoice: first?.id,
          current_period_start: 1769853600,
          current_period_end: 1772272800,
        },
      },
      request: { id: null, idempotency_key: null },
    })
    expect(recovers).toMatchObject({
      created: 1772532000,
      data: { previous_attributes: { status: 'past_due' } },
    })
    expect(renews).toMatchObject({ created: 1774951200, data: { object: { latest_invoice: third?.id } } })

    const failures = history.events.filter(({ type }) => type === 'invoice.payment_failed')
    expect(failures.map(({ data }) => data.object.next_payment_attempt)).toEqual([1772359200, 1772532000])
    expect(second).toMatchObject({
      status: 'paid',
      attempt_count: 3,
      next_payment_attempt: null,
      status_transitions: { finalized_at: 1772272800, paid_at: 1772532000 },
    })
    expect(third).toMatchObject({ status: 'paid', attempt_count: 1, next_payment_attempt: null })
    expect(await twin.get(`/v1/subscriptions/${begun.subscription.id}`)).toMatchObject({
      status: 'active',
      billing_cycle_anchor: 1769853600,
    })
  })
})

describe('C: the card never works again', () => {
  const DUNNING = `
    2026-02-28T10:00:00Z invoice.created draft
    2026-02-28T10:00:00Z invoice.finalized open
    2026-02-28T10:00:00Z invoice.payment_failed open #1 next 2026-03-01T10:00:00Z
    2026-02-28T10:00:00Z payment_intent.payment_failed requires_payment_method
    2026-02-28T10:00:00Z charge.failed failed
    2026-02-28T10:00:00Z subscription.updated past_due Δ status latest_invoice current_period_start current_period_end
    2026-03-01T10:00:00Z invoice.payment_failed open #2 next 2026-03-03T10:00:00Z
    2026-03-01T10:00:00Z payment_intent.payment_failed requires_payment_method
    2026-03-01T10:00:00Z charge.failed failed
    2026-03-03T10:00:00Z invoice.payment_failed open #3 next 2026-03-05T10:00:00Z
    2026-03-03T10:00:00Z payment_intent.payment_failed requires_payment_method
    2026-03-03T10:00:00Z charge.failed failed
    2026-03-05T10:00:00Z invoice.payment_failed open #4 next 2026-03-07T10:00:00Z
    2026-03-05T10:00:00Z payment_intent.payment_failed requires_payment_method
    2026-03-05T10:00:00Z charge.failed failed
    2026-03-07T10:00:00Z invoice.payment_failed open #5
    2026-03-07T10:00:00Z payment_intent.payment_failed requires_payment_method
    2026-03-07T10:00:00Z charge.failed failed`

  const neverAgain = (finalAction: string) =>
    play({
      now: '2026-01-31T10:00:00Z',
      until: '2026-04-01T09:59:59Z',
      begin: async (fresh) => {
        await setFinalAction(fresh, finalAction)
        return subscribe(fresh, { outcomes: ['succeed'], afterwards: FAILED_FOR_EVER })
      },
    })

  test('cancel ends the subscription at the last retry and leaves its invoice open', async () => {
    const { twin, lines, begun, history } = await neverAgain('cancel')
    expect(lines.slice(6)).toEqual(
      linesOf(`${DUNNING}
      2026-03-07T10:00:00Z subscription.deleted canceled
      `),
    )
    const failures = history.events.filter(({ type }) => type === 'invoice.payment_failed')
    expect(failures.map(({ created }) => created)).toEqual([
      1772272800, 1772359200, 1772532000, 1772704800, 1772877600,
    ])
    const invoice = await newestInvoice(twin)
    expect(invoice).toMatchObject({ status: 'open', attempt_count: 5, next_payment_attempt: null })
    expect(await twin.get(`/v1/subscriptions/${begun.subscription.id}`)).toMatchObject({
      status: 'canceled',
      latest_invoice: invoice?.id,
      current_period_start: 1772272800,
      current_period_end: 1774951200,
      canceled_at: 1772877600,
      ended_at: 1772877600,
      cancel_at: null,
      cancel_at_period_end: false,
      cancellation_details: { reason: 'payment_failed' },
    })
  })

  test('mark_unpaid creates drafts from then on', async () => {
    const { twin, lines, begun } = await neverAgain('mark_unpaid')
    expect(lines.slice(6)).toEqual(
      linesOf(`${DUNNING}
      2026-03-07T10:00:00Z subscription.updated unpaid Δ status
      2026-03-31T10:00:00Z invoice.created draft
      2026-03-31T10:00:00Z subscription.updated unpaid Δ current_period_start current_period_end
      `),
    )
    expect(await newestInvoice(twin)).toMatchObject({
      status: 'draft',
      number: null,
      payment_intent: null,
      attempted: false,
      period_start: 1774951200,
      period_end: at('2026-04-30T10:00:00Z'),
    })
    expect(await twin.get(`/v1/subscriptions/${begun.subscription.id}`)).toMatchObject({
      status: 'unpaid',
      canceled_at: null,
      ended_at: null,
      current_period_start: 1774951200,
    })
  })

  test('leave_past_due continues billing', async () => {
    const { twin, lines, begun } = await neverAgain('leave_past_due')
    expect(lines.slice(6)).toEqual(
      linesOf(`${DUNNING}
      2026-03-31T10:00:00Z invoice.created draft
      2026-03-31T10:00:00Z invoice.finalized open
      2026-03-31T10:00:00Z invoice.payment_failed open #1 next 2026-04-01T10:00:00Z
      2026-03-31T10:00:00Z payment_intent.payment_failed requires_payment_method
      2026-03-31T10:00:00Z charge.failed failed
      2026-03-31T10:00:00Z subscription.updated past_due Δ latest_invoice current_period_start current_period_end
      `),
    )
    const invoice = await newestInvoice(twin)
    expect(invoice).toMatchObject({ status: 'open', attempt_count: 1 })
    expect(await twin.get(`/v1/subscriptions/${begun.subscription.id}`)).toMatchObject({
      status: 'past_due',
      latest_invoice: invoice?.id,
      ended_at: null,
    })
  })
})
