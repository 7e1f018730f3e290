import { describe, expect, test } from 'vitest'
import { linesOf } from '../table.ts'
import { type Body, makeCustomer, makePrice, type Twin } from '../twin.ts'
import { at, bytesOf, historyOf, listAll, openTwin, subscribe, timelineOf } from './story.ts'

const FAILED = 'decline:insufficient_funds'
const DAILY = { recurring: { interval: 'day' } }

describe('a first payment that fails', () => {
  test.each(['default_incomplete', 'allow_incomplete', undefined])(
    'with payment_behavior %s leaves the subscription incomplete',
    async (payment_behavior) => {
      const twin = await openTwin()
      const { subscription } = await subscribe(twin, { card: 'pm_card_chargeDeclined', payment_behavior })
      expect(subscription).toMatchObject({ status: 'incomplete', latest_invoice: null })
      expect(await listAll(twin, '/v1/invoices')).toMatchObject([
        { status: 'open', attempt_count: 1, billing_reason: 'subscription_create' },
      ])
      expect(timelineOf(await twin.events())).toEqual(
        linesOf(`
        2026-01-31T10:00:00Z subscription.created incomplete
        2026-01-31T10:00:00Z invoice.created draft
        2026-01-31T10:00:00Z invoice.finalized open
        2026-01-31T10:00:00Z invoice.payment_failed open #1 next 2026-02-01T10:00:00Z
        2026-01-31T10:00:00Z payment_intent.payment_failed requires_payment_method
        2026-01-31T10:00:00Z charge.failed failed
        `),
      )
    },
  )

  test('and is paid by hand makes the subscription active', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, { outcomes: [FAILED] })
    const [invoice] = await listAll(twin, '/v1/invoices')
    await twin.post(`/v1/invoices/${invoice?.id}/pay`)
    expect(timelineOf(await twin.events()).slice(6)).toEqual(
      linesOf(`
      2026-01-31T10:00:00Z invoice.paid paid #1
      2026-01-31T10:00:00Z payment_intent.succeeded succeeded
      2026-01-31T10:00:00Z charge.succeeded succeeded
      2026-01-31T10:00:00Z subscription.updated active Δ status latest_invoice
      `),
    )
    expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({
      status: 'active',
      latest_invoice: invoice?.id,
    })
  })

  test('of a period shorter than the retries expires when the period ends', async () => {
    const twin = await openTwin({ now: '2026-06-01T09:00:00Z' })
    const { subscription } = await subscribe(twin, { price: DAILY, outcomes: [], afterwards: FAILED })
    await twin.advance({ by: '1mo' })
    expect(timelineOf(await twin.events()).slice(6)).toEqual(
      linesOf(`
      2026-06-02T09:00:00Z invoice.payment_failed open #2 next 2026-06-04T09:00:00Z
      2026-06-02T09:00:00Z payment_intent.payment_failed requires_payment_method
      2026-06-02T09:00:00Z charge.failed failed
      2026-06-02T09:00:00Z invoice.voided void
      2026-06-02T09:00:00Z subscription.updated incomplete_expired Δ status ended_at
      `),
    )
    expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({
      ended_at: at('2026-06-02T09:00:00Z'),
    })
  })

  test('and recovers in the second in which the period ends is renewed at once', async () => {
    const twin = await openTwin({ now: '2026-06-01T09:00:00Z' })
    await subscribe(twin, { price: DAILY, outcomes: [FAILED] })
    await twin.advance({ by: '1d' })
    expect(timelineOf(await twin.events()).slice(6)).toEqual(
      linesOf(`
      2026-06-02T09:00:00Z invoice.paid paid #2
      2026-06-02T09:00:00Z payment_intent.succeeded succeeded
      2026-06-02T09:00:00Z charge.succeeded succeeded
      2026-06-02T09:00:00Z subscription.updated active Δ status latest_invoice
      2026-06-02T09:00:00Z invoice.created draft
      2026-06-02T09:00:00Z invoice.finalized open
      2026-06-02T09:00:00Z invoice.paid paid #1
      2026-06-02T09:00:00Z payment_intent.succeeded succeeded
      2026-06-02T09:00:00Z charge.succeeded succeeded
      2026-06-02T09:00:00Z subscription.updated active Δ latest_invoice current_period_start current_period_end
      `),
    )
  })

  test('is not renewed while it is incomplete', async () => {
    const twin = await openTwin({ now: '2026-06-01T09:00:00Z' })
    await subscribe(twin, { price: { recurring: { interval: 'week' } }, outcomes: [], afterwards: FAILED })
    await twin.advance({ by: '3w' })
    expect(await listAll(twin, '/v1/invoices')).toMatchObject([{ status: 'void', attempt_count: 5 }])
  })
})

describe('error_if_incomplete', () => {
  const refuse = async (twin: Twin, params: Body) => {
    const { status, body } = await twin.request('POST', '/v1/subscriptions', {
      currency: 'usd',
      payment_behavior: 'error_if_incomplete',
      ...params,
    })
    expect(status).toBe(402)
    return body.error
  }

  test('answers a failed payment with 402 and an error without charge and intent', async () => {
    const twin = await openTwin()
    const price = await makePrice(twin)
    const { customer } = await makeCustomer(twin)
    const error = await refuse(twin, {
      customer: customer.id,
      default_payment_method: 'pm_card_chargeDeclinedInsufficientFunds',
      items: [{ price: price.id }],
    })
    expect(error).toMatchObject({
      type: 'payment_error',
      code: 'card_declined',
      decline_code: 'insufficient_funds',
      param: null,
      charge: null,
      payment_intent: null,
    })
  })

  test('changes nothing: later results are as if it had not been called', async () => {
    const play = async (isRefusedFirst: boolean) => {
      const twin = await openTwin()
      const price = await makePrice(twin)
      const outcomes = isRefusedFirst ? [FAILED, FAILED] : []
      const { customer, method } = await makeCustomer(twin, { outcomes })
      const params = {
        customer: customer.id,
        default_payment_method: method.id,
        items: [{ price: price.id }],
      }
      if (isRefusedFirst) {
        const before = await historyOf(twin)
        await refuse(twin, params)
        await refuse(twin, params)
        await refuse(twin, { ...params, default_payment_method: 'pm_card_chargeDeclined' })
        expect(bytesOf(await historyOf(twin))).toEqual(bytesOf(before))
      }
      await twin.post('/v1/subscriptions', {
        currency: 'usd',
        payment_behavior: 'error_if_incomplete',
        ...params,
      })
      await twin.advance({ by: '1mo' })
      return historyOf(twin)
    }
    const history = await play(true)
    expect(bytesOf(history)).toEqual(bytesOf(await play(false)))
    const [prefix] = history.customers.map(({ invoice_prefix }) => invoice_prefix)
    expect(history.invoices.map(({ number }) => number)).toEqual([`${prefix}-0001`, `${prefix}-0002`])
  })

  test('counts the attempt in the card’s script', async () => {
    const twin = await openTwin()
    const price = await makePrice(twin)
    const { customer, method } = await makeCustomer(twin, { outcomes: ['decline:lost_card', FAILED] })
    const params = { customer: customer.id, default_payment_method: method.id, items: [{ price: price.id }] }
    expect((await refuse(twin, params)).decline_code).toBe('lost_card')
    expect((await refuse(twin, params)).decline_code).toBe('insufficient_funds')
    expect(await twin.post('/v1/subscriptions', { currency: 'usd', ...params })).toMatchObject({
      status: 'active',
    })
  })

  test('accepts a payment that succeeds', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, { payment_behavior: 'error_if_incomplete' })
    expect(subscription).toMatchObject({ status: 'active', latest_invoice: expect.stringMatching(/^in_/) })
  })
})

test('a test id as payment method is attached before subscription.created', async () => {
  const twin = await openTwin()
  const price = await makePrice(twin)
  const customer = await twin.post('/v1/customers')
  const subscription = await twin.post('/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: 'pm_card_visa',
    items: [{ price: price.id }],
  })
  const types = (await twin.events()).map(({ type }) => type)
  expect(types.slice(2, 4)).toEqual(['payment_method.attached', 'subscription.created'])
  const [method] = await listAll(twin, `/v1/customers/${customer.id}/payment_methods`)
  expect(subscription.default_payment_method).toBe(method?.id)
})

test('a refused call uses no id and no number', async () => {
  const play = async (refused: Body[]) => {
    const twin = await openTwin()
    const price = await makePrice(twin)
    const { customer, method } = await makeCustomer(twin)
    const params = {
      customer: customer.id,
      currency: 'usd',
      default_payment_method: method.id,
      items: [{ price: price.id }],
    }
    for (const change of refused) {
      const { status } = await twin.request('POST', '/v1/subscriptions', { ...params, ...change })
      expect(status).toBeGreaterThanOrEqual(400)
    }
    await twin.post('/v1/subscriptions', params)
    return bytesOf(await historyOf(twin))
  }
  const refused = [
    { customer: 'cus_unknown' },
    { currency: 'eur' },
    { default_payment_method: 'pm_unknown' },
    { default_payment_method: 'pm_pix' },
    { items: [] },
    { items: [{ price: 'price_unknown' }] },
  ]
  expect(await play(refused)).toEqual(await play([]))
})
