import { type ApiError, invalidApiKey, invalidToken } from '../core/errors.ts'
import { hintOfSecret, typeOfSecret } from '../engine/access/key-secret.ts'
import { resolveToken } from '../engine/access/oauth-token.ts'
import type { Caller } from './caller.ts'
import { isAccessToken, tokenCaller } from './oauth/token-caller.ts'
import type { HttpServices } from './services.ts'

/** The parts of a request that decide which credentials it accepts. */
export type RequestTarget = {
  readonly method: string
  readonly path: string
  /** Whether the route accepts publishable keys. */
  readonly allowsPublic: boolean
}

/**
 * Authenticates a request: a key as Bearer, or as the user of Basic with an empty password; or an access token as Bearer.
 * @param header - the Authorization header
 * @throws ApiError authentication_error, the same for a missing, malformed, unknown and revoked key
 * See docs/contract/authentication.md#accepted-schemes.
 */
export function authenticate(
  { engine, keys, callers }: Pick<HttpServices, 'engine' | 'keys' | 'callers'>,
  header: string | undefined,
  target: RequestTarget,
): Caller {
  const known = header === undefined ? undefined : callers.find(header)
  if (known && (target.allowsPublic || !known.caller.isPublic)) {
    keys.recordUse(known.key)
    return known.caller
  }
  const { scheme, secret } = credentialsOf(header)
  if (scheme === 'bearer' && isAccessToken(secret)) {
    const isValid = () => resolveToken(engine, secret) !== undefined
    return {
      ...tokenCaller(engine, secret, target),
      keyHint: hintOfSecret(secret) ?? '',
      isRevoked: false,
      isValid,
    }
  }
  const type = secret === undefined ? undefined : typeOfSecret(secret)
  const isAllowed = type === 'secret' || (type === 'publishable' && target.allowsPublic)
  const resolved = secret !== undefined && isAllowed ? keys.resolve(secret) : undefined
  if (!resolved) throw invalidApiKey()
  const { key, merchant } = resolved
  const isPublic = key.type === 'publishable'
  const scope = `${merchant.settings.id}${isPublic ? ' public' : ''}`
  const isValid = () => keys.opens(key)
  const isRevoked = key.revoked !== null
  const caller = { merchant, isPublic, keyId: key.id, keyHint: key.hint, scope, isRevoked, isValid }
  if (!isRevoked && header !== undefined) callers.keep(header, { caller, key })
  return caller
}

/**
 * Checks that the credentials of a request may open an event stream. A revoked key may not, even within --key-cache-ttl,
 * because only the revocation itself ends open streams. The request may have waited since it was authenticated.
 * @returns their owner
 * @throws ApiError authentication_error
 * See docs/contract/authentication.md#revocation.
 */
export function checkOpensStream(
  services: Pick<HttpServices, 'engine' | 'keys' | 'callers'>,
  header: string | undefined,
  { method, path }: Pick<RequestTarget, 'method' | 'path'>,
): Caller {
  const caller = authenticate(services, header, { method, path, allowsPublic: false })
  if (caller.isRevoked) throw authErrorOf(header)
  return caller
}

/** Returns the error for credentials that are no longer valid. */
export function authErrorOf(header: string | undefined): ApiError {
  const { scheme, secret } = credentialsOf(header)
  return scheme === 'bearer' && isAccessToken(secret) ? invalidToken() : invalidApiKey()
}

/** Returns the hint of the key or token of a request, valid or not; null if it does not look like one. */
export const keyHint = (header: string | undefined): string | null =>
  hintOfSecret(credentialsOf(header).secret ?? '') ?? null

type Credentials = { readonly scheme?: string; readonly secret?: string | undefined }

function credentialsOf(header: string | undefined): Credentials {
  const [, name, credentials] = /^(bearer|basic) +(\S+) *$/i.exec(header ?? '') ?? []
  if (name === undefined || credentials === undefined) return {}
  const scheme = name.toLowerCase()
  return { scheme, secret: scheme === 'bearer' ? credentials : userOf(credentials) }
}

/** Returns the user of Basic credentials; undefined if they have a password. */
function userOf(credentials: string): string | undefined {
  const decoded = Buffer.from(credentials, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  // Some clients leave out the colon when there is no password.
  if (colon === -1) return decoded
  return colon === decoded.length - 1 ? decoded.slice(0, colon) : undefined
}
