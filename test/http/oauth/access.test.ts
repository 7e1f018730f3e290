import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ACCESS_TOKEN_SECONDS } from '../../../src/core/oauth.ts'
import { type Body, clientOf, makeCustomer, startTwin, type Twin, type TwinResponse } from '../../twin.ts'
import {
  anotherMerchant,
  asOperator,
  expectRefusal,
  idsOf,
  openStream,
  unchanged,
  unknown,
} from '../support.ts'
import { asApp, grants, holding, letIn, makeApp, opens, refresh } from './support.ts'

const READ_ONLY = {
  status: 401,
  type: 'authentication_error',
  code: 'insufficient_scope',
  param: null,
}

/** Checks the 401 of an invalid token, which equals that of an invalid key. */
function expectInvalidToken(response: TwinResponse): void {
  expect(response.status).toBe(401)
  expect(response.body).toEqual({
    error: { type: 'authentication_error', message: 'Invalid API Key provided' },
    livemode: false,
  })
  expect(response.headers.get('WWW-Authenticate')).toBe('Bearer error="invalid_token"')
}

let twin: Twin
let app: Body
let reading: Twin
let writing: Twin
const open = async () => {
  twin = await startTwin()
  app = await makeApp(twin)
  reading = holding(twin, (await letIn(twin, app)).access_token)
  writing = holding(twin, (await letIn(twin, app, { scope: 'read_write' })).access_token)
}
const close = () => twin.close()

const streamOf = (client: Twin) =>
  openStream(client, '/v1/events', { Authorization: `Bearer ${client.secretKey}` })

describe('an access token', () => {
  beforeAll(open)
  afterAll(close)

  test('gives access to the merchant’s data, as a key does', async () => {
    const { customer } = await makeCustomer(twin)
    expect(await reading.get(`/v1/customers/${customer.id}`)).toEqual(
      await twin.get(`/v1/customers/${customer.id}`),
    )
    const made = await writing.post('/v1/customers', { name: 'By the app' })
    expect(made.merchant_id).toBe(twin.sandbox.merchant.settings.id)
    expect(await twin.get(`/v1/customers/${made.id}`)).toEqual(made)
    for (const list of ['customers', 'payment_methods', 'subscriptions', 'invoices', 'charges', 'events']) {
      expect(await reading.get(`/v1/${list}`)).toEqual(await twin.get(`/v1/${list}`))
    }
  })

  test('shows the merchant’s time and version in its responses', async () => {
    const { headers } = await reading.request('GET', '/v1/customers')
    expect(headers.get('Paytwin-Now')).toBe(String(twin.sandbox.merchant.clock.now))
    expect(headers.get('X-API-Version')).toBe('2026-03-09')
  })

  test.each([
    ['POST', '/v1/customers'],
    ['POST', '/v1/customers/cus_unknown'],
    ['DELETE', '/v1/customers/cus_unknown'],
    ['POST', '/v1/payment_intents'],
    ['POST', '/v1/payment_intents/pi_unknown/confirm'],
    ['POST', '/v1/subscriptions'],
    ['POST', '/v1/refunds'],
    ['POST', '/v1/nothing'],
    ['PUT', '/v1/customers'],
  ])('that may only read is refused by %s %s', async (method, path) => {
    const response = await unchanged(twin, () => reading.request(method, path, {}))
    expectRefusal(response, READ_ONLY)
    expect(response.body.error.doc_url).toBe('http://localhost/docs/errors#insufficient_scope')
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer error="insufficient_scope"')
  })

  test.each([
    ['POST', '/v1/oauth/authorizations'],
    ['POST', '/v1/oauth/authorizations/oauthz_1/approve'],
    ['GET', '/v1/oauth/nothing'],
    ['GET', '/v1/test_helpers/clock'],
    ['POST', '/v1/test_helpers/clock/advance'],
    ['POST', '/v1/test_helpers/nothing'],
    ['GET', '/v1/webhook_endpoints'],
    ['POST', '/v1/webhook_endpoints'],
    ['GET', '/v1/webhook_endpoints/we_1/deliveries'],
  ])('is refused on %s %s, whatever its scope', async (method, path) => {
    for (const client of [reading, writing]) {
      const body = method === 'GET' ? undefined : {}
      expectInvalidToken(await unchanged(twin, () => client.request(method, path, body)))
    }
  })

  test('is returned 404 where there is nothing', async () => {
    expectRefusal(await reading.request('GET', '/v1/nothing'), unknown(null))
    expectRefusal(await writing.request('POST', '/v1/nothing'), unknown(null))
    expectRefusal(await reading.request('GET', '/v1/webhook_endpoints_of_mine'), unknown(null))
  })

  test('gives no access to another merchant', async () => {
    const { secretKey } = await anotherMerchant(twin)
    const other = clientOf(twin.sandbox, secretKey)
    const { id } = await other.post('/v1/customers', {})
    for (const method of ['GET', 'POST', 'DELETE']) {
      expectRefusal(await writing.request(method, `/v1/customers/${id}`), unknown())
    }
    expect(idsOf((await writing.get('/v1/customers')).data)).not.toContain(id)
  })

  test('goes in as Bearer alone', async () => {
    const token = writing.secretKey
    const basic = `Basic ${Buffer.from(`${token}:`).toString('base64')}`
    const asBasic = await twin.request('GET', '/v1/customers', undefined, { Authorization: basic })
    expect([asBasic.status, asBasic.headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer'])
    const inQuery = await twin.request('GET', `/v1/customers?access_token=${token}`, undefined, {
      Authorization: '',
    })
    expect(inQuery.status).toBe(401)
    for (const scheme of ['bearer', 'BEARER']) {
      const headers = { Authorization: `${scheme} ${token}` }
      expect((await twin.request('GET', '/v1/customers', undefined, headers)).status).toBe(200)
    }
  })

  test.each<[string, () => string]>([
    ['unknown', () => `oat_test_${'x'.repeat(32)}`],
    ['cut short', () => writing.secretKey.slice(0, -1)],
    ['longer', () => `${writing.secretKey}x`],
    ['in another case', () => `oat_test_${writing.secretKey.slice(9).toLowerCase()}`],
    ['nothing but its beginning', () => 'oat_test_'],
  ])('that is %s is invalid', async (_, token) => {
    expectInvalidToken(await holding(twin, token()).request('GET', '/v1/customers'))
    expectInvalidToken(await holding(twin, token()).request('POST', '/v1/customers', {}))
  })

  test('is no refresh token, no secret of an app, and no operator’s', async () => {
    const { refresh_token, access_token } = await letIn(twin, app)
    for (const secret of [refresh_token, app.client_secret]) {
      const response = await holding(twin, secret).request('GET', '/v1/customers')
      expect([response.status, response.headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer'])
    }
    const headers = { Authorization: `Bearer ${access_token}` }
    expect((await asOperator(twin)('GET', 'status', undefined, headers)).status).toBe(401)
  })

  test('has its own idempotency keys, apart from those of the merchant and of other apps', async () => {
    const second = await makeApp(twin)
    const others = holding(twin, (await letIn(twin, second, { scope: 'read_write' })).access_token)
    const again = holding(twin, (await letIn(twin, app, { scope: 'read_write' })).access_token)
    const create = (client: Twin) =>
      client.request('POST', '/v1/customers', {}, { 'Idempotency-Key': 'order-1815' })
    const made = await Promise.all([twin, writing, others].map(create))
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(3)
    for (const { headers } of made) expect(headers.get('Idempotent-Replayed')).toBeNull()
    // Another token of the same app is the same app.
    const replayed = await create(again)
    expect(replayed.body).toEqual(made[1]?.body)
    expect(replayed.headers.get('Idempotent-Replayed')).toBe('true')
  })

  test('reveals nothing when keys cannot be resolved', async () => {
    await asOperator(twin)('POST', 'faults', { kind: 'key_resolution_unavailable', count: 1 })
    const response = await reading.request('GET', '/v1/customers')
    expect(response.status).toBe(401)
    expect(response.body.error.message).toMatch(/try again shortly/)
  })
})

describe('an access token ends', () => {
  beforeEach(open)
  afterEach(close)

  test('after an hour of the merchant’s clock', async () => {
    await twin.advance({ by: '3599s' })
    expect((await reading.request('GET', '/v1/customers')).status).toBe(200)
    await twin.advance({ by: '1s' })
    expectInvalidToken(await reading.request('GET', '/v1/customers'))
    expectInvalidToken(await writing.request('POST', '/v1/customers', {}))
  })

  test('on the clock of its merchant, and of no other', async () => {
    const { secretKey } = await anotherMerchant(twin)
    const other = clientOf(twin.sandbox, secretKey)
    const tokens = await letIn(other, app)
    await twin.advance({ by: '2h' })
    expect((await reading.request('GET', '/v1/customers')).status).toBe(401)
    expect((await holding(other, tokens.access_token).request('GET', '/v1/customers')).status).toBe(200)
  })

  test('with its app, but not the tokens of other apps', async () => {
    const other = await makeApp(twin)
    const others = await letIn(twin, other)
    const { status, body } = await asOperator(twin)('DELETE', `apps/${app.id}`)
    expect([status, body]).toEqual([200, { id: app.id, object: 'app', deleted: true, livemode: false }])
    expectInvalidToken(await reading.request('GET', '/v1/customers'))
    expect(await opens(twin, others)).toBe(true)
    expect(grants(twin)).toMatchObject({ authorizations: [{ app: other.id }], tokens: [{}, {}] })
  })

  test('with its merchant, and its authorizations', async () => {
    const { merchant, secretKey } = await anotherMerchant(twin)
    const tokens = await letIn(clientOf(twin.sandbox, secretKey), app)
    const stream = await streamOf(holding(twin, tokens.access_token))
    expect((await asOperator(twin)('DELETE', `merchants/${merchant.id}`)).status).toBe(200)
    await expect(stream.take(1)).rejects.toThrow('ended')
    expect(await opens(twin, tokens)).toBe(false)
    expect((await refresh(twin, app, tokens.refresh_token)).body.error.code).toBe('invalid_grant')
    expect((await reading.request('GET', '/v1/customers')).status).toBe(200)
    expect(grants(twin)).toMatchObject({ authorizations: [{ merchant: 1 }, { merchant: 1 }] })
  })

  test('when its merchant is no longer there', async () => {
    const { secretKey } = await anotherMerchant(twin)
    const tokens = await letIn(clientOf(twin.sandbox, secretKey), app)
    twin.sandbox.engine.merchants.delete(2)
    expectInvalidToken(await holding(twin, tokens.access_token).request('GET', '/v1/customers'))
    expect((await refresh(twin, app, tokens.refresh_token)).body.error.code).toBe('invalid_grant')
  })
})

describe('a stream of events that an access token opened', () => {
  beforeEach(open)
  afterEach(close)

  test('streams events, and none of other merchants', async () => {
    const stream = await streamOf(reading)
    const { secretKey } = await anotherMerchant(twin)
    await clientOf(twin.sandbox, secretKey).post('/v1/customers')
    const { id } = await twin.post('/v1/customers')
    const [event] = await stream.take(1)
    expect(event?.data.data.object.id).toBe(id)
    await stream.close()
  })

  test.each<[string, (tokens: Body) => Promise<unknown>]>([
    ['it is revoked', (tokens) => asApp(twin, app, 'revoke', { token: tokens.access_token })],
    ['its refresh token is revoked', (tokens) => asApp(twin, app, 'revoke', { token: tokens.refresh_token })],
    [
      'its family is betrayed',
      async (tokens) => {
        await refresh(twin, app, tokens.refresh_token)
        await refresh(twin, app, tokens.refresh_token)
      },
    ],
    ['its app is deleted', () => asOperator(twin)('DELETE', `apps/${app.id}`)],
  ])('ends when %s', async (_, end) => {
    const tokens = await letIn(twin, app)
    const stream = await streamOf(holding(twin, tokens.access_token))
    const key = await openStream(twin)
    await end(tokens)
    await expect(stream.take(1)).rejects.toThrow('the stream ended')
    await twin.post('/v1/customers')
    expect(await key.take(1)).toHaveLength(1)
    await key.close()
  })

  test('ends when the token expires, although nothing happens', async () => {
    const stream = await streamOf(reading)
    await twin.post('/v1/customers')
    await twin.advance({ by: `${ACCESS_TOKEN_SECONDS - 1}s` })
    expect(await stream.take(1)).toHaveLength(1)
    await twin.advance({ by: '1s' })
    await expect(stream.take(1)).rejects.toThrow('the stream ended')
  })

  test('ends when a restore sets the clock to after the expiry of the token', async () => {
    const operate = (path: string, body?: Body) => asOperator(twin)('POST', path, body)
    await operate('snapshots', { name: 'now' })
    await twin.advance({ by: '2h' })
    await operate('snapshots', { name: 'later' })
    await operate('snapshots/now/restore')
    const stream = await streamOf(reading)
    await operate('snapshots/later/restore')
    await expect(stream.take(1)).rejects.toThrow('the stream ended')
  })

  test('ends on a live clock with the next commit of any merchant', async () => {
    await twin.close()
    let wall = Date.parse('2026-01-31T10:00:00Z')
    twin = await startTwin({ now: 'live', wall: () => wall })
    const tokens = await letIn(twin, await makeApp(twin))
    const { secretKey } = await anotherMerchant(twin)
    const stream = await streamOf(holding(twin, tokens.access_token))
    wall += ACCESS_TOKEN_SECONDS * 1_000
    await clientOf(twin.sandbox, secretKey).post('/v1/customers')
    await expect(stream.take(1)).rejects.toThrow('the stream ended')
  })

  test('continues when another one is revoked', async () => {
    const tokens = await letIn(twin, app)
    const stream = await streamOf(reading)
    await asApp(twin, app, 'revoke', { token: tokens.refresh_token })
    await twin.post('/v1/customers')
    expect(await stream.take(1)).toHaveLength(1)
    await stream.close()
  })
})
