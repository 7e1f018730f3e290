import { invalidApiKey } from '../core/errors.ts'
import type { MerchantState } from '../engine/merchant.ts'
import type { Site } from './site.ts'

/**
 * The merchant whose secret key a request carries, as Bearer or as the user of Basic with an empty password.
 * @param header - the Authorization header
 * @throws ApiError authentication_error, the same for a missing, malformed, unknown and revoked key
 * Source: interface.md 5.2, 5.5; decisions.md 9.
 */
export function authenticate({ engine, keys }: Site, header: string | undefined): MerchantState {
  const secret = secretOf(header)
  const key = secret?.startsWith('sk_test_') ? keys.resolve(secret) : undefined
  const merchant = key?.type === 'secret' ? engine.merchants.get(key.merchant) : undefined
  if (!merchant) throw invalidApiKey()
  return merchant
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
