import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { browserOf } from '../../contract/support.ts'
import { errorOf, idOf, stripeOfFile } from './sdk.ts'

const sdk = stripeOfFile()
const { stripe } = sdk

const USD_20 = { amount: 2000, currency: 'usd' } as const
const settle = async (id: string, outcome: 'succeed' | 'fail') => {
  const answer = await sdk.twin.request('POST', `/v1/test_helpers/payment_intents/${id}/settle`, { outcome })
  expect(answer.status).toBe(200)
}
/** Runs a step, and returns the types of its events, oldest first. */
async function typesOf(step: () => Promise<unknown>): Promise<string[]> {
  const [last] = (await stripe.events.list({ limit: 1 })).data
  await step()
  const { data } = await stripe.events.list({ limit: 100, ...(last && { ending_before: last.id }) })
  return data.map(({ type }) => type).reverse()
}

describe('a payment intent', () => {
  test('keeps what its request sets, and its charge shows it', async () => {
    const made = await stripe.paymentIntents.create({
      ...USD_20,
      automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
      receipt_email: 'ada@example.com',
      statement_descriptor_suffix: 'ORDER 1',
      description: 'Order 1',
      setup_future_usage: 'off_session',
      metadata: { order: '1' },
    })
    const set = {
      automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
      receipt_email: 'ada@example.com',
      statement_descriptor_suffix: 'ORDER 1',
      setup_future_usage: 'off_session',
    }
    expect(made).toMatchObject({ status: 'requires_payment_method', ...set })
    const updated = await stripe.paymentIntents.update(made.id, {
      receipt_email: '',
      statement_descriptor: 'SHOP',
    })
    expect(updated).toMatchObject({ ...set, receipt_email: null, statement_descriptor: 'SHOP' })
    const done = await stripe.paymentIntents.confirm(made.id, {
      payment_method: 'pm_card_visa',
      receipt_email: 'grace@example.com',
      expand: ['latest_charge'],
    })
    expect(done).toMatchObject({
      status: 'succeeded',
      latest_charge: {
        description: 'Order 1',
        receipt_email: 'grace@example.com',
        statement_descriptor: 'SHOP',
        statement_descriptor_suffix: 'ORDER 1',
      },
    })
  })

  test('attaches its method to the customer only for a future usage', async () => {
    const { id: customer } = await stripe.customers.create()
    const paid = { ...USD_20, customer, confirm: true, payment_method: 'pm_card_visa' }
    await stripe.paymentIntents.create(paid)
    expect((await stripe.customers.listPaymentMethods(customer)).data).toEqual([])
    const saved = await stripe.paymentIntents.create({ ...paid, setup_future_usage: 'off_session' })
    expect((await stripe.customers.listPaymentMethods(customer)).data.map(({ id }) => id)).toEqual([
      idOf(saved.payment_method),
    ])
  })

  test('takes a new card at its confirmation, but no number of a real card', async () => {
    const { id } = await stripe.paymentIntents.create(USD_20)
    const withNumber = (number: string) => ({
      payment_method_data: {
        type: 'card',
        card: { number, exp_month: 12, exp_year: 2034, cvc: '123' },
      } as never,
    })
    const refused = await errorOf(stripe.paymentIntents.confirm(id, withNumber('4111111111111111')))
    expect(refused).toMatchObject({ statusCode: 400, param: 'card[number]' })
    expect(refused.message).toBe(
      'Only the published test card numbers are accepted, such as 4242424242424242; real card numbers are refused',
    )
    const done = await stripe.paymentIntents.confirm(id, {
      ...withNumber('5555555555554444'),
      expand: ['payment_method'],
    })
    expect(done).toMatchObject({
      status: 'succeeded',
      payment_method: { card: { brand: 'mastercard', last4: '4444', exp_year: 2034 } },
    })
  })

  test.each([
    [
      'manual capture',
      { capture_method: 'manual' },
      'capture_method',
      'paytwin does not know manual capture yet',
    ],
    [
      'a type that is not a card',
      { allowed_payment_method_types: ['ideal'] },
      'allowed_payment_method_types[0]',
      'paytwin knows only card here yet',
    ],
    ['a return_url without confirm', { return_url: 'https://shop.example/' }, 'return_url', undefined],
    ['off_session without confirm', { off_session: true }, 'off_session', undefined],
    ['a parameter that it does not know', { shipping: { name: 'Ada' } }, 'shipping', undefined],
  ])('is refused with %s', async (_what, params, param, message) => {
    const error = await errorOf(stripe.paymentIntents.create({ ...USD_20, ...params } as never))
    expect(error).toMatchObject({ statusCode: 400, param })
    if (message) expect(error.message).toContain(message)
  })

  test('has no route to capture it or to increase its amount', async () => {
    const { id } = await stripe.paymentIntents.create(USD_20)
    for (const call of [
      () => stripe.paymentIntents.capture(id),
      () => stripe.paymentIntents.incrementAuthorization(id, { amount: 3000 }),
    ])
      expect(await errorOf(call())).toMatchObject({
        statusCode: 404,
        message: expect.stringContaining('paytwin does not know POST /v1/payment_intents/'),
      })
  })

  test('is retrieved and confirmed by a browser with a publishable key and the client_secret', async () => {
    const { id: customer } = await stripe.customers.create()
    const { id, client_secret } = await stripe.paymentIntents.create({ ...USD_20, customer })
    const browser = await browserOf(sdk.twin)
    const path = `/v1/payment_intents/${id}`
    const seen = await browser.request('GET', `${path}?client_secret=${client_secret}`)
    expect(seen).toMatchObject({ status: 200, body: { id, amount: 2000, client_secret } })
    expect(Object.keys(seen.body)).not.toContain('customer')
    const confirm = (params: object) => browser.request('POST', `${path}/confirm`, params)
    expect((await confirm({ payment_method: 'pm_card_visa', client_secret: 'guess' })).status).toBe(404)
    const declined = await confirm({ payment_method: 'pm_card_chargeDeclined', client_secret })
    expect(declined).toMatchObject({
      status: 402,
      body: { error: { type: 'card_error', payment_intent: { id, status: 'requires_payment_method' } } },
    })
    expect(Object.keys(declined.body.error.payment_intent)).not.toContain('customer')
    expect(await confirm({ payment_method: 'pm_card_visa', client_secret })).toMatchObject({
      status: 200,
      body: { status: 'succeeded' },
    })
    for (const [method, other] of [
      ['GET', '/v1/payment_intents'],
      ['POST', '/v1/payment_intents'],
      ['POST', `${path}/cancel`],
      ['GET', '/v1/customers'],
    ] as const)
      expect((await browser.request(method, other, method === 'POST' ? {} : undefined)).status).toBe(403)
  })
})

describe('an authentication', () => {
  test('is asked on session, and the payment succeeds when the customer completes it', async () => {
    const asked = await stripe.paymentIntents.create({
      ...USD_20,
      payment_method: 'pm_card_threeDSecure2Required',
      confirm: true,
      return_url: 'https://shop.example/done?order=1',
    })
    const { next_action } = asked
    expect(asked).toMatchObject({ status: 'requires_action', latest_charge: null })
    expect(next_action).toMatchObject({
      type: 'redirect_to_url',
      redirect_to_url: { return_url: 'https://shop.example/done?order=1' },
    })
    expect(next_action?.redirect_to_url?.url).toContain(`/${asked.id}/`)
    expect(await typesOf(() => settle(asked.id, 'succeed'))).toEqual([
      'payment_intent.succeeded',
      'charge.succeeded',
    ])
    expect(await stripe.paymentIntents.retrieve(asked.id)).toMatchObject({
      status: 'succeeded',
      next_action: null,
    })
  })

  test('that fails makes no charge, and the intent requires another payment method', async () => {
    const { id, next_action } = await stripe.paymentIntents.create({
      ...USD_20,
      payment_method: 'pm_card_authenticationRequired',
      confirm: true,
    })
    expect(next_action).toMatchObject({
      type: 'use_stripe_sdk',
      use_stripe_sdk: { type: 'three_d_secure_redirect', stripe_js: expect.stringContaining(id) },
    })
    expect(await typesOf(() => settle(id, 'fail'))).toEqual(['payment_intent.payment_failed'])
    expect(await stripe.paymentIntents.retrieve(id)).toMatchObject({
      status: 'requires_payment_method',
      latest_charge: null,
      last_payment_error: {
        code: 'payment_intent_authentication_failure',
        type: 'invalid_request_error',
        payment_method: { card: { last4: '3184' } },
      },
    })
  })

  test('can be followed by a decline', async () => {
    const { id } = await stripe.paymentIntents.create({
      ...USD_20,
      payment_method: 'pm_card_authenticationRequiredChargeDeclinedInsufficientFunds',
      confirm: true,
    })
    await settle(id, 'succeed')
    expect(await stripe.paymentIntents.retrieve(id)).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code: 'card_declined', decline_code: 'insufficient_funds', type: 'card_error' },
    })
  })

  test('can be left for another card', async () => {
    const { id } = await stripe.paymentIntents.create({
      ...USD_20,
      payment_method: 'pm_card_threeDSecureRequired',
      confirm: true,
    })
    const again = await stripe.paymentIntents.confirm(id)
    expect(again.status).toBe('requires_action')
    const done = await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' })
    expect(done.status).toBe('succeeded')
  })

  const OFF_SESSION = [
    ['pm_card_authenticationRequired', 'declined', 'declined'],
    ['pm_card_authenticationRequiredOnSetup', 'declined', 'succeeded'],
    ['pm_card_authenticationRequiredSetupForOffSession', 'succeeded', 'succeeded'],
    ['pm_card_threeDSecureOptional', 'succeeded', 'succeeded'],
  ] as const
  test.each(OFF_SESSION)(
    'off session: %s is %s before it is set up, and %s after',
    async (card, before, after) => {
      const { id: customer } = await stripe.customers.create()
      const { id: payment_method } = await stripe.paymentMethods.attach(card, { customer })
      const charge = async () => {
        const params = { ...USD_20, customer, payment_method, confirm: true, off_session: true }
        const result = await stripe.paymentIntents.create(params).catch((error) => error)
        if (result.object) return result.status
        expect(result).toMatchObject({
          statusCode: 402,
          code: 'authentication_required',
          decline_code: 'authentication_required',
          payment_intent: {
            status: 'requires_payment_method',
            last_payment_error: { code: 'authentication_required' },
          },
          payment_method: { id: payment_method },
        })
        return 'declined'
      }
      expect(await charge()).toBe(before)
      const { id, status } = await stripe.setupIntents.create({ customer, payment_method, confirm: true })
      if (status === 'requires_action') {
        await sdk.twin.request('POST', `/v1/test_helpers/setup_intents/${id}/settle`, { outcome: 'succeed' })
      }
      expect(await charge()).toBe(after)
    },
  )
})

describe('an invoice whose card needs an authentication', () => {
  const DAY = 86_400
  const JAN_31 = 1769853600

  async function subscribed(card: string, more: Partial<Stripe.SubscriptionCreateParams> = {}) {
    const clock = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31 })
    const { id: customer } = await stripe.customers.create({ test_clock: clock.id })
    const { id: method } = await stripe.paymentMethods.attach(card, { customer })
    const { id: product } = await stripe.products.create({ name: 'Pro' })
    const price = await stripe.prices.create({
      currency: 'usd',
      product,
      unit_amount: 2000,
      recurring: { interval: 'month' },
    })
    const subscription = await stripe.subscriptions.create({
      customer,
      items: [{ price: price.id }],
      default_payment_method: method,
      expand: ['latest_invoice.payments'],
      ...more,
    })
    return { clock, customer, method, subscription, price }
  }

  const intentOf = (subscription: Stripe.Subscription) =>
    idOf((subscription.latest_invoice as Stripe.Invoice).payments?.data[0]?.payment.payment_intent)

  test('waits for it at the first payment, and the subscription is active once it is completed', async () => {
    let made: Stripe.Subscription | undefined
    const events = await typesOf(async () => {
      made = (await subscribed('pm_card_authenticationRequired')).subscription
    })
    expect(events.slice(events.indexOf('customer.subscription.created'))).toEqual([
      'customer.subscription.created',
      'invoice.created',
      'invoice.finalized',
      'payment_intent.created',
      'invoice.payment_failed',
      'invoice.payment_action_required',
      'payment_intent.requires_action',
      'customer.updated',
    ])
    expect(made?.status).toBe('incomplete')
    const intent = intentOf(made as Stripe.Subscription)
    expect((await stripe.paymentIntents.retrieve(intent)).status).toBe('requires_action')
    await settle(intent, 'succeed')
    expect((await stripe.subscriptions.retrieve(made?.id ?? '')).status).toBe('active')
  })

  test('is declined at the first payment without the customer', async () => {
    const { subscription } = await subscribed('pm_card_authenticationRequired', { off_session: true })
    expect(subscription.status).toBe('incomplete')
    expect(await stripe.paymentIntents.retrieve(intentOf(subscription))).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code: 'authentication_required' },
    })
  })

  test.each([
    [true, 'requires_payment_method'],
    [false, 'requires_action'],
  ])('of an update with off_session %s leaves the intent in %s', async (off_session, status) => {
    const { customer, subscription } = await subscribed('pm_card_visa')
    const { id } = await stripe.paymentMethods.attach('pm_card_authenticationRequired', { customer })
    const updated = await stripe.subscriptions.update(subscription.id, {
      default_payment_method: id,
      items: [{ id: subscription.items.data[0]?.id ?? '', quantity: 2 }],
      proration_behavior: 'always_invoice',
      off_session,
      expand: ['latest_invoice.payments'],
    })
    expect((await stripe.paymentIntents.retrieve(intentOf(updated))).status).toBe(status)
  })

  test('expires with the subscription after a failed authentication', async () => {
    const { clock, subscription } = await subscribed('pm_card_authenticationRequired')
    const intent = intentOf(subscription)
    expect(await typesOf(() => settle(intent, 'fail'))).toEqual([
      'invoice.payment_failed',
      'payment_intent.payment_failed',
    ])
    await sdk.advance(clock.id, JAN_31 + DAY)
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('incomplete_expired')
  })

  test('is declined at a renewal, and recovers when the customer authenticates', async () => {
    const { clock, subscription, method } = await subscribed('pm_card_authenticationRequired')
    await settle(intentOf(subscription), 'succeed')
    const events = await typesOf(() => sdk.advance(clock.id, JAN_31 + 31 * DAY))
    expect(events).toContain('invoice.payment_action_required')
    const late = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice.payments'] })
    expect(late.status).toBe('past_due')
    const intent = intentOf(late)
    expect((await stripe.paymentIntents.retrieve(intent)).last_payment_error?.code).toBe(
      'authentication_required',
    )
    const asked = await stripe.paymentIntents.confirm(intent, { payment_method: method })
    expect(asked.status).toBe('requires_action')
    await settle(intent, 'succeed')
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('active')
  })

  test('needs no other one at renewals if the card asks only until it is set up', async () => {
    const { clock, subscription } = await subscribed('pm_card_authenticationRequiredOnSetup')
    await settle(intentOf(subscription), 'succeed')
    await sdk.advance(clock.id, JAN_31 + 31 * DAY)
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('active')
    const { data } = await stripe.invoices.list({ subscription: subscription.id })
    expect(data.map(({ status }) => status)).toEqual(['paid', 'paid'])
  })

  test('waits for it when default_incomplete is confirmed, and announces that', async () => {
    const { subscription, method } = await subscribed('pm_card_authenticationRequired', {
      payment_behavior: 'default_incomplete',
    })
    const intent = intentOf(subscription)
    const confirm = () =>
      stripe.paymentIntents.confirm(intent, { payment_method: method, return_url: 'https://shop.example/' })
    expect(await typesOf(confirm)).toEqual([
      'invoice.payment_action_required',
      'payment_intent.requires_action',
    ])
    const waiting = await stripe.paymentIntents.retrieve(intent)
    expect(waiting.next_action?.redirect_to_url?.return_url).toBe('https://shop.example/')
    await settle(intent, 'succeed')
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('active')
  })
})
