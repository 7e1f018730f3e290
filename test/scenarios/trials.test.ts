import { describe, expect, test } from 'vitest'
import { linesOf } from '../table.ts'
import { type Body, makeCustomer, makePrice, type Twin } from '../twin.ts'
import { at, bytesOf, historyOf, listAll, openTwin, play, subscribe, timelineOf } from './story.ts'

const NOW = '2026-04-01T00:00:00Z'

/** A trial of two weeks without a payment method. */
async function tryOut(twin: Twin, params: Body = {}): Promise<Body> {
  const price = await makePrice(twin)
  const customer = await twin.post('/v1/customers')
  return twin.post('/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    items: [{ price: price.id }],
    trial_period_days: 14,
    ...params,
  })
}

const endingWith = (missing_payment_method: string) => ({
  trial_settings: { end_behavior: { missing_payment_method } },
})

const subscriptionOf = async (twin: Twin, { id }: Body) => twin.get(`/v1/subscriptions/${id}`)

describe('a trial', () => {
  test('creates no invoice, and its end is the anchor of the later periods', async () => {
    const { twin, lines, begun, history } = await play({
      now: NOW,
      until: '2026-05-31T00:00:00Z',
      begin: (fresh) => subscribe(fresh, { trial_end: at('2026-04-30T00:00:00Z') }),
    })
    expect(lines).toEqual(
      linesOf(`
      2026-04-01T00:00:00Z subscription.created trialing
      2026-04-30T00:00:00Z invoice.created draft
      2026-04-30T00:00:00Z invoice.finalized open
      2026-04-30T00:00:00Z invoice.paid paid #1
      2026-04-30T00:00:00Z payment_intent.succeeded succeeded
      2026-04-30T00:00:00Z charge.succeeded succeeded
      2026-04-30T00:00:00Z subscription.updated active Δ status latest_invoice current_period_start current_period_end
      2026-05-30T00:00:00Z invoice.created draft
      2026-05-30T00:00:00Z invoice.finalized open
      2026-05-30T00:00:00Z invoice.paid paid #1
      2026-05-30T00:00:00Z payment_intent.succeeded succeeded
      2026-05-30T00:00:00Z charge.succeeded succeeded
      2026-05-30T00:00:00Z subscription.updated active Δ latest_invoice current_period_start current_period_end
      `),
    )
    expect(begun.subscription).toMatchObject({
      status: 'trialing',
      trial_start: at(NOW),
      trial_end: at('2026-04-30'),
      current_period_start: at(NOW),
      current_period_end: at('2026-04-30'),
      billing_cycle_anchor: at('2026-04-30'),
      latest_invoice: null,
    })
    expect(history.invoices.map(({ billing_reason }) => billing_reason)).toEqual([
      'subscription_cycle',
      'subscription_cycle',
    ])
    expect(await subscriptionOf(twin, begun.subscription)).toMatchObject({
      trial_end: at('2026-04-30'),
      current_period_end: at('2026-06-30'),
    })
  })

  test('whose first payment fails is past due, and has no latest invoice until it is paid', async () => {
    const { twin, lines, history, begun } = await play({
      now: NOW,
      until: '2026-04-30T00:00:00Z',
      begin: (fresh) => subscribe(fresh, { trial_period_days: 14, outcomes: ['decline:lost_card'] }),
    })
    expect(lines).toEqual(
      linesOf(`
      2026-04-01T00:00:00Z subscription.created trialing
      2026-04-15T00:00:00Z invoice.created draft
      2026-04-15T00:00:00Z invoice.finalized open
      2026-04-15T00:00:00Z invoice.payment_failed open #1 next 2026-04-16T00:00:00Z
      2026-04-15T00:00:00Z payment_intent.payment_failed requires_payment_method
      2026-04-15T00:00:00Z charge.failed failed
      2026-04-15T00:00:00Z subscription.updated past_due Δ status current_period_start current_period_end
      2026-04-16T00:00:00Z invoice.paid paid #2
      2026-04-16T00:00:00Z payment_intent.succeeded succeeded
      2026-04-16T00:00:00Z charge.succeeded succeeded
      2026-04-16T00:00:00Z subscription.updated active Δ status latest_invoice
      `),
    )
    expect((await subscriptionOf(twin, begun.subscription)).latest_invoice).toBe(history.invoices[0]?.id)
  })

  test('does not exist with trial_end now', async () => {
    const twin = await openTwin({ now: NOW })
    const { subscription } = await subscribe(twin, { trial_end: 'now' })
    expect(subscription).toMatchObject({ status: 'active', trial_start: null, trial_end: null })
  })

  test.each<[string, Body]>([
    ['trial_end', { trial_period_days: 14, trial_end: at('2026-04-15') }],
    ['trial_end', { trial_end: at(NOW) }],
    ['trial_end', { trial_end: at('2028-04-01T00:00:01Z') }],
    ['trial_end', { trial_end: 'soon' }],
    ['trial_period_days', { trial_period_days: 0 }],
    ['trial_period_days', { trial_period_days: 731 }],
  ])('is refused, naming %s, for %j, and nothing is written', async (param, params) => {
    const twin = await openTwin({ now: NOW })
    const price = await makePrice(twin)
    const { customer, method } = await makeCustomer(twin)
    const before = await historyOf(twin)
    const { status, body } = await twin.request('POST', '/v1/subscriptions', {
      customer: customer.id,
      currency: 'usd',
      default_payment_method: method.id,
      items: [{ price: price.id }],
      ...params,
    })
    expect([status, body.error.code, body.error.param]).toEqual([400, 'parameter_invalid', param])
    expect(bytesOf(await historyOf(twin))).toEqual(bytesOf(before))
  })

  test.each([
    { trial_period_days: 730 },
    { trial_period_days: 1 },
    { trial_period_days: undefined, trial_end: at('2028-04-01') },
  ])('may be as long as %j', async (params) => {
    const twin = await openTwin({ now: NOW })
    expect(await tryOut(twin, params)).toMatchObject({ status: 'trialing' })
  })
})

describe('a trial that ends without a payment method', () => {
  test('with create_invoice is billed nevertheless', async () => {
    const twin = await openTwin({ now: NOW })
    const begun = await tryOut(twin, endingWith('create_invoice'))
    await twin.advance({ by: '2w' })
    expect(await subscriptionOf(twin, begun)).toMatchObject({ status: 'past_due', latest_invoice: null })
    expect(await listAll(twin, '/v1/invoices')).toMatchObject([{ status: 'open', charge: null }])
  })

  test('with pause is paused, and has no further jobs', async () => {
    const { twin, lines, begun } = await play({
      now: NOW,
      until: '2026-08-01T00:00:00Z',
      begin: (fresh) => tryOut(fresh, endingWith('pause')),
    })
    expect(lines.slice(1)).toEqual(['2026-04-15T00:00:00Z subscription.updated paused Δ status'])
    expect(await subscriptionOf(twin, begun)).toMatchObject({ status: 'paused', ended_at: null })
    expect((await twin.get('/v1/test_helpers/upcoming')).data).toEqual([])
  })

  test('with cancel is canceled, because there is no payment method', async () => {
    const { twin, lines, begun } = await play({
      now: NOW,
      until: '2026-08-01T00:00:00Z',
      begin: (fresh) => tryOut(fresh, endingWith('cancel')),
    })
    expect(lines.slice(1)).toEqual(['2026-04-15T00:00:00Z subscription.deleted canceled'])
    expect(await subscriptionOf(twin, begun)).toMatchObject({
      status: 'canceled',
      canceled_at: at('2026-04-15'),
      ended_at: at('2026-04-15'),
      cancellation_details: { reason: 'payment_method_missing' },
    })
    expect(await listAll(twin, '/v1/invoices')).toEqual([])
  })

  test('of a sent subscription leaves an open invoice, and the subscription is active', async () => {
    const twin = await openTwin({ now: NOW })
    const begun = await tryOut(twin, { collection_method: 'send_invoice', ...endingWith('cancel') })
    await twin.advance({ by: '2w' })
    expect(timelineOf(await twin.events()).slice(1)).toEqual(
      linesOf(`
      2026-04-15T00:00:00Z invoice.created draft
      2026-04-15T00:00:00Z invoice.finalized open
      2026-04-15T00:00:00Z subscription.updated active Δ status current_period_start current_period_end
      `),
    )
    expect(await subscriptionOf(twin, begun)).toMatchObject({ status: 'active', latest_invoice: null })
  })

  test('charges the default of its customer if there is one by then', async () => {
    const twin = await openTwin({ now: NOW })
    const begun = await tryOut(twin, endingWith('cancel'))
    await twin.post(`/v1/customers/${begun.customer}`, {
      invoice_settings: { default_payment_method: 'pm_card_visa' },
    })
    await twin.advance({ by: '2w' })
    expect(await subscriptionOf(twin, begun)).toMatchObject({ status: 'active' })
  })
})
