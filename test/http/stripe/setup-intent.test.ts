import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { browserOf } from '../../contract/support.ts'
import { errorOf, idOf, stripeOfFile } from './sdk.ts'

const sdk = stripeOfFile()
const { stripe } = sdk

/** The types of the newest events, oldest first. */
async function newest(limit: number): Promise<string[]> {
  return (await stripe.events.list({ limit })).data.map(({ type }) => type).reverse()
}

describe('a setup intent', () => {
  test('saves a card for its customer when it is confirmed', async () => {
    const { id: customer } = await stripe.customers.create()
    const made = await stripe.setupIntents.create({ customer, metadata: { order: '1' } })
    expect(made).toMatchObject({
      object: 'setup_intent',
      status: 'requires_payment_method',
      usage: 'off_session',
      automatic_payment_methods: { enabled: true, allow_redirects: 'always' },
      payment_method_types: ['card'],
      metadata: { order: '1' },
      next_action: null,
    })
    expect(made.id).toMatch(/^seti_/)
    expect(made.client_secret?.startsWith(`${made.id}_secret_`)).toBe(true)
    const done = await stripe.setupIntents.confirm(made.id, {
      payment_method: 'pm_card_visa',
      expand: ['payment_method'],
    })
    expect(done).toMatchObject({ status: 'succeeded', payment_method: { customer, card: { last4: '4242' } } })
    expect(await newest(3)).toEqual([
      'setup_intent.created',
      'payment_method.attached',
      'setup_intent.succeeded',
    ])
    expect((await stripe.customers.listPaymentMethods(customer)).data.map(({ id }) => id)).toEqual([
      idOf(done.payment_method),
    ])
  })

  test('takes the types of the request, and a new card of the confirmation', async () => {
    const { id } = await stripe.setupIntents.create({
      allowed_payment_method_types: ['card'],
      usage: 'on_session',
    })
    const done = await stripe.setupIntents.confirm(id, {
      payment_method_data: { type: 'card', card: { token: 'tok_mastercard' } } as never,
      expand: ['payment_method'],
    })
    expect(done).toMatchObject({
      status: 'succeeded',
      automatic_payment_methods: null,
      allowed_payment_method_types: ['card'],
      usage: 'on_session',
      customer: null,
      payment_method: { customer: null, card: { brand: 'mastercard' } },
    })
  })

  test('requires an authentication of cards that need one, on a page of paytwin', async () => {
    const { id: customer } = await stripe.customers.create()
    const made = await stripe.setupIntents.create({
      customer,
      payment_method: 'pm_card_authenticationRequiredOnSetup',
      confirm: true,
      return_url: 'https://shop.example/done',
    })
    expect(made).toMatchObject({
      status: 'requires_action',
      next_action: { type: 'redirect_to_url', redirect_to_url: { return_url: 'https://shop.example/done' } },
    })
    expect(made.next_action?.redirect_to_url?.url).toContain(`/${made.id}/`)
    const method = idOf(made.payment_method)
    expect((await stripe.paymentMethods.retrieve(method)).customer).toBeNull()
    await settle(made.id, 'succeed')
    const done = await stripe.setupIntents.retrieve(made.id)
    expect(done).toMatchObject({ status: 'succeeded', next_action: null })
    expect((await stripe.paymentMethods.retrieve(method)).customer).toBe(customer)
  })

  test('requires another payment method after a failed authentication', async () => {
    const { id, next_action } = await stripe.setupIntents.create({
      payment_method: 'pm_card_threeDSecure2Required',
      confirm: true,
    })
    expect(next_action?.type).toBe('use_stripe_sdk')
    await settle(id, 'fail')
    expect(await stripe.setupIntents.retrieve(id)).toMatchObject({
      status: 'requires_payment_method',
      payment_method: null,
      last_setup_error: { code: 'setup_intent_authentication_failure', type: 'invalid_request_error' },
    })
    expect(await newest(1)).toEqual(['setup_intent.setup_failed'])
    const again = await stripe.setupIntents.confirm(id, { payment_method: 'pm_card_visa' })
    expect(again).toMatchObject({ status: 'succeeded', last_setup_error: null })
  })

  test('without a customer saves nothing, so it succeeds whoever has the card meanwhile', async () => {
    const { id: payment_method } = await stripe.paymentMethods.create({ type: 'card', card: AUTHENTICATED })
    const { id } = await stripe.setupIntents.create({ payment_method, confirm: true })
    const owner = await attachToAnother({ payment_method })
    await settle(id, 'succeed')
    expect((await stripe.setupIntents.retrieve(id)).status).toBe('succeeded')
    expect((await stripe.paymentMethods.retrieve(payment_method)).customer).toBe(owner)
  })

  describe.each([
    ['was attached to another customer', attachToAnother],
    ['lost its customer', deleteCustomer],
  ])('that waits for a card that %s', (_what, happen) => {
    const waiting = async () => ({
      payment_method: (await stripe.paymentMethods.create({ type: 'card', card: AUTHENTICATED })).id,
      customer: (await stripe.customers.create({})).id,
      confirm: true,
    })
    const ownerOf = async (method: string) => (await stripe.paymentMethods.retrieve(method)).customer

    test('fails', async () => {
      const params = await waiting()
      const { id } = await stripe.setupIntents.create(params)
      const owner = await happen(params)
      await settle(id, 'succeed')
      expect(await stripe.setupIntents.retrieve(id)).toMatchObject({
        status: 'requires_payment_method',
        last_setup_error: { code: 'payment_method_unexpected_state', type: 'invalid_request_error' },
      })
      expect(await newest(1)).toEqual(['setup_intent.setup_failed'])
      expect(await ownerOf(params.payment_method)).toBe(owner)
    })

    test('does not save it after a payment', async () => {
      const params = { ...(await waiting()), amount: 500, currency: 'usd' }
      const { id } = await stripe.paymentIntents.create({ ...params, setup_future_usage: 'off_session' })
      const owner = await happen(params)
      await settle(id, 'succeed', 'payment_intents')
      expect((await stripe.paymentIntents.retrieve(id)).status).toBe('succeeded')
      expect(await ownerOf(params.payment_method)).toBe(owner)
    })
  })

  test('of a deleted customer cannot be confirmed', async () => {
    const { id: customer } = await stripe.customers.create({})
    const { id } = await stripe.setupIntents.create({ customer })
    await stripe.customers.del(customer)
    const refused = await errorOf(stripe.setupIntents.confirm(id, { payment_method: 'pm_card_visa' }))
    expect(refused.code).toBe('resource_missing')
  })

  test('is refused with a 402 for a declined card, and keeps the error', async () => {
    const { id: customer } = await stripe.customers.create()
    const { id } = await stripe.setupIntents.create({ customer })
    const error = await errorOf(
      stripe.setupIntents.confirm(id, { payment_method: 'pm_card_visa_chargeDeclinedInsufficientFunds' }),
    )
    expect(error).toMatchObject({
      type: 'StripeCardError',
      statusCode: 402,
      code: 'card_declined',
      decline_code: 'insufficient_funds',
      setup_intent: { id, status: 'requires_payment_method' },
    })
    expect(await stripe.setupIntents.retrieve(id)).toMatchObject({
      status: 'requires_payment_method',
      last_setup_error: { code: 'card_declined', decline_code: 'insufficient_funds', type: 'card_error' },
    })
    const later = await stripe.setupIntents.confirm(id, { payment_method: 'pm_card_chargeCustomerFail' })
    expect(later.status).toBe('succeeded')
  })

  test('is updated, listed and canceled', async () => {
    const { id: customer } = await stripe.customers.create()
    const { id } = await stripe.setupIntents.create({ customer })
    await stripe.setupIntents.create()
    const updated = await stripe.setupIntents.update(id, {
      payment_method: 'pm_card_visa',
      description: 'A card on file',
      metadata: { plan: 'pro' },
    })
    expect(updated).toMatchObject({
      status: 'requires_confirmation',
      description: 'A card on file',
      metadata: { plan: 'pro' },
    })
    expect((await stripe.setupIntents.list({ customer })).data).toEqual([updated])
    const canceled = await stripe.setupIntents.cancel(id, { cancellation_reason: 'abandoned' })
    expect(canceled).toMatchObject({ status: 'canceled', cancellation_reason: 'abandoned' })
    expect(await newest(1)).toEqual(['setup_intent.canceled'])
    for (const call of [
      () => stripe.setupIntents.cancel(id),
      () => stripe.setupIntents.confirm(id, { payment_method: 'pm_card_visa' }),
      () => stripe.setupIntents.update(id, { payment_method: 'pm_card_visa' }),
    ])
      expect(await errorOf(call())).toMatchObject({ statusCode: 400, code: 'setup_intent_unexpected_state' })
  })

  test.each([
    [
      'a type that is not a card',
      { allowed_payment_method_types: ['sepa_debit'] },
      'allowed_payment_method_types[0]',
    ],
    ['a return_url that is not http', { confirm: true, return_url: 'javascript:alert(1)' }, 'return_url'],
    ['a return_url without confirm', { return_url: 'https://shop.example/' }, 'return_url'],
    ['a parameter that it does not know', { attach_to_self: true }, 'attach_to_self'],
    ['confirm without a payment method', { confirm: true }, 'payment_method'],
    ['an unknown payment method', { payment_method: 'pm_unknown' }, 'payment_method'],
    [
      'a card number that is no test card',
      { payment_method_data: { type: 'card', card: { number: '4111111111111111' } } },
      'card[number]',
    ],
  ])('is refused with %s', async (_what, params, param) => {
    const before = (await stripe.setupIntents.list()).data.length
    expect(await errorOf(stripe.setupIntents.create(params as never))).toMatchObject({
      statusCode: 400,
      param,
    })
    expect((await stripe.setupIntents.list()).data).toHaveLength(before)
  })

  test('is retrieved and confirmed by a browser with a publishable key and the client_secret', async () => {
    const browser = await browserOf(sdk.twin)
    const { id: customer } = await stripe.customers.create()
    const { id, client_secret } = await stripe.setupIntents.create({ customer })
    const path = `/v1/setup_intents/${id}`
    const seen = await browser.request('GET', `${path}?client_secret=${client_secret}`)
    expect(seen).toMatchObject({
      status: 200,
      body: { id, client_secret, status: 'requires_payment_method' },
    })
    expect(Object.keys(seen.body)).not.toContain('customer')
    expect((await browser.request('GET', path)).status).toBe(404)
    const wrong = { payment_method: 'pm_card_visa', client_secret: `${id}_secret_guess` }
    expect((await browser.request('POST', `${path}/confirm`, wrong)).status).toBe(404)
    const right = { payment_method: 'pm_card_visa', client_secret }
    const done = await browser.request('POST', `${path}/confirm`, right)
    expect(done).toMatchObject({ status: 200, body: { status: 'succeeded' } })
    expect(Object.keys(done.body)).not.toContain('metadata')
    const preflight = await sdk.twin.sandbox.app.request(`http://localhost${path}/confirm`, {
      method: 'OPTIONS',
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    expect((await browser.request('GET', '/v1/setup_intents')).status).toBe(403)
  })
})

describe('a subscription that has nothing to pay yet', () => {
  const priced = async (unit_amount: number) => {
    const { id: product } = await stripe.products.create({ name: 'Pro' })
    return stripe.prices.create({ currency: 'usd', product, unit_amount, recurring: { interval: 'month' } })
  }

  test.each([
    ['with a trial', 2000, { trial_period_days: 14 }, 'trialing'],
    ['with a free price', 0, {}, 'active'],
  ] as const)(
    '%s prepares its payment method with default_incomplete',
    async (_what, amount, more, status) => {
      const { id: customer } = await stripe.customers.create()
      const { id: price } = await priced(amount)
      const made = await stripe.subscriptions.create({
        customer,
        items: [{ price }],
        payment_behavior: 'default_incomplete',
        payment_settings: { save_default_payment_method: 'on_subscription' },
        expand: ['pending_setup_intent'],
        ...more,
      })
      expect(made).toMatchObject({
        status,
        pending_setup_intent: { object: 'setup_intent', customer, status: 'requires_payment_method' },
      })
      const { id } = made.pending_setup_intent as Stripe.SetupIntent
      const confirmed = await stripe.setupIntents.confirm(id, { payment_method: 'pm_card_visa' })
      const after = await stripe.subscriptions.retrieve(made.id)
      expect(after).toMatchObject({
        pending_setup_intent: null,
        default_payment_method: confirmed.payment_method,
      })
      const [event] = (await stripe.events.list({ type: 'customer.subscription.updated', limit: 1 })).data
      expect(event?.data.previous_attributes).toMatchObject({
        pending_setup_intent: id,
        default_payment_method: null,
      })
    },
  )

  test('asks for the authentication that its card needs later', async () => {
    const customer = await stripe.customers.create({
      payment_method: 'pm_card_authenticationRequiredOnSetup',
    })
    const [method] = (await stripe.customers.listPaymentMethods(customer.id)).data
    const { id: price } = await priced(2000)
    const made = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price }],
      default_payment_method: method?.id ?? '',
      trial_period_days: 14,
      expand: ['pending_setup_intent'],
    })
    expect(made.pending_setup_intent).toMatchObject({ status: 'requires_action', payment_method: method?.id })
    await settle((made.pending_setup_intent as Stripe.SetupIntent).id, 'succeed')
    expect((await stripe.subscriptions.retrieve(made.id)).pending_setup_intent).toBeNull()
  })

  test('does not charge a card later that its payment could not save', async () => {
    const { id: customer } = await stripe.customers.create({})
    const { id: price } = await priced(2000)
    const made = await stripe.subscriptions.create({
      customer,
      items: [{ price }],
      payment_behavior: 'default_incomplete',
      payment_settings: { save_default_payment_method: 'on_subscription' },
    })
    const [intent] = (await stripe.paymentIntents.list({ customer })).data
    const id = intent?.id ?? ''
    const { id: payment_method } = await stripe.paymentMethods.create({ type: 'card', card: AUTHENTICATED })
    await stripe.paymentIntents.confirm(id, { payment_method })
    await attachToAnother({ payment_method })
    await settle(id, 'succeed', 'payment_intents')
    expect(await stripe.subscriptions.retrieve(made.id)).toMatchObject({
      status: 'active',
      default_payment_method: null,
    })
  })

  test('keeps the customer of its setup intent', async () => {
    const { id: customer } = await stripe.customers.create({})
    const { id: other } = await stripe.customers.create({})
    const { id: price } = await priced(2000)
    const made = await stripe.subscriptions.create({
      customer,
      items: [{ price }],
      trial_period_days: 14,
      payment_behavior: 'default_incomplete',
    })
    const pending = idOf(made.pending_setup_intent)
    expect(await errorOf(stripe.setupIntents.update(pending, { customer: other }))).toMatchObject({
      code: 'setup_intent_unexpected_state',
    })
    expect((await stripe.setupIntents.update(pending, { customer })).customer).toBe(customer)
  })

  test('needs no setup intent with a card that needs none, or an invoice that is sent', async () => {
    const { id: customer } = await stripe.customers.create({ payment_method: 'pm_card_visa' })
    const [method] = (await stripe.customers.listPaymentMethods(customer)).data
    const { id: price } = await priced(2000)
    const given = { customer, items: [{ price }], trial_period_days: 14 }
    const charged = await stripe.subscriptions.create({ ...given, default_payment_method: method?.id ?? '' })
    const sent = await stripe.subscriptions.create({
      ...given,
      collection_method: 'send_invoice',
      days_until_due: 30,
    })
    expect([charged.pending_setup_intent, sent.pending_setup_intent]).toEqual([null, null])
  })
})

async function settle(id: string, outcome: 'succeed' | 'fail', kind = 'setup_intents') {
  const answer = await sdk.twin.request('POST', `/v1/test_helpers/${kind}/${id}/settle`, { outcome })
  expect(answer.status).toBe(200)
}

const AUTHENTICATED = { number: '4000002760003184', exp_month: 1, exp_year: 2034, cvc: '123' }

/** Attaches a payment method to a new customer. @returns whom it belongs to */
async function attachToAnother({ payment_method }: { payment_method: string }): Promise<string | null> {
  const { id: customer } = await stripe.customers.create({})
  await stripe.paymentMethods.attach(payment_method, { customer })
  return customer
}

/** Deletes a customer. @returns whom its payment methods belong to */
async function deleteCustomer({ customer }: { customer: string }): Promise<string | null> {
  await stripe.customers.del(customer)
  return null
}
