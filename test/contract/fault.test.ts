import { serve } from '@hono/node-server'
import { describe, expect, test } from 'vitest'
import {
  anotherMerchant,
  asOperator,
  expectRefusal,
  expectUnauthenticated,
  invalid,
  type Refusal,
} from '../http/support.ts'
import { openTwin } from '../scenarios/story.ts'
import { type Body, clientOf, type Twin } from '../twin.ts'
import { writesNothing } from './support.ts'

const UNAVAILABLE = 'We could not authenticate the request. Please try again shortly.'
const limited: Refusal = { status: 429, type: 'rate_limit_error', code: 'rate_limit', param: null }
const broken: Refusal = { status: 500, type: 'api_error', code: 'internal_error', param: null }

async function inject(twin: Twin, fault: Body): Promise<Body> {
  const { status, body } = await asOperator(twin)('POST', 'faults', fault)
  expect(status).toBe(201)
  return body
}
const get = (twin: Twin, headers: Record<string, string> = {}) =>
  twin.request('GET', '/v1/customers', undefined, headers)
const create = (twin: Twin, headers: Record<string, string> = {}) =>
  twin.request('POST', '/v1/customers', {}, headers)
const statusesOf = async (twin: Twin, count: number) => {
  const statuses = []
  for (let sent = 0; sent < count; sent += 1) statuses.push((await get(twin)).status)
  return statuses
}

describe('while keys cannot be resolved', () => {
  test('a request is refused with a message that does not blame the key', async () => {
    const twin = await openTwin()
    const { id } = await inject(twin, { kind: 'key_resolution_unavailable' })
    for (const headers of [
      {},
      { Authorization: '' },
      { Authorization: 'Bearer sk_test_unknown' },
      { 'X-API-Version': 'x' },
    ]) {
      expectUnauthenticated(await create(twin, headers), UNAVAILABLE)
    }
    await asOperator(twin)('DELETE', `faults/${id}`)
    expect((await twin.get('/v1/customers')).data).toEqual([])
    expect(JSON.stringify((await get(twin, { Authorization: '' })).body)).not.toContain('shortly')
  })

  test('the refusal is not stored under a key', async () => {
    const twin = await openTwin()
    await inject(twin, { kind: 'key_resolution_unavailable', count: 1 })
    const send = () => create(twin, { 'Idempotency-Key': 'k' })
    expect((await send()).status).toBe(401)
    expect((await send()).status).toBe(201)
  })

  test('of one merchant, others are served', async () => {
    const twin = await openTwin()
    const other = clientOf(twin.sandbox, (await anotherMerchant(twin)).secretKey)
    const merchant = twin.sandbox.merchant.settings.id
    await inject(twin, { kind: 'key_resolution_unavailable', merchant })
    expect((await get(other)).status).toBe(200)
    expectUnauthenticated(await get(twin), UNAVAILABLE)
  })
})

describe('an injected', () => {
  test.each<[string, Refusal]>([
    ['rate_limit', limited],
    ['internal_error', broken],
  ])('%s returns its error, writes nothing, and is not stored', async (kind, refusal) => {
    const twin = await openTwin()
    await inject(twin, { kind, route: 'POST /v1/customers' })
    const send = () => create(twin, { 'Idempotency-Key': 'k' })
    for (let count = 0; count < 2; count += 1) {
      const response = await writesNothing(twin, send)
      expectRefusal(response, refusal)
      expect(response.headers.get('Retry-After')).toBe(kind === 'rate_limit' ? '1' : null)
      expect(response.headers.get('Request-Id')).toMatch(/^req_/)
    }
    await asOperator(twin)('DELETE', 'faults')
    const response = await send()
    expect([response.status, response.headers.get('Idempotent-Replayed')]).toEqual([201, null])
  })

  test('latency delays a response without changing it', async () => {
    const twin = await openTwin()
    await inject(twin, { kind: 'latency', ms: 40, count: 1 })
    const began = performance.now()
    expect((await create(twin)).status).toBe(201)
    // A timer may fire a little early.
    expect(performance.now() - began).toBeGreaterThan(35)
  })

  test('response_lost writes and closes the connection, and a retry with the same key is replayed', async () => {
    const twin = await openTwin()
    const server = serve({ fetch: twin.sandbox.app.fetch, port: 0, hostname: '127.0.0.1' })
    await new Promise((resolve) => server.once('listening', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const send = () =>
      fetch(`http://127.0.0.1:${port}/v1/customers`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${twin.secretKey}`, 'Idempotency-Key': 'k' },
      })
    await inject(twin, { kind: 'response_lost', count: 1 })
    await expect(send()).rejects.toThrow()
    expect((await twin.get('/v1/customers')).data).toHaveLength(1)
    const response = await send()
    expect([response.status, response.headers.get('Idempotent-Replayed')]).toEqual([201, 'true'])
    expect((await twin.get('/v1/customers')).data).toHaveLength(1)
    await new Promise((resolve) => server.close(resolve))
  })
})

describe('a fault applies', () => {
  test('as often as its count', async () => {
    const twin = await openTwin()
    const fault = await inject(twin, { kind: 'internal_error', count: 2 })
    expect(fault).toMatchObject({
      object: 'fault',
      kind: 'internal_error',
      remaining: 2,
      rate: 1,
      livemode: false,
    })
    expect(await statusesOf(twin, 4)).toEqual([500, 500, 200, 200])
    expect((await asOperator(twin)('GET', 'faults')).body.data).toEqual([])
  })

  test('at its rate, in the same way for the same seed', async () => {
    const play = async (rate: number, seed: string) => {
      const twin = await openTwin({ seed })
      await inject(twin, { kind: 'internal_error', rate })
      return statusesOf(twin, 60)
    }
    expect(new Set(await play(0, '1'))).toEqual(new Set([200]))
    const half = await play(0.5, '1')
    expect(half.filter((status) => status === 500).length).toBeGreaterThan(15)
    expect(half.filter((status) => status === 500).length).toBeLessThan(45)
    expect(await play(0.5, '1')).toEqual(half)
    expect(await play(0.5, '2')).not.toEqual(half)
  })

  test.each([
    ['/v1/customers', 500, 500, 200],
    ['GET /v1/customers', 500, 200, 200],
    ['POST /v1/*', 200, 500, 200],
    ['/v1/*', 500, 500, 500],
    ['/v1/cust', 200, 200, 200],
  ])('the route %s', async (route, list, post, prices) => {
    const twin = await openTwin()
    await inject(twin, { kind: 'internal_error', route })
    const statuses = [await get(twin), await create(twin), await twin.request('GET', '/v1/prices')].map(
      ({ status }) => status,
    )
    expect(statuses).toEqual([list, post === 200 ? 201 : post, prices])
  })

  test('to the merchant that it names', async () => {
    const twin = await openTwin()
    const { merchant, secretKey } = await anotherMerchant(twin)
    await inject(twin, { kind: 'internal_error', merchant: merchant.id })
    expect((await get(twin)).status).toBe(200)
    expect((await get(clientOf(twin.sandbox, secretKey))).status).toBe(500)
  })

  test('quickly, whatever its glob and the requested path', async () => {
    const twin = await openTwin()
    await inject(twin, { kind: 'key_resolution_unavailable', route: '/v1/*a*a*a*b' })
    const started = performance.now()
    const path = `/v1/${'a'.repeat(12_000)}`
    expectUnauthenticated(await twin.request('GET', path, undefined, { Authorization: '' }))
    expect(performance.now() - started).toBeLessThan(500)
    const [matched, not] = ['/v1/xaxaxab', '/v1/xaxab'].map((asked) => twin.request('GET', asked))
    expect([(await matched)?.body.error.message, (await not)?.status]).toEqual([UNAVAILABLE, 404])
  })

  test('in order: keys first, then versions, then limits, then the body', async () => {
    const twin = await openTwin()
    await inject(twin, { kind: 'rate_limit' })
    await inject(twin, { kind: 'internal_error' })
    expectUnauthenticated(await get(twin, { Authorization: '' }))
    expectRefusal(await get(twin, { 'X-API-Version': 'x' }), invalid('X-API-Version'))
    expectRefusal(await twin.request('POST', '/v1/customers', '{'), limited)
  })

  test('not to the operator’s API', async () => {
    const twin = await openTwin()
    for (const kind of ['key_resolution_unavailable', 'internal_error', 'rate_limit'])
      await inject(twin, { kind })
    const { status, body } = await asOperator(twin)('GET', 'faults')
    expect(status).toBe(200)
    expect(body.data.map(({ kind }: Body) => kind)).toEqual([
      'key_resolution_unavailable',
      'internal_error',
      'rate_limit',
    ])
  })

  test.each<[Body, string]>([
    [{ kind: 'meteor' }, 'kind'],
    [{ kind: 'latency', ms: -1 }, 'ms'],
    [{ kind: 'internal_error', rate: 2 }, 'rate'],
    [{ kind: 'internal_error', count: 0 }, 'count'],
  ])('not when it is %j', async (fault, param) => {
    const twin = await openTwin()
    expectRefusal(await asOperator(twin)('POST', 'faults', fault), invalid(param))
  })
})
