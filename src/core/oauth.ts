import { type ApiError, invalidGrant, invalidScope, parameterInvalid } from './errors.ts'
import { move, type Transitions } from './transitions.ts'

/** How long things last, in seconds. See docs/contract/oauth.md#lifetimes. */
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

/** A code that is used again has its tokens revoked. See docs/contract/oauth.md#codes. */
export const CODE_TRANSITIONS: Transitions<CodeStatus, 'use'> = {
  issued: { use: 'redeemed' },
  redeemed: { use: 'replayed' },
  replayed: { use: 'replayed' },
}

export type TokenStatus = 'active' | 'rotated' | 'revoked'

/** Of a refresh token; an access token is never rotated. See docs/contract/oauth.md#refreshing. */
export const TOKEN_TRANSITIONS: Transitions<TokenStatus, 'rotate' | 'revoke'> = {
  active: { rotate: 'rotated', revoke: 'revoked' },
  rotated: { revoke: 'revoked' },
  revoked: { revoke: 'revoked' },
}

/** The status at an instant: a request that nobody decided in time has expired, without anything having been written. */
export const statusAt = (
  { status, expires }: { readonly status: AuthorizationStatus; readonly expires: number },
  now: number,
): AuthorizationStatus =>
  status === 'pending' && now >= expires ? move(AUTHORIZATION_TRANSITIONS, status, 'expire') : status

/** What an app may do, from little to much. See docs/contract/oauth.md#scopes. */
export const SCOPES = ['read_only', 'read_write'] as const
export type Scope = (typeof SCOPES)[number]

/**
 * The scope that a list of scopes comes to: the widest named; read_only when none is.
 * @throws ApiError invalid_scope for a name that there is not
 * See docs/contract/oauth.md#scopes; RFC 6749 3.3.
 */
export function scopeOf(text: string | undefined): Scope {
  const names = (text ?? '').split(' ').filter((name) => name !== '')
  const unknown = names.find((name) => !(SCOPES as readonly string[]).includes(name))
  if (unknown !== undefined) {
    throw invalidScope(`There is no scope '${unknown}': ask for ${SCOPES.join(' or ')}`)
  }
  return names.includes('read_write') ? 'read_write' : 'read_only'
}

/**
 * The scope of a refreshed access token: what was granted, or less.
 * @throws ApiError invalid_scope for more
 * Source: RFC 6749 6.
 */
export function narrowed(granted: Scope, asked: string | undefined): Scope {
  if (asked === undefined || asked.trim() === '') return granted
  const scope = scopeOf(asked)
  if (SCOPES.indexOf(scope) > SCOPES.indexOf(granted)) {
    throw invalidScope(`The merchant granted ${granted}: a refresh cannot ask for ${scope}`)
  }
  return scope
}

/**
 * The PKCE challenge of an authorization request; null for none. Only S256 is taken, whose challenges have 43 characters.
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
    throw parameterInvalid('code_challenge', 'code_challenge_method comes with a code_challenge')
  }
  if (method !== 'S256') {
    throw parameterInvalid(
      'code_challenge_method',
      "Only S256 is accepted: a challenge in plain text, or without a method, isn't",
    )
  }
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
    throw parameterInvalid(
      'code_challenge',
      'A code_challenge of S256 is a SHA-256 in base64url without padding: 43 characters',
    )
  }
  return challenge
}

/** Whether a text can be a verifier at all. Source: RFC 7636 4.1. */
const isVerifier = (text: string): boolean => /^[A-Za-z0-9._~-]{43,128}$/.test(text)

/** What becomes of a code or a refresh token that is presented. */
export type Verdict = {
  /** Why it is not honoured; null when it is. */
  readonly refusal: ApiError | null
  /** Whether all tokens of its family fall. */
  readonly revokesFamily: boolean
}

const HONOURED: Verdict = { refusal: null, revokesFamily: false }
const refused = (message: string): Verdict => ({ refusal: invalidGrant(message), revokesFamily: false })
const betrayed = (message: string): Verdict => ({ refusal: invalidGrant(message), revokesFamily: true })

/** A code as it was issued, and what it is bound to. `expires` is on the merchant's clock. */
export type IssuedCode = {
  readonly app: string
  readonly redirect_uri: string
  readonly code_challenge: string | null
  readonly status: CodeStatus
  readonly expires: number
}

/** Said in the same words of a code that there is not and of one that is another app's. */
export const UNKNOWN_CODE = 'There is no such code, or it was made for another app'

/**
 * Whether a code is honoured. One that its app has used before takes the tokens made from it along, whatever else is
 * wrong; a refusal of any other kind leaves everything as it was.
 * @param use.now - the merchant's clock
 * @param use.verifier - what the app proves itself with, and `challenge` what that hashes to (S256, base64url)
 * See docs/contract/oauth.md#codes; RFC 6749 4.1.3, 10.5; RFC 7636 4.6; RFC 9700 4.8.2 (a verifier without a challenge).
 */
export function judgeCode(
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
    return betrayed('The code was used before: every token that was made from it is revoked')
  }
  if (use.now >= code.expires) return refused('The code has expired')
  if (code.redirect_uri !== use.redirect_uri) {
    return refused('The redirect_uri is not the one that the code was asked for with')
  }
  if (code.code_challenge === null) {
    return use.verifier === undefined
      ? HONOURED
      : refused('The code was asked for without a code_challenge, so it has no code_verifier')
  }
  if (use.verifier === undefined) return refused('The code has a code_challenge: send its code_verifier')
  return isVerifier(use.verifier) && use.challenge === code.code_challenge
    ? HONOURED
    : refused('The code_verifier does not belong to the code_challenge')
}

export type IssuedRefreshToken = {
  readonly app: string
  readonly status: TokenStatus
  readonly expires: number
}

/** Said in the same words of a refresh token that there is not and of one that is another app's. */
export const UNKNOWN_REFRESH_TOKEN = 'There is no such refresh token, or it was made for another app'

/**
 * Whether a refresh token is honoured. One that was rotated and comes again is in two hands: its family falls.
 * @param use.now - the merchant's clock
 * See docs/contract/oauth.md#refreshing; RFC 9700 4.14.2.
 */
export function judgeRefreshToken(
  token: IssuedRefreshToken,
  use: { readonly app: string; readonly now: number },
): Verdict {
  if (token.app !== use.app) return refused(UNKNOWN_REFRESH_TOKEN)
  if (token.status === 'rotated') {
    return betrayed('The refresh token was used before: every token of its family is revoked')
  }
  if (token.status === 'revoked') return refused('The refresh token is revoked')
  return use.now >= token.expires ? refused('The refresh token has expired') : HONOURED
}
