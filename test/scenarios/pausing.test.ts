import { describe, expect, test } from 'vitest'
import { linesOf, table } from '../table.ts'
import { type Body, makePrice, type Twin } from '../twin.ts'
import { at, bytesOf, historyOf, listAll, openTwin, play, subscribe, timelineOf } from './story.ts'

const FAILED = 'decline:insufficient_funds'
const NOW = '2026-01-31T10:00:00Z'

const pause = (twin: Twin, { id }: Body, behavior: string, resumes_at?: string) =>
  twin.post(`/v1/subscriptions/${id}`, {
    pause_collection: { behavior, ...(resumes_at && { resumes_at: at(resumes_at) }) },
  })

const resume = (twin: Twin, { id }: Body) => twin.request('POST', `/v1/subscriptions/${id}/resume`)

/** Lists the events since a place. */
const linesSince = async (twin: Twin, place: number) => timelineOf((await twin.events()).slice(place))

describe('while collection is paused', () => {
  test.each(
    table(
      ['behavior', 'status', 'events'],
      `
      keep_as_draft       draft          invoice.created
      mark_uncollectible  uncollectible  invoice.created invoice.finalized invoice.marked_uncollectible
      void                void           invoice.created invoice.finalized invoice.voided
      `,
    ),
  )('$behavior makes an invoice at the renewal that is $status', async ({ behavior, status, events }) => {
    const { lines, history } = await play({
      now: NOW,
      until: '2026-02-28T10:00:00Z',
      begin: async (fresh) => {
        const { subscription } = await subscribe(fresh)
        return pause(fresh, subscription, behavior)
      },
    })
    const emitted = lines.filter((line) => line.startsWith('2026-02-28'))
    expect(emitted.map((line) => line.split(' ')[1]).join(' ')).toBe(`${events} subscription.updated`)
    expect(emitted.at(-1)).toMatch(/ active Δ current_period_start current_period_end$/)
    expect(history.invoices.at(-1)).toMatchObject({ status, attempt_count: 0, attempted: false })
  })

  test('retries of older invoices continue', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, { outcomes: ['succeed', FAILED] })
    await twin.advance({ to: '2026-02-28T12:00:00Z' })
    await pause(twin, subscription, 'void')
    await twin.advance({ to: '2026-03-01T10:00:00Z' })
    expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({ status: 'active' })
  })

  test('an invoice kept as a draft is the latest once it is paid, if none was paid before', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, { trial_period_days: 1 })
    await pause(twin, subscription, 'mark_uncollectible')
    await twin.advance({ by: '1d' })
    const [invoice] = await listAll(twin, '/v1/invoices')
    expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({ latest_invoice: null })
    const place = (await twin.events()).length
    await twin.post(`/v1/invoices/${invoice?.id}/pay`)
    expect((await linesSince(twin, place)).at(-1)).toBe(
      '2026-02-01T10:00:00Z subscription.updated active Δ latest_invoice',
    )
    expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({
      latest_invoice: invoice?.id,
    })
  })

  test('the pause ends at resumes_at, before a renewal of that second', async () => {
    const { lines } = await play({
      now: NOW,
      until: '2026-03-31T10:00:00Z',
      begin: async (fresh) => {
        const { subscription } = await subscribe(fresh)
        return pause(fresh, subscription, 'void', '2026-03-31T10:00:00Z')
      },
    })
    expect(lines.slice(7)).toEqual(
      linesOf(`
      2026-02-28T10:00:00Z invoice.created draft
      2026-02-28T10:00:00Z invoice.finalized open
      2026-02-28T10:00:00Z invoice.voided void
      2026-02-28T10:00:00Z subscription.updated active Δ current_period_start current_period_end
      2026-03-31T10:00:00Z subscription.updated active Δ pause_collection
      2026-03-31T10:00:00Z invoice.created draft
      2026-03-31T10:00:00Z invoice.finalized open
      2026-03-31T10:00:00Z invoice.paid paid #1
      2026-03-31T10:00:00Z payment_intent.succeeded succeeded
      2026-03-31T10:00:00Z charge.succeeded succeeded
      2026-03-31T10:00:00Z subscription.updated active Δ latest_invoice current_period_start current_period_end
      `),
    )
  })
})

describe('resuming', () => {
  test('clears a pause and a pending cancellation in one update', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin)
    await pause(twin, subscription, 'void')
    await twin.delete(`/v1/subscriptions/${subscription.id}`, { cancel_at_period_end: true })
    const place = (await twin.events()).length
    const { status, body } = await resume(twin, subscription)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'active',
      cancel_at: null,
      cancel_at_period_end: false,
      canceled_at: null,
      pause_collection: null,
    })
    expect(await linesSince(twin, place)).toEqual(
      linesOf(`
      2026-01-31T10:00:00Z subscription.updated active Δ cancel_at cancel_at_period_end canceled_at pause_collection
      2026-01-31T10:00:00Z subscription.resumed active
      `),
    )
    await twin.advance({ by: '1mo' })
    expect((await listAll(twin, '/v1/invoices')).map((invoice) => invoice.status)).toEqual(['paid', 'paid'])
  })

  test.each(['active', 'incomplete', 'canceled'])(
    'one that is %s and not paused is refused',
    async (status) => {
      const twin = await openTwin()
      const { subscription } = await subscribe(twin, { outcomes: status === 'incomplete' ? [FAILED] : [] })
      if (status === 'canceled') await twin.delete(`/v1/subscriptions/${subscription.id}`)
      const before = bytesOf(await historyOf(twin))
      const response = await resume(twin, subscription)
      expect([response.status, response.body.error.code, response.body.error.param]).toEqual([
        400,
        'invalid_state_transition',
        'status',
      ])
      expect(bytesOf(await historyOf(twin))).toEqual(before)
    },
  )

  /** A trial that will pause on 5 February, for there is no payment method. */
  async function trialWithoutMethod() {
    const twin = await openTwin()
    const customer = await twin.post('/v1/customers')
    const price = await makePrice(twin)
    const subscription = await twin.post('/v1/subscriptions', {
      customer: customer.id,
      currency: 'usd',
      items: [{ price: price.id }],
      trial_period_days: 5,
      trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
    })
    return { twin, customer, subscription }
  }

  /** A trial that ended without a payment method on 5 February, and a default card since then. */
  async function pausedByTrial(card: string) {
    const { twin, customer, subscription } = await trialWithoutMethod()
    await twin.advance({ to: '2026-02-09T12:00:00Z' })
    await twin.post(`/v1/customers/${customer.id}`, { invoice_settings: { default_payment_method: card } })
    return { twin, subscription, place: (await twin.events()).length }
  }

  test('a pause of collection ends at resumes_at, also while the subscription is paused after its trial', async () => {
    const { twin, subscription } = await trialWithoutMethod()
    await pause(twin, subscription, 'void', '2026-02-09T10:00:00Z')
    const place = (await twin.events()).length
    await twin.advance({ to: '2026-02-09T12:00:00Z' })
    expect(await linesSince(twin, place)).toEqual([
      '2026-02-05T10:00:00Z subscription.updated paused Δ status',
      '2026-02-09T10:00:00Z subscription.updated paused Δ pause_collection',
    ])
  })

  test('a paused subscription starts a period at that moment, which is its anchor', async () => {
    const { twin, subscription, place } = await pausedByTrial('pm_card_visa')
    expect((await resume(twin, subscription)).body).toMatchObject({
      status: 'active',
      billing_cycle_anchor: at('2026-02-09T12:00:00Z'),
      current_period_start: at('2026-02-09T12:00:00Z'),
      current_period_end: at('2026-03-09T12:00:00Z'),
      latest_invoice: expect.stringMatching(/^in_/),
    })
    expect((await linesSince(twin, place)).map((line) => line.split(' ').slice(1, 3).join(' '))).toEqual([
      'invoice.created draft',
      'invoice.finalized open',
      'invoice.paid paid',
      'payment_intent.succeeded succeeded',
      'charge.succeeded succeeded',
      'subscription.updated active',
      'subscription.resumed active',
    ])
    await twin.advance({ to: '2026-03-09T12:00:00Z' })
    expect(await listAll(twin, '/v1/invoices')).toHaveLength(2)
  })

  test('a paused subscription whose payment fails stays paused, and its invoice is void', async () => {
    const { twin, subscription, place } = await pausedByTrial('pm_card_chargeDeclined')
    expect((await resume(twin, subscription)).status).toBe(402)
    expect((await linesSince(twin, place)).map((line) => line.split(' ').slice(1, 3).join(' '))).toEqual([
      'invoice.created draft',
      'invoice.finalized open',
      'invoice.payment_failed open',
      'payment_intent.payment_failed requires_payment_method',
      'charge.failed failed',
      'invoice.voided void',
    ])
    expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({ status: 'paused' })
    expect((await twin.advance({ by: '1y' })).summary.jobs).toBe(0)
  })
})

describe('cancel_at', () => {
  const cancelAt = (twin: Twin, { id }: Body, time: string) =>
    twin.post(`/v1/subscriptions/${id}`, { cancel_at: at(time) })

  test('cancels within a period', async () => {
    const { twin, lines, begun } = await play({
      now: NOW,
      until: '2026-06-01T00:00:00Z',
      begin: async (fresh) => {
        const { subscription } = await subscribe(fresh)
        return cancelAt(fresh, subscription, '2026-03-10T00:00:00Z')
      },
    })
    expect(lines.at(-1)).toBe('2026-03-10T00:00:00Z subscription.deleted canceled')
    expect(await twin.get(`/v1/subscriptions/${begun.id}`)).toMatchObject({
      cancel_at: at('2026-03-10'),
      cancel_at_period_end: false,
      canceled_at: at(NOW),
      ended_at: at('2026-03-10'),
      current_period_end: at('2026-03-31T10:00:00Z'),
    })
  })

  test('takes effect before a renewal of that second', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin)
    await cancelAt(twin, subscription, '2026-02-28T10:00:00Z')
    await twin.advance({ to: '2026-02-28T10:00:00Z' })
    expect((await linesSince(twin, 0)).at(-1)).toBe('2026-02-28T10:00:00Z subscription.deleted canceled')
    expect(await listAll(twin, '/v1/invoices')).toHaveLength(1)
  })
})

describe('an open invoice that is closed without payment', () => {
  test.each(['void', 'mark_uncollectible'])('with %s makes a past due subscription active', async (verb) => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, { outcomes: ['succeed'], afterwards: FAILED })
    await twin.advance({ to: '2026-03-01T12:00:00Z' })
    const place = (await twin.events()).length
    await twin.post(`/v1/invoices/${(await listAll(twin, '/v1/invoices')).at(-1)?.id}/${verb}`)
    expect((await linesSince(twin, place)).map((line) => line.split(' ').slice(1).join(' '))).toEqual([
      verb === 'void' ? 'invoice.voided void' : 'invoice.marked_uncollectible uncollectible',
      'subscription.updated active Δ status',
    ])
    expect((await twin.get('/v1/test_helpers/upcoming')).data).toMatchObject([
      { kind: 'renewal', subscription: subscription.id },
    ])
  })

  test.each(['void', 'mark_uncollectible'])('with %s expires an incomplete subscription', async (verb) => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, { outcomes: [FAILED] })
    const place = (await twin.events()).length
    await twin.post(`/v1/invoices/${(await listAll(twin, '/v1/invoices'))[0]?.id}/${verb}`)
    expect((await linesSince(twin, place)).map((line) => line.split(' ').slice(1).join(' '))).toEqual([
      verb === 'void' ? 'invoice.voided void' : 'invoice.marked_uncollectible uncollectible',
      'subscription.updated incomplete_expired Δ status ended_at',
    ])
    expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({ latest_invoice: null })
    expect((await twin.advance({ by: '1y' })).summary.jobs).toBe(0)
  })
})
