import type { LookupAddress } from 'node:dns'
import type http from 'node:http'
import type { LookupFunction } from 'node:net'
import { LimitedTurns } from '../engine/machine/limited-turns.ts'
import type { Steps } from '../engine/machine/steps.ts'
import { TURN_LIMIT } from '../engine/machine/work-limits.ts'
import { beginningOf } from '../text/beginning.ts'
import type { Addresses } from './address.ts'
import { HostNames, type HostNamesOptions, isLocalhost, type NameWanted } from './host-names.ts'
import { KeptConnections } from './kept-connections.ts'
import { type LookUp, LookupProcesses } from './lookup-processes.ts'
import { KeptConnectionClosed, post, protocolOf, type WebhookResponse } from './post.ts'
import { TimeLimit } from './time-limit.ts'

/** The time for the response of a receiver, in milliseconds. */
export const TIMEOUT_MS = 15_000
/** The time for which an idle connection is kept, unless the receiver requests another time. */
const IDLE_MS = 30_000
/** The maximum length of the reason why there is no response. */
const MAX_REASON = 1_024
/** The maximum number of posts over kept connections that fail before a new connection is used. Retries may leave several connections. */
const MAX_ANEW = 5

/** A post to a receiver. */
export type WebhookRequest = {
  readonly url: string
  /** The id of the merchant whose endpoint it is. */
  readonly merchant: string
  /** The merchant itself, in whose turns the data of the receiver is processed. */
  readonly turnOf: object
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer<ArrayBuffer>
}

/** The response of a receiver, or the error that prevented one. */
export type Reply =
  | { readonly status: number; readonly body: string }
  | { readonly status: null; readonly error: string }

/** Sends a post. Never throws. */
export type Send = (letter: WebhookRequest, signal: AbortSignal) => Promise<Reply>

/** The address of a receiver is refused. */
class AddressRefused extends Error {}

/** Options of a sender. Tests set a shorter timeout and their own name resolution. */
export type SenderOptions = HostNamesOptions & {
  readonly timeoutMs?: number
  readonly lookUp?: LookUp
  /** Measures what is received, so that long handshakes of one merchant do not hold up the others. */
  readonly steps?: Steps
}

/**
 * Sends posts over persistent connections. A post ends within 15 seconds plus the lookup of the host name, even if the
 * response is late, too large, invalid or missing. Redirects are not followed.
 * See docs/contract/events-and-webhooks.md#delivery-attempts.
 */
export class Sender {
  readonly #addresses: Addresses
  readonly #timeoutMs: number
  /** The turns of what receivers send. */
  readonly #turns: LimitedTurns
  readonly #processes = new LookupProcesses()
  readonly #names: HostNames
  readonly #kept = new KeptConnections()
  /** By protocol: `https:`. */
  readonly #agents = new Map<string, http.Agent>()

  constructor(
    addresses: Addresses,
    { timeoutMs = TIMEOUT_MS, lookUp, steps, ...limits }: SenderOptions = {},
  ) {
    this.#addresses = addresses
    this.#timeoutMs = timeoutMs
    this.#turns = new LimitedTurns(TURN_LIMIT, steps)
    this.#names = new HostNames(lookUp ?? this.#processes.lookUp, limits)
  }

  readonly send: Send = async (letter, ended) => {
    const refusal = this.#addresses.urlRefusal(letter.url)
    if (refusal !== undefined) return { status: null, error: refusal }
    return replyWithin(this.#timeoutMs, ended, (limit) => this.#post(letter, limit))
  }

  async close(): Promise<void> {
    this.#names.close()
    this.#processes.close()
    for (const agent of this.#agents.values()) agent.destroy()
  }

  /** Sends a post. Sends it again if a kept connection turns out to be closed. */
  async #post(
    { url, merchant, turnOf, headers, body }: WebhookRequest,
    limit: TimeLimit,
  ): Promise<WebhookResponse> {
    const { signal } = limit
    const target = new URL(url)
    const kept = await this.#agentFor(target)
    const resolve = (hostname: string) => limit.pausedFor(this.#resolve(hostname, { merchant, signal }))
    const receiving = { turnOf, run: (callback: () => void) => this.#turns.run(turnOf, callback) }
    const options = { headers, body, signal, receiving, lookup: lookupBy(resolve) }
    for (let anew = 0; anew < MAX_ANEW; anew += 1) {
      try {
        return await post(target, { ...options, agent: kept })
      } catch (error) {
        if (!(error instanceof KeptConnectionClosed)) throw error
      }
    }
    return post(target, options)
  }

  async #agentFor(target: URL): Promise<http.Agent> {
    const { protocol } = target
    const { Agent } = await protocolOf(target)
    const agent =
      this.#agents.get(protocol) ?? this.#kept.watch(new Agent({ keepAlive: true, timeout: IDLE_MS }))
    this.#agents.set(protocol, agent)
    return agent
  }

  /** Resolves a name to allowed addresses. Connections are made to these addresses only. */
  async #resolve(hostname: string, wanted: NameWanted): Promise<readonly LookupAddress[]> {
    const found = await this.#names.resolve(hostname, wanted)
    const refusals = found.map(({ address }) => this.#addresses.refusal(address))
    // Name servers do not define localhost: refused addresses are left out.
    const usable = found.filter((_, index) => refusals[index] === undefined)
    if (isLocalhost(hostname) && usable.length > 0) return usable
    const refusal = refusals.find(Boolean)
    if (refusal === undefined) return found
    throw new AddressRefused(`${hostname} resolves to a refused address: ${refusal}`)
  }
}

/** Returns the reply of a receiver, or why there was none: the time was over, or the work failed. */
export async function replyWithin(
  timeoutMs: number,
  ended: AbortSignal,
  work: (limit: TimeLimit) => Promise<Reply>,
): Promise<Reply> {
  const limit = new TimeLimit(timeoutMs, ended)
  try {
    return await work(limit)
  } catch (error) {
    const late = `No response within ${timeoutMs / 1_000} seconds`
    return { status: null, error: limit.isOver ? late : reasonOf(error) }
  } finally {
    limit.lift()
  }
}

/** Creates the lookup function of a connection, which returns only the resolved addresses. Literal addresses are not looked up: they were checked with the URL. */
const lookupBy =
  (resolve: (hostname: string) => Promise<readonly LookupAddress[]>): LookupFunction =>
  (hostname, { all }, callback) => {
    resolve(hostname).then(
      ([first, ...others]) => {
        if (!first) callback(new Error(`${hostname} has no address`), [])
        else if (all) callback(null, [first, ...others])
        else callback(null, first.address, first.family)
      },
      (error) => callback(error, []),
    )
  }

const reasonOf = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException
  const reason = [message, code].filter((part) => part && (part === message || !message.includes(part)))
  // An error can quote a certificate, with all of its names.
  return beginningOf(reason.join(' '), MAX_REASON)
}
