import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Body, startTwin, type Twin } from '../../twin.ts'
import { asOperator, expectRefusal, unknown } from '../support.ts'
import { asApp, codeFor, exchange, letIn, makeApp, opens, REDIRECT_URI, refresh } from './support.ts'

let twin: Twin
let app: Body
beforeAll(async () => {
  twin = await startTwin({ oauthErrors: 'rfc6749' })
  app = await makeApp(twin)
})
afterAll(() => twin.close())

const GRANT = { grant_type: 'authorization_code', code: 'x', redirect_uri: REDIRECT_URI }

describe('in the form of RFC 6749 the token endpoint', () => {
  test.each<[string, Body, number, string, string]>([
    ['an unknown code', GRANT, 400, 'invalid_grant', 'invalid_grant'],
    ['an unknown grant', { grant_type: 'password' }, 400, 'unsupported_grant_type', 'unsupported_grant_type'],
    ['a missing parameter', { grant_type: 'refresh_token' }, 400, 'invalid_request', 'parameter_missing'],
    ['a wrong one', { ...GRANT, client_secret: 'x' }, 400, 'invalid_request', 'parameter_invalid'],
  ])('reports %s', async (_, form, status, error, code) => {
    const response = await asApp(twin, app, 'token', form)
    expect(response.status).toBe(status)
    expect(response.body).toEqual({
      error,
      error_description: expect.stringMatching(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/),
      error_uri: `http://localhost/docs/errors#${code}`,
      livemode: false,
    })
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(response.headers.get('Request-Id')).toMatch(/^req_/)
  })

  test('reports an app that is not authenticated', async () => {
    const response = await asApp(twin, { ...app, client_secret: 'wrong' }, 'token', GRANT)
    expect([response.status, response.body.error]).toEqual([401, 'invalid_client'])
    expect(response.headers.get('WWW-Authenticate')).toMatch(/^Basic realm=/)
  })

  test('reports a scope that was not granted', async () => {
    const { refresh_token } = await letIn(twin, app)
    const response = await refresh(twin, app, refresh_token, { scope: 'read_write' })
    expect([response.status, response.body.error]).toEqual([400, 'invalid_scope'])
  })

  test.each([
    ['internal_error', 500, 'server_error'],
    ['rate_limit', 429, 'temporarily_unavailable'],
  ])('reports %s', async (kind, status, error) => {
    await asOperator(twin)('POST', 'faults', { kind, count: 1 })
    const response = await asApp(twin, app, 'revoke', { token: 'x' })
    expect([response.status, response.body.error]).toEqual([status, error])
  })

  test('succeeds as it does otherwise', async () => {
    const { status, body } = await exchange(twin, app, await codeFor(twin, app))
    expect(status).toBe(200)
    expect(await opens(twin, body)).toBe(true)
    expect((await asApp(twin, app, 'revoke', { token: body.access_token })).body).toEqual({ livemode: false })
    expect(await opens(twin, body)).toBe(false)
  })

  test('quotes nothing that the form forbids', async () => {
    const { body } = await asApp(twin, app, 'token', { grant_type: 'a"b\\c\nd – ü' })
    expect(body.error_description).toContain("'a'b?c?d ? ?'")
  })
})

test('other routes keep the envelope', async () => {
  expectRefusal(await twin.request('GET', '/v1/customers/cus_unknown'), unknown())
  const { body } = await twin.request('POST', '/v1/oauth/authorizations/oauthz_unknown/approve')
  expect(body.error).toMatchObject({ code: 'resource_missing' })
})
