import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Body, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import {
  asOperator,
  expectRefusal,
  expectRefused,
  expectUnauthenticated,
  FORM,
  invalid,
  unknown,
} from './support.ts'

const REQUEST_ID = /^req_[A-Za-z0-9]{14,}$/
const VERSION = '2026-03-09'

let twin: Twin
beforeAll(async () => {
  twin = await startTwin()
})
afterAll(() => twin.close())

describe('every response on /v1', () => {
  test.each<[string, string, unknown, number]>([
    ['GET', '/v1/customers', undefined, 200],
    ['POST', '/v1/customers', {}, 201],
    ['GET', '/v1/customers/cus_unknown', undefined, 404],
    ['POST', '/v1/customers', { email: 5 }, 400],
    ['POST', '/v1/customers', '{', 400],
    ['GET', '/v1/nothing', undefined, 404],
    ['PUT', '/v1/customers', {}, 404],
    ['GET', '/v1/events', undefined, 200],
    ['GET', '/v1/test_helpers/clock', undefined, 200],
    ['GET', '/v1/test_helpers/upcoming', undefined, 200],
    ['POST', '/v1/test_helpers/clock/freeze', {}, 200],
  ])('to %s %s with %j carries livemode and the headers', async (method, path, body, status) => {
    const response = await twin.request(method, path, body)
    expect(response.status).toBe(status)
    expect(response.body.livemode).toBe(false)
    expect(response.headers.get('Request-Id')).toMatch(REQUEST_ID)
    expect(response.headers.get('X-API-Version')).toBe(VERSION)
    expect(response.headers.get('Paytwin-Now')).toBe('1769853600')
    expect(response.headers.get('Content-Type')).toMatch(/^application\/json/)
  })

  test('carries the headers on an event stream too', async () => {
    const response = await twin.sandbox.app.request('/v1/events', {
      headers: { Authorization: `Bearer ${twin.secretKey}`, Accept: 'text/event-stream' },
    })
    await response.body?.cancel()
    expect(response.headers.get('Request-Id')).toMatch(REQUEST_ID)
    expect(response.headers.get('X-API-Version')).toBe(VERSION)
    expect(response.headers.get('Paytwin-Now')).toBe('1769853600')
  })

  test('has a request id of its own', async () => {
    const ids = new Set<string | null>()
    for (let n = 0; n < 20; n += 1) {
      ids.add((await twin.request('GET', '/v1/customers')).headers.get('Request-Id'))
    }
    expect(ids.size).toBe(20)
  })

  test('shows the time of the clock after an advance', async () => {
    const moving = await startTwin()
    const response = await moving.request('POST', '/v1/test_helpers/clock/advance', { by: '1d' })
    expect(response.headers.get('Paytwin-Now')).toBe('1769940000')
    expect((await moving.request('GET', '/v1/nothing')).headers.get('Paytwin-Now')).toBe('1769940000')
    await moving.close()
  })
})

describe('responses outside /v1', () => {
  test.each(['/', '/v2/customers', '/V1/customers', '/favicon.ico', '/%00', '//v1/customers'])(
    'to GET %s are 404 with the headers, key or not',
    async (path) => {
      const response = await twin.request('GET', path, undefined, { Authorization: '' })
      expectRefusal(response, unknown(null))
      expect(response.headers.get('Request-Id')).toMatch(REQUEST_ID)
      expect(response.headers.get('X-API-Version')).toBe(VERSION)
      expect(response.headers.get('Paytwin-Now')).toBeNull()
    },
  )

  test('of the operator carry livemode and the headers', async () => {
    const operator = asOperator(twin)
    for (const [path, status] of [
      ['health', 200],
      ['status', 200],
      ['nothing', 404],
    ] as const) {
      const response = await operator('GET', path)
      expect(response.status).toBe(status)
      expect(response.body.livemode).toBe(false)
      expect(response.headers.get('Request-Id')).toMatch(REQUEST_ID)
      expect(response.headers.get('X-API-Version')).toBe(VERSION)
    }
  })
})

describe('an unknown path or a wrong method', () => {
  test.each([
    ['GET', '/v1'],
    ['GET', '/v1/'],
    ['GET', '/v1/nothing'],
    ['POST', '/v1/nothing'],
    ['GET', '/v1/customers/'],
    ['GET', '/v1/customers/cus_1/nothing'],
    ['PUT', '/v1/customers'],
    ['PATCH', '/v1/customers/cus_1'],
    ['DELETE', '/v1/customers'],
    ['DELETE', '/v1/events/evt_1'],
    ['OPTIONS', '/v1/customers'],
    ['TRACEROUTE', '/v1/customers'],
    ['POST', '/v1/events'],
    ['POST', '/v1/charges'],
    ['GET', '/v1/test_helpers/clock/advance'],
    ['POST', '/v1/test_helpers/clock'],
  ])('%s %s is 404 with param null', async (method, path) => {
    await expectRefused(twin, [method, path], unknown(null))
  })

  test.each([
    ['GET', '/v1/nothing'],
    ['PUT', '/v1/customers'],
    ['OPTIONS', '/v1/customers'],
  ])('%s %s without a key is 401', async (method, path) => {
    expectUnauthenticated(await twin.request(method, path, undefined, { Authorization: '' }))
  })

  test.each<[string, string, Record<string, string>]>([
    ['malformed JSON', '{', { 'Content-Type': 'application/json' }],
    ['another content type', 'hello', { 'Content-Type': 'text/plain' }],
  ])('is 404 whatever its body: %s', async (_, body, headers) => {
    expectRefusal(await twin.request('POST', '/v1/nothing', body, headers), unknown(null))
  })
})

describe('X-API-Version', () => {
  const asked = (version: string, headers: Record<string, string> = {}) =>
    twin.request('GET', '/v1/customers', undefined, { 'X-API-Version': version, ...headers })

  test('that is known is used', async () => {
    const response = await asked(VERSION)
    expect(response.status).toBe(200)
    expect(response.headers.get('X-API-Version')).toBe(VERSION)
  })

  test.each(['2026-03-10', '2025-01-01', 'latest', '', `${VERSION}, ${VERSION}`, '__proto__'])(
    '%j is refused, and the response names the default',
    async (version) => {
      const response = await asked(version)
      expectRefusal(response, invalid('X-API-Version'))
      expect(response.headers.get('X-API-Version')).toBe(VERSION)
    },
  )

  test.each([VERSION, '1999-01-01'])('%s without a key is 401, with a known version', async (version) => {
    const response = await asked(version, { Authorization: '' })
    expectUnauthenticated(response)
    expect(response.headers.get('X-API-Version')).toBe(VERSION)
  })

  test('is checked before the body is read', async () => {
    const headers = { 'X-API-Version': 'latest' }
    expectRefusal(await twin.request('POST', '/v1/customers', '{', headers), invalid('X-API-Version'))
  })
})

describe('resources', () => {
  test('return 201 when they are made and 200 afterwards', async () => {
    const fresh = await startTwin()
    const status = async (method: string, path: string, body?: unknown) => {
      const response = await fresh.request(method, path, body)
      return [response.status, response.body.id] as const
    }
    const [customer, cus] = await status('POST', '/v1/customers', {})
    const [product, prod] = await status('POST', '/v1/products', { name: 'Plan' })
    const recurring = { interval: 'month' }
    const [price, priceId] = await status('POST', '/v1/prices', {
      unit_amount: 1,
      currency: 'usd',
      recurring,
    })
    const [method, pm] = await status('POST', '/v1/payment_methods', {
      type: 'card',
      card: { number: '4242424242424242' },
    })
    expect([customer, product, price, method]).toEqual([201, 201, 201, 201])

    const attached = await status('POST', `/v1/payment_methods/${pm}/attach`, { customer: cus })
    const subscribe = {
      customer: cus,
      currency: 'usd',
      default_payment_method: pm,
      items: [{ price: priceId }],
    }
    const [subscription, sub] = await status('POST', '/v1/subscriptions', subscribe)
    expect(subscription).toBe(201)
    const others = [
      attached,
      await status('POST', `/v1/customers/${cus}`, { name: 'Ada' }),
      await status('POST', `/v1/products/${prod}`, { name: 'Plan B' }),
      await status('POST', `/v1/prices/${priceId}`, { nickname: 'B' }),
      await status('POST', `/v1/test_helpers/payment_methods/${pm}/outcomes`, { outcomes: [] }),
      await status('DELETE', `/v1/subscriptions/${sub}`),
      await status('POST', `/v1/payment_methods/${pm}/detach`),
      await status('DELETE', `/v1/customers/${cus}`),
      await status('POST', '/v1/test_helpers/clock/advance', { by: '1d' }),
    ]
    expect(others.map(([code]) => code)).toEqual(others.map(() => 200))
    await fresh.close()
  })

  test('carry id, object, created, livemode and merchant_id', async () => {
    const fresh = await startTwin()
    const price = await makePrice(fresh)
    const { customer, method } = await makeCustomer(fresh)
    await fresh.post('/v1/products', { name: 'Plan' })
    await fresh.post('/v1/subscriptions', {
      customer: customer.id,
      currency: 'usd',
      default_payment_method: method.id,
      items: [{ price: price.id }],
    })
    const kinds: readonly (readonly [string, string, RegExp])[] = [
      ['customers', 'customer', /^cus_[A-Za-z0-9]{14,}$/],
      ['products', 'product', /^prod_[A-Za-z0-9]{14,}$/],
      ['prices', 'price', /^price_[A-Za-z0-9]{14,}$/],
      ['payment_methods', 'payment_method', /^pm_[A-Za-z0-9]{14,}$/],
      ['subscriptions', 'subscription', /^sub_[A-Za-z0-9]{14,}$/],
      ['invoices', 'invoice', /^in_[A-Za-z0-9]{14,}$/],
      ['payment_intents', 'payment_intent', /^pi_[A-Za-z0-9]{14,}$/],
      ['charges', 'charge', /^ch_[A-Za-z0-9]{14,}$/],
      ['events', 'event', /^evt_[A-Za-z0-9]{14,}$/],
    ]
    const shared = { livemode: false, created: 1769853600, merchant_id: fresh.sandbox.merchant.settings.id }
    for (const [name, object, id] of kinds) {
      const { data } = await fresh.get(`/v1/${name}`)
      expect(data[0]).toMatchObject({ ...shared, object, id: expect.stringMatching(id) })
      expect(await fresh.get(`/v1/${name}/${data[0].id}`)).toEqual(data[0])
    }
    const [subscription] = (await fresh.get('/v1/subscriptions')).data
    const itemId = expect.stringMatching(/^si_[A-Za-z0-9]{14,}$/)
    expect(subscription.items.data[0]).toMatchObject({ ...shared, object: 'subscription_item', id: itemId })
    const [invoice] = (await fresh.get('/v1/invoices')).data
    expect(invoice.lines.data[0].id).toMatch(/^il_[A-Za-z0-9]{14,}$/)
    await fresh.close()
  })

  test('have ids that follow from the seed', async () => {
    const make = async (seed: string): Promise<Body[]> => {
      const seeded = await startTwin({ seed })
      const made = [await makePrice(seeded), (await makeCustomer(seeded)).customer, await seeded.events()]
      await seeded.close()
      // The id of a request is not part of the history.
      return JSON.parse(JSON.stringify(made, (key, value) => (key === 'request' ? null : value)))
    }
    const first = await make('a')
    expect(await make('a')).toEqual(first)
    expect((await make('b'))[0]?.id).not.toBe(first[0]?.id)
  })
})

test('an unexpected error is 500, logged, and does not reveal its cause', async () => {
  const reported: string[] = []
  const broken = await startTwin({ reportError: (error, doing) => reported.push(`${doing}: ${error}`) })
  vi.spyOn(broken.sandbox.keys, 'resolve').mockImplementation(() => {
    throw new Error('the disk is on fire')
  })
  const response = await broken.request('POST', '/v1/customers', 'name=Ada', FORM)
  expectRefusal(response, { status: 500, type: 'api_error', code: 'internal_error', param: null })
  expect(JSON.stringify(response.body)).not.toContain('fire')
  expect(response.headers.get('Request-Id')).toMatch(REQUEST_ID)
  expect(reported).toEqual(['POST /v1/customers: Error: the disk is on fire'])
  await broken.close()
})
