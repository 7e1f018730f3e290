import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Body, clientOf, startTwin, type Twin } from '../../twin.ts'
import { anotherMerchant, badState, invalid, missing, type Refusal, unknown } from '../support.ts'
import {
  ask,
  exchange,
  expectOAuthRefusal,
  grants,
  grantsNothing,
  makeApp,
  PKCE,
  paramsOf,
  REDIRECT_URI,
  VERIFIER,
} from './support.ts'

let twin: Twin
let app: Body
let wall: number
beforeEach(async () => {
  wall = 1_700_000_000_000
  twin = await startTwin({ wall: () => wall })
  app = await makeApp(twin)
})
afterEach(() => twin.close())

const decide = (id: string, decision: string, as = twin) =>
  as.request('POST', `/v1/oauth/authorizations/${id}/${decision}`)

describe('an authorization', () => {
  test('is created with the merchant’s key', async () => {
    const { status, body } = await twin.request('POST', '/v1/oauth/authorizations', {
      client_id: app.client_id,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: 'read_write',
      state: 'af0ifjsldkj',
      ...PKCE,
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^oauthz_[A-Za-z0-9]{14,}$/),
      object: 'authorization',
      client_id: app.client_id,
      redirect_uri: REDIRECT_URI,
      scope: 'read_write',
      status: 'pending',
      created: 1_700_000_000,
      expires_at: 1_700_000_600,
      revoked: null,
      livemode: false,
      merchant_id: twin.sandbox.merchant.settings.id,
    })
  })

  test('is approved: the response has the redirect with the code', async () => {
    const { id } = await ask(twin, app, { ...PKCE, scope: 'read_write', state: 'a b&c' })
    const { status, body } = await decide(id, 'approve')
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'approved',
      redirect_to: expect.stringMatching(
        /^https:\/\/app\.example\/callback\?code=oac_test_\w{32}&state=a%20b%26c$/,
      ),
      livemode: false,
    })
    const { code = '', state } = paramsOf(body.redirect_to)
    expect(state).toBe('a b&c')
    const { body: tokens } = await exchange(twin, app, code, { code_verifier: VERIFIER })
    expect(tokens.scope).toBe('read_write')
  })

  test('is denied: the response has the redirect with the error', async () => {
    const { id } = await ask(twin, app, { state: 'xyz' })
    const { body } = await decide(id, 'deny')
    expect(body).toEqual({
      status: 'denied',
      redirect_to: `${REDIRECT_URI}?error=access_denied&state=xyz`,
      livemode: false,
    })
    expect(grants(twin)).toMatchObject({ authorizations: [{ code: null, state: null }], tokens: [] })
  })

  test.each(['approve', 'deny'])('is decided once: a second decision to %s is refused', async (second) => {
    for (const first of ['approve', 'deny']) {
      const { id } = await ask(twin, app)
      await decide(id, first)
      expectOAuthRefusal(await grantsNothing(twin, () => decide(id, second)), badState())
    }
  })

  test('expires after ten minutes of the wall clock', async () => {
    const [first, second] = [await ask(twin, app), await ask(twin, app)]
    await twin.advance({ by: '1y' })
    wall += 599_999
    expect((await decide(first.id, 'approve')).status).toBe(200)
    wall += 1
    expectOAuthRefusal(await decide(second.id, 'approve'), badState())
    const [expired] = twin.sandbox.engine.store.oauth.authorizations({ limit: 1 })
    expect(expired).toMatchObject({ id: second.id, status: 'expired', code: null })
  })

  test('can be decided only by its merchant', async () => {
    const { secretKey } = await anotherMerchant(twin)
    const other = clientOf(twin.sandbox, secretKey)
    const { id } = await ask(twin, app)
    for (const decision of ['approve', 'deny']) {
      expectOAuthRefusal(await grantsNothing(twin, () => decide(id, decision, other)), unknown())
      expectOAuthRefusal(await decide('oauthz_unknown', decision), unknown())
    }
    expect((await decide(id, 'approve')).status).toBe(200)
  })

  test('of the consent page cannot be decided with a key', async () => {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: app.client_id,
      redirect_uri: REDIRECT_URI,
    })
    await twin.sandbox.app.request(`/v1/oauth/authorize?${query}`, { headers: { Host: 'localhost' } })
    const [asked] = twin.sandbox.engine.store.oauth.authorizations({ limit: 1_000 })
    expectOAuthRefusal(await grantsNothing(twin, () => decide(asked?.id ?? '', 'approve')), unknown())
  })

  test('is created anew by each request, whatever the idempotency key', async () => {
    const again = () =>
      twin.request(
        'POST',
        '/v1/oauth/authorizations',
        { client_id: app.client_id, redirect_uri: REDIRECT_URI },
        { 'Idempotency-Key': 'same' },
      )
    const [first, second] = [await again(), await again()]
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body.id).not.toBe(first.body.id)
  })

  test('goes with its app', async () => {
    const { id } = await ask(twin, app)
    await twin.request('DELETE', `/_paytwin/apps/${app.id}`, undefined, {
      Authorization: `Bearer ${twin.sandbox.adminToken}`,
      Host: 'localhost',
    })
    expectOAuthRefusal(await decide(id, 'approve'), unknown())
  })
})

const invalidScope: Refusal = { code: 'invalid_scope', param: 'scope' }

test.each<[Body, Refusal]>([
  [{ client_id: undefined }, missing('client_id')],
  [{ redirect_uri: undefined }, missing('redirect_uri')],
  [{ client_id: 'app_unknown' }, unknown('client_id')],
  [{ client_id: 5 }, invalid('client_id')],
  [{ redirect_uri: `${REDIRECT_URI}/` }, invalid('redirect_uri')],
  [{ redirect_uri: 'https://evil.example/callback' }, invalid('redirect_uri')],
  [{ response_type: 'token' }, invalid('response_type')],
  [{ scope: 'admin' }, invalidScope],
  [{ scope: ['read_only'] }, invalid('scope')],
  [{ code_challenge: PKCE.code_challenge }, invalid('code_challenge_method')],
  [{ ...PKCE, code_challenge_method: 'plain' }, invalid('code_challenge_method')],
  [{ ...PKCE, code_challenge: 'x' }, invalid('code_challenge')],
  [{ code_challenge_method: 'S256' }, invalid('code_challenge')],
  [{ state: 'x'.repeat(5_001) }, invalid('state')],
])('asking with %j is refused', async (params, refusal) => {
  const body = { client_id: app.client_id, redirect_uri: REDIRECT_URI, ...params }
  const response = await grantsNothing(twin, () => twin.request('POST', '/v1/oauth/authorizations', body))
  expectOAuthRefusal(response, refusal)
})
