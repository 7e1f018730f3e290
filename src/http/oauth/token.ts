import * as z from 'zod'
import { assert, unsupportedGrantType } from '../../core/errors.ts'
import { ACCESS_TOKEN_SECONDS } from '../../core/oauth.ts'
import {
  exchangeCode,
  type IssuedTokens,
  refresh,
  revokeToken,
  type TokenRefusal,
} from '../../engine/access/oauth-token.ts'
import { deferred } from '../deferred.ts'
import { omittableText, text } from '../fields.ts'
import type { Raw } from '../form.ts'
import { type OAuthTokensShape, oauthRevocation, oauthTokens } from '../schemas/oauth.ts'
import type { ClientApi, ClientCall } from './client-api.ts'

const tokenParams = deferred(() =>
  z.object({
    grant_type: text,
    code: omittableText,
    redirect_uri: omittableText,
    code_verifier: omittableText,
    refresh_token: omittableText,
    scope: omittableText,
    client_id: omittableText,
  }),
)
type TokenParams = z.infer<ReturnType<typeof tokenParams>>

const revokeParams = deferred(() =>
  z.object({
    token: text,
    token_type_hint: omittableText,
    client_id: omittableText,
  }),
)

/** Registers the token routes. See docs/contract/oauth.md#token-endpoint; RFC 6749 4.1.3, 5, 6; RFC 7009. */
export function tokenRoutes(api: ClientApi): void {
  api.post(
    {
      path: '/v1/oauth/token',
      summary: 'Exchanges a code or a refresh token for an access token and a new refresh token.',
      params: tokenParams,
      requires: missingOf,
      returns: oauthTokens,
      errors: { 400: ['invalid_grant', 'invalid_scope', 'unsupported_grant_type'] },
    },
    async (call) => {
      const granted = await grantOf(call)
      if ('refusal' in granted) {
        if (granted.revoked !== null) call.services.streams.closeOf(granted.revoked)
        throw granted.refusal
      }
      call.showClockOf(granted.merchant)
      return presentTokens(granted)
    },
  )
  api.post(
    {
      path: '/v1/oauth/revoke',
      summary:
        'Revokes an access token, or a refresh token with all tokens that were issued from it. Ignores unknown tokens.',
      params: revokeParams,
      returns: oauthRevocation,
    },
    async ({ services, client, params }) => {
      const revoked = await revokeToken(services.engine, client, params.token)
      if (revoked !== null) services.streams.closeOf(revoked)
      return { livemode: false }
    },
  )
}

/** The required parameters of each grant type, in the order in which errors name them. See docs/contract/oauth.md#token-endpoint. */
const REQUIRED = {
  authorization_code: ['code', 'redirect_uri'],
  refresh_token: ['refresh_token'],
} as const
type GrantType = keyof typeof REQUIRED

const isGrantType = (text: unknown): text is GrantType =>
  typeof text === 'string' && Object.hasOwn(REQUIRED, text)

const missingOf = ({ grant_type, ...given }: Raw): string | undefined =>
  isGrantType(grant_type) ? REQUIRED[grant_type].find((name) => given[name] === undefined) : undefined

/** Exchanges the code or refresh token of a request. @throws ApiError unsupported_grant_type, invalid_scope */
function grantOf({
  services,
  client,
  params,
}: ClientCall<TokenParams>): Promise<IssuedTokens | TokenRefusal> {
  const { grant_type, code, redirect_uri, code_verifier, refresh_token, scope } = params
  if (!isGrantType(grant_type)) throw unsupportedGrantType(grant_type)
  if (grant_type === 'refresh_token') {
    assert(refresh_token !== undefined, 'refresh_token was checked')
    return refresh(services.engine, client, { refresh_token, scope })
  }
  assert(code !== undefined && redirect_uri !== undefined, 'code and redirect_uri were checked')
  return exchangeCode(services.engine, client, { code, redirect_uri, verifier: code_verifier })
}

const presentTokens = ({ merchant, access_token, refresh_token, scope }: IssuedTokens): OAuthTokensShape => ({
  access_token,
  token_type: 'bearer',
  expires_in: ACCESS_TOKEN_SECONDS,
  refresh_token,
  scope,
  merchant_id: merchant.settings.id,
  livemode: false,
})
