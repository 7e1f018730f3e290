import type { LookupAddress } from 'node:dns'
import type { LookUp } from './lookup-processes.ts'
import { Turnstile } from './turnstile.ts'

/** paytwin: how many names are looked up at the same time, and how many of these for one merchant. */
const MAX_LOOKUPS = 4
const MAX_LOOKUPS_OF_ONE = 1
const LOOKUP_MS = 5_000
const WAIT_MS = 15_000
const GIVEN_UP = 'The lookup was given up'

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/** Whether a host name stands for this machine, whatever name servers say (RFC 6761 6.3). */
export const isLocalhost = (name: string): boolean => /^(?:.*\.)?localhost\.?$/i.test(name)

/** Whose url a name is part of, and what gives the lookup up. */
export type NameWanted = { readonly merchant: string; readonly signal: AbortSignal }

export type HostNamesOptions = { readonly lookupMs?: number; readonly waitMs?: number }

type Found = Promise<readonly LookupAddress[]>
type Waiting = { readonly name: string; readonly settle: (found: Found) => void }

/**
 * Resolves host names for merchants so that slow name servers of one do not delay the others: each has one lookup at a time,
 * and merchants take turns. Equal names that are wanted at the same time share one lookup. A lookup takes at most 5 seconds,
 * and waits at most 15 for its turn.
 */
export class HostNames {
  readonly #lookUp: LookUp
  readonly #lookupMs: number
  readonly #waitMs: number
  readonly #turnstile = new Turnstile<string>(MAX_LOOKUPS, MAX_LOOKUPS_OF_ONE)
  readonly #waiting = new Set<Waiting>()
  readonly #running = new Map<string, { readonly found: Found; readonly giveUp: AbortController }>()

  constructor(lookUp: LookUp, { lookupMs = LOOKUP_MS, waitMs = WAIT_MS }: HostNamesOptions = {}) {
    this.#lookUp = lookUp
    this.#lookupMs = lookupMs
    this.#waitMs = waitMs
  }

  /** Resolves a name. @throws Error when it has no address, or none is known in time */
  resolve(name: string, { merchant, signal }: NameWanted): Found {
    if (isLocalhost(name)) return Promise.resolve(LOOPBACK)
    return new Promise((resolve, reject) => {
      const settle = (found: Found) => {
        clearTimeout(timer)
        this.#waiting.delete(waiting)
        found.then(resolve, reject)
      }
      const giveUp = (why: string) => settle(Promise.reject(new Error(why)))
      const late = `${name} was not looked up within ${this.#waitMs / 1_000} seconds: lookups of other names are slow`
      const timer = setTimeout(giveUp, this.#waitMs, late)
      const waiting = { name, settle }
      signal.addEventListener('abort', () => giveUp(GIVEN_UP), { once: true })
      const running = this.#running.get(name)
      if (signal.aborted) return giveUp(GIVEN_UP)
      if (running) return settle(running.found)
      this.#waiting.add(waiting)
      void this.#takeTurn(waiting, merchant)
    })
  }

  /** Gives up the lookups under way, and those that wait. */
  close(): void {
    for (const { settle } of this.#waiting) settle(Promise.reject(new Error(GIVEN_UP)))
    for (const { giveUp } of this.#running.values()) giveUp.abort(new Error(GIVEN_UP))
  }

  async #takeTurn(waiting: Waiting, merchant: string): Promise<void> {
    await this.#turnstile.enter(merchant)
    if (this.#waiting.has(waiting)) await this.#start(waiting.name).catch(() => undefined)
    this.#turnstile.leave(merchant)
  }

  /** Starts a lookup, for all that wait for this name. */
  #start(name: string): Found {
    const giveUp = new AbortController()
    const late = new Error(`${name} was not resolved to an address within ${this.#lookupMs / 1_000} seconds`)
    const timer = setTimeout(() => giveUp.abort(late), this.#lookupMs)
    const found = this.#lookUp(name, giveUp.signal).finally(() => {
      clearTimeout(timer)
      this.#running.delete(name)
    })
    this.#running.set(name, { found, giveUp })
    for (const waiting of this.#waiting) if (waiting.name === name) waiting.settle(found)
    return found
  }
}
