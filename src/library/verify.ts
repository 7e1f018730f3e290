import { systemWall, wallSeconds } from '../engine/clock.ts'
import { type ReceivedHeaders, verifySignature } from '../webhooks/signature.ts'
import type { Event } from './resources.ts'

/** A webhook as your application got it: its headers in whatever form, and its body exactly as it came. */
export type SignedWebhook = {
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string | Uint8Array
}

/** How a signature is checked. */
export type VerifyOptions = {
  /** Unix seconds of the wall clock. The present when not given. */
  readonly now?: number | undefined
  /** How far from now it may have been signed, in seconds. 300 when not given. */
  readonly tolerance?: number | undefined
}

/** A webhook was not signed with the secret, or not lately; the message says what is wrong. */
export class SignatureInvalid extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SignatureInvalid'
  }
}

/**
 * Checks that a webhook was signed with the secret of an endpoint, by `Paytwin-Signature` and by Standard Webhooks,
 * whichever it has.
 * @param secret - `whsec_…`
 * @returns the event that it tells
 * @throws SignatureInvalid
 */
export function verifyWebhook(
  secret: string,
  { headers, body }: SignedWebhook,
  { now = wallSeconds(systemWall), tolerance }: VerifyOptions = {},
): Event {
  const given: ReceivedHeaders =
    typeof headers.entries === 'function'
      ? Object.fromEntries(headers as Headers)
      : (headers as ReceivedHeaders)
  const verdict = verifySignature(
    secret,
    { headers: given, body },
    { now, ...(tolerance !== undefined && { tolerance }) },
  )
  if (!verdict.isValid) throw new SignatureInvalid(verdict.reason)
  return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body))
}
