import { type ApiError, invalidApiKey, invalidToken } from '../core/errors.ts'
import { resolveToken } from '../engine/oauth-token.ts'
import type { Caller } from './caller.ts'
import { isAccessToken, tokenCaller } from './oauth/token-caller.ts'
import type { Site } from './site.ts'

/** What is asked for, as far as it matters who asks. */
export type Asking = {
  readonly method: string
  readonly path: string
  /** Whether the route accepts publishable keys. */
  readonly allowsPublic: boolean
}

/**
 * The caller whose key a request carries, as Bearer or as the user of Basic with an empty password; or whose access token,
 * as Bearer.
 * @param header - the Authorization header
 * @throws ApiError authentication_error, the same for a missing, malformed, unknown and revoked key
 * See docs/contract/authentication.md#accepted-schemes.
 */
export function authenticate(
  { engine, keys, callers }: Pick<Site, 'engine' | 'keys' | 'callers'>,
  header: string | undefined,
  asking: Asking,
): Caller {
  const known = header === undefined ? undefined : callers.find(header)
  if (known && (asking.allowsPublic || !known.caller.isPublic)) {
    keys.noteUse(known.key)
    return known.caller
  }
  const { scheme, secret } = credentialsOf(header)
  if (scheme === 'bearer' && isAccessToken(secret)) {
    const opens = () => resolveToken(engine, secret) !== undefined
    return { ...tokenCaller(engine, secret, asking), keyHint: hintOf(secret) ?? '', lasts: true, opens }
  }
  const isKey = secret?.startsWith('sk_test_') || (asking.allowsPublic && secret?.startsWith('pk_test_'))
  const resolved = secret !== undefined && isKey ? keys.resolve(secret) : undefined
  if (!resolved) throw invalidApiKey()
  const { key, merchant } = resolved
  const isPublic = key.type === 'publishable'
  const scope = `${merchant.settings.id}${isPublic ? ' public' : ''}`
  const opens = () => keys.opens(key)
  const lasts = key.revoked === null
  const caller = { merchant, isPublic, keyId: key.id, keyHint: key.hint, scope, lasts, opens }
  if (lasts && header !== undefined) callers.keep(header, { caller, key })
  return caller
}

/**
 * Makes sure that a request's credentials open a stream: now, after all that the request may have waited for since it was let
 * in, and until they are revoked. What revokes them ends the streams that are open then, and no later ones.
 * @throws ApiError authentication_error
 * See docs/contract/authentication.md#revocation.
 */
export function checkOpensStream(
  site: Pick<Site, 'engine' | 'keys' | 'callers'>,
  header: string | undefined,
  { method, path }: Pick<Asking, 'method' | 'path'>,
): void {
  if (!authenticate(site, header, { method, path, allowsPublic: false }).lasts) throw refusalOf(header)
}

/** How one is refused whose credentials open nothing any more. */
export function refusalOf(header: string | undefined): ApiError {
  const { scheme, secret } = credentialsOf(header)
  return scheme === 'bearer' && isAccessToken(secret) ? invalidToken() : invalidApiKey()
}

/** The hint of whatever key or token a request carries, be it valid or not; null for what does not look like one. */
export const keyHint = (header: string | undefined): string | null => hintOf(credentialsOf(header).secret)

function hintOf(secret = ''): string | null {
  const [, prefix, last] = /^([a-z]{2,3}_(?:test|live)_)\S{8,}?(\S{4})$/.exec(secret) ?? []
  return prefix === undefined ? null : `${prefix}…${last}`
}

type Credentials = { readonly scheme?: string; readonly secret?: string | undefined }

function credentialsOf(header: string | undefined): Credentials {
  const [, name, credentials] = /^(bearer|basic) +(\S+) *$/i.exec(header ?? '') ?? []
  if (name === undefined || credentials === undefined) return {}
  const scheme = name.toLowerCase()
  return { scheme, secret: scheme === 'bearer' ? credentials : userOf(credentials) }
}

/** The user of Basic; undefined when it comes with a password. */
function userOf(credentials: string): string | undefined {
  const decoded = Buffer.from(credentials, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  // Some clients leave out the colon when there is no password.
  if (colon === -1) return decoded
  return colon === decoded.length - 1 ? decoded.slice(0, colon) : undefined
}
