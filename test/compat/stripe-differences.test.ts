import Stripe from 'stripe'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { errorOf, idOf, makeCustomer, makePrice, type Sdk, startSdk, subscribe } from './sdk.ts'

/*
 * Tests the deliberate differences from the service of the SDK. The numbers are those of
 * docs/contract/README.md#differences-from-similar-services.
 */

let sdk: Sdk
let stripe: Stripe
beforeEach(async () => {
  sdk = await startSdk()
  stripe = sdk.stripe
  onTestFinished(() => sdk.close())
})

const { StripeAPIError, StripeAuthenticationError, StripeCardError, StripeInvalidRequestError } =
  Stripe.errors

const NOW = 1769853600
const DAY_SECONDS = 86_400

/** Returns the types of all events, oldest first. */
async function eventTypes(): Promise<string[]> {
  const events = await stripe.events.list({ limit: 100 }).autoPagingToArray({ limit: 1000 })
  return events.map(({ type }) => type).reverse()
}

/** Returns the newest invoice of a subscription. */
async function newestInvoice(subscription: string): Promise<Stripe.Invoice> {
  const { data } = await stripe.invoices.list({ subscription, limit: 1 })
  if (!data[0]) throw new Error(`${subscription} has no invoice`)
  return data[0]
}

test('difference 1: events are subscription.*, and an invoice that is paid says invoice.paid once', async () => {
  await subscribe(sdk)
  const types = await eventTypes()
  expect(types).toEqual(expect.arrayContaining(['subscription.created', 'invoice.paid']))
  expect(types.filter((type) => type.startsWith('customer.subscription.'))).toEqual([])
  expect(types).not.toContain('invoice.payment_succeeded')
  const error = await errorOf(stripe.events.list({ type: 'customer.subscription.created' }))
  expect(error).toMatchObject({ statusCode: 400, code: 'parameter_invalid', param: 'type' })
})

test('difference 2: a payment intent is created with 201 as requires_confirmation, also without a payment method', async () => {
  const intent = await stripe.paymentIntents.create({ amount: 900, currency: 'usd' })
  expect(intent).toMatchObject({ status: 'requires_confirmation', payment_method: null })
  expect(intent.lastResponse.statusCode).toBe(201)
})

describe('difference 3: the types of errors', () => {
  test('a declined payment is a payment_error; by its status the SDK still raises its card error', async () => {
    const call = stripe.paymentIntents.create({
      amount: 900,
      currency: 'usd',
      payment_method: 'pm_card_chargeDeclined',
      confirm: true,
    })
    const error = await errorOf(call)
    expect(error).toBeInstanceOf(StripeCardError)
    expect(error).toMatchObject({ statusCode: 402, rawType: 'payment_error' })
  })

  test('a reused idempotency key is a 422 invalid_request_error, so the SDK raises no idempotency error', async () => {
    await stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'reused' })
    const error = await errorOf(stripe.customers.create({ name: 'Grace' }, { idempotencyKey: 'reused' }))
    expect(error).not.toBeInstanceOf(Stripe.errors.StripeIdempotencyError)
    expect(error).toBeInstanceOf(StripeAPIError)
    expect(error).toMatchObject({
      statusCode: 422,
      rawType: 'invalid_request_error',
      code: 'idempotency_key_reuse',
      param: null,
    })
  })
})

describe('difference 4: statuses', () => {
  test('a 500 is not kept under its idempotency key: the same call succeeds when it is tried again', async () => {
    const create = () => stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'tried twice' })
    await sdk.failOnce('internal_error')
    expect(await errorOf(create())).toMatchObject({ statusCode: 500 })
    const { id, lastResponse } = await create()
    expect(lastResponse.headers).not.toHaveProperty('idempotent-replayed')
    expect((await stripe.customers.list()).data.map((customer) => customer.id)).toEqual([id])
  })

  test('parallel calls with one idempotency key wait for the first, and none returns 409', async () => {
    const create = () => stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'parallel' })
    const customers = await Promise.all(Array.from({ length: 20 }, create))
    expect(new Set(customers.map(({ id }) => id)).size).toBe(1)
    expect((await stripe.customers.list()).data).toHaveLength(1)
  })

  test('a wrong method is 404, not 405', async () => {
    const error = await errorOf(stripe.rawRequest('POST', '/v1/events', {}))
    expect(error).toMatchObject({ statusCode: 404, code: 'resource_missing', param: null })
  })

  test('a publishable key that writes is 401, not 403', async () => {
    const publishable = await sdk.issueKey({ publishable: true })
    const error = await errorOf(sdk.withKey(publishable.secret).customers.create())
    expect(error).toBeInstanceOf(StripeAuthenticationError)
    expect(error.statusCode).toBe(401)
  })
})

test('difference 5: payment_not_initialized is a payment_error with 400, so the SDK raises an invalid request', async () => {
  const { id } = await stripe.paymentIntents.create({ amount: 900, currency: 'usd' })
  const error = await errorOf(stripe.paymentIntents.confirm(id))
  expect(error).toBeInstanceOf(StripeInvalidRequestError)
  expect(error).toMatchObject({
    statusCode: 400,
    rawType: 'payment_error',
    code: 'payment_not_initialized',
    param: 'payment_method',
  })
})

test('difference 6: amounts go from 1 to 99999999 in every currency', async () => {
  for (const amount of [1, 99_999_999]) {
    for (const currency of ['usd', 'jpy', 'huf']) {
      expect(await stripe.paymentIntents.create({ amount, currency })).toMatchObject({ amount, currency })
    }
  }
  const error = await errorOf(stripe.paymentIntents.create({ amount: 100_000_000, currency: 'usd' }))
  expect(error).toMatchObject({ statusCode: 400, code: 'amount_too_large', param: 'amount' })
})

test('difference 7: code is present in all errors but those of keys, and param is null rather than absent', async () => {
  const missing = await errorOf(stripe.rawRequest('GET', '/v1/zebras'))
  expect(missing).toMatchObject({ code: 'resource_missing', param: null })
  const failed = await errorOf(sdk.withKey('sk_test_unknown00000000000000000000').customers.list())
  const { type, message, ...rest } = failed.raw as Record<string, unknown>
  expect({ type, message }).toEqual({ type: 'authentication_error', message: 'Invalid API Key provided' })
  // The SDK added the remaining parameters.
  expect(Object.keys(rest).sort()).toEqual(['headers', 'requestId', 'statusCode'])
})

test('difference 8: an unknown reference in a body is 404 and named by its parameter', async () => {
  const { customer, method } = await makeCustomer(sdk)
  const call = stripe.subscriptions.create({
    customer: customer.id,
    currency: 'usd',
    default_payment_method: method.id,
    items: [{ price: 'price_none' }],
  })
  const error = await errorOf(call)
  expect(error).toBeInstanceOf(StripeInvalidRequestError)
  expect(error).toMatchObject({ statusCode: 404, code: 'resource_missing', param: 'items[0][price]' })
})

test.each(['insufficient_funds', 'lost_card', 'expired_card'])(
  'difference 9: a renewal declined with %s is tried again 1, 3, 5 and 7 days after the failure',
  async (reason) => {
    const { id } = await subscribe(sdk, { outcomes: ['succeed'], afterwards: `decline:${reason}` })
    await sdk.advance('1mo')
    const { id: invoice, created: failedAt } = await newestInvoice(id)
    const days: number[] = []
    for (let next = failedAt; ; ) {
      const { next_payment_attempt } = await stripe.invoices.retrieve(invoice)
      if (next_payment_attempt === null) break
      days.push((next_payment_attempt - failedAt) / DAY_SECONDS)
      await sdk.advance(`${next_payment_attempt - next}s`)
      next = next_payment_attempt
    }
    expect(days).toEqual([1, 3, 5, 7])
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'canceled' })
  },
)

test('difference 10: default_payment_method is required beside a default of the customer, and so is currency', async () => {
  const [{ id: price }, { customer, method }] = [await makePrice(sdk), await makeCustomer(sdk)]
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: method.id } })
  const items = [{ price }]
  const without = await errorOf(
    stripe.subscriptions.create({ customer: customer.id, currency: 'usd', items }),
  )
  expect(without).toMatchObject({
    statusCode: 400,
    code: 'parameter_missing',
    param: 'default_payment_method',
  })
  const params = { customer: customer.id, default_payment_method: method.id, items }
  const error = await errorOf(stripe.subscriptions.create(params))
  expect(error).toMatchObject({ statusCode: 400, code: 'parameter_missing', param: 'currency' })
})

test('difference 11: an incomplete subscription outlives 23 hours, and a retry makes it active', async () => {
  const { id, status } = await subscribe(sdk, {
    outcomes: ['decline:insufficient_funds', 'decline:insufficient_funds'],
  })
  expect(status).toBe('incomplete')
  await sdk.advance('2d')
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('incomplete')
  await sdk.advance('1d')
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('active')
})

test('difference 12: latest_invoice is null until a first payment succeeds', async () => {
  const { id, latest_invoice } = await subscribe(sdk, { outcomes: ['decline:insufficient_funds'] })
  expect(latest_invoice).toBeNull()
  const invoice = await newestInvoice(id)
  expect(invoice).toMatchObject({ status: 'open', subscription: id })
  await stripe.invoices.pay(invoice.id)
  expect((await stripe.subscriptions.retrieve(id)).latest_invoice).toBe(invoice.id)
})

test('difference 13: the invoice of a renewal is created, finalized and paid at the same instant', async () => {
  const { id } = await subscribe(sdk)
  await sdk.advance('1mo')
  const { created, status_transitions } = await newestInvoice(id)
  expect(created).toBe(1772272800)
  expect(status_transitions).toMatchObject({ finalized_at: created, paid_at: created })
})

test('difference 14: cancel accepts cancel_at_period_end, and the subscription ends with its period', async () => {
  const { id } = await subscribe(sdk)
  const params = { cancel_at_period_end: true } as Stripe.SubscriptionCancelParams
  const ending = await stripe.subscriptions.cancel(id, params)
  expect(ending).toMatchObject({
    status: 'active',
    cancel_at_period_end: true,
    canceled_at: NOW,
    ended_at: null,
  })
  await sdk.advance('1mo')
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'canceled', ended_at: 1772272800 })
})

describe('difference 15: the version is X-API-Version', () => {
  test("the SDK's own version header is not read, and the response names the version used", async () => {
    const { lastResponse } = await stripe.customers.create({}, { apiVersion: '2020-08-27' })
    expect(lastResponse.headers).toMatchObject({ 'x-api-version': '2026-03-09' })
    expect(lastResponse.apiVersion).toBeUndefined()
  })

  test('2026-03-09 is the only one', async () => {
    const list = (version: string) => stripe.customers.list({}, { headers: { 'X-API-Version': version } })
    expect((await list('2026-03-09')).data).toEqual([])
    const error = await errorOf(list('2020-08-27'))
    expect(error).toMatchObject({ statusCode: 400, code: 'parameter_invalid', param: 'X-API-Version' })
  })
})

test('difference 16: only cards recur: a push method is 422, for which the SDK has no class of its own', async () => {
  const error = await errorOf(subscribe(sdk, { card: 'pm_pix' }))
  expect(error).toBeInstanceOf(StripeAPIError)
  expect(error).toMatchObject({
    statusCode: 422,
    rawType: 'invalid_request_error',
    code: 'unsupported_psp_capability',
    param: 'default_payment_method',
  })
})

test('difference 17: the current period is a field of the subscription, not of its items', async () => {
  const subscription = await subscribe(sdk)
  expect(subscription).toMatchObject({ current_period_start: NOW, current_period_end: 1772272800 })
  expect(subscription.items.data[0]).not.toHaveProperty('current_period_end')
})

test('difference 18: a trial starts without an invoice', async () => {
  const { id, status, latest_invoice } = await subscribe(sdk, { trial_period_days: 14 })
  expect({ status, latest_invoice }).toEqual({ status: 'trialing', latest_invoice: null })
  expect((await stripe.invoices.list({ subscription: id })).data).toEqual([])
  expect((await eventTypes()).filter((type) => type.startsWith('invoice.'))).toEqual([])
  await sdk.advance('14d')
  const { latest_invoice: first } = await stripe.subscriptions.retrieve(id)
  expect(await stripe.invoices.retrieve(idOf(first))).toMatchObject({ status: 'paid', total: 2000 })
})
