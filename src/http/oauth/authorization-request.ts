import { parameterInvalid, parameterMissing } from '../../core/errors.ts'
import { challengeOf, scopeOf } from '../../core/oauth.ts'
import { findApp, type OAuthApp } from '../../engine/access/oauth-app.ts'
import type { AuthorizationRequest } from '../../engine/access/oauth-authorization.ts'
import type { Engine } from '../../engine/machine/engine.ts'

/** The app of an authorization request, and its validated redirect_uri. */
export type RequestingApp = { readonly app: OAuthApp; readonly redirect_uri: string }

/** The other parameters of an authorization request. */
export type AuthorizationParams = {
  readonly response_type?: string | undefined
  readonly scope?: string | undefined
  readonly state?: string | undefined
  readonly code_challenge?: string | undefined
  readonly code_challenge_method?: string | undefined
}

/**
 * Finds the app of an authorization request, and checks redirect_uri. A browser is never redirected to an unchecked uri.
 * @throws ApiError resource_missing, param client_id; parameter_invalid, param redirect_uri, unless it equals a registered one
 *   character by character
 * See docs/contract/oauth.md#redirect-uris; RFC 6749 3.1.2.4; RFC 9700 2.1, 4.1.3.
 */
export function requestingApp(engine: Engine, client_id: string, redirect_uri: string): RequestingApp {
  const app = findApp(engine, client_id, 'client_id')
  if (!app.redirect_uris.includes(redirect_uri)) {
    throw parameterInvalid('redirect_uri', 'redirect_uri is not registered for this app')
  }
  return { app, redirect_uri }
}

/**
 * Checks the other parameters of an authorization request.
 * @throws ApiError parameter_missing, parameter_invalid, invalid_scope
 * See docs/contract/oauth.md#authorization-requests; RFC 6749 4.1.1; RFC 7636 4.3.
 */
export function authorizationRequest(
  app: RequestingApp,
  { response_type, scope, state, ...pkce }: AuthorizationParams,
): AuthorizationRequest {
  if (response_type === undefined) throw parameterMissing('response_type')
  if (response_type !== 'code') {
    throw parameterInvalid('response_type', `Unsupported response_type '${response_type}': use code`)
  }
  return { ...app, scope: scopeOf(scope), state: state ?? null, code_challenge: challengeOf(pkce) }
}
