import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { Agent, buildConnector, Dispatcher } from 'undici'
import type { Addresses } from './address.ts'
import { HostNames, type HostNamesOptions, isLocalhost, type NameWanted } from './host-names.ts'
import { limitReading } from './limit-reading.ts'
import { type LookUp, LookupProcesses } from './lookup-processes.ts'
import { TimeLimit } from './time-limit.ts'

const TIMEOUT_MS = 15_000
/** How much of an answer is kept, in bytes. See docs/contract/events-and-webhooks.md#deliveries. */
const MAX_KEPT_BYTES = 1_024
const MAX_HEADER_BYTES = 16_384
/** How many informational answers (1xx) may precede an answer. */
const MAX_INFORMATIONAL = 100
/** How long a connection is kept for the next event, unless the receiver says otherwise. */
const IDLE_MS = 30_000
/** How often a post is sent anew because a kept connection was gone: once for each that the retries may have left. */
const MAX_ANEW = 5
/** What breaks off when the other side has closed a connection. */
const CLOSED: ReadonlySet<string | undefined> = new Set([
  'UND_ERR_SOCKET',
  'ECONNRESET',
  'EPIPE',
  'ERR_NOT_RESOLVED',
])

/** What is posted to a receiver. */
export type Letter = {
  readonly url: string
  /** The id of the merchant whose endpoint it is. */
  readonly merchant: string
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

/** A post over a kept connection found it closed: it is sent again, with the name resolved. */
class NotResolved extends Error {
  readonly code = 'ERR_NOT_RESOLVED'
}

/** The addresses of a host name to which posts connect at the moment, and how many posts do. */
type Resolved = { readonly found: readonly LookupAddress[]; readonly posts: number }

/** How a sender goes about it; a test may hurry it, and say itself what names stand for. */
export type SenderOptions = HostNamesOptions & { readonly timeoutMs?: number; readonly lookUp?: LookUp }

/**
 * Posts to receivers over connections that are kept. Whatever they do (answer late, too much, nonsense or not at all), a
 * post ends within 15 seconds, beside the lookup of a name; redirects are answers like any other.
 * See docs/contract/events-and-webhooks.md#delivery-attempts.
 */
export class Sender {
  readonly #addresses: Addresses
  readonly #timeoutMs: number
  readonly #processes = new LookupProcesses()
  readonly #names: HostNames
  /** By host name. */
  readonly #resolved = new Map<string, Resolved>()
  #agent: Promise<Agent> | undefined

  constructor(addresses: Addresses, { timeoutMs = TIMEOUT_MS, lookUp, ...limits }: SenderOptions = {}) {
    this.#addresses = addresses
    this.#timeoutMs = timeoutMs
    this.#names = new HostNames(lookUp ?? this.#processes.lookUp, limits)
  }

  readonly send: Send = async (letter, ended) => {
    const refusal = this.#addresses.refusesUrl(letter.url)
    if (refusal !== undefined) return { status: null, error: refusal }
    const limit = new TimeLimit(this.#timeoutMs, ended)
    try {
      const answer = await this.#post(letter, limit)
      return { status: answer.statusCode, body: await beginningOf(answer) }
    } catch (error) {
      const late = `No answer within ${this.#timeoutMs / 1_000} seconds`
      return { status: null, error: limit.isOver ? late : reasonOf(error) }
    } finally {
      limit.lift()
    }
  }

  async close(): Promise<void> {
    this.#names.close()
    this.#processes.close()
    await (await this.#agent)?.destroy()
  }

  /** That a connection which was kept has been closed meanwhile says nothing of the receiver: its post is sent anew. */
  async #post({ url, merchant, headers, body }: Letter, limit: TimeLimit): Promise<Dispatcher.ResponseData> {
    const { origin, hostname, pathname, search } = new URL(url)
    const { signal } = limit
    const agent = await this.#open()
    const path = pathname + search
    const post = {
      origin,
      method: 'POST',
      path,
      headers,
      body,
      signal,
      onInfo: informationalLimit(),
    } as const
    for (let anew = 0; anew < MAX_ANEW && keepsOne(agent, origin); anew += 1) {
      try {
        return await agent.request(post)
      } catch (error) {
        if (signal.aborted || !CLOSED.has((error as NodeJS.ErrnoException).code)) throw error
      }
    }
    const found = await limit.pausedFor(this.#resolve(hostname, { merchant, signal }))
    this.#hold(hostname, found)
    try {
      return await agent.request(post)
    } finally {
      this.#release(hostname)
    }
  }

  /** Loaded when the first event goes out: most daemons never send one. */
  #open(): Promise<Agent> {
    this.#agent ??= import('undici').then(
      ({ default: undici }) =>
        new undici.Agent({
          pipelining: 1,
          connect: limitReading(
            undici.buildConnector({
              lookup: this.#lookup,
              timeout: this.#timeoutMs,
            } as buildConnector.BuildOptions),
          ),
          maxHeaderSize: MAX_HEADER_BYTES,
          keepAliveTimeout: IDLE_MS,
        }),
    )
    return this.#agent
  }

  /** Resolves a name to addresses that are allowed: those, and no others, are then connected to. */
  async #resolve(hostname: string, wanted: NameWanted): Promise<readonly LookupAddress[]> {
    // A literal address was checked as part of the url.
    if (isIP(hostname.replace(/^\[|\]$/g, ''))) return []
    const found = await this.#names.resolve(hostname, wanted)
    const refusals = found.map(({ address }) => this.#addresses.refusal(address))
    // Which addresses localhost has is not for anybody else to say: those that are refused are left out.
    const usable = found.filter((_, index) => refusals[index] === undefined)
    if (isLocalhost(hostname) && usable.length > 0) return usable
    const refusal = refusals.find(Boolean)
    if (refusal === undefined) return found
    throw new AddressRefused(`${hostname} resolves to an address that is refused: ${refusal}`)
  }

  #hold(hostname: string, found: readonly LookupAddress[]): void {
    this.#resolved.set(hostname, { found, posts: (this.#resolved.get(hostname)?.posts ?? 0) + 1 })
  }

  #release(hostname: string): void {
    const { found = [], posts = 0 } = this.#resolved.get(hostname) ?? {}
    if (posts > 1) this.#resolved.set(hostname, { found, posts: posts - 1 })
    else this.#resolved.delete(hostname)
  }

  /** Connections are made to the addresses that a post has resolved. */
  readonly #lookup: LookupFunction = (hostname, options, callback) => {
    const { found } = this.#resolved.get(hostname) ?? {}
    if (!found) return callback(new NotResolved(), [])
    const [first] = found
    return options.all || !first ? callback(null, [...found]) : callback(null, first.address, first.family)
  }
}

/** Counts the informational answers to a post: each is parsed, and a receiver could send them without end. */
function informationalLimit(): () => void {
  let count = 0
  return () => {
    count += 1
    if (count > MAX_INFORMATIONAL)
      throw new Error(`The receiver sent more than ${MAX_INFORMATIONAL} informational answers (1xx)`)
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
