import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asOperator, unchanged } from '../http/support.ts'
import { errorOf, makeCustomer, makePrice, type Sdk, startSdk, subscribe } from './sdk.ts'

let sdk: Sdk
let stripe: Stripe
beforeAll(async () => {
  sdk = await startSdk()
  stripe = sdk.stripe
})
afterAll(() => sdk.close())

const {
  StripeAPIError,
  StripeAuthenticationError,
  StripeCardError,
  StripeInvalidRequestError,
  StripeRateLimitError,
} = Stripe.errors

test('a declined card is a card error with its reason, the intent and the charge', async () => {
  const { customer, method } = await makeCustomer(sdk, { card: 'pm_card_chargeDeclinedInsufficientFunds' })
  const { id } = await stripe.paymentIntents.create({ amount: 900, currency: 'usd', customer: customer.id })
  const error = await errorOf(stripe.paymentIntents.confirm(id, { payment_method: method.id }))
  expect(error).toBeInstanceOf(StripeCardError)
  expect(error).toMatchObject({
    statusCode: 402,
    code: 'card_declined',
    decline_code: 'insufficient_funds',
    message: expect.stringMatching(/\S/),
    requestId: expect.stringMatching(/^req_/),
    payment_intent: { id, status: 'requires_payment_method', last_payment_error: { code: 'card_declined' } },
  })
  expect(await stripe.charges.retrieve(error.charge ?? '')).toMatchObject({ paid: false, payment_intent: id })
})

test.each([
  ['pm_card_chargeDeclined', 'card_declined', 'generic_decline'],
  ['pm_card_chargeDeclinedLostCard', 'card_declined', 'lost_card'],
  ['pm_card_chargeDeclinedStolenCard', 'card_declined', 'stolen_card'],
  ['pm_card_chargeDeclinedExpiredCard', 'expired_card'],
  ['pm_card_chargeDeclinedIncorrectCvc', 'incorrect_cvc'],
  ['pm_card_chargeDeclinedProcessingError', 'processing_error'],
])('%s is declined with %s', async (payment_method, code, decline_code?: string) => {
  const error = await errorOf(
    stripe.paymentIntents.create({ amount: 900, currency: 'usd', payment_method, confirm: true }),
  )
  expect(error).toBeInstanceOf(StripeCardError)
  expect(error).toMatchObject({ code, ...(decline_code && { decline_code }) })
})

test('a first payment that fails is a card error under error_if_incomplete, and nothing is written', async () => {
  const { id } = await makePrice(sdk)
  const { customer, method } = await makeCustomer(sdk, { card: 'pm_card_chargeDeclined' })
  const error = await unchanged(sdk.twin, () =>
    errorOf(
      stripe.subscriptions.create({
        customer: customer.id,
        currency: 'usd',
        default_payment_method: method.id,
        items: [{ price: id }],
        payment_behavior: 'error_if_incomplete',
      }),
    ),
  )
  expect(error).toBeInstanceOf(StripeCardError)
  expect(error).toMatchObject({ code: 'card_declined', charge: null, payment_intent: null })
})

test('a payment by hand that fails is a card error', async () => {
  const { id } = await subscribe(sdk, { card: 'pm_card_chargeDeclined' })
  const { data } = await stripe.invoices.list({ subscription: id })
  expect(await errorOf(stripe.invoices.pay(data[0]?.id ?? ''))).toBeInstanceOf(StripeCardError)
})

describe('an invalid request', () => {
  test('names the parameter that is wrong', async () => {
    const error = await errorOf(stripe.paymentIntents.create({ amount: 0, currency: 'usd' }))
    expect(error).toBeInstanceOf(StripeInvalidRequestError)
    expect(error).toMatchObject({
      rawType: 'invalid_request_error',
      statusCode: 400,
      code: 'amount_invalid',
      param: 'amount',
    })
  })

  test('names the parameter that is missing', async () => {
    const error = await errorOf(stripe.subscriptions.create({ customer: 'cus_none' }))
    expect(error).toBeInstanceOf(StripeInvalidRequestError)
    expect(error).toMatchObject({ statusCode: 400, code: 'parameter_missing', param: 'currency' })
  })

  test('names the id that does not exist', async () => {
    const error = await errorOf(stripe.customers.retrieve('cus_none'))
    expect(error).toBeInstanceOf(StripeInvalidRequestError)
    expect(error).toMatchObject({ statusCode: 404, code: 'resource_missing', param: 'id' })
  })

  test('is also a call to a missing route', async () => {
    const error = await errorOf(
      stripe.taxRates.create({ display_name: 'VAT', inclusive: false, percentage: 19 }),
    )
    expect(error).toBeInstanceOf(StripeInvalidRequestError)
    expect(error).toMatchObject({ statusCode: 404, code: 'resource_missing', param: null })
  })

  test('is one that the state does not allow', async () => {
    const { id } = await stripe.paymentIntents.create({ amount: 900, currency: 'usd' })
    await stripe.paymentIntents.cancel(id)
    const error = await errorOf(stripe.paymentIntents.confirm(id))
    expect(error).toBeInstanceOf(StripeInvalidRequestError)
    expect(error).toMatchObject({ statusCode: 400, code: 'payment_intent_unexpected_state', param: null })
  })

  test('is a refund of more than there is', async () => {
    const { id } = await stripe.paymentIntents.create({
      amount: 900,
      currency: 'usd',
      payment_method: 'pm_card_visa',
      confirm: true,
    })
    const error = await errorOf(stripe.refunds.create({ payment_intent: id, amount: 901 }))
    expect(error).toMatchObject({ statusCode: 400, code: 'amount_too_large', param: 'amount' })
  })
})

describe('an authentication error', () => {
  test('is raised for an unknown key and for a revoked one, in the same words', async () => {
    const { id, secret } = await sdk.issueKey()
    const revoked = sdk.withKey(secret)
    await revoked.customers.list()
    await asOperator(sdk.twin)('POST', `keys/${id}/revoke`)
    for (const client of [revoked, sdk.withKey('sk_test_unknown00000000000000000000')]) {
      const error = await errorOf(client.customers.list())
      expect(error).toBeInstanceOf(StripeAuthenticationError)
      expect(error).toMatchObject({ statusCode: 401, message: 'Invalid API Key provided' })
    }
  })

  test('does not blame the key while keys cannot be resolved', async () => {
    await sdk.failOnce('key_resolution_unavailable')
    const error = await errorOf(stripe.customers.list())
    expect(error).toBeInstanceOf(StripeAuthenticationError)
    expect(error.message).toBe('We could not authenticate the request. Please try again shortly.')
    await stripe.customers.list()
  })
})

test('too many requests are a rate limit error with Retry-After', async () => {
  await sdk.failOnce('rate_limit')
  const error = await errorOf(stripe.customers.list())
  expect(error).toBeInstanceOf(StripeRateLimitError)
  expect(error).toMatchObject({ statusCode: 429, code: 'rate_limit', headers: { 'retry-after': '1' } })
})

test('a failure of the service is an API error', async () => {
  await sdk.failOnce('internal_error')
  const error = await errorOf(stripe.customers.list())
  expect(error).toBeInstanceOf(StripeAPIError)
  expect(error).toMatchObject({ statusCode: 500, rawType: 'api_error', code: 'internal_error', param: null })
})

test('an unreachable service is a connection error', async () => {
  const gone = await startSdk()
  await gone.close()
  const error = await errorOf(gone.stripe.customers.list())
  expect(error).toBeInstanceOf(Stripe.errors.StripeConnectionError)
})
