import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Body, clientOf, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import { anotherMerchant, expectRefusal, idsOf, unknown } from './support.ts'

const NOW = 1769853600

let twin: Twin
let paid: Body
let failed: Body
beforeAll(async () => {
  twin = await startTwin()
  paid = await subscribe('pm_card_visa')
  failed = await subscribe('pm_card_chargeDeclinedLostCard')
})
afterAll(() => twin.close())

async function subscribe(card: string): Promise<Body> {
  const { customer, method } = await makeCustomer(twin, { card })
  const price = await makePrice(twin)
  const subscription = await twin.post('/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: method.id,
    items: [{ price: price.id }],
  })
  const [invoice] = (await twin.get(`/v1/invoices?subscription=${subscription.id}`)).data
  const intent = await twin.get(`/v1/payment_intents/${invoice.payment_intent}`)
  const charge = await twin.get(`/v1/charges/${invoice.charge}`)
  return { customer, method, invoice, intent, charge }
}

const shared = () => ({ created: NOW, livemode: false, merchant_id: twin.sandbox.merchant.settings.id })

describe('the intent of an invoice', () => {
  test('that was paid is shown whole', () => {
    expect(paid.intent).toMatchObject({
      ...shared(),
      id: paid.invoice.payment_intent,
      object: 'payment_intent',
      status: 'succeeded',
      amount: 2000,
      amount_received: 2000,
      currency: 'usd',
      client_secret: expect.stringMatching(new RegExp(`^${paid.intent.id}_secret_[A-Za-z0-9]{16,}$`)),
      customer: paid.customer.id,
      description: null,
      invoice: paid.invoice.id,
      latest_charge: paid.charge.id,
      last_payment_error: null,
      next_action: null,
      payment_method: paid.method.id,
      payment_method_types: ['card'],
      canceled_at: null,
      cancellation_reason: null,
      metadata: {},
    })
  })

  test('that was declined has its reason', () => {
    expect(failed.intent).toMatchObject({
      status: 'requires_payment_method',
      amount_received: 0,
      payment_method: null,
      latest_charge: failed.charge.id,
      last_payment_error: {
        type: 'payment_error',
        code: 'card_declined',
        decline_code: 'lost_card',
        message: expect.any(String),
        charge: failed.charge.id,
        payment_method: failed.method.id,
      },
    })
  })

  test('keeps its secret, which is its own', async () => {
    const again = await twin.get(`/v1/payment_intents/${paid.intent.id}`)
    expect(again.client_secret).toBe(paid.intent.client_secret)
    expect(failed.intent.client_secret.split('_secret_')[1]).not.toBe(
      again.client_secret.split('_secret_')[1],
    )
  })
})

describe('a charge', () => {
  test('that succeeded is shown whole', () => {
    expect(paid.charge).toMatchObject({
      ...shared(),
      id: expect.stringMatching(/^ch_/),
      object: 'charge',
      status: 'succeeded',
      amount: 2000,
      amount_refunded: 0,
      refunded: false,
      paid: true,
      currency: 'usd',
      customer: paid.customer.id,
      invoice: paid.invoice.id,
      payment_intent: paid.intent.id,
      payment_method: paid.method.id,
      payment_method_details: { type: 'card', card: paid.method.card },
      failure_code: null,
      failure_message: null,
      outcome: expect.any(Object),
      metadata: {},
    })
  })

  test('that failed has its reason', () => {
    expect(failed.charge).toMatchObject({
      status: 'failed',
      paid: false,
      refunded: false,
      amount: 2000,
      failure_code: 'card_declined',
      failure_message: expect.any(String),
      outcome: { reason: 'lost_card' },
      payment_method: failed.method.id,
    })
  })
})

describe('listing', () => {
  test('intents by customer', async () => {
    expect(idsOf((await twin.get('/v1/payment_intents')).data)).toEqual([failed.intent.id, paid.intent.id])
    const { data } = await twin.get(`/v1/payment_intents?customer=${paid.customer.id}`)
    expect(data).toEqual([paid.intent])
  })

  test('charges by customer and intent', async () => {
    expect(idsOf((await twin.get('/v1/charges')).data)).toEqual([failed.charge.id, paid.charge.id])
    expect((await twin.get(`/v1/charges?customer=${failed.customer.id}`)).data).toEqual([failed.charge])
    expect((await twin.get(`/v1/charges?payment_intent=${paid.intent.id}`)).data).toEqual([paid.charge])
  })
})

test('an id of another kind or merchant, or an unknown one, is 404', async () => {
  const { secretKey } = await anotherMerchant(twin)
  const stranger = clientOf(twin.sandbox, secretKey)
  for (const [client, path] of [
    [twin, '/v1/payment_intents/pi_unknown'],
    [twin, '/v1/charges/ch_unknown'],
    [twin, `/v1/charges/${paid.intent.id}`],
    [twin, `/v1/payment_intents/${paid.charge.id}`],
    [twin, `/v1/invoices/${paid.charge.id}`],
    [stranger, `/v1/payment_intents/${paid.intent.id}`],
    [stranger, `/v1/charges/${paid.charge.id}`],
    [stranger, `/v1/invoices/${paid.invoice.id}`],
    [stranger, `/v1/payment_methods/${paid.method.id}`],
  ] as const) {
    expectRefusal(await client.request('GET', path), unknown())
  }
})
