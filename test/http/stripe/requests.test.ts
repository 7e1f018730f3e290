import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Incoming } from '../../../src/http/incoming.ts'
import { STRIPE_FORM } from '../../../src/http/stripe/form.ts'
import { clientOf, startTwin, type Twin } from '../../twin.ts'
import { asOperator } from '../support.ts'
import { errorOf, type StripeTwin, startStripe } from './sdk.ts'

const KNOWN = 'https://github.com/paytwin/paytwin/blob/main/docs/stripe.md'

let sdk: StripeTwin
let stripe: Stripe
const received: { headers: Readonly<Record<string, string>>; body: string }[] = []
beforeAll(async () => {
  sdk = await startStripe({
    send: async ({ headers, body }) => {
      received.push({ headers, body: body.toString() })
      return { status: 200, body: '' }
    },
  })
  stripe = sdk.stripe
})
afterAll(() => sdk.close())

// Requests from the network have a path in place of a URL.
test.each(['/v1/customers?email=a', 'http://127.0.0.1:4010/v1/customers?email=a'])(
  'a POST to %s has a parameter in its query',
  (url) => {
    const request = { method: 'POST', url } as Incoming['req']
    expect(() => STRIPE_FORM.refuseQuery(request)).toThrow("the query has 'email'")
    expect(() => STRIPE_FORM.refuseQuery({ ...request, url: '/v1/customers?' })).not.toThrow()
    expect(() => STRIPE_FORM.refuseQuery({ ...request, method: 'DELETE' })).not.toThrow()
  },
)

test.each([
  ['GET', '/v1/payment_intents/'],
  ['GET', '/v1/payment_intents/:id'],
  ['POST', '/v1/invoices//finalize'],
])('%s %s has the same response after a request with an ID', async (method, path) => {
  const request = (id: string) =>
    sdk.twin.request(method, path.replace(/\/:id|\/(?=\/|$)/, `/${id}`), method === 'POST' ? {} : undefined)
  const literal = () => sdk.twin.request(method, path, method === 'POST' ? {} : undefined)
  const before = await literal()
  expect((await request('xx_00000000000001')).status).toBe(404)
  const after = await literal()
  expect(after.status).toBe(before.status)
  expect(after.body.error.message).toBe(before.body.error.message)
})

test('a request may name the account of its key, and no other', async () => {
  const { id } = await stripe.accounts.retrieveCurrent()
  const customer = await stripe.customers.create({ name: 'Own' }, { stripeAccount: id })
  expect(await stripe.customers.retrieve(customer.id, {}, { stripeContext: id })).toMatchObject({
    name: 'Own',
  })
  const idempotencyKey = 'account-1'
  await stripe.customers.create({ name: 'B' }, { idempotencyKey })
  const other = stripe.customers.create({ name: 'B' }, { idempotencyKey, stripeAccount: 'acct_other' })
  expect(await errorOf(other)).toMatchObject({ statusCode: 400, param: 'Stripe-Account' })
})

describe('an error of a merchant with the dialect stripe', () => {
  const cases: readonly [string, () => Promise<unknown>, object][] = [
    [
      'for an unknown object in a path',
      () => stripe.customers.retrieve('cus_unknown'),
      { type: 'StripeInvalidRequestError', statusCode: 404, code: 'resource_missing', param: 'id' },
    ],
    [
      'for an unknown object in a body',
      () => stripe.paymentMethods.attach('pm_card_visa', { customer: 'cus_unknown' }),
      {
        statusCode: 400,
        code: 'resource_missing',
        param: 'customer',
        message: "No such customer: 'cus_unknown'",
      },
    ],
    [
      'for a missing parameter',
      () => stripe.products.create({} as Stripe.ProductCreateParams),
      { statusCode: 400, code: 'parameter_missing', param: 'name' },
    ],
    [
      'for a parameter that it does not know',
      () => stripe.customers.create({ next_invoice_sequence: 5 }),
      {
        statusCode: 400,
        code: 'parameter_unknown',
        param: 'next_invoice_sequence',
        message: `Received unknown parameter: next_invoice_sequence. If Stripe knows it, paytwin does not know it yet. What it knows: ${KNOWN}`,
      },
    ],
    [
      'for a parameter in the query of a POST',
      () => stripe.rawRequest('POST', '/v1/customers?email=a@example.com', { name: 'A' }),
      {
        statusCode: 400,
        param: 'email',
        message: "A POST takes its parameters in its body, but the query has 'email'",
      },
    ],
    [
      'for the account of a platform',
      () => stripe.customers.create({ name: 'A' }, { stripeAccount: 'acct_other' }),
      {
        statusCode: 400,
        param: 'Stripe-Account',
        message:
          'The header Stripe-Account does not name the account of the key, and paytwin has no connected accounts. Create a merchant for ' +
          'each account, and use its own key',
      },
    ],
    [
      'for the context of another account',
      () => stripe.customers.list({}, { stripeContext: 'acct_other' }),
      { statusCode: 400, param: 'Stripe-Context' },
    ],
    [
      'for another account at a route that it does not know',
      () => stripe.terminal.readers.list({}, { stripeAccount: 'acct_other' }),
      { statusCode: 400, param: 'Stripe-Account' },
    ],
    [
      'for a route that it does not know',
      () => stripe.terminal.readers.list(),
      {
        statusCode: 404,
        message: `paytwin does not know GET /v1/terminal/readers yet. What it knows: ${KNOWN}`,
      },
    ],
    [
      'for a wrong key',
      () => sdk.withKey('sk_test_wrong').customers.list(),
      { type: 'StripeAuthenticationError', statusCode: 401, rawType: 'invalid_request_error' },
    ],
    [
      'for an unknown version',
      () => sdk.withKey(sdk.twin.secretKey, { apiVersion: '2019-12-03' as never }).customers.list(),
      {
        statusCode: 400,
        param: 'Stripe-Version',
        message: expect.stringMatching(
          /^Unknown API version '2019-12-03'\. Known versions: 2020-08-27, .*, 2026-10-28\.endive\.$/,
        ),
      },
    ],
    [
      'for a path that cannot be expanded',
      () => stripe.customers.list({ expand: ['data.nothing'] }),
      { statusCode: 400, param: 'expand[0]', message: 'This property cannot be expanded (data.nothing).' },
    ],
  ]
  test.each(cases)('is one of Stripe: %s', async (_name, call, shape) => {
    expect(await errorOf(call())).toMatchObject(shape)
  })

  test('lacks the fields that do not apply', async () => {
    const { body } = await sdk.twin.request('GET', '/v1/nothing')
    expect(Object.keys(body.error)).toEqual(['message', 'type'])
  })

  test.each(['%', '%zz', '%FF', 'a%ED%A0%BDb'])('for the malformed id %s is 404', async (id) => {
    const { status, body } = await sdk.twin.request('GET', `/v1/customers/${id}`)
    expect(status).toBe(404)
    expect(body.error).toMatchObject({ code: 'resource_missing', message: `No such customer: '${id}'` })
  })

  test('of an idempotency key with other parameters is an idempotency_error', async () => {
    const options = { idempotencyKey: 'key-1' }
    const first = await stripe.customers.create({ name: 'Ada' }, options)
    expect(await stripe.customers.create({ name: 'Ada' }, options)).toEqual(first)
    const error = await errorOf(stripe.customers.create({ name: 'Grace' }, options))
    expect(error).toMatchObject({ type: 'StripeIdempotencyError', statusCode: 400 })
  })
})

describe('a response', () => {
  test('has the status 200, the version, and no fields of paytwin', async () => {
    const { status, headers, body } = await sdk.twin.request('POST', '/v1/customers', { name: 'Ada' })
    expect(status).toBe(200)
    expect(headers.get('stripe-version')).toBe(Stripe.API_VERSION)
    expect(headers.get('x-api-version')).toBe(null)
    expect(headers.get('request-id')).toMatch(/^req_/)
    expect(body).not.toHaveProperty('merchant_id')
  })

  test('that is a list pages through all objects', async () => {
    const made: string[] = []
    for (let index = 0; index < 5; index += 1) made.push((await stripe.products.create({ name: 'P' })).id)
    const ids = await stripe.products.list({ limit: 2 }).autoPagingToArray({ limit: 100 })
    expect(ids.map(({ id }) => id)).toEqual(made.reverse())
    const page = await stripe.products.list({ limit: 2 })
    expect(page).toMatchObject({ object: 'list', url: '/v1/products', has_more: true })
    expect(page).not.toHaveProperty('livemode')
    const before = await stripe.products.list({ limit: 1, ending_before: page.data[1]?.id ?? '' })
    expect(before.data).toEqual([page.data[0]])
  })
})

describe('one daemon', () => {
  test('serves merchants of both dialects, each in its own API', async () => {
    const { twin } = sdk
    const admin = asOperator(twin)
    const merchant = await admin('POST', 'merchants', { name: 'Native' })
    expect(merchant.body.dialect).toBe('paytwin')
    const key = await admin('POST', 'keys', { merchant: merchant.body.id })
    const native = clientOf(twin.sandbox, key.body.secret)
    expect((await native.request('POST', '/v1/customers', {})).status).toBe(201)
    expect(await native.get('/v1/customers')).toMatchObject({ livemode: false })
  })
})

describe('a request without a valid key', () => {
  const rejected = async (twin: Twin, headers: Record<string, string> = {}) => {
    const authorization = { Authorization: 'Bearer sk_test_unknown' }
    const { status, body } = await twin.request('GET', '/v1/customers', undefined, {
      ...authorization,
      ...headers,
    })
    expect(status).toBe(401)
    return body.error.type
  }
  const [OF_STRIPE, OWN] = ['invalid_request_error', 'authentication_error']

  test('is refused as by Stripe if all merchants have its API, or if its library sent it', async () => {
    const { twin, close } = await startStripe()
    expect(await rejected(twin)).toBe(OF_STRIPE)
    await asOperator(twin)('POST', 'merchants', { name: 'Native' })
    expect(await rejected(twin)).toBe(OWN)
    expect(await rejected(twin, { 'Stripe-Version': '2024-06-20' })).toBe(OF_STRIPE)
    expect(await rejected(twin, { 'X-Stripe-Client-User-Agent': '{}' })).toBe(OF_STRIPE)
    await close()
  })

  test('is refused in the own API if no merchant has that of Stripe', async () => {
    const twin = await startTwin()
    expect(await rejected(twin, { 'Stripe-Version': '2024-06-20' })).toBe(OWN)
    await twin.close()
  })
})

describe('a webhook', () => {
  test('is named, shaped and signed as by Stripe', async () => {
    const endpoint = await stripe.webhookEndpoints.create({
      url: 'http://localhost:9/hook',
      enabled_events: ['customer.subscription.created', 'invoice.payment_succeeded', 'customer.updated'],
    })
    expect(endpoint.enabled_events).toEqual([
      'customer.subscription.created',
      'invoice.payment_succeeded',
      'customer.updated',
    ])
    const customer = await stripe.customers.create({ payment_method: 'pm_card_visa' })
    const [method] = (await stripe.customers.listPaymentMethods(customer.id)).data
    await stripe.customers.update(customer.id, {
      invoice_settings: { default_payment_method: method?.id ?? '' },
    })
    const { id: product } = await stripe.products.create({ name: 'Pro' })
    const price = await stripe.prices.create({
      product,
      currency: 'usd',
      unit_amount: 2000,
      recurring: { interval: 'month' },
    })
    const { id } = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] })
    await sdk.twin.sandbox.engine.outbox.settled(sdk.twin.sandbox.merchant)
    const events = received.map(({ headers, body }) =>
      stripe.webhooks.constructEvent(body, headers['Stripe-Signature'] ?? '', endpoint.secret ?? ''),
    )
    expect(events.map(({ type }) => type)).toEqual([
      'customer.updated',
      'customer.subscription.created',
      'invoice.payment_succeeded',
    ])
    const [updated, created] = events
    expect(updated?.data.previous_attributes).toEqual({ invoice_settings: { default_payment_method: null } })
    expect(created).toMatchObject({
      api_version: Stripe.API_VERSION,
      data: { object: { id, status: 'active' } },
    })
    const listed = await stripe.events.list({ type: 'customer.subscription.created' })
    expect(listed.data[0]?.data).toEqual(created?.data)
  })

  test('cannot be for an event that paytwin does not emit', async () => {
    const url = 'http://localhost:9/hook'
    const error = await errorOf(
      stripe.webhookEndpoints.create({ url, enabled_events: ['terminal.reader.action_failed'] }),
    )
    expect(error).toMatchObject({ statusCode: 400, param: 'enabled_events[0]' })
  })
})

test('a publishable key creates a payment method, from a page of any site', async () => {
  const { app, merchant } = sdk.twin.sandbox
  const key = await asOperator(sdk.twin)('POST', 'keys', {
    publishable: true,
    merchant: merchant.settings.id,
  })
  const asked = await app.request('/v1/payment_methods', { method: 'OPTIONS' })
  expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
  const create = (number: string) =>
    app.request('/v1/payment_methods', {
      method: 'POST',
      headers: { authorization: `Bearer ${key.body.secret}`, origin: 'https://shop.example' },
      body: new URLSearchParams({ type: 'card', 'card[number]': number }),
    })
  const made = await create('4242424242424242')
  expect([made.status, made.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
  expect(await made.json()).toMatchObject({ object: 'payment_method', customer: null })
  const refused = await create('4111111111111111')
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([400, '*'])
})

test.each<[string, (browser: Stripe) => Promise<unknown>]>([
  ['a read', (browser) => browser.customers.list()],
  ['a write', (browser) => browser.customers.create({ email: 'ada@example.com' })],
])('a publishable key cannot make %s', async (_, call) => {
  const merchant = sdk.twin.sandbox.merchant.settings.id
  const { body } = await asOperator(sdk.twin)('POST', 'keys', { publishable: true, merchant })
  const known = (await stripe.customers.list()).data.length
  expect(await errorOf(call(sdk.withKey(body.secret)))).toMatchObject({
    type: 'StripePermissionError',
    statusCode: 403,
    rawType: 'invalid_request_error',
    code: 'secret_key_required',
    message: 'This API call cannot be made with a publishable API key. Please use a secret API key.',
  })
  expect((await stripe.customers.list()).data.length).toBe(known)

  await asOperator(sdk.twin)('POST', `keys/${body.id}/revoke`)
  expect(await errorOf(call(sdk.withKey(body.secret)))).toMatchObject({ statusCode: 401 })
})
