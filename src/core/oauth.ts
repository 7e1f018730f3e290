import { type ApiError, invalidGrant, invalidScope, parameterInvalid } from './errors.ts'
import { move, type Transitions } from './transitions.ts'

/** Lifetimes in seconds. See docs/contract/oauth.md#lifetimes. */
export const CONSENT_SECONDS = 600
export const CODE_SECONDS = 300
export const ACCESS_TOKEN_SECONDS = 3_600
export const REFRESH_TOKEN_SECONDS = 365 * 86_400

export type AuthorizationStatus = 'pending' | 'approved' | 'denied' | 'expired'

/** See docs/contract/oauth.md#status. */
export const AUTHORIZATION_TRANSITIONS: Transitions<AuthorizationStatus, 'approve' | 'deny' | 'expire'> = {
  pending: { approve: 'approved', deny: 'denied', expire: 'expired' },
  approved: {},
  denied: {},
  expired: {},
}

export type CodeStatus = 'issued' | 'redeemed' | 'replayed'

/** Using a code a second time revokes its tokens. See docs/contract/oauth.md#codes. */
export const CODE_TRANSITIONS: Transitions<CodeStatus, 'use'> = {
  issued: { use: 'redeemed' },
  redeemed: { use: 'replayed' },
  replayed: { use: 'replayed' },
}

export type TokenStatus = 'active' | 'rotated' | 'revoked'

/** The status of a refresh token; an access token is never rotated. See docs/contract/oauth.md#refreshing. */
export const TOKEN_TRANSITIONS: Transitions<TokenStatus, 'rotate' | 'revoke'> = {
  active: { rotate: 'rotated', revoke: 'revoked' },
  rotated: { revoke: 'revoked' },
  revoked: { revoke: 'revoked' },
}

/** Returns the status at an instant. A pending request past its expiry has expired, also before that is written. */
export const statusAt = (
  { status, expires }: { readonly status: AuthorizationStatus; readonly expires: number },
  now: number,
): AuthorizationStatus =>
  status === 'pending' && now >= expires ? move(AUTHORIZATION_TRANSITIONS, status, 'expire') : status

/** The scopes of an app, from the narrowest to the widest. See docs/contract/oauth.md#scopes. */
export const SCOPES = ['read_only', 'read_write'] as const
export type Scope = (typeof SCOPES)[number]

/**
 * Returns the widest scope in a list of scopes; read_only for an empty list.
 * @throws ApiError invalid_scope for an unknown name
 * See docs/contract/oauth.md#scopes; RFC 6749 3.3.
 */
export function scopeOf(text: string | undefined): Scope {
  const names = (text ?? '').split(' ').filter((name) => name !== '')
  const unknown = names.find((name) => !(SCOPES as readonly string[]).includes(name))
  if (unknown !== undefined) {
    throw invalidScope(`Unknown scope '${unknown}': use ${SCOPES.join(' or ')}`)
  }
  return names.includes('read_write') ? 'read_write' : 'read_only'
}

/**
 * Returns the scope of a refreshed access token: the granted scope or a narrower one.
 * @throws ApiError invalid_scope for a wider one
 * Source: RFC 6749 6.
 */
export function narrowedScope(granted: Scope, requested: string | undefined): Scope {
  if (requested === undefined || requested.trim() === '') return granted
  const scope = scopeOf(requested)
  if (SCOPES.indexOf(scope) > SCOPES.indexOf(granted)) {
    throw invalidScope(`The scope ${scope} exceeds the granted scope ${granted}`)
  }
  return scope
}

/**
 * Returns the PKCE challenge of an authorization request; null for none. Only S256 is accepted: 43 characters.
 * @throws ApiError parameter_invalid, param code_challenge or code_challenge_method
 * See docs/contract/oauth.md#pkce; RFC 7636 4.2, 4.3 (without a method it would be plain), 4.4.1.
 */
export function challengeOf(given: {
  readonly code_challenge?: string | undefined
  readonly code_challenge_method?: string | undefined
}): string | null {
  const { code_challenge: challenge, code_challenge_method: method } = given
  if (challenge === undefined && method === undefined) return null
  if (challenge === undefined) {
    throw parameterInvalid('code_challenge', 'code_challenge_method requires a code_challenge')
  }
  if (method !== 'S256') {
    throw parameterInvalid(
      'code_challenge_method',
      'code_challenge_method must be S256; plain, which is also the default, is not accepted',
    )
  }
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
    throw parameterInvalid(
      'code_challenge',
      'code_challenge must be a SHA-256 digest in base64url without padding: 43 characters',
    )
  }
  return challenge
}

/** Reports whether a text has the form of a code verifier. Source: RFC 7636 4.1. */
const isVerifier = (text: string): boolean => /^[A-Za-z0-9._~-]{43,128}$/.test(text)

/** The decision on a code or refresh token that an app presents. */
export type Verdict = {
  /** The error; null when it is accepted. */
  readonly refusal: ApiError | null
  /** Whether all tokens of its family are revoked. */
  readonly revokesFamily: boolean
}

const ACCEPTED: Verdict = { refusal: null, revokesFamily: false }
const refused = (message: string): Verdict => ({ refusal: invalidGrant(message), revokesFamily: false })
const refusedAsReplay = (message: string): Verdict => ({
  refusal: invalidGrant(message),
  revokesFamily: true,
})

/** An issued code and what it is bound to. `expires` is on the merchant's clock. */
export type IssuedCode = {
  readonly app: string
  readonly redirect_uri: string
  readonly code_challenge: string | null
  readonly status: CodeStatus
  readonly expires: number
}

/** The message is the same for an unknown code and for one of another app. */
export const UNKNOWN_CODE = 'The code does not exist or was issued to another app'

/**
 * Decides whether a code is accepted. A second use by its app revokes the tokens issued for it, also if there are other errors.
 * Any other refusal changes nothing.
 * @param use.now - the merchant's clock
 * @param use.verifier - the code verifier of the app; `challenge` is its hash (S256, base64url)
 * See docs/contract/oauth.md#codes; RFC 6749 4.1.3, 10.5; RFC 7636 4.6; RFC 9700 4.8.2 (a verifier without a
 * challenge).
 */
export function checkCode(
  code: IssuedCode,
  use: {
    readonly app: string
    readonly redirect_uri: string
    readonly verifier: string | undefined
    readonly challenge: string | undefined
    readonly now: number
  },
): Verdict {
  if (code.app !== use.app) return refused(UNKNOWN_CODE)
  if (code.status !== 'issued') {
    return refusedAsReplay('The code was used before; all tokens issued for it are revoked')
  }
  if (use.now >= code.expires) return refused('The code has expired')
  if (code.redirect_uri !== use.redirect_uri) {
    return refused('redirect_uri differs from the one in the authorization request')
  }
  if (code.code_challenge === null) {
    return use.verifier === undefined
      ? ACCEPTED
      : refused('code_verifier is not allowed: the authorization request had no code_challenge')
  }
  if (use.verifier === undefined) return refused('code_verifier is required for a code with a code_challenge')
  return isVerifier(use.verifier) && use.challenge === code.code_challenge
    ? ACCEPTED
    : refused('code_verifier does not match the code_challenge')
}

export type IssuedRefreshToken = {
  readonly app: string
  readonly status: TokenStatus
  readonly expires: number
}

/** The message is the same for an unknown refresh token and for one of another app. */
export const UNKNOWN_REFRESH_TOKEN = 'The refresh token does not exist or was issued to another app'

/**
 * Decides whether a refresh token is accepted. Reuse of a rotated token means that two parties have it, so its family
 * is revoked.
 * @param use.now - the merchant's clock
 * See docs/contract/oauth.md#refreshing; RFC 9700 4.14.2.
 */
export function checkRefreshToken(
  token: IssuedRefreshToken,
  use: { readonly app: string; readonly now: number },
): Verdict {
  if (token.app !== use.app) return refused(UNKNOWN_REFRESH_TOKEN)
  if (token.status === 'rotated') {
    return refusedAsReplay('The refresh token was used before; all tokens of its family are revoked')
  }
  if (token.status === 'revoked') return refused('The refresh token is revoked')
  return use.now >= token.expires ? refused('The refresh token has expired') : ACCEPTED
}
