import { parameterInvalid, parameterMissing, resourceMissing } from '../../core/errors.ts'
import { challengeOf, scopeOf } from '../../core/oauth.ts'
import type { Engine } from '../../engine/engine.ts'
import { appOfId, type OAuthApp } from '../../engine/oauth-app.ts'
import type { Asked } from '../../engine/oauth-authorization.ts'

/** An app that asks, and where it wants the answer. */
export type Asker = { readonly app: OAuthApp; readonly redirect_uri: string }

/** What an authorization request says beside that. */
export type Request = {
  readonly response_type?: string | undefined
  readonly scope?: string | undefined
  readonly state?: string | undefined
  readonly code_challenge?: string | undefined
  readonly code_challenge_method?: string | undefined
}

/**
 * Who asks. Nothing is ever sent to an address that this has not let through.
 * @throws ApiError resource_missing, param client_id; parameter_invalid, param redirect_uri, unless it is, letter by letter,
 * one that the app was registered with
 * See docs/contract/oauth.md#redirect-uris; RFC 6749 3.1.2.4; RFC 9700 2.1, 4.1.3.
 */
export function askerOf(engine: Engine, client_id: string, redirect_uri: string): Asker {
  const app = appOfId(engine, client_id)
  if (!app) throw resourceMissing('app', client_id, 'client_id')
  if (!app.redirect_uris.includes(redirect_uri)) {
    throw parameterInvalid('redirect_uri', 'The redirect_uri is none that the app was registered with')
  }
  return { app, redirect_uri }
}

/**
 * What is asked for.
 * @throws ApiError parameter_missing, parameter_invalid, invalid_scope
 * See docs/contract/oauth.md#authorization-requests; RFC 6749 4.1.1; RFC 7636 4.3.
 */
export function askedOf(asker: Asker, { response_type, scope, state, ...pkce }: Request): Asked {
  if (response_type === undefined) throw parameterMissing('response_type')
  if (response_type !== 'code') {
    throw parameterInvalid('response_type', `There is no response_type '${response_type}': use code`)
  }
  return { ...asker, scope: scopeOf(scope), state: state ?? null, code_challenge: challengeOf(pkce) }
}
