import { sql } from 'kysely'
import { expect } from 'vitest'
import type { StoredToken } from '../../../src/store/oauth.ts'
import { arg } from '../../../src/store/statements.ts'
import { type Body, clientOf, type Twin, type TwinResponse } from '../../twin.ts'
import { asOperator, FORM, type Refusal, toForm } from '../support.ts'

export const REDIRECT_URI = 'https://app.example/callback'

/** What an app asks a browser for, without PKCE. */
export const ASKED = {
  redirect_uri: REDIRECT_URI,
  scope: 'read_only',
  state: null,
  code_challenge: null,
} as const
/** Source: RFC 7636, Appendix B. */
export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
export const PKCE = { code_challenge: CHALLENGE, code_challenge_method: 'S256' }

/** Creates an app through the admin API. */
export async function makeApp(twin: Twin, params: Body = {}): Promise<Body> {
  const { status, body } = await asOperator(twin)('POST', 'apps', {
    name: 'Ledgerly',
    redirect_uris: [REDIRECT_URI],
    ...params,
  })
  expect(status).toBe(201)
  return body
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

/** Returns the header with which an app authenticates. */
export const proofOf = ({ client_id, client_secret }: Body): { Authorization: string } => ({
  Authorization: `Basic ${base64(`${encodeURIComponent(client_id)}:${encodeURIComponent(client_secret)}`)}`,
})

/** Creates an authorization for the merchant of the twin's key. */
export const ask = (twin: Twin, { client_id }: Body, params: Body = {}): Promise<Body> =>
  twin.post('/v1/oauth/authorizations', { client_id, redirect_uri: REDIRECT_URI, ...params })

/** Returns the parameters of a redirect to the app. */
export const paramsOf = (address: string): Record<string, string> =>
  Object.fromEntries(new URL(address).searchParams)

/** Creates and approves an authorization. @returns the code */
export async function codeFor(twin: Twin, app: Body, params: Body = {}): Promise<string> {
  const { id } = await ask(twin, app, params)
  const { redirect_to } = await twin.post(`/v1/oauth/authorizations/${id}/approve`)
  return paramsOf(redirect_to).code ?? ''
}

/** Sends a form to a route for apps. */
export const asApp = (
  twin: Twin,
  app: Body,
  path: 'token' | 'revoke',
  form: Body | string,
  headers: Record<string, string> = {},
): Promise<TwinResponse> =>
  twin.request('POST', `/v1/oauth/${path}`, typeof form === 'string' ? form : toForm(form), {
    ...FORM,
    ...proofOf(app),
    ...headers,
  })

export const exchange = (twin: Twin, app: Body, code: string, params: Body = {}): Promise<TwinResponse> =>
  asApp(twin, app, 'token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT_URI,
    ...params,
  })

export const refresh = (
  twin: Twin,
  app: Body,
  refresh_token: string,
  params: Body = {},
): Promise<TwinResponse> =>
  asApp(twin, app, 'token', { grant_type: 'refresh_token', refresh_token, ...params })

/** Authorizes an app. @returns its tokens */
export async function letIn(twin: Twin, app: Body, params: Body = {}): Promise<Body> {
  const { status, body } = await exchange(twin, app, await codeFor(twin, app, params))
  expect(status).toBe(200)
  return body
}

/** Returns a client with an access token. */
export const holding = (twin: Twin, access_token: string): Twin => clientOf(twin.sandbox, access_token)

/** Returns whether an access token is valid. */
export const opens = async (twin: Twin, { access_token }: Body): Promise<boolean> => {
  const { status } = await holding(twin, access_token).request('GET', '/v1/customers')
  expect([200, 401]).toContain(status)
  return status === 200
}

/** Lists the stored tokens of an authorization. */
export const tokensOf = ({ engine }: Pick<Twin['sandbox'], 'engine'>, authorization: number): StoredToken[] =>
  engine.store.statements
    .once<StoredToken>(
      sql`select * from oauth_token where "authorization" = ${arg('authorization')} order by seq`,
    )
    .all({ authorization })

/** Returns all stored grants, authorizations and revocations. */
export function grants({ sandbox }: Twin): unknown {
  const { oauth } = sandbox.engine.store
  const authorizations = oauth.authorizations({ limit: 1_000 })
  return { authorizations, tokens: authorizations.flatMap(({ seq }) => tokensOf(sandbox, seq)) }
}

/** Runs work that must not grant, revoke or use up anything. */
export async function grantsNothing<T>(twin: Twin, act: () => Promise<T>): Promise<T> {
  const before = grants(twin)
  const result = await act()
  expect(grants(twin)).toEqual(before)
  return result
}

export const invalidGrant: Refusal = { code: 'invalid_grant', param: null }
export const invalidClient: Refusal = {
  status: 401,
  type: 'authentication_error',
  code: 'invalid_client',
  param: null,
}

/** Checks an OAuth error: the envelope with error_description. */
export function expectOAuthRefusal(
  response: TwinResponse,
  { status = 400, type, code, param }: Refusal,
): void {
  const { error, error_description, ...beside } = response.body
  const { message, doc_url, ...rest } = error ?? {}
  expect({ status: response.status, error: rest, beside }).toEqual({
    status,
    error: { type: type ?? 'invalid_request_error', code, param },
    beside: { livemode: false },
  })
  expect(message).toMatch(/\S/)
  expect(error_description).toBe(message)
  expect(doc_url).toBe(`http://localhost/docs/errors#${code}`)
  expect(response.headers.get('Request-Id')).toMatch(/^req_/)
  expect(response.headers.get('X-API-Version')).toBe('2026-03-09')
}
