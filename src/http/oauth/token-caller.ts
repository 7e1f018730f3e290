import { insufficientScope, invalidToken } from '../../core/errors.ts'
import type { Engine } from '../../engine/engine.ts'
import type { MerchantState } from '../../engine/merchant-state.ts'
import { ACCESS_TOKEN_PREFIX, resolveToken, tokenKey } from '../../engine/oauth-token.ts'

/**
 * What is the merchant's own business: letting apps in, moving time, receiving webhooks.
 * See docs/contract/oauth.md#access-tokens.
 */
const CLOSED = /^\/v1\/(oauth|test_helpers|webhook_endpoints)(\/|$)/

/** Whether a path is closed to access tokens, whatever they may do elsewhere. */
export const isClosedToTokens = (path: string): boolean => CLOSED.test(path)

/** Whether a credential is, or claims to be, an app's access token. */
export const isAccessToken = (secret: string | undefined): secret is string =>
  secret?.startsWith(ACCESS_TOKEN_PREFIX) ?? false

/**
 * The merchant on whose behalf an app asks.
 * @throws ApiError authentication_error: for a token that does not open, now or here, as for a key; insufficient_scope for
 * a write with one that may only read
 * See docs/contract/oauth.md#access-tokens.
 */
export function tokenCaller(
  engine: Engine,
  secret: string,
  { method, path }: { readonly method: string; readonly path: string },
): { merchant: MerchantState; isPublic: false; keyId: string; scope: string } {
  const resolved = isClosedToTokens(path) ? undefined : resolveToken(engine, secret)
  if (!resolved) throw invalidToken()
  const { token, merchant } = resolved
  if (token.scope === 'read_only' && method !== 'GET' && method !== 'HEAD') throw insufficientScope()
  const scope = `${merchant.settings.id} ${token.app}`
  return { merchant, isPublic: false, keyId: tokenKey(token.seq), scope }
}
