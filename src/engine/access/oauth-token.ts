import { createHash } from 'node:crypto'
import { type ApiError, assert, invalidGrant } from '../../core/errors.ts'
import {
  ACCESS_TOKEN_SECONDS,
  CODE_TRANSITIONS,
  checkCode,
  checkRefreshToken,
  narrowedScope,
  REFRESH_TOKEN_SECONDS,
  type Scope,
  TOKEN_TRANSITIONS,
  UNKNOWN_CODE,
  UNKNOWN_REFRESH_TOKEN,
} from '../../core/oauth.ts'
import { move } from '../../core/transitions.ts'
import type { StoredAuthorization, StoredToken } from '../../store/oauth.ts'
import type { Store } from '../../store/store.ts'
import { wallSeconds } from '../machine/clock.ts'
import { digest } from '../machine/digest.ts'
import type { Engine } from '../machine/engine.ts'
import { randomToken } from '../machine/ids.ts'
import { refusesExpired } from '../machine/live-clocks.ts'
import { MerchantDeleted, type MerchantState, merchantOfGeneration } from '../machine/merchant-state.ts'
import type { OAuthApp } from './oauth-app.ts'
import { merchantOfAuthorization } from './oauth-authorization.ts'

const TOKEN_LENGTH = 32
export const ACCESS_TOKEN_PREFIX = 'oat_test_'
const PREFIXES = { access: ACCESS_TOKEN_PREFIX, refresh: 'ort_test_' } as const

/** New tokens, which cannot be read again. */
export type IssuedTokens = {
  readonly merchant: MerchantState
  readonly access_token: string
  readonly refresh_token: string
  readonly scope: Scope
}

/** A refusal. If it revoked the tokens of a grant, with the key of the grant: see grantKey. */
export type TokenRefusal = { readonly refusal: ApiError; readonly revoked: string | null }

/** The parameters of a token request. */
export type CodeGrant = {
  readonly code: string
  readonly redirect_uri: string
  readonly verifier: string | undefined
}
export type RefreshGrant = { readonly refresh_token: string; readonly scope: string | undefined }

/** Authenticates the app when it is called, because the request may have waited. @throws ApiError invalid_client */
export type Client = () => OAuthApp

/**
 * Exchanges a code for tokens, once. The code is redeemed and the tokens are issued in one transaction.
 * @throws ApiError invalid_client
 * See docs/contract/oauth.md#codes.
 */
export async function exchangeCode(
  engine: Engine,
  client: Client,
  { code, redirect_uri, verifier }: CodeGrant,
): Promise<IssuedTokens | TokenRefusal> {
  const { oauth } = engine.store
  const hash = digest(code)
  const found = oauth.authorizationOfCode(hash)
  const merchant = found && merchantOfAuthorization(engine, found)
  if (!merchant) return notGranted(invalidGrant(UNKNOWN_CODE))
  const granted = engine.command(merchant, null, ({ store, now }): IssuedTokens | TokenRefusal => {
    // Read within the command: another request may have used the code, or the app's secret may have been rotated.
    const app = client()
    const row = oauth.authorizationOfCode(hash)
    if (!row?.code_status || row.code_expires === null) return notGranted(invalidGrant(UNKNOWN_CODE))
    const challenge = verifier === undefined ? undefined : challengeFrom(verifier)
    const { app: owner, redirect_uri: registered, code_challenge, code_status, code_expires } = row
    const verdict = checkCode(
      { app: owner, redirect_uri: registered, code_challenge, status: code_status, expires: code_expires },
      { app: app.id, redirect_uri, verifier, challenge, now },
    )
    if (verdict.refusal && !verdict.revokesFamily) return notGranted(verdict.refusal)
    const used = { ...row, code_status: move(CODE_TRANSITIONS, code_status, 'use') }
    oauth.updateAuthorization(used)
    if (verdict.refusal) return { refusal: verdict.refusal, revoked: revokeFamily(engine, used) }
    return grant(store, used, { merchant, scope: row.scope, now })
  })
  return granted.catch((error: unknown) => unlessDeleted(error, UNKNOWN_CODE))
}

/**
 * Exchanges a refresh token for new tokens in one transaction, and invalidates it.
 * @throws ApiError invalid_client, invalid_scope
 * See docs/contract/oauth.md#refreshing.
 */
export async function refresh(
  engine: Engine,
  client: Client,
  { refresh_token, scope: requested }: RefreshGrant,
): Promise<IssuedTokens | TokenRefusal> {
  const { oauth } = engine.store
  const hash = digest(refresh_token)
  const found = oauth.token(hash)
  const merchant = found && merchantOfGeneration(engine.merchants, found)
  if (!merchant) return notGranted(invalidGrant(UNKNOWN_REFRESH_TOKEN))
  const granted = engine.command(merchant, null, ({ store, now }): IssuedTokens | TokenRefusal => {
    const app = client()
    const token = oauth.token(hash)
    const authorization = token && oauth.authorizationAt(token.authorization)
    if (token?.kind !== 'refresh' || !authorization) return notGranted(invalidGrant(UNKNOWN_REFRESH_TOKEN))
    const { refusal, revokesFamily } = checkRefreshToken(token, { app: app.id, now })
    if (refusal) return { refusal, revoked: revokesFamily ? revokeFamily(engine, authorization) : null }
    const scope = narrowedScope(token.scope, requested)
    oauth.setTokenStatus(token.seq, move(TOKEN_TRANSITIONS, token.status, 'rotate'))
    return grant(store, authorization, { merchant, scope, now })
  })
  return granted.catch((error: unknown) => unlessDeleted(error, UNKNOWN_REFRESH_TOKEN))
}

/**
 * Revokes an app's own token: an access token alone, a refresh token with its family. Tokens of other apps are ignored,
 * and the result does not reveal that they exist.
 * @returns the key of what was revoked: see tokenKey and grantKey; null if nothing was
 * @throws ApiError invalid_client
 * See docs/contract/oauth.md#revoking; RFC 7009 2.1, 2.2.
 */
export function revokeToken(engine: Engine, client: Client, token: string): Promise<string | null> {
  const { oauth } = engine.store
  return engine.operatorCommand(() => {
    const row = oauth.token(digest(token))
    if (row?.app !== client().id) return null
    if (row.kind === 'access') return revoke(engine.store, row)
    const authorization = oauth.authorizationAt(row.authorization)
    assert(authorization, 'a token has an authorization')
    return revokeFamily(engine, authorization)
  })
}

/** Resolves an access token to its merchant; undefined for one that is unknown, revoked or expired, which is recorded: see Expiries. */
export function resolveToken(
  engine: Engine,
  token: string,
): { readonly token: StoredToken; readonly merchant: MerchantState } | undefined {
  const row = engine.store.oauth.token(digest(token))
  const merchant = row && merchantOfGeneration(engine.merchants, row)
  const opens = row?.kind === 'access' && row.status === 'active'
  return opens && merchant && !refusesExpired(engine, merchant, row.expires)
    ? { token: row, merchant }
    : undefined
}

/** The keys by which event streams identify access tokens. The key of a token begins with that of its grant, which begins with that of its app. None is secret. */
export const ALL_TOKENS = 'oauth'
export const appKey = (app: string): string => `${ALL_TOKENS} ${app}`
const grantKey = (app: string, authorization: number): string => `${appKey(app)} ${authorization}`
export const tokenKey = ({ app, authorization, seq }: StoredToken): string =>
  `${grantKey(app, authorization)} ${seq}`
export const isTokenKey = (key: string): boolean => key.startsWith(`${ALL_TOKENS} `)

const notGranted = (refusal: ApiError): TokenRefusal => ({ refusal, revoked: null })

/** Converts the deletion of the merchant during the command to a refusal: its grants are deleted with it. */
function unlessDeleted(error: unknown, message: string): TokenRefusal {
  if (error instanceof MerchantDeleted) return notGranted(invalidGrant(message))
  throw error
}

/** Source: RFC 7636 4.2, S256. */
const challengeFrom = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')

/** Issues the tokens. A refresh token has the granted scope, also when the access token has less (RFC 6749 6). */
function grant(
  { oauth }: Store,
  authorization: StoredAuthorization,
  { merchant, scope, now }: { merchant: MerchantState; scope: Scope; now: number },
): IssuedTokens {
  const make = (kind: StoredToken['kind'], of: { scope: Scope; seconds: number }): string => {
    const token = PREFIXES[kind] + randomToken(TOKEN_LENGTH)
    oauth.addToken({
      hash: digest(token),
      kind,
      authorization: authorization.seq,
      app: authorization.app,
      merchant: merchant.settings.ordinal,
      generation: merchant.settings.generation,
      scope: of.scope,
      status: 'active',
      expires: now + of.seconds,
    })
    return token
  }
  return {
    merchant,
    access_token: make('access', { scope, seconds: ACCESS_TOKEN_SECONDS }),
    refresh_token: make('refresh', { scope: authorization.scope, seconds: REFRESH_TOKEN_SECONDS }),
    scope,
  }
}

/**
 * Revokes all tokens of an authorization. A revoked family gets no new tokens, so a further replay has nothing to revoke.
 * @returns the key of the grant; null if it was revoked before
 */
function revokeFamily({ store, wall }: Engine, authorization: StoredAuthorization): string | null {
  const { app, seq, revoked } = authorization
  if (revoked !== null) return null
  store.oauth.updateAuthorization({ ...authorization, revoked: wallSeconds(wall) })
  store.oauth.revokeFamily(seq, move(TOKEN_TRANSITIONS, 'active', 'revoke'))
  return grantKey(app, seq)
}

/** Revokes a token. @returns its key */
function revoke({ oauth }: Store, token: StoredToken): string {
  oauth.setTokenStatus(token.seq, move(TOKEN_TRANSITIONS, token.status, 'revoke'))
  return tokenKey(token)
}
