import * as oauth from 'oauth4webapi'
import { afterEach, expect, test } from 'vitest'
import type { SandboxOptions } from '../../src/daemon/sandbox.ts'
import { holding } from '../http/oauth/support.ts'
import { asOperator } from '../http/support.ts'
import type { Twin } from '../twin.ts'
import { type Loopback, startLoopback } from './loopback.ts'

const REDIRECT_URI = 'http://127.0.0.1:8080/callback'
const INSECURE = { [oauth.allowInsecureRequests]: true } as const

/** An app that uses an off-the-shelf OAuth client. */
type Party = {
  readonly twin: Twin
  readonly server: oauth.AuthorizationServer
  readonly client: oauth.Client
  readonly proof: oauth.ClientAuth
}

let loopback: Loopback
afterEach(() => loopback.close())

async function begin(options: Partial<SandboxOptions> = {}): Promise<Party> {
  loopback = await startLoopback(options)
  const { twin, port } = loopback
  const { body } = await asOperator(twin)('POST', 'apps', { name: 'Ledgerly', redirect_uris: [REDIRECT_URI] })
  const issuer = `http://127.0.0.1:${port}`
  return {
    twin,
    server: {
      issuer,
      authorization_endpoint: `${issuer}/v1/oauth/authorize`,
      token_endpoint: `${issuer}/v1/oauth/token`,
      revocation_endpoint: `${issuer}/v1/oauth/revoke`,
    },
    client: { client_id: body.client_id },
    proof: oauth.ClientSecretBasic(body.client_secret),
  }
}

/** Makes and approves an authorization request. @returns the redirect's parameters, and the code verifier */
async function authorize({ twin, server, client }: Party, scope = 'read_write') {
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const { id } = await twin.post('/v1/oauth/authorizations', {
    client_id: client.client_id,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const { redirect_to } = await twin.post(`/v1/oauth/authorizations/${id}/approve`)
  const redirectParams = oauth.validateAuthResponse(server, client, new URL(redirect_to), state)
  return { redirectParams, verifier }
}

async function exchange(
  { server, client, proof }: Party,
  { redirectParams, verifier }: Awaited<ReturnType<typeof authorize>>,
): Promise<oauth.TokenEndpointResponse> {
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    proof,
    redirectParams,
    REDIRECT_URI,
    verifier,
    INSECURE,
  )
  return oauth.processAuthorizationCodeResponse(server, client, response)
}

async function refresh(
  { server, client, proof }: Party,
  token = '',
  additionalParameters: Record<string, string> = {},
): Promise<oauth.TokenEndpointResponse> {
  const options = { ...INSECURE, additionalParameters }
  const response = await oauth.refreshTokenGrantRequest(server, client, proof, token, options)
  return oauth.processRefreshTokenResponse(server, client, response)
}

async function revoke({ server, client, proof }: Party, token: string): Promise<void> {
  const response = await oauth.revocationRequest(server, client, proof, token, INSECURE)
  await oauth.processRevocationResponse(response)
}

async function statusWith({ twin }: Party, token: string, method = 'GET'): Promise<number> {
  return (await holding(twin, token).request(method, '/v1/customers', method === 'GET' ? undefined : {}))
    .status
}

test.each([{}, { oauthErrors: 'rfc6749' as const }])(
  'oauth4webapi exchanges, uses, refreshes and revokes: %j',
  async (options) => {
    const party = await begin(options)
    const tokens = await exchange(party, await authorize(party))
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'read_write' })
    expect(await statusWith(party, tokens.access_token, 'POST')).toBe(201)
    const less = await refresh(party, tokens.refresh_token, { scope: 'read_only' })
    expect(less.scope).toBe('read_only')
    expect(await statusWith(party, less.access_token)).toBe(200)
    expect(await statusWith(party, less.access_token, 'POST')).toBe(401)
    await revoke(party, less.refresh_token ?? '')
    expect(await statusWith(party, less.access_token)).toBe(401)
    await revoke(party, 'oat_test_unknown')
  },
)

test('oauth4webapi reports a denial', async () => {
  const { twin, server, client } = await begin()
  const state = oauth.generateRandomState()
  const { id } = await twin.post('/v1/oauth/authorizations', {
    client_id: client.client_id,
    redirect_uri: REDIRECT_URI,
    state,
  })
  const { redirect_to } = await twin.post(`/v1/oauth/authorizations/${id}/deny`)
  expect(() => oauth.validateAuthResponse(server, client, new URL(redirect_to), state)).toThrow(
    expect.objectContaining({ error: 'access_denied' }),
  )
})

const oauthError = (status: number, error: string) =>
  expect.objectContaining({ name: 'ResponseBodyError', status, error, error_description: expect.any(String) })

test('oauth4webapi parses every error of a daemon with --oauth-errors rfc6749', async () => {
  const party = await begin({ oauthErrors: 'rfc6749' })
  const granted = await authorize(party, 'read_only')
  const wrong = { ...granted, verifier: oauth.generateRandomCodeVerifier() }
  await expect(exchange(party, wrong)).rejects.toEqual(oauthError(400, 'invalid_grant'))
  const tokens = await exchange(party, granted)
  await expect(refresh(party, tokens.refresh_token, { scope: 'read_write' })).rejects.toEqual(
    oauthError(400, 'invalid_scope'),
  )
  await expect(exchange(party, granted)).rejects.toEqual(oauthError(400, 'invalid_grant'))
  await expect(refresh(party, tokens.refresh_token)).rejects.toEqual(oauthError(400, 'invalid_grant'))
})

test('oauth4webapi is challenged to prove itself with Basic', async () => {
  const party = await begin({ oauthErrors: 'rfc6749' })
  const granted = await authorize(party)
  const impostor = { ...party, proof: oauth.ClientSecretBasic('ocs_test_wrong') }
  await expect(exchange(impostor, granted)).rejects.toMatchObject({
    name: 'WWWAuthenticateChallengeError',
    status: 401,
    cause: [{ scheme: 'basic', parameters: { realm: 'paytwin' } }],
  })
  expect((await exchange(party, granted)).access_token).toMatch(/^oat_test_/)
})
