import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientOf, startTwin, type Twin } from '../twin.ts'
import { anotherMerchant, asOperator, expectUnauthenticated, unchanged } from './support.ts'

let twin: Twin
let publishable: string
let revoked: string
beforeAll(async () => {
  twin = await startTwin()
  const operator = asOperator(twin)
  publishable = (await operator('POST', 'keys', { publishable: true })).body.secret
  const { body: key } = await operator('POST', 'keys', {})
  revoked = key.secret
  await operator('POST', `keys/${key.id}/revoke`)
})
afterAll(() => twin.close())

const base64 = (text: string) => Buffer.from(text).toString('base64')
const as = (headers: Record<string, string>, method = 'GET') =>
  twin.request(method, '/v1/customers', method === 'POST' ? {} : undefined, headers)

describe('a secret key is accepted', () => {
  test.each<[string, (key: string) => string]>([
    ['Bearer', (key) => `Bearer ${key}`],
    ['bearer in lower case', (key) => `bearer ${key}`],
    ['BEARER in upper case', (key) => `BEARER ${key}`],
    ['Bearer and several spaces', (key) => `Bearer   ${key}`],
    ['Basic with an empty password', (key) => `Basic ${base64(`${key}:`)}`],
    ['basic in lower case', (key) => `basic ${base64(`${key}:`)}`],
    ['BASIC in upper case', (key) => `BASIC ${base64(`${key}:`)}`],
  ])('as %s', async (_, header) => {
    expect((await as({ Authorization: header(twin.secretKey) })).status).toBe(200)
    expect((await as({ Authorization: header(twin.secretKey) }, 'POST')).status).toBe(201)
  })

  test('beside an api-key header, which is ignored', async () => {
    expect((await as({ 'api-key': 'sk_test_nonsense' })).status).toBe(200)
  })

  test('gives access only to its merchant', async () => {
    const { secretKey } = await anotherMerchant(twin)
    const other = clientOf(twin.sandbox, secretKey)
    const { id } = await twin.post('/v1/customers', {})
    for (const [method, path] of [
      ['GET', `/v1/customers/${id}`],
      ['POST', `/v1/customers/${id}`],
      ['DELETE', `/v1/customers/${id}`],
      ['GET', `/v1/customers/${id}/payment_methods`],
    ] as const) {
      const response = await other.request(method, path)
      expect(response.status).toBe(404)
      expect(response.body.error).toMatchObject({ code: 'resource_missing', param: 'id' })
    }
    expect((await other.get('/v1/customers')).data).toEqual([])
    expect(await other.events()).toEqual([])
  })
})

describe('the door stays shut for', () => {
  const key = () => twin.secretKey
  test.each<[string, () => Record<string, string>]>([
    ['no header', () => ({ Authorization: '' })],
    ['an api-key header alone', () => ({ Authorization: '', 'api-key': key() })],
    ['an x-api-key header alone', () => ({ Authorization: '', 'x-api-key': key() })],
    ['the key without a scheme', () => ({ Authorization: key() })],
    ['a scheme without a key', () => ({ Authorization: 'Bearer' })],
    ['a scheme and a space', () => ({ Authorization: 'Bearer ' })],
    ['another scheme', () => ({ Authorization: `Token ${key()}` })],
    ['Digest', () => ({ Authorization: `Digest username="${key()}"` })],
    ['two credentials', () => ({ Authorization: `Bearer ${key()} ${key()}` })],
    ['two headers', () => ({ Authorization: `Bearer ${key()}, Bearer ${key()}` })],
    ['an unknown key', () => ({ Authorization: `Bearer sk_test_${'x'.repeat(32)}` })],
    ['half a key', () => ({ Authorization: `Bearer ${key().slice(0, -1)}` })],
    ['a longer key', () => ({ Authorization: `Bearer ${key()}x` })],
    ['the key in another case', () => ({ Authorization: `Bearer ${key().toUpperCase()}` })],
    ['a live key', () => ({ Authorization: `Bearer sk_live_${key().slice(8)}` })],
    ['a publishable live key', () => ({ Authorization: `Bearer pk_live_${key().slice(8)}` })],
    ['a publishable key', () => ({ Authorization: `Bearer ${publishable}` })],
    ['a publishable key as Basic', () => ({ Authorization: `Basic ${base64(`${publishable}:`)}` })],
    ['a revoked key', () => ({ Authorization: `Bearer ${revoked}` })],
    ['a revoked key as Basic', () => ({ Authorization: `Basic ${base64(`${revoked}:`)}` })],
    ['the operator’s token', () => ({ Authorization: `Bearer ${twin.sandbox.adminToken}` })],
    ['Basic with a password', () => ({ Authorization: `Basic ${base64(`${key()}:secret`)}` })],
    ['Basic with the key as password', () => ({ Authorization: `Basic ${base64(`:${key()}`)}` })],
    ['Basic with two colons', () => ({ Authorization: `Basic ${base64(`${key()}::`)}` })],
    ['Basic that is not base64', () => ({ Authorization: `Basic ${key()}:` })],
    ['Basic that is empty', () => ({ Authorization: `Basic ${base64(':')}` })],
    ['a form-encoded user', () => ({ Authorization: `Basic ${base64(`${key().replace('_', '%5F')}:`)}` })],
    ['a name of the prototype', () => ({ Authorization: 'Bearer __proto__' })],
    ['a huge header', () => ({ Authorization: `Bearer sk_test_${'x'.repeat(1_000_000)}` })],
  ])('%s', async (_, headers) => {
    await unchanged(twin, async () => {
      expectUnauthenticated(await as(headers()))
      expectUnauthenticated(await as(headers(), 'POST'))
    })
  })

  test('all of them in the same words', async () => {
    const bodies = await Promise.all(
      ['', `Bearer ${revoked}`, `Bearer ${publishable}`, 'Bearer sk_test_unknown'].map(
        async (Authorization) => JSON.stringify((await as({ Authorization }, 'POST')).body),
      ),
    )
    expect(new Set(bodies)).toEqual(
      new Set([
        '{"error":{"type":"authentication_error","message":"Invalid API Key provided"},"livemode":false}',
      ]),
    )
  })

  test('a key from the moment it is revoked', async () => {
    const operator = asOperator(twin)
    const merchant = twin.sandbox.merchant.settings.id
    const { body: made } = await operator('POST', 'keys', { merchant })
    expect((await as({ Authorization: `Bearer ${made.secret}` })).status).toBe(200)
    await operator('POST', `keys/${made.id}/revoke`)
    expectUnauthenticated(await as({ Authorization: `Bearer ${made.secret}` }))
  })
})
