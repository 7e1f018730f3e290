import { insufficientScope, invalidToken } from '../../core/errors.ts'
import { ACCESS_TOKEN_PREFIX, resolveToken, tokenKey } from '../../engine/access/oauth-token.ts'
import type { Engine } from '../../engine/machine/engine.ts'
import type { MerchantState } from '../../engine/machine/merchant-state.ts'

/**
 * Paths that apps may not call: OAuth authorizations, test helpers and webhook endpoints.
 * See docs/contract/oauth.md#access-tokens.
 */
const CLOSED = /^\/v1\/(oauth|test_helpers|webhook_endpoints)(\/|$)/

/** Returns whether a path refuses access tokens of any scope. */
export const isClosedToTokens = (path: string): boolean => CLOSED.test(path)

/** Returns whether a credential has the form of an access token. */
export const isAccessToken = (secret: string | undefined): secret is string =>
  secret?.startsWith(ACCESS_TOKEN_PREFIX) ?? false

/**
 * Authenticates a request with an access token.
 * @throws ApiError authentication_error for an invalid token, or for a path that refuses tokens; insufficient_scope for a write
 *   with a read-only token
 * See docs/contract/oauth.md#access-tokens.
 */
export function tokenCaller(
  engine: Engine,
  secret: string,
  { method, path }: { readonly method: string; readonly path: string },
): { merchant: MerchantState; isPublic: false; keyId: string; scope: string; expires: number } {
  const resolved = isClosedToTokens(path) ? undefined : resolveToken(engine, secret)
  if (!resolved) throw invalidToken()
  const { token, merchant } = resolved
  if (token.scope === 'read_only' && method !== 'GET') throw insufficientScope()
  const scope = `${merchant.settings.id} ${token.app}`
  return { merchant, isPublic: false, keyId: tokenKey(token), scope, expires: token.expires }
}
