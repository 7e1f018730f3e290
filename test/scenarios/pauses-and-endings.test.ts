import { describe, expect, test } from 'vitest'
import { table } from '../table.ts'
import { type Body, makePrice, type Twin } from '../twin.ts'
import { at, listAll, openTwin, play, subscribe } from './story.ts'

const NOW = '2026-04-01T00:00:00Z'
const TRIAL_END = '2026-04-15T00:00:00Z'

const subscriptionOf = (twin: Twin, { id }: Body) => twin.get(`/v1/subscriptions/${id}`)
const update = (twin: Twin, { id }: Body, params: Body) => twin.post(`/v1/subscriptions/${id}`, params)
const kindsOf = (lines: readonly string[], time: string) =>
  lines.filter((line) => line.startsWith(time)).map((line) => line.split(' ')[1])

describe('a trial that ends while collection is paused', () => {
  test.each(
    table(
      ['behavior', 'status', 'events'],
      `
      keep_as_draft       draft          invoice.created
      mark_uncollectible  uncollectible  invoice.created invoice.finalized invoice.marked_uncollectible
      void                void           invoice.created invoice.finalized invoice.voided
      `,
    ),
  )('with $behavior becomes active, without a charge', async ({ behavior, status, events }) => {
    const { lines, history, begun, twin } = await play({
      now: NOW,
      until: '2026-05-14T00:00:00Z',
      begin: async (fresh) => {
        const { subscription } = await subscribe(fresh, { trial_period_days: 14 })
        return update(fresh, subscription, { pause_collection: { behavior } })
      },
    })
    expect(kindsOf(lines, TRIAL_END).join(' ')).toBe(`${events} subscription.updated`)
    expect(lines.at(-1)).toMatch(/ active Δ status current_period_start current_period_end$/)
    expect(history.invoices).toMatchObject([{ status, attempted: false, charge: null }])
    expect(history.charges).toEqual([])
    expect(await subscriptionOf(twin, begun)).toMatchObject({
      latest_invoice: null,
      billing_cycle_anchor: at(TRIAL_END),
      current_period_end: at('2026-05-15'),
    })
  })

  test('is collected when the pause ends in that very second', async () => {
    const { lines, history } = await play({
      now: NOW,
      until: TRIAL_END,
      begin: async (fresh) => {
        const { subscription } = await subscribe(fresh, { trial_period_days: 14 })
        const pause_collection = { behavior: 'void', resumes_at: at(TRIAL_END) }
        return update(fresh, subscription, { pause_collection })
      },
    })
    expect(kindsOf(lines, TRIAL_END)).toEqual([
      'subscription.updated',
      'invoice.created',
      'invoice.finalized',
      'invoice.paid',
      'payment_intent.succeeded',
      'charge.succeeded',
      'subscription.updated',
    ])
    expect(history.invoices).toMatchObject([{ status: 'paid' }])
  })

  test('on request makes no charge either', async () => {
    const twin = await openTwin({ now: NOW })
    const { subscription } = await subscribe(twin, { trial_period_days: 14 })
    await update(twin, subscription, { pause_collection: { behavior: 'void' }, trial_end: 'now' })
    expect(await subscriptionOf(twin, subscription)).toMatchObject({ status: 'active', latest_invoice: null })
    expect(await listAll(twin, '/v1/charges')).toEqual([])
  })
})

describe('a renewal that costs nothing while collection is paused', () => {
  test.each(
    table(
      ['behavior', 'status', 'events'],
      `
      keep_as_draft       draft  invoice.created
      mark_uncollectible  paid   invoice.created invoice.finalized invoice.paid
      void                paid   invoice.created invoice.finalized invoice.paid
      `,
    ),
  )('with $behavior does not change the latest invoice', async ({ behavior, status, events }) => {
    const { lines, history, begun, twin } = await play({
      now: NOW,
      until: '2026-05-01T00:00:00Z',
      begin: async (fresh) => {
        const { subscription } = await subscribe(fresh, { price: { unit_amount: 0 } })
        return update(fresh, subscription, { pause_collection: { behavior } })
      },
    })
    expect(kindsOf(lines, '2026-05-01').join(' ')).toBe(`${events} subscription.updated`)
    expect(lines.at(-1)).toMatch(/ active Δ current_period_start current_period_end$/)
    expect(history.invoices.at(-1)).toMatchObject({ status })
    expect((await subscriptionOf(twin, begun)).latest_invoice).toBe(begun.latest_invoice)
  })
})

describe('a scheduled cancellation', () => {
  test('takes effect while collection is paused', async () => {
    const { lines } = await play({
      now: NOW,
      until: '2026-06-01T00:00:00Z',
      begin: async (fresh) => {
        const { subscription } = await subscribe(fresh)
        const params = { pause_collection: { behavior: 'void' }, cancel_at: at('2026-04-20') }
        return update(fresh, subscription, params)
      },
    })
    expect(lines.at(-1)).toBe('2026-04-20T00:00:00Z subscription.deleted canceled')
  })

  /** Paused on 15 April without a payment method; its customer has a default card since then. */
  async function pausedByTrial(twin: Twin, cancel_at: string): Promise<Body> {
    const price = await makePrice(twin)
    const customer = await twin.post('/v1/customers')
    const subscription = await twin.post('/v1/subscriptions', {
      customer: customer.id,
      currency: 'usd',
      items: [{ price: price.id }],
      trial_period_days: 14,
      trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
    })
    await update(twin, subscription, { cancel_at: at(cancel_at) })
    await twin.advance({ to: '2026-05-01T00:00:00Z' })
    const invoice_settings = { default_payment_method: 'pm_card_visa' }
    await twin.post(`/v1/customers/${customer.id}`, { invoice_settings })
    return subscriptionOf(twin, subscription)
  }

  test('waits while the subscription itself is paused, and is withdrawn when that is resumed later', async () => {
    const twin = await openTwin({ now: NOW })
    const paused = await pausedByTrial(twin, '2026-04-20')
    expect(paused).toMatchObject({ status: 'paused', cancel_at: at('2026-04-20') })
    const resumed = await twin.post(`/v1/subscriptions/${paused.id}/resume`)
    expect(resumed).toMatchObject({ status: 'active', cancel_at: null, canceled_at: null })
    const events = await twin.events('&type=subscription.updated')
    expect(events.at(-1)?.data.previous_attributes).toMatchObject({ cancel_at: at('2026-04-20') })
    await twin.advance({ by: '3mo' })
    expect(await subscriptionOf(twin, paused)).toMatchObject({ status: 'active' })
  })

  test('stays in force when the subscription is resumed before it', async () => {
    const twin = await openTwin({ now: NOW })
    const paused = await pausedByTrial(twin, '2026-05-20')
    const resumed = await twin.post(`/v1/subscriptions/${paused.id}/resume`)
    expect(resumed).toMatchObject({ status: 'active', cancel_at: at('2026-05-20') })
    await twin.advance({ by: '3mo' })
    expect(await subscriptionOf(twin, paused)).toMatchObject({
      status: 'canceled',
      ended_at: at('2026-05-20'),
    })
  })
})

test('a subscription that was paused both ways is resumed from both', async () => {
  const twin = await openTwin({ now: NOW })
  const price = await makePrice(twin)
  const customer = await twin.post('/v1/customers')
  const subscription = await twin.post('/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    items: [{ price: price.id }],
    trial_period_days: 14,
    trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
  })
  const pause_collection = { behavior: 'void', resumes_at: at('2026-04-20') }
  await update(twin, subscription, { pause_collection })
  await twin.advance({ to: '2026-05-01T00:00:00Z' })
  const invoice_settings = { default_payment_method: 'pm_card_visa' }
  await twin.post(`/v1/customers/${customer.id}`, { invoice_settings })
  const resumed = await twin.post(`/v1/subscriptions/${subscription.id}/resume`)
  expect(resumed).toMatchObject({ status: 'active', pause_collection: null })
  expect((await listAll(twin, '/v1/invoices')).map(({ status }) => status)).toEqual(['paid'])
  await twin.advance({ to: '2026-06-01T00:00:00Z' })
  expect((await listAll(twin, '/v1/invoices')).map(({ status }) => status)).toEqual(['paid', 'paid'])
})
