import type { LookupAddress } from 'node:dns'
import type { LookUp } from './lookup-processes.ts'
import { FairSemaphore } from './turnstile.ts'

/** paytwin: the maximum number of simultaneous lookups, in all and for one merchant. */
const MAX_LOOKUPS = 4
const MAX_LOOKUPS_OF_ONE = 1
/** paytwin: the number of addresses of a name that are used. An answer can have thousands, and each is checked and tried. */
const MAX_ADDRESSES = 16
const LOOKUP_MS = 5_000
const WAIT_MS = 15_000
const ABORTED = 'The lookup was aborted'

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/** Reports whether a host name denotes this machine by definition, without a lookup (RFC 6761 6.3). */
export const isLocalhost = (name: string): boolean => /^(?:.*\.)?localhost\.?$/i.test(name)

/** The merchant whose URL contains a name, and the signal that aborts the lookup. */
export type NameWanted = { readonly merchant: string; readonly signal: AbortSignal }

export type HostNamesOptions = { readonly lookupMs?: number; readonly waitMs?: number }

type Found = Promise<readonly LookupAddress[]>
type Waiting = { readonly name: string; readonly settle: (found: Found) => void }

/**
 * Resolves host names for merchants such that slow name servers of one merchant do not delay the others: each has one
 * lookup at a time, and merchants take turns. Simultaneous requests for a name share one lookup. A lookup takes at most
 * 5 seconds, and waits at most 15 seconds for its turn.
 */
export class HostNames {
  readonly #lookUp: LookUp
  readonly #lookupMs: number
  readonly #waitMs: number
  readonly #turnstile = new FairSemaphore<string>(MAX_LOOKUPS, { most: MAX_LOOKUPS_OF_ONE })
  readonly #waiting = new Set<Waiting>()
  readonly #running = new Map<string, { readonly found: Found; readonly controller: AbortController }>()

  constructor(lookUp: LookUp, { lookupMs = LOOKUP_MS, waitMs = WAIT_MS }: HostNamesOptions = {}) {
    this.#lookUp = lookUp
    this.#lookupMs = lookupMs
    this.#waitMs = waitMs
  }

  /** Resolves a name. @throws Error when it has no address, or the lookup takes too long */
  resolve(name: string, { merchant, signal }: NameWanted): Found {
    if (isLocalhost(name)) return Promise.resolve(LOOPBACK)
    return new Promise((resolve, reject) => {
      const settle = (found: Found) => {
        clearTimeout(timer)
        this.#waiting.delete(waiting)
        found.then(resolve, reject)
      }
      const fail = (why: string) => settle(Promise.reject(new Error(why)))
      const late = `${name} was not looked up within ${this.#waitMs / 1_000} seconds: lookups of other names are slow`
      const timer = setTimeout(fail, this.#waitMs, late)
      const waiting = { name, settle }
      signal.addEventListener('abort', () => fail(ABORTED), { once: true })
      const running = this.#running.get(name)
      if (signal.aborted) return fail(ABORTED)
      if (running) return settle(running.found)
      this.#waiting.add(waiting)
      void this.#takeTurn(waiting, merchant)
    })
  }

  /** Aborts the running and waiting lookups. */
  close(): void {
    for (const { settle } of this.#waiting) settle(Promise.reject(new Error(ABORTED)))
    for (const { controller } of this.#running.values()) controller.abort(new Error(ABORTED))
  }

  async #takeTurn(waiting: Waiting, merchant: string): Promise<void> {
    await this.#turnstile.enter(merchant)
    if (this.#waiting.has(waiting)) await this.#start(waiting.name).catch(() => undefined)
    this.#turnstile.leave(merchant)
  }

  /** Starts a lookup for all requests that wait for this name. */
  #start(name: string): Found {
    const controller = new AbortController()
    const late = new Error(`${name} was not resolved to an address within ${this.#lookupMs / 1_000} seconds`)
    const timer = setTimeout(() => controller.abort(late), this.#lookupMs)
    const found = this.#lookUp(name, controller.signal)
      .then((all) => all.slice(0, MAX_ADDRESSES))
      .finally(() => {
        clearTimeout(timer)
        this.#running.delete(name)
      })
    this.#running.set(name, { found, controller })
    for (const waiting of this.#waiting) if (waiting.name === name) waiting.settle(found)
    return found
  }
}
