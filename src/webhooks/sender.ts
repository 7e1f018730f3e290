import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { Agent, buildConnector, Dispatcher } from 'undici'
import type { Addresses } from './address.ts'
import { HostNames, type HostNamesOptions, isLocalhost, type NameWanted } from './host-names.ts'
import { limitReading } from './limit-reading.ts'
import { type LookUp, LookupProcesses } from './lookup-processes.ts'
import { TimeLimit } from './time-limit.ts'

const TIMEOUT_MS = 15_000
/** The number of bytes of a response that are stored. See docs/contract/events-and-webhooks.md#deliveries. */
const MAX_KEPT_BYTES = 1_024
const MAX_HEADER_BYTES = 16_384
/** The maximum number of informational responses (1xx) before a response. */
const MAX_INFORMATIONAL = 100
/** How long an idle connection is kept, unless the receiver sets another time. */
const IDLE_MS = 30_000
/**
 * How often a post is sent again because a kept connection was closed: once for each connection that retries may have
 * left.
 */
const MAX_RESENDS = 5
/** The error codes of a connection that the other side has closed. */
const CLOSED: ReadonlySet<string | undefined> = new Set([
  'UND_ERR_SOCKET',
  'ECONNRESET',
  'EPIPE',
  'ERR_NOT_RESOLVED',
])

/** A post to a receiver. */
export type Letter = {
  readonly url: string
  /** The id of the merchant whose endpoint it is. */
  readonly merchant: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The response of a receiver, or the error that prevented one. */
export type Reply =
  | { readonly status: number; readonly body: string }
  | { readonly status: null; readonly error: string }

/** Sends a post. Never throws. */
export type Send = (letter: Letter, signal: AbortSignal) => Promise<Reply>

/** The address of a receiver is refused. */
class AddressRefused extends Error {}

/**
 * A kept connection was closed, and the new one has no resolved address: the post is sent again after resolving the
 * name.
 */
class NotResolved extends Error {
  readonly code = 'ERR_NOT_RESOLVED'
}

/** The addresses to which posts for a host name currently connect, and the number of these posts. */
type Resolved = { readonly found: readonly LookupAddress[]; readonly posts: number }

/** The options of a sender; tests shorten times and resolve names themselves. */
export type SenderOptions = HostNamesOptions & { readonly timeoutMs?: number; readonly lookUp?: LookUp }

/**
 * Sends posts over persistent connections. Whatever a receiver does (answers late, too much, invalidly or not at all),
 * a post ends within 15 seconds, plus the lookup of its name. A redirect is a response like any other.
 * See docs/contract/events-and-webhooks.md#delivery-attempts.
 */
export class Sender {
  readonly #addresses: Addresses
  readonly #timeoutMs: number
  readonly #processes = new LookupProcesses()
  readonly #names: HostNames
  /** The resolved addresses, by host name. */
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
      const late = `No response within ${this.#timeoutMs / 1_000} seconds`
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

  /**
   * Sends a post. If a kept connection turns out to be closed, it is sent again: that is not a failure of the receiver.
   */
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
    for (let resends = 0; resends < MAX_RESENDS && hasIdleConnection(agent, origin); resends += 1) {
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

  /** Loads undici at the first event: most daemons never send one. */
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

  /** Resolves a name to allowed addresses. Connections are made to these addresses only. */
  async #resolve(hostname: string, wanted: NameWanted): Promise<readonly LookupAddress[]> {
    // A literal address was checked as part of the URL.
    if (isIP(hostname.replace(/^\[|\]$/g, ''))) return []
    const found = await this.#names.resolve(hostname, wanted)
    const refusals = found.map(({ address }) => this.#addresses.refusal(address))
    // Name servers do not define localhost: refused addresses are left out.
    const usable = found.filter((_, index) => refusals[index] === undefined)
    if (isLocalhost(hostname) && usable.length > 0) return usable
    const refusal = refusals.find(Boolean)
    if (refusal === undefined) return found
    throw new AddressRefused(`${hostname} resolves to a refused address: ${refusal}`)
  }

  #hold(hostname: string, found: readonly LookupAddress[]): void {
    this.#resolved.set(hostname, { found, posts: (this.#resolved.get(hostname)?.posts ?? 0) + 1 })
  }

  #release(hostname: string): void {
    const { found = [], posts = 0 } = this.#resolved.get(hostname) ?? {}
    if (posts > 1) this.#resolved.set(hostname, { found, posts: posts - 1 })
    else this.#resolved.delete(hostname)
  }

  /** Returns the addresses that a post has resolved. */
  readonly #lookup: LookupFunction = (hostname, options, callback) => {
    const { found } = this.#resolved.get(hostname) ?? {}
    if (!found) return callback(new NotResolved(), [])
    const [first] = found
    return options.all || !first ? callback(null, [...found]) : callback(null, first.address, first.family)
  }
}

/** Limits the informational responses to a post: each is parsed, and a receiver could send them endlessly. */
function informationalLimit(): () => void {
  let count = 0
  return () => {
    count += 1
    if (count > MAX_INFORMATIONAL)
      throw new Error(`The receiver sent more than ${MAX_INFORMATIONAL} informational responses (1xx)`)
  }
}

/** Reports whether an origin has an idle connection. */
function hasIdleConnection({ stats }: Agent, origin: string): boolean {
  const known = stats[origin]
  return known !== undefined && 'free' in known && known.free > 0
}

/** Reads the stored part of a response; the rest is not read. */
async function beginningOf({ body }: Dispatcher.ResponseData): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    // Leaving the loop destroys the body and the connection.
    if (size > MAX_KEPT_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, MAX_KEPT_BYTES).toString('utf8')
}

const reasonOf = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException
  return [message, code].filter((part) => part && (part === message || !message.includes(part))).join(' ')
}
