import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Body, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import { contents, eventsOf, rows, typesOf, unchanged } from './support.ts'

const NOW = 1769853600 // 2026-01-31T10:00:00Z
const DAY = 86_400
const FIRST_INVOICE = ['invoice.created', 'invoice.finalized']
const PAID = ['invoice.paid', 'payment_intent.succeeded', 'charge.succeeded']
const FAILED = ['invoice.payment_failed', 'payment_intent.payment_failed', 'charge.failed']

let twin: Twin
let price: Body
beforeEach(async () => {
  twin = await startTwin()
  price = await makePrice(twin)
})
afterEach(() => twin.close())

async function customerWith(outcomes?: string[]): Promise<Body> {
  const { customer, method } = await makeCustomer(twin, outcomes ? { outcomes } : {})
  return {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: method.id,
    items: [{ price: price.id }],
  }
}

const subscribe = (body: Body) => twin.post('/v1/subscriptions', body)
const request = (body: Body) => twin.request('POST', '/v1/subscriptions', body)

describe('a subscription whose first payment succeeds', () => {
  test('is active and has all its fields', async () => {
    const body = await customerWith()
    const more = { description: 'Gold', metadata: { a: 'b' } }
    const items = [{ price: price.id, quantity: 3, metadata: { seat: 'x' } }]
    const subscription = await subscribe({ ...body, ...more, items })
    const shared = {
      created: NOW,
      livemode: false,
      merchant_id: twin.sandbox.merchant.settings.id,
    }
    const [invoice] = (await twin.get('/v1/invoices')).data
    expect(subscription).toMatchObject({
      ...shared,
      ...more,
      id: expect.stringMatching(/^sub_/),
      object: 'subscription',
      status: 'active',
      customer: body.customer,
      currency: 'usd',
      collection_method: 'charge_automatically',
      days_until_due: null,
      default_payment_method: body.default_payment_method,
      latest_invoice: invoice.id,
      start_date: NOW,
      billing_cycle_anchor: NOW,
      current_period_start: NOW,
      current_period_end: 1772272800,
      trial_start: null,
      trial_end: null,
      trial_settings: { end_behavior: { missing_payment_method: 'create_invoice' } },
      cancel_at: null,
      cancel_at_period_end: false,
      canceled_at: null,
      ended_at: null,
      cancellation_details: { reason: null },
      pause_collection: null,
      items: {
        object: 'list',
        url: `/v1/subscriptions/${subscription.id}/items`,
        has_more: false,
        livemode: false,
        data: [
          {
            ...shared,
            id: expect.stringMatching(/^si_/),
            object: 'subscription_item',
            subscription: subscription.id,
            price,
            quantity: 3,
            metadata: { seat: 'x' },
          },
        ],
      },
      test_clock: null,
    })
    expect(invoice).toMatchObject({ status: 'paid', total: 6000, billing_reason: 'subscription_create' })
  })

  test('emits events in the order of its steps, each with the state at that step', async () => {
    const body = await customerWith()
    const events = await eventsOf(twin, () => subscribe(body))
    expect(typesOf(events)).toEqual(['subscription.created', ...FIRST_INVOICE, ...PAID])
    expect(events.slice(1, 4).map(({ data }) => data.object.status)).toEqual(['draft', 'open', 'paid'])
    expect(events.slice(1, 4).map(({ data }) => data.object.number)).toEqual([
      null,
      expect.stringMatching(/^[A-Z0-9]{8}-0001$/),
      expect.stringMatching(/^[A-Z0-9]{8}-0001$/),
    ])
    const [subscription] = (await twin.get('/v1/subscriptions')).data
    expect(events[0]?.data.object).toEqual(subscription)
  })

  test('attaches a test payment method first', async () => {
    const body = await customerWith()
    const events = await eventsOf(twin, () => subscribe({ ...body, default_payment_method: 'pm_card_visa' }))
    expect(typesOf(events)).toEqual([
      'payment_method.attached',
      'subscription.created',
      ...FIRST_INVOICE,
      ...PAID,
    ])
    const [subscription] = (await twin.get('/v1/subscriptions')).data
    expect(subscription.default_payment_method).toBe(events[0]?.data.object.id)
  })

  test('may cost nothing: then its invoice is paid at once, without an intent', async () => {
    const body = await customerWith(['decline:lost_card'])
    const free = await makePrice(twin, { unit_amount: 0 })
    const events = await eventsOf(twin, async () => {
      expect((await subscribe({ ...body, items: [{ price: free.id }] })).status).toBe('active')
    })
    expect(typesOf(events)).toEqual(['subscription.created', ...FIRST_INVOICE, 'invoice.paid'])
    const [invoice] = (await twin.get('/v1/invoices')).data
    expect(invoice).toMatchObject({ status: 'paid', total: 0, payment_intent: null, charge: null })
    expect((await twin.get('/v1/subscriptions')).data[0].latest_invoice).toBe(invoice.id)
    expect((await twin.get('/v1/payment_intents')).data).toEqual([])
  })

  test('may have twenty items', async () => {
    const body = await customerWith()
    const items: Body[] = []
    for (let n = 0; n < 20; n += 1) items.push({ price: (await makePrice(twin, { unit_amount: n })).id })
    const subscription = await subscribe({ ...body, items })
    expect(subscription.items.data.map((item: Body) => item.price.id)).toEqual(
      items.map((item) => item.price),
    )
    expect((await twin.get('/v1/invoices')).data[0].total).toBe(190)
  })

  test.each([0, 1, 2, 1_000_001, 99_999_999])('may have an item of quantity %d', async (quantity) => {
    const body = await customerWith()
    const cent = await makePrice(twin, { unit_amount: 1 })
    const response = await request({ ...body, items: [{ price: cent.id, quantity }] })
    expect(response.status).toBe(201)
    expect(response.body.items.data[0].quantity).toBe(quantity)
    expect((await twin.get('/v1/invoices')).data[0].total).toBe(quantity)
  })
})

describe('a subscription whose first payment fails', () => {
  test.each(rows('default_incomplete', 'allow_incomplete', undefined))(
    'is incomplete with %s',
    async (payment_behavior) => {
      const body = await customerWith(['decline:insufficient_funds'])
      const events = await eventsOf(twin, async () => {
        const response = await request({ ...body, ...(payment_behavior && { payment_behavior }) })
        expect(response.status).toBe(201)
        expect(response.body).toMatchObject({ status: 'incomplete', latest_invoice: null })
      })
      expect(typesOf(events)).toEqual(['subscription.created', ...FIRST_INVOICE, ...FAILED])
      expect((await twin.get('/v1/invoices')).data[0]).toMatchObject({
        status: 'open',
        attempt_count: 1,
        next_payment_attempt: NOW + DAY,
      })
    },
  )

  test('is 402 with error_if_incomplete, and nothing is written', async () => {
    const body = {
      ...(await customerWith(['decline:insufficient_funds'])),
      payment_behavior: 'error_if_incomplete',
    }
    const response = await unchanged(twin, () => request(body))
    expect(response.status).toBe(402)
    expect(response.body).toMatchObject({
      error: {
        type: 'payment_error',
        code: 'card_declined',
        decline_code: 'insufficient_funds',
        message: expect.stringMatching(/funds/),
        param: null,
        charge: null,
        payment_intent: null,
      },
      livemode: false,
    })
  })

  test('with error_if_incomplete uses up no invoice number, but the script of the card', async () => {
    const body = { ...(await customerWith(['decline:lost_card'])), payment_behavior: 'error_if_incomplete' }
    expect((await request(body)).status).toBe(402)
    expect((await request(body)).body.status).toBe('active')
    expect((await twin.get('/v1/invoices')).data[0].number).toMatch(/-0001$/)
  })

  test('with error_if_incomplete does not attach the test card either', async () => {
    const body = await customerWith()
    const declined = {
      default_payment_method: 'pm_card_chargeDeclined',
      payment_behavior: 'error_if_incomplete',
    }
    const response = await unchanged(twin, () => request({ ...body, ...declined }))
    expect(response.status).toBe(402)
  })
})

describe('a trial', () => {
  test.each<[string, Body, number]>([
    ['of a day', { trial_period_days: 1 }, NOW + DAY],
    ['of 730 days', { trial_period_days: 730 }, NOW + 730 * DAY],
    ['until a second from now', { trial_end: NOW + 1 }, NOW + 1],
    ['until two years from now', { trial_end: 1832925600 }, 1832925600],
  ])('%s bills nothing until it ends', async (_, trial, end) => {
    const { default_payment_method, ...body } = await customerWith()
    const events = await eventsOf(twin, async () => {
      expect(await subscribe({ ...body, ...trial })).toMatchObject({
        status: 'trialing',
        latest_invoice: null,
        default_payment_method: null,
        trial_start: NOW,
        trial_end: end,
        billing_cycle_anchor: end,
        current_period_start: NOW,
        current_period_end: end,
      })
    })
    expect(typesOf(events)).toEqual(['subscription.created'])
    expect((await twin.get('/v1/invoices')).data).toEqual([])
    const [next] = (await twin.get('/v1/test_helpers/upcoming')).data
    expect(next).toMatchObject({ kind: 'trial_end', due: end })
  })

  test('that ends now is no trial', async () => {
    const subscription = await subscribe({ ...(await customerWith()), trial_end: 'now' })
    expect(subscription).toMatchObject({ status: 'active', trial_start: null, trial_end: null })
  })

  test.each(['create_invoice', 'pause', 'cancel'])('may end without a card by %s', async (behavior) => {
    const { default_payment_method, ...body } = await customerWith()
    const trial_settings = { end_behavior: { missing_payment_method: behavior } }
    const subscription = await subscribe({ ...body, trial_period_days: 7, trial_settings })
    expect(subscription.trial_settings).toEqual(trial_settings)
  })
})

describe('a subscription that is invoiced', () => {
  test.each([
    [undefined, 30],
    [0, 0],
    [14, 14],
  ])('with days_until_due %s is active with an open invoice', async (days_until_due, days) => {
    const { default_payment_method, ...body } = await customerWith()
    const sent = {
      collection_method: 'send_invoice',
      ...(days_until_due !== undefined && { days_until_due }),
    }
    const events = await eventsOf(twin, async () => {
      expect(await subscribe({ ...body, ...sent })).toMatchObject({
        status: 'active',
        collection_method: 'send_invoice',
        days_until_due: days,
        latest_invoice: null,
      })
    })
    expect(typesOf(events)).toEqual(['subscription.created', ...FIRST_INVOICE])
    expect((await twin.get('/v1/invoices')).data[0]).toMatchObject({
      status: 'open',
      due_date: NOW + days * DAY,
      attempt_count: 0,
      attempted: false,
      next_payment_attempt: null,
    })
    expect((await contents(twin)).charges).toEqual([])
  })
})
