import { createHmac } from 'node:crypto'
import type { Client } from '../client/client.ts'
import type { Beginning } from '../client/event-stream.ts'
import type { Event } from '../client/types.ts'
import { post } from '../webhooks/post.ts'
import { signatureHeaders } from '../webhooks/signature.ts'
import { wrongUsage } from './failure.ts'
import { wallSeconds } from './wall.ts'

/** As deliveries to webhook endpoints. See docs/contract/events-and-webhooks.md#delivery-attempts. */
const TIMEOUT_MS = 15_000

/** Where events are forwarded, and the secret that they are signed with. */
export type Target = { readonly url: URL; readonly secret: string }

/** @throws Failure 2 for what is no address of a receiver */
export function targetOf(text: string, token: string | null): Target {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (!url || !isHttp || url.username !== '' || url.password !== '') {
    throw wrongUsage(
      `'${text}' is no address to forward to: give one without credentials, as in http://localhost:3000/webhooks`,
    )
  }
  return { url, secret: secretOf(token) }
}

/**
 * The secret follows from the admin token: it is the same each time, so that a receiver has to be told once.
 * See docs/contract/command-line.md#tailing-events.
 */
const secretOf = (token: string | null): string =>
  `whsec_${createHmac('sha256', token ?? '')
    .update('events tail --forward-to')
    .digest('base64')}`

/**
 * Posts events to a receiver as they happen, signed, one at a time and in order, until the signal ends it. What the receiver
 * does not accept is told and not repeated. It has a stream of its own, so that a slow receiver holds nobody else up.
 * @param onForwarded - why the receiver did not accept an event, in a few words; null when it did
 * See docs/contract/command-line.md#tailing-events.
 */
export async function forwardEvents(
  client: Client,
  beginning: Beginning,
  { url, secret }: Target,
  {
    signal,
    onForwarded,
  }: { signal: AbortSignal; onForwarded: (event: Event, failure: string | null) => void },
): Promise<void> {
  for await (const event of client.followEvents(beginning, {
    signal,
    onNews: () => undefined,
  })) {
    const failure = await failureOf(url, signed(event, secret), signal)
    if (signal.aborted) return
    onForwarded(event, failure)
  }
}

type SignedBody = { readonly body: string; readonly headers: Readonly<Record<string, string>> }

function signed(event: Event, secret: string): SignedBody {
  const body = JSON.stringify(event)
  return { body, headers: signatureHeaders(secret, { id: event.id, timestamp: wallSeconds(), body }) }
}

/** @returns why the receiver did not accept it; null when it did */
async function failureOf(
  url: URL,
  { body, headers }: SignedBody,
  ended: AbortSignal,
): Promise<string | null> {
  try {
    // Without an agent: when a kept connection closes, it is unknown whether the event arrived.
    const { status } = await post(url, {
      body,
      headers: { 'content-type': 'application/json', 'user-agent': 'paytwin', ...headers },
      signal: AbortSignal.any([ended, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    return status >= 200 && status < 300 ? null : `answered ${status}`
  } catch (error) {
    return reasonOf(error as NodeJS.ErrnoException)
  }
}

const reasonOf = ({ name, code, message }: NodeJS.ErrnoException): string =>
  name === 'AbortError' || name === 'TimeoutError'
    ? `no answer within ${TIMEOUT_MS / 1000} s`
    : `no connection (${code ?? message})`
