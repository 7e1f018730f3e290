import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { deleteExpiredGrants } from '../../../src/engine/access/expired-grants.ts'
import { leastProcessorTime } from '../../processor-time.ts'
import { subscribe } from '../../scenarios/story.ts'
import { type Body, startTwin, type Twin } from '../../twin.ts'
import { asOperator, FORM, invalid, missing } from '../support.ts'
import {
  asApp,
  codeFor,
  exchange,
  expectOAuthRefusal,
  grants,
  grantsNothing,
  invalidClient,
  invalidGrant,
  letIn,
  makeApp,
  opens,
  PKCE,
  proofOf,
  REDIRECT_URI,
  refresh,
  tokensOf,
  VERIFIER,
} from './support.ts'

let twin: Twin
let app: Body
let other: Body
beforeEach(async () => {
  twin = await startTwin()
  app = await makeApp(twin)
  other = await makeApp(twin, { name: 'Other' })
})
afterEach(() => twin.close())

/** Sends a request that must fail, and leave every code and token unchanged. */
const refused = async (
  act: () => ReturnType<typeof exchange>,
  refusal: Parameters<typeof expectOAuthRefusal>[1],
) => expectOAuthRefusal(await grantsNothing(twin, act), refusal)

describe('a code', () => {
  test('is exchanged for tokens, which are shown once and not stored', async () => {
    const response = await exchange(twin, app, await codeFor(twin, app, { scope: 'read_write' }))
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      access_token: expect.stringMatching(/^oat_test_[A-Za-z0-9]{32}$/),
      token_type: 'bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^ort_test_[A-Za-z0-9]{32}$/),
      scope: 'read_write',
      merchant_id: twin.sandbox.merchant.settings.id,
      livemode: false,
    })
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(response.headers.get('Pragma')).toBe('no-cache')
    expect(response.headers.get('Paytwin-Now')).toBe(String(twin.sandbox.merchant.clock.now))
    expect(await opens(twin, response.body)).toBe(true)
  })

  test('is also exchanged from JSON, and with a matching client_id in the body', async () => {
    const code = await codeFor(twin, app)
    const body = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, client_id: app.id }
    expect((await twin.request('POST', '/v1/oauth/token', body, proofOf(app))).status).toBe(200)
  })

  test('with a challenge is exchanged with its verifier', async () => {
    const code = await codeFor(twin, app, PKCE)
    expect((await exchange(twin, app, code, { code_verifier: VERIFIER })).status).toBe(200)
  })

  test('lives for five minutes of the merchant’s clock', async () => {
    const [first, second] = [await codeFor(twin, app), await codeFor(twin, app)]
    await twin.advance({ by: '299s' })
    expect((await exchange(twin, app, first)).status).toBe(200)
    await twin.advance({ by: '1s' })
    await refused(() => exchange(twin, app, second), invalidGrant)
  })

  test('that was not honoured is not used up', async () => {
    const code = await codeFor(twin, app, PKCE)
    const good = { code_verifier: VERIFIER }
    for (const [as, params] of [
      [other, good],
      [app, { ...good, redirect_uri: `${REDIRECT_URI}/` }],
      [app, {}],
      [app, { code_verifier: VERIFIER.toLowerCase() }],
      [app, { code_verifier: '' }],
    ] as const) {
      await refused(() => exchange(twin, as, code, params), invalidGrant)
    }
    expect((await exchange(twin, app, code, good)).status).toBe(200)
  })

  test.each(['oac_test_unknown', `oac_test_${'x'.repeat(32)}`, 'x', '\0', '__proto__'])(
    'that was never issued is refused: %j',
    async (code) => {
      await refused(() => exchange(twin, app, code), invalidGrant)
    },
  )

  test('is not issued for a denied request', async () => {
    const { id } = await twin.post('/v1/oauth/authorizations', {
      client_id: app.id,
      redirect_uri: REDIRECT_URI,
    })
    await twin.post(`/v1/oauth/authorizations/${id}/deny`)
    await refused(() => exchange(twin, app, id), invalidGrant)
  })

  test('of a deleted app is invalid', async () => {
    const code = await codeFor(twin, app)
    await asOperator(twin)('DELETE', `apps/${app.id}`)
    await refused(() => exchange(twin, app, code), invalidClient)
    await refused(() => exchange(twin, other, code), invalidGrant)
  })

  test('waits for an advance that is under way, and has expired behind it', async () => {
    await subscribe(twin, { price: { recurring: { interval: 'day' } } })
    const code = await codeFor(twin, app)
    const { status } = await twin.advance({ by: '1y', async: true })
    expect(status).toBe('advancing')
    expectOAuthRefusal(await exchange(twin, app, code), invalidGrant)
    expect((await twin.get('/v1/test_helpers/clock')).status).toBe('ready')
  })
})

describe('a stolen code', () => {
  test('that is replayed revokes every token issued from it', async () => {
    const code = await codeFor(twin, app)
    const { body: first } = await exchange(twin, app, code)
    const { body: second } = await refresh(twin, app, first.refresh_token)
    const beside = await letIn(twin, app)
    expectOAuthRefusal(await exchange(twin, app, code), invalidGrant)
    expect([await opens(twin, first), await opens(twin, second), await opens(twin, beside)]).toEqual([
      false,
      false,
      true,
    ])
    expectOAuthRefusal(await refresh(twin, app, second.refresh_token), invalidGrant)
    expect((await refresh(twin, app, beside.refresh_token)).status).toBe(200)
  })

  test('that is replayed with nothing else right does so too, long after it has expired', async () => {
    const code = await codeFor(twin, app, PKCE)
    const { body: tokens } = await exchange(twin, app, code, { code_verifier: VERIFIER })
    await twin.advance({ by: '1800s' })
    expectOAuthRefusal(
      await exchange(twin, app, code, { redirect_uri: 'https://evil.example' }),
      invalidGrant,
    )
    expect(await opens(twin, tokens)).toBe(false)
  })

  test('that is replayed again stays refused, and revokes nothing more', async () => {
    const code = await codeFor(twin, app)
    await exchange(twin, app, code)
    await exchange(twin, app, code)
    await refused(() => exchange(twin, app, code), invalidGrant)
  })

  test('is worth nothing to another app, before it was used and after', async () => {
    const code = await codeFor(twin, app)
    await refused(() => exchange(twin, other, code), invalidGrant)
    const { body: tokens } = await exchange(twin, app, code)
    await refused(() => exchange(twin, other, code), invalidGrant)
    expect(await opens(twin, tokens)).toBe(true)
  })

  test('is worth nothing without the verifier', async () => {
    const code = await codeFor(twin, app, PKCE)
    await refused(() => exchange(twin, app, code), invalidGrant)
    await refused(() => exchange(twin, app, code, { code_verifier: PKCE.code_challenge }), invalidGrant)
  })

  test('without a challenge is not made good by a verifier', async () => {
    const code = await codeFor(twin, app)
    await refused(() => exchange(twin, app, code, { code_verifier: VERIFIER }), invalidGrant)
  })

  test('is tied to the redirect_uri that it was sent to', async () => {
    const both = await makeApp(twin, { redirect_uris: [REDIRECT_URI, 'https://app.example/other'] })
    const code = await codeFor(twin, both)
    await refused(
      () => exchange(twin, both, code, { redirect_uri: 'https://app.example/other' }),
      invalidGrant,
    )
  })

  test('sent ten times at once is redeemed once', async () => {
    const code = await codeFor(twin, app)
    const responses = await Promise.all(Array.from({ length: 10 }, () => exchange(twin, app, code)))
    const won = responses.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    for (const response of responses.filter(({ status }) => status !== 200)) {
      expectOAuthRefusal(response, invalidGrant)
    }
    // The others are replays. It is unknown which of them is the thief's.
    expect(await opens(twin, won[0]?.body ?? {})).toBe(false)
  })
})

describe('a refresh token', () => {
  test('is rotated: a new pair is issued, and the former access token stays valid for its hour', async () => {
    const first = await letIn(twin, app, { scope: 'read_write' })
    await twin.advance({ by: '1800s' })
    const { status, body: second, headers } = await refresh(twin, app, first.refresh_token)
    expect(status).toBe(200)
    expect(second).toEqual({
      ...first,
      access_token: expect.stringMatching(/^oat_test_/),
      refresh_token: expect.stringMatching(/^ort_test_/),
    })
    expect(second.access_token).not.toBe(first.access_token)
    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect([await opens(twin, first), await opens(twin, second)]).toEqual([true, true])
    await twin.advance({ by: '1800s' })
    expect([await opens(twin, first), await opens(twin, second)]).toEqual([false, true])
  })

  test('lives for a year of the merchant’s clock, each anew', async () => {
    const first = await letIn(twin, app)
    await twin.advance({ by: '364d' })
    const { body: second } = await refresh(twin, app, first.refresh_token)
    await twin.advance({ by: '364d' })
    const { status, body: third } = await refresh(twin, app, second.refresh_token)
    expect(status).toBe(200)
    await twin.advance({ by: '365d' })
    await refused(() => refresh(twin, app, third.refresh_token), invalidGrant)
  })

  test('that is used again is in two hands: its family is revoked', async () => {
    const first = await letIn(twin, app)
    const beside = await letIn(twin, app)
    const { body: second } = await refresh(twin, app, first.refresh_token)
    const { body: third } = await refresh(twin, app, second.refresh_token)
    expectOAuthRefusal(await refresh(twin, app, first.refresh_token), invalidGrant)
    for (const tokens of [first, second, third]) expect(await opens(twin, tokens)).toBe(false)
    await refused(() => refresh(twin, app, third.refresh_token), invalidGrant)
    expect(await opens(twin, beside)).toBe(true)
    expect((await refresh(twin, app, beside.refresh_token)).status).toBe(200)
  })

  test('is worth nothing to another app, also once it was rotated', async () => {
    const first = await letIn(twin, app)
    await refused(() => refresh(twin, other, first.refresh_token), invalidGrant)
    const { body: second } = await refresh(twin, app, first.refresh_token)
    await refused(() => refresh(twin, other, first.refresh_token), invalidGrant)
    expect(await opens(twin, second)).toBe(true)
  })

  test('sent ten times at once is accepted once', async () => {
    const { refresh_token } = await letIn(twin, app)
    const responses = await Promise.all(Array.from({ length: 10 }, () => refresh(twin, app, refresh_token)))
    const won = responses.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    expect(await opens(twin, won[0]?.body ?? {})).toBe(false)
  })

  test('can narrow the scope of one response, and keeps the granted one', async () => {
    const first = await letIn(twin, app, { scope: 'read_write' })
    const { body: less } = await refresh(twin, app, first.refresh_token, { scope: 'read_only' })
    expect(less.scope).toBe('read_only')
    const { body: again } = await refresh(twin, app, less.refresh_token)
    expect(again.scope).toBe('read_write')
  })

  test.each(['read_write', 'read_only read_write', 'admin'])(
    'of read_only is not widened to %s, and not used up by asking',
    async (scope) => {
      const { refresh_token } = await letIn(twin, app)
      await refused(() => refresh(twin, app, refresh_token, { scope }), {
        code: 'invalid_scope',
        param: 'scope',
      })
      expect((await refresh(twin, app, refresh_token)).status).toBe(200)
    },
  )

  test('is no access token, no code, and the other way round', async () => {
    const { access_token, refresh_token } = await letIn(twin, app)
    await refused(() => refresh(twin, app, access_token), invalidGrant)
    await refused(() => exchange(twin, app, refresh_token), invalidGrant)
    await refused(() => refresh(twin, app, 'ort_test_unknown'), invalidGrant)
  })
})

describe('a request for tokens', () => {
  const GRANT = { grant_type: 'authorization_code', code: 'x', redirect_uri: REDIRECT_URI }

  test.each([
    ['nothing', {}, 'grant_type'],
    ['an empty grant_type', { ...GRANT, grant_type: '' }, 'grant_type'],
    ['no code', { grant_type: 'authorization_code', redirect_uri: REDIRECT_URI }, 'code'],
    ['an empty code', { ...GRANT, code: '' }, 'code'],
    ['no redirect_uri', { grant_type: 'authorization_code', code: 'x' }, 'redirect_uri'],
    ['neither', { grant_type: 'authorization_code' }, 'code'],
    ['no refresh_token', { grant_type: 'refresh_token' }, 'refresh_token'],
  ])('with %s misses a parameter', async (_, form, param) => {
    await refused(() => asApp(twin, app, 'token', form), missing(param))
  })

  test.each(['password', 'client_credentials', 'implicit', 'constructor', 'toString', 'x'])(
    'of the type %s is not supported',
    async (grant_type) => {
      await refused(() => asApp(twin, app, 'token', { ...GRANT, grant_type }), {
        code: 'unsupported_grant_type',
        param: 'grant_type',
      })
    },
  )

  test.each([
    ['a parameter given twice', 'grant_type=authorization_code&code=a&code=b&redirect_uri=x', 'code'],
    ['another client_id', `grant_type=refresh_token&refresh_token=x&client_id=app_other`, 'client_id'],
    ['a secret in the body too', 'grant_type=refresh_token&refresh_token=x&client_secret=x', 'client_secret'],
    ['a list in place of a code', 'grant_type=authorization_code&code[]=a&redirect_uri=x', 'code'],
  ])('with %s is refused', async (_, form, param) => {
    await refused(() => asApp(twin, app, 'token', form), invalid(param))
  })

  test('of another content type is refused', async () => {
    const headers = { 'Content-Type': 'text/plain' }
    await refused(() => asApp(twin, app, 'token', GRANT, headers), invalid(null))
  })

  test('lists unknown parameters, and refuses them with strict parameters', async () => {
    const { headers } = await asApp(twin, app, 'token', { ...GRANT, zebra: '1' })
    expect(headers.get('Paytwin-Ignored-Params')).toBe('zebra')
    const strict = await startTwin({ strictParams: true })
    const strictApp = await makeApp(strict)
    const code = await codeFor(strict, strictApp)
    expectOAuthRefusal(await exchange(strict, strictApp, code, { zebra: '1' }), {
      code: 'parameter_unknown',
      param: 'zebra',
    })
    expect((await exchange(strict, strictApp, code)).status).toBe(200)
    await strict.close()
  })

  test('ignores idempotency keys', async () => {
    const code = await codeFor(twin, app)
    const form = { ...GRANT, code }
    const headers = { 'Idempotency-Key': 'order-1' }
    expect((await asApp(twin, app, 'token', form, headers)).status).toBe(200)
    const again = await asApp(twin, app, 'token', form, headers)
    expectOAuthRefusal(again, invalidGrant)
    expect(again.headers.get('Idempotent-Replayed')).toBeNull()
    const odd = { 'Idempotency-Key': 'x'.repeat(300) }
    expect((await asApp(twin, app, 'revoke', { token: 'x' }, odd)).status).toBe(200)
  })

  test('speaks a version that there is', async () => {
    const code = await codeFor(twin, app)
    const unknown = { 'X-API-Version': '1999-01-01' }
    const form = { ...GRANT, code }
    await refused(() => asApp(twin, app, 'token', form, unknown), invalid('X-API-Version'))
    const known = { 'X-API-Version': '2026-03-09' }
    expect((await asApp(twin, app, 'token', form, known)).status).toBe(200)
  })

  test('meets the faults that everybody meets', async () => {
    const code = await codeFor(twin, app)
    await asOperator(twin)('POST', 'faults', { kind: 'internal_error', count: 1, route: '/v1/oauth/*' })
    await refused(() => exchange(twin, app, code), {
      status: 500,
      type: 'api_error',
      code: 'internal_error',
      param: null,
    })
    expect((await exchange(twin, app, code)).status).toBe(200)
  })
})

describe('an app authenticates', () => {
  const as = (Authorization: string) => async () =>
    twin.request('POST', '/v1/oauth/revoke', 'token=x', { ...FORM, Authorization })
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

  test('whatever the case of the scheme', async () => {
    for (const scheme of ['Basic', 'basic', 'BASIC']) {
      const header = proofOf(app).Authorization.replace('Basic', scheme)
      expect((await as(header)()).status).toBe(200)
    }
  })

  test('with user and password form-url-encoded', async () => {
    const encoded = (text: string) => text.replaceAll('_', '%5F')
    const header = basic(`${encoded(app.client_id)}:${encoded(app.client_secret)}`)
    expect((await as(header)()).status).toBe(200)
  })

  test.each<[string, () => string]>([
    ['no header', () => ''],
    ['no credentials', () => 'Basic'],
    ['nobody', () => basic(':')],
    ['an unknown app', () => basic('app_unknown:secret')],
    ['a wrong secret', () => basic(`${app.client_id}:${app.client_secret.slice(0, -1)}`)],
    ['no secret', () => basic(`${app.client_id}:`)],
    ['no colon', () => basic(app.client_id)],
    ['the secret of another app', () => basic(`${app.client_id}:${other.client_secret}`)],
    ['the secret in another case', () => basic(`${app.client_id}:${app.client_secret.toUpperCase()}`)],
    ['a secret with more behind it', () => basic(`${app.client_id}:${app.client_secret}:`)],
    ['text that is encoded badly', () => basic(`${app.client_id}:%E0%A4%A`)],
    ['Bearer', () => `Bearer ${app.client_secret}`],
    ['a merchant’s key', () => basic(`${twin.secretKey}:`)],
    ['a merchant’s key as Bearer', () => `Bearer ${twin.secretKey}`],
  ])('and is refused in the same words with %s', async (_, header) => {
    const response = await grantsNothing(twin, as(header()))
    expectOAuthRefusal(response, invalidClient)
    expect(response.headers.get('WWW-Authenticate')).toBe('Basic realm="paytwin", charset="UTF-8"')
    const wrong = await as(basic('app_x:y'))()
    expect(response.body).toEqual(wrong.body)
  })

  test('in HTTP Basic alone, not in the body', async () => {
    const form = { token: 'x', client_id: app.client_id, client_secret: app.client_secret }
    const response = await asApp(twin, app, 'revoke', form, { Authorization: '' })
    expectOAuthRefusal(response, invalidClient)
  })

  test('before anything else is looked at', async () => {
    const headers = { Authorization: '', 'X-API-Version': 'x', 'Content-Type': 'text/plain' }
    expectOAuthRefusal(await asApp(twin, app, 'token', 'x'.repeat(99_999), headers), invalidClient)
  })

  test('with its new secret once that was rotated, and keeps its tokens', async () => {
    const tokens = await letIn(twin, app)
    const { body: rotated } = await asOperator(twin)('POST', `apps/${app.id}/rotate_secret`)
    await refused(() => refresh(twin, app, tokens.refresh_token), invalidClient)
    expect(await opens(twin, tokens)).toBe(true)
    expect((await refresh(twin, rotated, tokens.refresh_token)).status).toBe(200)
  })
})

test('a further replay does not read or write the tokens of a revoked family', async () => {
  const code = await codeFor(twin, app)
  const { body: first } = await exchange(twin, app, code)
  const { body: second } = await refresh(twin, app, first.refresh_token)
  const { oauth } = twin.sandbox.engine.store
  const spies = [vi.spyOn(oauth, 'revokeFamily'), vi.spyOn(oauth, 'setTokenStatus')]
  expectOAuthRefusal(await exchange(twin, app, code), invalidGrant)
  // Four tokens are revoked with one statement.
  expect(spies.map(({ mock }) => mock.calls.length)).toEqual([1, 0])
  for (const spy of spies) spy.mockClear()
  expectOAuthRefusal(await exchange(twin, app, code), invalidGrant)
  for (const { refresh_token } of [first, second])
    expectOAuthRefusal(await refresh(twin, app, refresh_token), invalidGrant)
  expect((await asApp(twin, app, 'revoke', { token: second.refresh_token })).status).toBe(200)
  for (const spy of spies) expect(spy).not.toHaveBeenCalled()
  expect([await opens(twin, first), await opens(twin, second)]).toEqual([false, false])
})

describe('revoking', () => {
  const revoke = (as: Body, token: string, params: Body = {}) =>
    asApp(twin, as, 'revoke', { token, ...params })

  test('an access token leaves its refresh token, and the other access tokens', async () => {
    const first = await letIn(twin, app)
    const { body: second } = await refresh(twin, app, first.refresh_token)
    const response = await revoke(app, first.access_token)
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ livemode: false })
    expect([await opens(twin, first), await opens(twin, second)]).toEqual([false, true])
    expect((await refresh(twin, app, second.refresh_token)).status).toBe(200)
  })

  test('a refresh token is revoked with its family', async () => {
    const first = await letIn(twin, app)
    const beside = await letIn(twin, app)
    const { body: second } = await refresh(twin, app, first.refresh_token)
    await revoke(app, second.refresh_token)
    expect([await opens(twin, first), await opens(twin, second)]).toEqual([false, false])
    await refused(() => refresh(twin, app, second.refresh_token), invalidGrant)
    expect(await opens(twin, beside)).toBe(true)
  })

  test('a refresh token that was rotated does so too', async () => {
    const first = await letIn(twin, app)
    const { body: second } = await refresh(twin, app, first.refresh_token)
    await revoke(app, first.refresh_token)
    expect([await opens(twin, first), await opens(twin, second)]).toEqual([false, false])
  })

  test.each(['access_token', 'refresh_token', 'something_else', ''])(
    'with the hint %j is the same',
    async (token_type_hint) => {
      const tokens = await letIn(twin, app)
      expect((await revoke(app, tokens.access_token, { token_type_hint })).status).toBe(200)
      expect(await opens(twin, tokens)).toBe(false)
    },
  )

  test('an unknown, revoked or foreign token gives the same response and changes nothing', async () => {
    const tokens = await letIn(twin, app)
    const gone = await letIn(twin, app)
    await revoke(app, gone.refresh_token)
    for (const [as, token] of [
      [app, 'oat_test_unknown'],
      [app, 'x'],
      [app, twin.secretKey],
      [app, gone.refresh_token],
      [app, gone.access_token],
      [other, tokens.access_token],
      [other, tokens.refresh_token],
    ] as const) {
      const response = await grantsNothing(twin, () => revoke(as, token))
      expect([response.status, response.body]).toEqual([200, { livemode: false }])
    }
    expect(await opens(twin, tokens)).toBe(true)
  })

  test('works at once, also while an advance is under way', async () => {
    await subscribe(twin, { price: { recurring: { interval: 'day' } } })
    const tokens = await letIn(twin, app)
    await twin.advance({ by: '3y', async: true })
    expect((await revoke(app, tokens.refresh_token)).status).toBe(200)
    expect((await twin.get('/v1/test_helpers/clock')).status).toBe('advancing')
    expect(await opens(twin, tokens)).toBe(false)
  })

  test('needs a token to revoke', async () => {
    await refused(() => asApp(twin, app, 'revoke', {}), missing('token'))
    await refused(() => asApp(twin, app, 'revoke', { token: '' }), missing('token'))
  })
})

test('the housekeeping deletes only what expired long ago', async () => {
  let wall = Date.UTC(2026, 0, 31)
  const kept = await startTwin({ wall: () => wall })
  const app = await makeApp(kept)
  const tokens = await letIn(kept, app)
  await codeFor(kept, app)
  await kept.post('/v1/oauth/authorizations', { client_id: app.id, redirect_uri: REDIRECT_URI })
  const counts = async () => {
    await kept.sandbox.doHousekeeping()
    const all = grants(kept) as { authorizations: unknown[]; tokens: unknown[] }
    return [all.authorizations.length, all.tokens.length]
  }
  expect(await counts()).toEqual([3, 2])
  // The authorization expires on the wall clock, the codes on the merchant's clock, which is frozen.
  wall += 40 * 86_400_000
  expect(await counts()).toEqual([2, 2])
  await kept.advance({ by: '40d' })
  expect(await counts()).toEqual([1, 1])
  const { status, body } = await refresh(kept, app, tokens.refresh_token)
  expect(status).toBe(200)
  await kept.advance({ by: '400d' })
  expect(await counts()).toEqual([0, 0])
  expectOAuthRefusal(await refresh(kept, app, body.refresh_token), invalidGrant)
  await kept.close()
})

test('the housekeeping does not read grants whose codes expired long ago and whose tokens are in use', async () => {
  const kept = await startTwin()
  const app = await makeApp(kept)
  await letIn(kept, app)
  const { engine } = kept.sandbox
  const { oauth } = engine.store
  const [authorization] = oauth.authorizations({ limit: 1 })
  const [token] = authorization ? tokensOf({ engine }, authorization.seq) : []
  if (!authorization || !token) return expect.unreachable()
  const year = 365 * 86_400
  await engine.operatorCommand(() => {
    for (let index = 0; index < 50_000; index += 1) {
      const code = Buffer.from(`code ${index}`)
      oauth.addAuthorization({
        ...authorization,
        id: `oar_${index}`,
        nonce: null,
        cookie: null,
        code,
        code_expires: 0,
      })
      const added = oauth.authorizationOfCode(code)?.seq ?? 0
      const expires = token.expires + year
      oauth.addToken({ ...token, hash: Buffer.from(`token ${index}`), authorization: added, expires })
    }
  })
  const deleteAll = () => engine.operatorCommand(() => [...deleteExpiredGrants(engine)].length)
  expect(await leastProcessorTime(deleteAll, 5)).toBeLessThan(5)
  expect(oauth.authorizations({ limit: 60_000 })).toHaveLength(50_001)
  await kept.close()
})
