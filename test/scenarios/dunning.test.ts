import { describe, expect, test } from 'vitest'
import { linesOf } from '../table.ts'
import type { Body, Twin } from '../twin.ts'
import { at, historyOf, listAll, openTwin, setFinalAction, subscribe, timelineOf } from './story.ts'

const FAILED = 'decline:insufficient_funds'
const WEEKLY = { recurring: { interval: 'week' } }

const upcomingOf = async (twin: Twin) =>
  (await twin.get('/v1/test_helpers/upcoming?limit=100')).data.map(({ kind }: Body) => kind)

/** Lists the events from a time on. */
const linesFrom = async (twin: Twin, time: string) =>
  timelineOf((await twin.events()).filter(({ created }) => created >= at(time)))

describe('a subscription that stays past due', () => {
  test('each invoice has its own schedule, and the subscription is active when the last one is paid', async () => {
    const twin = await openTwin({ now: '2026-06-01T09:00:00Z' })
    await setFinalAction(twin, 'leave_past_due')
    const outcomes = ['succeed', ...Array(7).fill(FAILED)]
    const { subscription } = await subscribe(twin, { price: WEEKLY, outcomes })
    await twin.advance({ to: '2026-06-18T09:00:00Z' })

    expect(await linesFrom(twin, '2026-06-15T09:00:00Z')).toEqual(
      linesOf(`
      2026-06-15T09:00:00Z invoice.payment_failed open #5
      2026-06-15T09:00:00Z payment_intent.payment_failed requires_payment_method
      2026-06-15T09:00:00Z charge.failed failed
      2026-06-15T09:00:00Z invoice.created draft
      2026-06-15T09:00:00Z invoice.finalized open
      2026-06-15T09:00:00Z invoice.payment_failed open #1 next 2026-06-16T09:00:00Z
      2026-06-15T09:00:00Z payment_intent.payment_failed requires_payment_method
      2026-06-15T09:00:00Z charge.failed failed
      2026-06-15T09:00:00Z subscription.updated past_due Δ latest_invoice current_period_start current_period_end
      2026-06-16T09:00:00Z invoice.payment_failed open #2 next 2026-06-18T09:00:00Z
      2026-06-16T09:00:00Z payment_intent.payment_failed requires_payment_method
      2026-06-16T09:00:00Z charge.failed failed
      2026-06-18T09:00:00Z invoice.paid paid #3
      2026-06-18T09:00:00Z payment_intent.succeeded succeeded
      2026-06-18T09:00:00Z charge.succeeded succeeded
      `),
    )
    const [, first] = await listAll(twin, '/v1/invoices')
    expect(first).toMatchObject({ status: 'open', next_payment_attempt: null })
    expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({ status: 'past_due' })

    await twin.post(`/v1/invoices/${first?.id}/pay`)
    expect((await linesFrom(twin, '2026-06-18T09:00:00Z')).slice(3)).toEqual(
      linesOf(`
      2026-06-18T09:00:00Z invoice.paid paid #5
      2026-06-18T09:00:00Z payment_intent.succeeded succeeded
      2026-06-18T09:00:00Z charge.succeeded succeeded
      2026-06-18T09:00:00Z subscription.updated active Δ status
      `),
    )
  })

  test('renewals that succeed leave it past due while an older invoice is open', async () => {
    const twin = await openTwin({ now: '2026-06-01T09:00:00Z' })
    await setFinalAction(twin, 'leave_past_due')
    const { subscription } = await subscribe(twin, {
      price: WEEKLY,
      outcomes: ['succeed', ...Array(5).fill(FAILED)],
    })
    await twin.advance({ to: '2026-06-22T09:00:00Z' })
    const invoices = await listAll(twin, '/v1/invoices')
    expect(invoices.map(({ status }) => status)).toEqual(['paid', 'open', 'paid', 'paid'])
    expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({
      status: 'past_due',
      latest_invoice: invoices[3]?.id,
      current_period_start: at('2026-06-22T09:00:00Z'),
    })
  })
})

describe('the last failed retry of the oldest invoice', () => {
  const DAILY = { recurring: { interval: 'day' } }

  /** The first renewal fails on 2 June, and so do those after it: its last retry is on 9 June. */
  const failDaily = async (finalAction: string) => {
    const twin = await openTwin({ now: '2026-06-01T09:00:00Z' })
    await setFinalAction(twin, finalAction)
    const { subscription } = await subscribe(twin, {
      price: DAILY,
      outcomes: ['succeed'],
      afterwards: FAILED,
    })
    await twin.advance({ to: '2026-06-09T09:00:00Z' })
    return { twin, subscription }
  }

  test('with cancel removes the retries of the others, and no job remains', async () => {
    const { twin, subscription } = await failDaily('cancel')
    expect(await upcomingOf(twin)).toEqual([])
    const invoices = await listAll(twin, '/v1/invoices')
    expect(invoices.map(({ status, attempt_count }) => `${status} ${attempt_count}`)).toEqual([
      'paid 1',
      'open 5',
      'open 4',
      'open 3',
      'open 3',
      'open 2',
      'open 2',
      'open 1',
    ])
    for (const { next_payment_attempt } of invoices) expect(next_payment_attempt).toBeNull()
    expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({
      status: 'canceled',
      current_period_end: at('2026-06-09T09:00:00Z'),
      ended_at: at('2026-06-09T09:00:00Z'),
    })
  })

  test('with mark_unpaid removes the retries of the others, and only drafts are created from then on', async () => {
    const { twin, subscription } = await failDaily('mark_unpaid')
    expect(await upcomingOf(twin)).toEqual(['renewal'])
    await twin.advance({ to: '2026-06-11T09:00:00Z' })
    const invoices = await listAll(twin, '/v1/invoices')
    expect(invoices.slice(8).map(({ status, number }) => [status, number])).toEqual([
      ['draft', null],
      ['draft', null],
      ['draft', null],
    ])
    expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({
      status: 'unpaid',
      latest_invoice: invoices[7]?.id,
    })
  })

  test('retries of one second run oldest invoice first', async () => {
    const { twin } = await failDaily('leave_past_due')
    const attempts = (await twin.events('&type=invoice.payment_failed')).filter(
      ({ created }) => created === at('2026-06-09T09:00:00Z'),
    )
    // On the ninth the invoices of 1, 3, 5 and 7 days ago are retried, then comes the renewal.
    expect(attempts.map(({ data }) => data.object.created)).toEqual(
      ['02', '04', '06', '08', '09'].map((day) => at(`2026-06-${day}T09:00:00Z`)),
    )
  })
})

describe('an unpaid subscription', () => {
  test('is active again when its open invoices are paid by hand; its drafts stay drafts', async () => {
    const twin = await openTwin({ now: '2026-06-01T09:00:00Z' })
    await setFinalAction(twin, 'mark_unpaid')
    const outcomes = ['succeed', ...Array(5).fill(FAILED)]
    const { subscription } = await subscribe(twin, { price: WEEKLY, outcomes })
    await twin.advance({ to: '2026-06-20T09:00:00Z' })
    const [, open, draft] = await listAll(twin, '/v1/invoices')
    expect([open?.status, draft?.status]).toEqual(['open', 'draft'])

    await twin.post(`/v1/invoices/${open?.id}/pay`)
    expect(await linesFrom(twin, '2026-06-20T09:00:00Z')).toEqual(
      linesOf(`
      2026-06-20T09:00:00Z invoice.paid paid #5
      2026-06-20T09:00:00Z payment_intent.succeeded succeeded
      2026-06-20T09:00:00Z charge.succeeded succeeded
      2026-06-20T09:00:00Z subscription.updated active Δ status
      `),
    )
    await twin.advance({ to: '2026-06-22T09:00:00Z' })
    const statuses = (await listAll(twin, '/v1/invoices')).map(({ status }) => status)
    expect(statuses).toEqual(['paid', 'paid', 'draft', 'paid'])
    expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({ status: 'active' })
  })

  test('a draft that is paid by hand is finalized first, and gets the next number', async () => {
    const twin = await openTwin({ now: '2026-06-01T09:00:00Z' })
    await setFinalAction(twin, 'mark_unpaid')
    const { customer } = await subscribe(twin, {
      price: WEEKLY,
      outcomes: ['succeed', ...Array(5).fill(FAILED)],
    })
    await twin.advance({ to: '2026-06-20T09:00:00Z' })
    const draft = (await listAll(twin, '/v1/invoices')).at(-1)
    await twin.post(`/v1/invoices/${draft?.id}/pay`)
    expect((await linesFrom(twin, '2026-06-20T09:00:00Z')).slice(0, 4)).toEqual(
      linesOf(`
      2026-06-20T09:00:00Z invoice.finalized open
      2026-06-20T09:00:00Z invoice.paid paid #0
      2026-06-20T09:00:00Z payment_intent.succeeded succeeded
      2026-06-20T09:00:00Z charge.succeeded succeeded
      `),
    )
    const { number } = await twin.get(`/v1/invoices/${draft?.id}`)
    expect(number).toBe(`${customer.invoice_prefix}-0003`)
  })
})

describe('a payment by hand during dunning', () => {
  const pastDue = async (outcomes: string[]) => {
    const twin = await openTwin({ now: '2026-01-31T10:00:00Z' })
    const { subscription } = await subscribe(twin, { outcomes: ['succeed', FAILED, ...outcomes] })
    await twin.advance({ to: '2026-02-28T12:00:00Z' })
    const invoice = (await listAll(twin, '/v1/invoices')).at(-1)
    return { twin, subscription, path: `/v1/invoices/${invoice?.id}` }
  }

  test('that succeeds recovers the subscription and removes the retries', async () => {
    const { twin, subscription, path } = await pastDue([])
    expect(await twin.post(`${path}/pay`)).toMatchObject({
      status: 'paid',
      attempt_count: 1,
      next_payment_attempt: null,
    })
    expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({ status: 'active' })
    expect(await upcomingOf(twin)).toEqual(['renewal'])
  })

  test('that fails emits events, and changes neither count nor schedule', async () => {
    const { twin, subscription, path } = await pastDue(['decline:lost_card'])
    const refused = await twin.request('POST', `${path}/pay`)
    expect(refused.status).toBe(402)
    expect(refused.body.error).toMatchObject({
      type: 'payment_error',
      code: 'card_declined',
      decline_code: 'lost_card',
      charge: expect.stringMatching(/^ch_/),
      payment_intent: { status: 'requires_payment_method' },
    })
    expect(await linesFrom(twin, '2026-02-28T12:00:00Z')).toEqual(
      linesOf(`
      2026-02-28T12:00:00Z invoice.payment_failed open #1 next 2026-03-01T10:00:00Z
      2026-02-28T12:00:00Z payment_intent.payment_failed requires_payment_method
      2026-02-28T12:00:00Z charge.failed failed
      `),
    )
    expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({ status: 'past_due' })
    await twin.advance({ to: '2026-03-01T10:00:00Z' })
    expect(await twin.get(path)).toMatchObject({ status: 'paid', attempt_count: 2 })
  })

  test('is refused for an invoice that is paid, and writes nothing', async () => {
    const { twin, path } = await pastDue([])
    await twin.post(`${path}/pay`)
    const before = await historyOf(twin)
    const { status, body } = await twin.request('POST', `${path}/pay`)
    expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_state_transition', 'status'])
    expect(await historyOf(twin)).toEqual(before)
  })
})
