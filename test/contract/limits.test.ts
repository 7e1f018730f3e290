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
import { type Body, clientOf } from '../twin.ts'
import { refuses, writesNothing } from './support.ts'

const limited: Refusal = { status: 429, type: 'rate_limit_error', code: 'rate_limit', param: null }
const unknownParam = (param: string): Refusal => ({ code: 'parameter_unknown', param })

describe('unknown parameters', () => {
  test.each<[string, string, unknown, string]>([
    ['POST', '/v1/customers', { zebra: 1 }, 'zebra'],
    ['POST', '/v1/customers', { name: 'Ada', invoice_settings: { footer: 'x' } }, 'invoice_settings[footer]'],
    [
      'POST',
      '/v1/payment_intents',
      { amount: 5, currency: 'usd', capture_method: 'automatic' },
      'capture_method',
    ],
    ['GET', '/v1/customers?zebra=1', undefined, 'zebra'],
    ['GET', '/v1/customers?created[eq]=1', undefined, 'created[eq]'],
  ])('are refused where parameters are strict: %s %s %j', async (method, path, body, param) => {
    const strict = await openTwin({ strictParams: true })
    await refuses(strict, [method, path, body], unknownParam(param))
    const lenient = await openTwin()
    const response = await lenient.request(method, path, body)
    expect(response.status).toBeLessThan(300)
    expect(response.headers.get('Paytwin-Ignored-Params')).toBe(encodeURIComponent(param))
  })

  test('are reported after missing and invalid ones, and expand is known everywhere', async () => {
    const twin = await openTwin({ strictParams: true })
    await refuses(twin, ['POST', '/v1/customers', { zebra: 1, name: 5 }], invalid('name'))
    expect(
      (await twin.request('GET', '/v1/customers?expand[]=data.invoice_settings.default_payment_method'))
        .status,
    ).toBe(200)
    const { body } = await twin.request('POST', '/v1/customers', { name: 'Ada' })
    expect(body.name).toBe('Ada')
  })

  test('are all named in the header, the first one in the error', async () => {
    const body = { zebra: 1, yak: { a: 1 } }
    await refuses(
      await openTwin({ strictParams: true }),
      ['POST', '/v1/customers', body],
      unknownParam('zebra'),
    )
    const { headers } = await (await openTwin()).request('POST', '/v1/customers', body)
    expect(headers.get('Paytwin-Ignored-Params')).toBe('zebra,yak')
  })
})

describe('with a rate limit', () => {
  const open = async (rateLimit: number) => {
    const clock = { wall: Date.UTC(2026, 5, 1) }
    const twin = await openTwin({ rateLimit, wall: () => clock.wall })
    return { twin, clock }
  }

  test('one more in a second is refused, and the next second is another', async () => {
    const { twin, clock } = await open(3)
    const send = () => twin.request('POST', '/v1/customers', {})
    for (let count = 0; count < 3; count += 1) expect((await send()).status).toBe(201)
    clock.wall += 999
    const refused = await send()
    expectRefusal(refused, limited)
    expect(refused.headers.get('Retry-After')).toBe('1')
    expect(refused.headers.get('X-API-Version')).toBe('2026-03-09')
    clock.wall += 1
    expect((await twin.get('/v1/customers')).data).toHaveLength(3)
  })

  test('every merchant has its own limit, the operator none', async () => {
    const { twin } = await open(1)
    const other = clientOf(twin.sandbox, (await anotherMerchant(twin)).secretKey)
    expect((await twin.request('GET', '/v1/customers')).status).toBe(200)
    expect((await other.request('GET', '/v1/customers')).status).toBe(200)
    expect((await twin.request('GET', '/v1/customers')).status).toBe(429)
    for (let count = 0; count < 5; count += 1)
      expect((await asOperator(twin)('GET', 'status')).status).toBe(200)
  })

  test('unauthenticated requests do not count, and a refusal comes before the body is read', async () => {
    const { twin } = await open(1)
    expectUnauthenticated(await twin.request('GET', '/v1/customers', undefined, { Authorization: '' }))
    expectRefusal(await twin.request('POST', '/v1/customers', '{'), invalid(null))
    expectRefusal(await twin.request('POST', '/v1/customers', '{'), limited)
  })

  test('a refusal is not stored under a key', async () => {
    const { twin, clock } = await open(1)
    const send = () => twin.request('POST', '/v1/customers', {}, { 'Idempotency-Key': 'k' })
    await twin.request('GET', '/v1/customers')
    expectRefusal(await send(), limited)
    clock.wall += 1000
    const response = await send()
    expect([response.status, response.headers.get('Idempotent-Replayed')]).toEqual([201, null])
  })

  test('there is no limit by default', async () => {
    const twin = await openTwin()
    const responses = await Promise.all(
      Array.from({ length: 300 }, () => twin.request('GET', '/v1/customers')),
    )
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
  })
})

describe('a revoked key', () => {
  test.each([0, 30, 60])(
    'works for %i seconds more when keys are cached so long',
    async (keyCacheSeconds) => {
      const clock = { wall: Date.UTC(2026, 5, 1) }
      const twin = await openTwin({ keyCacheSeconds, wall: () => clock.wall })
      const operator = asOperator(twin)
      const { body: key } = await operator('POST', 'keys', { name: 'Old' })
      const client = clientOf(twin.sandbox, key.secret)
      expect((await client.request('GET', '/v1/customers')).status).toBe(200)
      await operator('POST', `keys/${key.id}/revoke`)
      if (keyCacheSeconds > 0) {
        clock.wall += keyCacheSeconds * 1000 - 1
        expect((await client.request('POST', '/v1/customers', {})).status).toBe(201)
        clock.wall += 1
      }
      expectUnauthenticated(await writesNothing(twin, () => client.request('POST', '/v1/customers', {})))
      const { data } = (await operator('GET', 'keys')).body
      expect(data.find(({ id }: Body) => id === key.id)).toMatchObject({
        hint: `sk_test_…${key.secret.slice(-4)}`,
        revoked: Date.UTC(2026, 5, 1) / 1000,
        last_used: expect.any(Number),
      })
      expect(JSON.stringify(data)).not.toContain(key.secret)
    },
  )
})
