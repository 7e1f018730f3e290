import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorOf, type Sdk, startSdk, subscribe } from './sdk.ts'

let sdk: Sdk
let stripe: Stripe
beforeAll(async () => {
  sdk = await startSdk()
  stripe = sdk.stripe
})
afterAll(() => sdk.close())

const NOW = 1769853600

describe('auto-pagination', () => {
  const COUNT = 105
  const EMAIL = 'many@example.com'
  let newestFirst: string[]
  beforeAll(async () => {
    const ids: string[] = []
    for (let n = 0; n < COUNT; n++)
      ids.push((await stripe.customers.create({ email: EMAIL, name: `${n}` })).id)
    newestFirst = ids.reverse()
  })

  test('walks over more than a hundred objects, each once, newest first', async () => {
    const seen: string[] = []
    for await (const { id } of stripe.customers.list({ email: EMAIL })) seen.push(id)
    expect(seen).toEqual(newestFirst)
  })

  test('reads pages of a hundred, and stops at the given limit', async () => {
    const all = await stripe.customers.list({ email: EMAIL, limit: 100 }).autoPagingToArray({ limit: 10_000 })
    expect(all.map(({ id }) => id)).toEqual(newestFirst)
    const some = await stripe.customers.list({ email: EMAIL, limit: 7 }).autoPagingToArray({ limit: 20 })
    expect(some.map(({ id }) => id)).toEqual(newestFirst.slice(0, 20))
  })

  test('walks backward from an object', async () => {
    const seen: string[] = []
    const [oldest = ''] = newestFirst.slice(-1)
    for await (const { id } of stripe.customers.list({ email: EMAIL, ending_before: oldest, limit: 25 }))
      seen.push(id)
    expect(seen).toEqual(newestFirst.slice(0, -1).reverse())
  })

  test('goes over the events that they made', async () => {
    const types = new Map<string, number>()
    for await (const { type } of stripe.events.list({ type: 'customer.created', limit: 50 })) {
      types.set(type, (types.get(type) ?? 0) + 1)
    }
    expect([...types]).toEqual([['customer.created', COUNT]])
  })
})

describe('an idempotency key', () => {
  test('creates one object with two calls, and marks the second as a replay', async () => {
    const create = () => stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'one customer' })
    const first = await create()
    const second = await create()
    expect(second).toEqual(first)
    expect(first.lastResponse.headers).not.toHaveProperty('idempotent-replayed')
    expect(second.lastResponse.headers).toMatchObject({ 'idempotent-replayed': 'true' })
    expect(second.lastResponse.requestId).not.toBe(first.lastResponse.requestId)
  })

  test('replays a declined payment', async () => {
    const intent = await stripe.paymentIntents.create({
      amount: 900,
      currency: 'usd',
      payment_method: 'pm_card_chargeDeclined',
    })
    const confirm = () =>
      errorOf(stripe.paymentIntents.confirm(intent.id, {}, { idempotencyKey: 'declined once' }))
    const first = await confirm()
    const second = await confirm()
    expect([first.statusCode, second.statusCode]).toEqual([402, 402])
    expect(second.charge).toBe(first.charge)
    const charges = await stripe.charges.list({ payment_intent: intent.id })
    expect(charges.data).toHaveLength(1)
  })

  test('is sent by the SDK itself with every POST, and kept with the event', async () => {
    const { id } = await stripe.customers.create({ name: 'Grace' })
    const { data } = await stripe.events.list({ type: 'customer.created', limit: 1 })
    expect(data[0]).toMatchObject({
      data: { object: { id } },
      request: { idempotency_key: expect.stringMatching(/^stripe-node-retry-/) },
    })
  })

  test('makes the retry of a lost response harmless: the SDK tries again, and gets the object that was made', async () => {
    await sdk.failOnce('response_lost')
    const { id, lastResponse } = await stripe.products.create({ name: 'Lost and found' })
    expect(lastResponse.headers).toMatchObject({ 'idempotent-replayed': 'true' })
    expect((await stripe.products.list()).data).toMatchObject([{ id, name: 'Lost and found' }])
  })
})

describe('expand', () => {
  test('puts whole objects in place of ids, four levels deep', async () => {
    const { id } = await subscribe(sdk)
    const subscription = await stripe.subscriptions.retrieve(id, {
      expand: ['customer', 'latest_invoice.payment_intent.latest_charge.payment_method'],
    })
    expect(subscription).toMatchObject({
      customer: { object: 'customer', name: 'Ada' },
      latest_invoice: {
        object: 'invoice',
        payment_intent: { latest_charge: { object: 'charge', payment_method: { card: { last4: '4242' } } } },
      },
    })
  })

  test('reaches into a list, on creation too', async () => {
    const subscription = await subscribe(sdk, { expand: ['default_payment_method'] })
    expect(subscription.default_payment_method).toMatchObject({ object: 'payment_method', type: 'card' })
    const { data } = await stripe.invoices.list({
      subscription: subscription.id,
      expand: ['data.subscription'],
    })
    expect(data).toMatchObject([{ subscription: { id: subscription.id, status: 'active' } }])
  })

  test('of an unknown path is an invalid request', async () => {
    const { id } = await stripe.customers.create()
    const error = await errorOf(stripe.customers.retrieve(id, { expand: ['zebra'] }))
    expect(error).toBeInstanceOf(Stripe.errors.StripeInvalidRequestError)
    expect(error).toMatchObject({ code: 'parameter_invalid', param: 'expand' })
  })
})

describe('a response', () => {
  test('carries its request id, its status and the clock where the SDK exposes them', async () => {
    const { lastResponse } = await stripe.customers.create()
    expect(lastResponse).toMatchObject({
      statusCode: 201,
      requestId: expect.stringMatching(/^req_[A-Za-z0-9]{14,}$/),
      headers: { 'content-type': 'application/json', 'paytwin-now': String(NOW) },
    })
  })

  test('reports the same request id to listeners of the SDK', async () => {
    const heard: Stripe.ResponseEvent[] = []
    const listen = (event: Stripe.ResponseEvent) => heard.push(event)
    stripe.on('response', listen)
    const { lastResponse } = await stripe.customers.list({ limit: 1 })
    stripe.off('response', listen)
    expect(heard).toMatchObject([
      { method: 'GET', path: '/v1/customers?limit=1', status: 200, request_id: lastResponse.requestId },
    ])
  })

  test('lists the parameters of the SDK that paytwin ignores', async () => {
    const { lastResponse } = await stripe.customers.create({
      name: 'Ada',
      phone: '+4930123456',
      tax: { ip_address: '::1' },
    })
    expect(lastResponse.headers['paytwin-ignored-params']).toBe('phone,tax')
  })
})

test('parameters arrive whatever they are made of', async () => {
  const metadata = { 'a key': 'a=b&c', emoji: '🦓', number: '007', nothing: ' ', brackets: '[x][]' }
  const { id } = await stripe.customers.create({ description: 'Zwölf\n100 % (“quoted”) + *', metadata })
  expect(await stripe.customers.retrieve(id)).toMatchObject({
    description: 'Zwölf\n100 % (“quoted”) + *',
    metadata,
  })
})

test('a date is sent as seconds', async () => {
  const cancel_at = new Date((NOW + 86_400) * 1000)
  const { id } = await subscribe(sdk)
  const raw = { cancel_at } as unknown as Stripe.SubscriptionUpdateParams
  expect(await stripe.subscriptions.update(id, raw)).toMatchObject({ cancel_at: NOW + 86_400 })
})

test('a test clock is made, followed by a customer, advanced and deleted', async () => {
  const { testClocks } = stripe.testHelpers
  const clock = await testClocks.create({ frozen_time: NOW, name: 'A year' })
  const customer = await stripe.customers.create({ test_clock: clock.id })
  expect(customer.test_clock).toBe(clock.id)
  const moved = await testClocks.advance(clock.id, { frozen_time: NOW + 86_400 })
  expect(moved).toMatchObject({ object: 'test_clock', status: 'ready', frozen_time: NOW + 86_400 })
  expect((await testClocks.retrieve(clock.id)).frozen_time).toBe(NOW + 86_400)
  expect((await testClocks.list()).data.map(({ id }) => id)).toEqual([clock.id])
  expect(await testClocks.del(clock.id)).toMatchObject({ id: clock.id, deleted: true })
  expect((await stripe.customers.retrieve(customer.id)).deleted).toBe(true)
})
