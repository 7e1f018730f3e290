import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Agent, Dispatcher } from 'undici'
import type { Addresses } from './address.ts'

const TIMEOUT_MS = 15_000
/** How much of an answer is kept, in bytes. Source: decisions.md 10. */
const MAX_KEPT_BYTES = 1_024
const MAX_HEADER_BYTES = 16_384
/** How long a connection is kept for the next event, unless the receiver says otherwise. */
const IDLE_MS = 30_000
/** How often a post is sent anew because a kept connection was gone: once for each that the retries may have left. */
const MAX_ANEW = 5
/** What breaks off when the other side has closed a connection. */
const CLOSED: ReadonlySet<string | undefined> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/** What is posted to a receiver. */
export type Letter = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a receiver answered, or why it did not. */
export type Reply =
  | { readonly status: number; readonly body: string }
  | { readonly status: null; readonly error: string }

/** Posts something, and never throws. */
export type Send = (letter: Letter, signal: AbortSignal) => Promise<Reply>

/** Why a receiver is not spoken to. */
class AddressRefused extends Error {}

/** How a sender goes about it; a test may hurry it, and say itself what names stand for. */
export type SenderOptions = { readonly timeoutMs?: number; readonly resolve?: typeof lookup }

/**
 * Posts to receivers over connections that are kept. Whatever they do (answer late, too much, nonsense or not at all), a
 * post ends within 15 seconds; redirects are answers like any other.
 * Source: decisions.md 10.
 */
export class Sender {
  readonly #addresses: Addresses
  readonly #timeoutMs: number
  readonly #resolve: typeof lookup
  #agent: Promise<Agent> | undefined

  constructor(addresses: Addresses, { timeoutMs = TIMEOUT_MS, resolve = lookup }: SenderOptions = {}) {
    this.#addresses = addresses
    this.#timeoutMs = timeoutMs
    this.#resolve = resolve
  }

  readonly send: Send = async (letter, ended) => {
    const refusal = this.#addresses.refusesUrl(letter.url)
    if (refusal !== undefined) return { status: null, error: refusal }
    const broken = new AbortController()
    const breakOff = () => broken.abort()
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      breakOff()
    }, this.#timeoutMs)
    ended.addEventListener('abort', breakOff, { once: true })
    if (ended.aborted) breakOff()
    try {
      const answer = await this.#post(letter, broken.signal)
      return { status: answer.statusCode, body: await beginningOf(answer) }
    } catch (error) {
      return {
        status: null,
        error: isLate ? `No answer within ${this.#timeoutMs / 1_000} seconds` : reasonOf(error),
      }
    } finally {
      clearTimeout(timer)
      ended.removeEventListener('abort', breakOff)
    }
  }

  async close(): Promise<void> {
    await (await this.#agent)?.destroy()
  }

  /** That a connection which was kept has been closed meanwhile says nothing of the receiver: its post is sent anew. */
  async #post({ url, headers, body }: Letter, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const { origin, pathname, search } = new URL(url)
    const agent = await this.#open()
    const post = { origin, method: 'POST', path: pathname + search, headers, body, signal } as const
    for (let anew = 0; anew < MAX_ANEW && keepsOne(agent, origin); anew += 1) {
      try {
        return await agent.request(post)
      } catch (error) {
        if (signal.aborted || !CLOSED.has((error as NodeJS.ErrnoException).code)) throw error
      }
    }
    return agent.request(post)
  }

  /** Loaded when the first event goes out: most daemons never send one. */
  #open(): Promise<Agent> {
    this.#agent ??= import('undici').then(
      ({ default: undici }) =>
        new undici.Agent({
          pipelining: 1,
          connect: { lookup: this.#lookup, timeout: this.#timeoutMs },
          maxHeaderSize: MAX_HEADER_BYTES,
          keepAliveTimeout: IDLE_MS,
        }),
    )
    return this.#agent
  }

  /** Resolves a name to addresses that are allowed: those, and no others, are then connected to. */
  readonly #lookup: LookupFunction = (hostname, options, callback) => {
    this.#resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, [])
      const refusal = found.map(({ address }) => this.#addresses.refusal(address)).find(Boolean)
      if (refusal)
        return callback(
          new AddressRefused(`${hostname} resolves to an address that is refused: ${refusal}`),
          [],
        )
      const [first] = found
      return options.all || !first ? callback(null, found) : callback(null, first.address, first.family)
    })
  }
}

/** Whether there is a connection to an origin on which nothing is sent at the moment. */
function keepsOne({ stats }: Agent, origin: string): boolean {
  const known = stats[origin]
  return known !== undefined && 'free' in known && known.free > 0
}

/** What is worth keeping of an answer; the rest is not read. */
async function beginningOf({ body }: Dispatcher.ResponseData): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    // Leaving the loop destroys the body, and with it the connection.
    if (size > MAX_KEPT_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, MAX_KEPT_BYTES).toString('utf8')
}

const reasonOf = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException
  return [message, code].filter((part) => part && (part === message || !message.includes(part))).join(' ')
}
