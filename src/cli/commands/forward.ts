import { createHmac } from 'node:crypto'
import type { Client } from '../../client/client.ts'
import type { StreamNews, StreamStart } from '../../client/event-stream.ts'
import type { Event } from '../../client/types.ts'
import { DEFAULT_DIALECT, type Dialect } from '../../core/dialect.ts'
import { post } from '../../webhooks/post.ts'
import { SIGNATURES } from '../../webhooks/signature.ts'
import { TimeLimit } from '../../webhooks/time-limit.ts'
import { wrongUsage } from '../failure.ts'
import { wallSeconds } from '../time.ts'

/** The timeout of webhook deliveries. See docs/contract/events-and-webhooks.md#delivery-attempts. */
const TIMEOUT_MS = 15_000

/** The URL that events are forwarded to, and the secret that signs them. */
export type Target = { readonly url: URL; readonly secret: string }

/** Parses the URL of a receiver, which may lack the scheme: `localhost:3000/webhooks`. @throws Failure 2 if it is not an http or https URL, or has credentials */
export function targetOf(text: string, token: string | null): Target {
  const withScheme = /^([a-z][a-z0-9+.-]*:)?\/\//i.test(text) ? text : `http://${text}`
  const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (!url || !isHttp || url.username !== '' || url.password !== '') {
    throw wrongUsage(
      `'${text}' is not a valid URL to forward to: use http or https without credentials, as in http://localhost:3000/webhooks`,
    )
  }
  return { url, secret: secretOf(token) }
}

/**
 * Derives the signing secret from the admin token, so that it stays the same and a receiver is configured once.
 * See docs/contract/command-line.md#tailing-events.
 */
export const secretOf = (token: string | null): string =>
  `whsec_${createHmac('sha256', token ?? '')
    .update('events tail --forward-to')
    .digest('base64')}`

/**
 * Posts signed events to a receiver, one at a time and in order, until the signal aborts. An event that the receiver does
 * not accept is reported and not sent again. The function reads its own stream, so a slow receiver does not delay the
 * display.
 * @param onForwarded - called after each event with the reason why the receiver did not accept it, or null if it did; the next
 * event is read once it resolves
 * See docs/contract/command-line.md#tailing-events.
 */
export async function forwardEvents(
  client: Client,
  beginning: StreamStart,
  { url, secret }: Target,
  {
    signal,
    onForwarded,
    onStatus = () => undefined,
  }: {
    signal: AbortSignal
    onForwarded: (event: Event, failure: string | null) => void | Promise<void>
    onStatus?: (news: StreamNews) => void
  },
): Promise<void> {
  const dialects = new Dialects(client)
  for await (const event of client.followEvents(beginning, { signal, onStatus })) {
    const dialect = await dialects.of(event.merchant_id)
    const failure = await failureOf(url, signed(event, { secret, dialect }), signal)
    if (signal.aborted) return
    await onForwarded(event, failure)
  }
}

type SignedBody = { readonly body: Buffer<ArrayBuffer>; readonly headers: Readonly<Record<string, string>> }

/** Makes the body and the signature that a webhook endpoint of the merchant would get. */
function signed(
  event: Event,
  { secret, dialect }: { readonly secret: string; readonly dialect: Dialect },
): SignedBody {
  const { merchant_id: _, ...ofStripe } = event
  const body = Buffer.from(JSON.stringify(dialect === 'stripe' ? ofStripe : event))
  const headers = SIGNATURES[dialect](secret, { id: event.id, timestamp: wallSeconds(), body })
  return { body, headers }
}

/** The dialects of the merchants. A merchant's dialect never changes. */
class Dialects {
  readonly #client: Client
  #known = new Map<string, Dialect>()

  constructor(client: Client) {
    this.#client = client
  }

  async of(merchant: string): Promise<Dialect> {
    const known = this.#known.get(merchant)
    if (known) return known
    const { data } = await this.#client.merchants()
    this.#known = new Map(data.map(({ id, dialect }) => [id, dialect]))
    return this.#known.get(merchant) ?? DEFAULT_DIALECT
  }
}

/** Posts one event. @returns the reason why the receiver did not accept it, or null if it did */
async function failureOf(
  url: URL,
  { body, headers }: SignedBody,
  ended: AbortSignal,
): Promise<string | null> {
  const limit = new TimeLimit(TIMEOUT_MS, ended)
  try {
    // A kept-alive connection can close just as it is reused: then it is unknown whether the event arrived.
    const { status } = await post(url, {
      body,
      headers: { 'content-type': 'application/json', 'user-agent': 'paytwin', ...headers },
      signal: limit.signal,
    })
    return status >= 200 && status < 300 ? null : `returned ${status}`
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return limit.isOver ? `no response within ${TIMEOUT_MS / 1000} s` : `no connection (${code ?? message})`
  } finally {
    limit.lift()
  }
}
