import { createHmac, timingSafeEqual } from 'node:crypto'

/** How far a timestamp may be from the present, in seconds, unless told otherwise. */
const TOLERANCE_SECONDS = 300

/** A message that a receiver gets: its id is the event's, its timestamp Unix seconds of wall time. */
export type Message = { readonly id: string; readonly timestamp: number; readonly body: string }

/** The headers that a receiver verifies, by their lowercase names. */
export type SignatureHeaders = {
  readonly 'paytwin-signature': string
  readonly 'webhook-id': string
  readonly 'webhook-timestamp': string
  readonly 'webhook-signature': string
}

/**
 * Signs a message in both ways that receivers know.
 * @param secret - `whsec_` and base64
 * Source: decisions.md 10; Standard Webhooks.
 */
export const sign = (secret: string, message: Message): SignatureHeaders => ({
  'paytwin-signature': `t=${message.timestamp},v1=${paytwinSignature(secret, message)}`,
  'webhook-id': message.id,
  'webhook-timestamp': String(message.timestamp),
  'webhook-signature': `v1,${standardSignature(secret, message)}`,
})

/** HMAC-SHA256 in hex, keyed with the whole text of the secret. */
const paytwinSignature = (secret: string, { timestamp, body }: Pick<Message, 'timestamp' | 'body'>): string =>
  createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')

/** HMAC-SHA256 in base64, keyed with what the secret's base64 stands for. */
const standardSignature = (secret: string, { id, timestamp, body }: Message): string =>
  createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64')

/** Why a delivery is not to be trusted, in a sentence. */
export class SignatureInvalid extends Error {}

type Given = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Verifies what a receiver got, by whichever signature it carries, and answers the event.
 * @param given.body - as it came over the wire, byte for byte
 * @param given.headers - by lowercase names, as Node gives them
 * @param given.now - Unix seconds; without it a message is good however old it is
 * @param given.toleranceSeconds - how far the timestamp may be from now (300)
 * @throws SignatureInvalid
 * Source: decisions.md 10.
 */
export function verify(
  secret: string,
  given: { body: string; headers: Given; now?: number; toleranceSeconds?: number },
): unknown {
  const { timestamp, isGenuine } = claimOf(secret, given)
  if (!isGenuine) throw new SignatureInvalid('The signature is not one of this body with this secret')
  const tolerance = given.toleranceSeconds ?? TOLERANCE_SECONDS
  if (given.now !== undefined && Math.abs(given.now - timestamp) > tolerance) {
    throw new SignatureInvalid(`The timestamp is more than ${tolerance} seconds from now`)
  }
  return JSON.parse(given.body)
}

function claimOf(
  secret: string,
  { body, headers }: { body: string; headers: Given },
): { timestamp: number; isGenuine: boolean } {
  const header = (name: string) => {
    const value = headers[name]
    return typeof value === 'string' ? value : undefined
  }
  const own = header('paytwin-signature')
  if (own !== undefined) {
    const parts = own.split(',').map((part) => part.split('=', 2))
    const timestamp = seconds(parts.find(([name]) => name === 't')?.[1])
    const expected = paytwinSignature(secret, { timestamp, body })
    return { timestamp, isGenuine: parts.some(([name, value]) => name === 'v1' && isSame(value, expected)) }
  }
  const [id, signatures] = [header('webhook-id'), header('webhook-signature')]
  if (id === undefined || signatures === undefined) {
    throw new SignatureInvalid('It has neither a Paytwin-Signature nor the headers of Standard Webhooks')
  }
  const timestamp = seconds(header('webhook-timestamp'))
  const expected = `v1,${standardSignature(secret, { id, timestamp, body })}`
  return { timestamp, isGenuine: signatures.split(' ').some((signature) => isSame(signature, expected)) }
}

function seconds(text: string | undefined): number {
  if (text === undefined || !/^\d{1,12}$/.test(text)) throw new SignatureInvalid('Its timestamp is no time')
  return Number(text)
}

/** Compared in constant time. */
function isSame(given: string | undefined, expected: string): boolean {
  const [left, right] = [Buffer.from(given ?? ''), Buffer.from(expected)]
  return left.length === right.length && timingSafeEqual(left, right)
}
