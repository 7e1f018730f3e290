import { invalidApiKey } from '../core/errors.ts'
import type { MerchantState } from '../engine/merchant.ts'
import type { Site } from './site.ts'

/** Who sends a request. */
export type Caller = {
  readonly merchant: MerchantState
  /** A publishable key's: may do only what a browser may. */
  readonly isPublic: boolean
  /** The key's id. */
  readonly keyId: string
  /** The key as it is shown: its beginning and its last four characters. */
  readonly keyHint: string
  /** Within which idempotency keys are told apart. */
  readonly scope: string
}

/**
 * The caller whose key a request carries, as Bearer or as the user of Basic with an empty password.
 * @param header - the Authorization header
 * @param allowsPublic - whether the route accepts publishable keys
 * @throws ApiError authentication_error, the same for a missing, malformed, unknown and revoked key
 * Source: interface.md 5.2, 5.3, 5.5; decisions.md 9.
 */
export function authenticate(
  { keys }: Pick<Site, 'keys'>,
  header: string | undefined,
  allowsPublic: boolean,
): Caller {
  const secret = secretOf(header)
  const isKey = secret?.startsWith('sk_test_') || (allowsPublic && secret?.startsWith('pk_test_'))
  const resolved = secret !== undefined && isKey ? keys.resolve(secret) : undefined
  if (!resolved) throw invalidApiKey()
  const { key, merchant } = resolved
  const isPublic = key.type === 'publishable'
  const scope = `${merchant.settings.id}${isPublic ? ' public' : ''}`
  return { merchant, isPublic, keyId: key.id, keyHint: key.hint, scope }
}

/** The hint of whatever key a request carries, be it valid or not; null for what does not look like one. */
export function keyHint(header: string | undefined): string | null {
  const [, prefix, last] = /^([a-z]{2,3}_(?:test|live)_)\S{8,}?(\S{4})$/.exec(secretOf(header) ?? '') ?? []
  return prefix === undefined ? null : `${prefix}…${last}`
}

function secretOf(header: string | undefined): string | undefined {
  const [, scheme, credentials] = /^(bearer|basic) +(\S+) *$/i.exec(header ?? '') ?? []
  if (scheme === undefined || credentials === undefined) return undefined
  if (scheme.toLowerCase() === 'bearer') return credentials
  const decoded = Buffer.from(credentials, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  // Some clients leave out the colon when there is no password.
  if (colon === -1) return decoded
  return colon === decoded.length - 1 ? decoded.slice(0, colon) : undefined
}
