import { systemWall, wallSeconds } from '../engine/machine/clock.ts'
import { type ReceivedHeaders, verifySignature } from '../webhooks/signature.ts'
import { requireText } from './options.ts'
import type { Event } from './resources.ts'

/** A webhook as your application received it, with its unmodified body. */
export type SignedWebhook = {
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string | Uint8Array
}

/** The options of `verifyWebhook`. */
export type VerifyOptions = {
  /** The current real time in Unix seconds. Default: the system's time. */
  readonly now?: number | undefined
  /** The maximum age of the signature in seconds. Default: 300. */
  readonly tolerance?: number | undefined
}

/** The signature of a webhook is missing, wrong or too old. The message has the reason. */
export class SignatureInvalid extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SignatureInvalid'
  }
}

/**
 * Verifies a webhook with the secret of its endpoint. It checks the `Paytwin-Signature` and `Stripe-Signature` headers and the
 * headers of Standard Webhooks, whichever are present.
 * @param secret - the endpoint's secret, `whsec_…`
 * @returns the event in the body
 * @throws SignatureInvalid; TypeError if the secret is not text
 */
export function verifyWebhook(
  secret: string,
  { headers, body }: SignedWebhook,
  { now = wallSeconds(systemWall), tolerance }: VerifyOptions = {},
): Event {
  requireText('The secret of verifyWebhook', secret)
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
