import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allowedHosts, checkHost } from '../../../src/http/admin/guard.ts'
import { startTwin, type Twin } from '../../twin.ts'
import { asOperator, expectRefusal, expectUnauthenticated, invalid, unknown } from '../support.ts'

const MESSAGE = 'Invalid admin token provided'

let twin: Twin
beforeAll(async () => {
  twin = await startTwin({ publicUrl: 'https://pay.example/' })
})
afterAll(() => twin.close())

const operator = (...given: Parameters<ReturnType<typeof asOperator>>) => asOperator(twin)(...given)
const GUARDED: [string, string][] = [
  ['GET', 'status'],
  ['POST', 'shutdown'],
  ['GET', 'keys'],
  ['POST', 'keys'],
  ['POST', 'keys/key_1/revoke'],
  ['GET', 'merchants'],
  ['POST', 'merchants'],
  ['POST', 'merchants/mer_1'],
  ['GET', 'clock'],
  ['POST', 'clock/advance'],
  ['POST', 'clock/cancel'],
  ['POST', 'clock/freeze'],
  ['POST', 'clock/unfreeze'],
  ['GET', 'upcoming'],
  ['GET', 'events'],
  ['POST', 'apps'],
  ['GET', 'apps'],
  ['DELETE', 'apps/app_1'],
  ['POST', 'apps/app_1/rotate_secret'],
  ['GET', 'authorizations'],
  ['POST', 'authorizations/oauthz_1/approve'],
  ['POST', 'authorizations/oauthz_1/deny'],
  ['GET', 'requests'],
  ['POST', 'trigger'],
  ['GET', 'faults'],
  ['POST', 'faults'],
  ['DELETE', 'faults'],
  ['GET', 'nothing'],
  ['PUT', 'keys'],
]

describe('the operator’s API', () => {
  test.each(GUARDED)('%s %s is shut without the token', async (method, path) => {
    const token = twin.sandbox.adminToken
    for (const Authorization of [
      '',
      'Bearer',
      'Bearer x',
      token,
      `Basic ${token}`,
      `Basic ${Buffer.from(`${token}:`).toString('base64')}`,
      `Bearer ${token}x`,
      `Bearer ${token.slice(1)}`,
      `Bearer ${token.toLowerCase()}`,
      `Bearer ${twin.secretKey}`,
    ]) {
      expectUnauthenticated(await operator(method, path, undefined, { Authorization }), MESSAGE)
    }
  })

  test('accepts the token, whatever the case of the scheme', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const headers = { Authorization: `${scheme} ${twin.sandbox.adminToken}` }
      expect((await operator('GET', 'status', undefined, headers)).status).toBe(200)
    }
  })

  test('shows its health without a token, but not to a foreign host', async () => {
    const response = await operator('GET', 'health', undefined, { Authorization: '' })
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ status: 'ok', livemode: false })
    const foreign = { Authorization: '', Host: 'evil.example' }
    expectRefusal(await operator('GET', 'health', undefined, foreign), invalid('Host'))
  })

  test.each([
    ['GET', ''],
    ['GET', 'nothing'],
    ['PUT', 'keys'],
    ['DELETE', 'keys'],
    ['POST', 'status'],
    ['HEAD', 'nothing'],
    ['OPTIONS', 'keys'],
    ['GET', 'keys/key_1/revoke'],
    ['POST', 'health'],
  ])('%s /_paytwin/%s is 404', async (method, path) => {
    const response = await operator(method, path)
    expect(response.status).toBe(404)
    if (method !== 'HEAD') expectRefusal(response, unknown(null))
  })

  test.each<[string, string, unknown]>([
    ['malformed JSON', '{', 400],
    ['a list', '[]', 400],
  ])('refuses %s', async (_, body) => {
    expectRefusal(await operator('POST', 'keys', body), invalid(null))
  })

  test('accepts forms, as /v1 does', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const { status, body } = await operator('POST', 'keys', 'name=CI&publishable=true', headers)
    expect(status).toBe(201)
    expect(body).toMatchObject({ name: 'CI', type: 'publishable' })
  })

  test('lists unknown parameters', async () => {
    const { headers } = await operator('POST', 'keys', { zebra: 1 })
    expect(headers.get('Paytwin-Ignored-Params')).toBe('zebra')
  })
})

describe('the Host', () => {
  test.each(['localhost', 'localhost:4242', 'LOCALHOST:1', '127.0.0.1', '127.0.0.1:4242'])(
    '%s is the daemon’s own',
    async (Host) => {
      expect((await operator('GET', 'status', undefined, { Host })).status).toBe(200)
    },
  )

  test.each([
    '',
    'evil.example',
    'evil.example:4242',
    'localhost.evil.example',
    'evil.example#localhost',
    'localhost@evil.example',
    'localhost:4242@evil.example',
    '127.0.0.1.evil.example',
    '127.0.0.2',
    '0.0.0.0',
    'localhost:x',
    'localhost:',
    'localhost, evil.example',
    '[::1',
    '::1',
  ])('%j is refused before the token is looked at', async (Host) => {
    expectRefusal(await operator('GET', 'status', undefined, { Host }), invalid('Host'))
    expectRefusal(await operator('GET', 'status', undefined, { Host, Authorization: '' }), invalid('Host'))
  })

  test('may be given further names', () => {
    const allowed = allowedHosts('0.0.0.0', ['Paytwin.Internal', 'ci'])
    const services = { allowedHosts: allowed, publicUrl: null }
    const check = (host: string) => () =>
      checkHost({ req: { header: (name) => (name === 'host' ? host : undefined) } }, services)
    for (const host of ['paytwin.internal:4242', 'CI', '[::1]:4242', '[::1]', 'localhost', '0.0.0.0:4242']) {
      expect(check(host)).not.toThrow()
    }
    for (const host of ['paytwin.internal.evil', 'ci.evil:1', '::1', '[::2]:4242']) {
      expect(check(host), host).toThrow()
    }
  })

  test('does not apply to /v1, whose keys no browser sends by itself', async () => {
    const headers = { Host: 'paytwin.internal', Origin: 'https://shop.example' }
    expect((await twin.request('GET', '/v1/customers', undefined, headers)).status).toBe(200)
  })
})

describe('the Origin', () => {
  const from = (Origin: string, Host = 'localhost:4242') =>
    operator('GET', 'status', undefined, { Host, Origin })

  test.each(['http://localhost:4242', 'https://localhost:4242'])('%s is the daemon’s own', async (origin) => {
    expect((await from(origin)).status).toBe(200)
  })

  test.each([
    'https://evil.example',
    'http://localhost',
    'http://localhost:4243',
    'http://127.0.0.1:4242',
    'http://localhost:4242.evil.example',
    'file://localhost:4242',
    'null',
    '',
  ])('%j is refused', async (origin) => {
    expectRefusal(await from(origin), invalid('Host'))
  })

  test('may be that of the public URL, whatever Host a proxy sends', async () => {
    expect((await from('https://pay.example')).status).toBe(200)
    for (const origin of ['http://pay.example', 'https://pay.example:1', 'https://pay.example.evil.example'])
      expectRefusal(await from(origin), invalid('Host'))
  })

  test('is checked on routes without a token too', async () => {
    const headers = { Authorization: '', Origin: 'https://evil.example' }
    expectRefusal(await operator('GET', 'health', undefined, headers), invalid('Host'))
  })
})
