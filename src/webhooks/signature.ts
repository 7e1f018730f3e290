import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Dialect } from '../core/dialect.ts'

/** A message to sign, as it is sent. */
export type SignedMessage = {
  /** The event's id. */
  readonly id: string
  /** Unix seconds on the wall clock. */
  readonly timestamp: number
  /** The exact bytes of the body; a string is encoded as UTF-8. */
  readonly body: string | Uint8Array
}

/** The headers of a received request: in any case, several values as a list or joined. */
export type ReceivedHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** The result of a verification. `scheme` is the verified one; `reason` is a sentence. */
export type Verdict =
  | { readonly isValid: true; readonly scheme: Scheme }
  | { readonly isValid: false; readonly reason: string }

type Scheme = 'paytwin' | 'stripe' | 'standard_webhooks'
/** The signature in the headers of one scheme. */
type Claim = { readonly id: string; readonly timestamp: string; readonly signatures: readonly string[] }

/** The maximum difference between a signature's time and now. paytwin: what receivers of all schemes allow. */
const TOLERANCE_SECONDS = 300
const SECRET_PREFIX = 'whsec_'
/** The maximum number of signatures of a header that are compared. There are two during a change of a secret. */
const MAX_SIGNATURES = 20

/**
 * Creates the headers of a delivery, with its signatures in both schemes.
 * @param secret - `whsec_` and base64: the whole text is the key of `Paytwin-Signature`, the decoded part that of
 * Standard Webhooks
 * See docs/contract/events-and-webhooks.md#signatures.
 */
export function signatureHeaders(secret: string, message: SignedMessage): Record<string, string> {
  const { id, timestamp } = message
  return {
    'Paytwin-Signature': `t=${timestamp},v1=${SIGN.paytwin(secret, message)}`,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${SIGN.standard_webhooks(secret, message)}`,
  }
}

/** Creates the signature header of each dialect. See docs/contract/events-and-webhooks.md#signatures. */
export const SIGNATURES: Readonly<Record<Dialect, typeof signatureHeaders>> = {
  paytwin: signatureHeaders,
  stripe: (secret, message) => ({
    'Stripe-Signature': `t=${message.timestamp},v1=${SIGN.stripe(secret, message)}`,
  }),
}

/** What is needed to judge a signature: Unix seconds on the receiver's wall clock, and how far from it the signature may be. */
type Time = { readonly now: number; readonly tolerance?: number }

/**
 * Verifies that a delivery was signed with a secret, and recently. At least one scheme must be present, and every
 * present one must be valid. If a header has several signatures (during a change of the secret), one must be valid.
 * See docs/contract/events-and-webhooks.md#signatures.
 */
export function verifySignature(
  secret: string,
  { headers, body }: { readonly headers: ReceivedHeaders; readonly body: string | Uint8Array },
  time: Time,
): Verdict {
  const signed = claimsIn(headers, time)
  return 'reason' in signed ? refused(signed.reason) : verifyClaims(secret, signed, body)
}

/** Verifies signatures that were read from headers: one secret after the other can be tried. */
export function verifyClaims(secret: string, { claims }: Claims, body: string | Uint8Array): Verdict {
  const [first] = claims
  const isSigned = claims.every(({ scheme, claim }) => matches(secret, scheme, claim, body))
  return isSigned
    ? { isValid: true, scheme: first.scheme }
    : refused('The signature does not match: another secret was used, or the body has changed.')
}

/** Returns why a delivery would be refused whatever its body is; undefined if the body decides. */
export function refusalWithoutBody(headers: ReceivedHeaders, time: Time): string | undefined {
  const signed = claimsIn(headers, time)
  return 'reason' in signed ? signed.reason : undefined
}

type SchemeClaim = { readonly scheme: Scheme; readonly claim: Claim }
/** The signatures in the headers, by scheme. */
type Claims = { readonly claims: readonly [SchemeClaim, ...SchemeClaim[]] }

/** Reads the signatures in the headers. @returns them, or why they are refused whatever the body is */
export function claimsIn(
  headers: ReceivedHeaders,
  { now, tolerance = TOLERANCE_SECONDS }: Time,
): Claims | { readonly reason: string } {
  const given = lowercased(headers)
  const schemes = [
    ['paytwin', timedClaim(given.get('paytwin-signature'))] as const,
    ['stripe', timedClaim(given.get('stripe-signature'))] as const,
    ['standard_webhooks', standardClaim(given)] as const,
  ]
  const [first, ...others] = schemes.flatMap(([scheme, claim]) => (claim ? [{ scheme, claim }] : []))
  if (!first) return { reason: UNSIGNED }
  for (const { claim } of [first, ...others]) {
    const { timestamp } = claim
    if (!/^\d{1,12}$/.test(timestamp)) return { reason: 'The signature has no timestamp in Unix seconds.' }
    if (Math.abs(now - Number(timestamp)) > tolerance)
      return {
        reason: `The signature's timestamp ${timestamp} differs from the current time ${now} by more than ${tolerance} seconds.`,
      }
  }
  return { claims: [first, ...others] }
}

const UNSIGNED =
  'The request has neither a Paytwin-Signature nor a Stripe-Signature nor a webhook-signature header.'

/** Computes the signature of `t=…,v1=…`: Stripe's and paytwin's differ only in the name of the header. */
const signTimed = (secret: string, { timestamp, body }: SignedMessage): string =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')

/** Computes the signature of a message, by scheme. */
const SIGN: Readonly<Record<Scheme, (secret: string, message: SignedMessage) => string>> = {
  paytwin: signTimed,
  stripe: signTimed,
  standard_webhooks: (secret, { id, timestamp, body }) =>
    createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest('base64'),
}

const keyOf = (secret: string): Buffer =>
  Buffer.from(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret, 'base64')

/** Whether a signature is one of a body with a secret. */
function matches(
  secret: string,
  scheme: Scheme,
  { id, timestamp, signatures }: Claim,
  body: string | Uint8Array,
): boolean {
  const expected = SIGN[scheme](secret, { id, timestamp: Number(timestamp), body })
  return signatures.some((signature) => isSame(signature, expected))
}

/** Parses `t=…,v1=…`, with several v1 during a change of the secret. */
function timedClaim(header: string | undefined): Claim | undefined {
  if (header === undefined) return undefined
  const parts = header.split(',').map((part) => part.trim())
  const valuesOf = (name: string) =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1))
  return { id: '', timestamp: valuesOf('t')[0] ?? '', signatures: valuesOf('v1').slice(0, MAX_SIGNATURES) }
}

/** Parses the three headers of Standard Webhooks; signatures are separated by spaces, each with its version. */
function standardClaim(headers: ReadonlyMap<string, string>): Claim | undefined {
  const header = headers.get('webhook-signature')
  if (header === undefined) return undefined
  const signatures = header
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .slice(0, MAX_SIGNATURES)
    .map((part) => part.slice(3))
  return {
    id: headers.get('webhook-id') ?? '',
    timestamp: headers.get('webhook-timestamp') ?? '',
    signatures,
  }
}

function lowercased(headers: ReceivedHeaders): Map<string, string> {
  const given = Object.entries(headers).filter(([, value]) => value !== undefined)
  return new Map(given.map(([name, value]) => [name.toLowerCase(), [value].flat().join(',')]))
}

/** Compares texts in constant time. */
function isSame(left: string, right: string): boolean {
  const [leftBytes, rightBytes] = [Buffer.from(left), Buffer.from(right)]
  return leftBytes.length === rightBytes.length && timingSafeEqual(leftBytes, rightBytes)
}

const refused = (reason: string): Verdict => ({ isValid: false, reason })
