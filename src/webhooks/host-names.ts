import type { LookupAddress } from 'node:dns'
import type { LookUp } from './lookup-processes.ts'
import { SlowMerchants } from './slow-merchants.ts'
import { FairSemaphore } from './turnstile.ts'

/** paytwin: the maximum number of simultaneous lookups of each kind: first ones, and repeated ones. */
const MAX_LOOKUPS = 4
/** paytwin: the number of addresses of a name that are used. An answer can have thousands, and each is checked and tried. */
const MAX_ADDRESSES = 16
/** Name servers answer within milliseconds, but a new child process may take half a second on a busy machine. */
const PROMPT_MS = 1_000
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

/** Shorter limits for tests. */
export type HostNamesOptions = {
  readonly promptMs?: number
  readonly lookupMs?: number
  readonly waitMs?: number
}

type Found = Promise<readonly LookupAddress[]>
type Waiting = { readonly name: string; readonly over: AbortSignal; readonly settle: (found: Found) => void }

/** A lookup took longer than its limit. */
class Unanswered extends Error {}

/**
 * Resolves host names for merchants such that slow name servers of some merchants do not delay the others. Each merchant has one
 * lookup at a time, and merchants take turns. A lookup without an answer after a second gives up its place, and is repeated in separate
 * places for up to 5 seconds. For some time, further lookups of its merchant start there: see SlowMerchants.
 * Simultaneous requests for a name share one lookup. A request waits at most 15 seconds for its turn.
 */
export class HostNames {
  readonly #waitMs: number
  readonly #prompt: Lookups
  readonly #patient: Lookups
  readonly #oneEach = new FairSemaphore<string>(Number.POSITIVE_INFINITY, { most: 1 })
  readonly #slow = new SlowMerchants()
  readonly #waiting = new Set<Waiting>()

  constructor(
    lookUp: LookUp,
    { promptMs = PROMPT_MS, lookupMs = LOOKUP_MS, waitMs = WAIT_MS }: HostNamesOptions = {},
  ) {
    this.#prompt = new Lookups(lookUp, promptMs)
    this.#patient = new Lookups(lookUp, lookupMs)
    this.#waitMs = waitMs
  }

  /** Resolves a name. @throws Error when it has no address, or the lookup takes too long */
  resolve(name: string, { merchant, signal }: NameWanted): Found {
    if (isLocalhost(name)) return Promise.resolve(LOOPBACK)
    return new Promise((resolve, reject) => {
      const over = new AbortController()
      const settle = (found: Found) => {
        clearTimeout(timer)
        this.#waiting.delete(waiting)
        over.abort()
        found.then(resolve, reject)
      }
      const fail = (why: string) => settle(Promise.reject(new Error(why)))
      const late = `${name} was not looked up within ${this.#waitMs / 1_000} seconds: lookups of other names are slow`
      const endWait = () => {
        const running = this.#patient.running(name)
        if (running) settle(running)
        else fail(late)
      }
      const timer = setTimeout(endWait, this.#waitMs)
      const waiting = { name, over: over.signal, settle }
      signal.addEventListener('abort', () => fail(ABORTED), { once: true })
      if (signal.aborted) return fail(ABORTED)
      this.#waiting.add(waiting)
      void this.#takeTurn(waiting, merchant)
    })
  }

  /** Aborts the running and waiting lookups. */
  close(): void {
    for (const { settle } of this.#waiting) settle(Promise.reject(new Error(ABORTED)))
    this.#prompt.close()
    this.#patient.close()
  }

  async #takeTurn(waiting: Waiting, merchant: string): Promise<void> {
    if (!(await this.#oneEach.enter(merchant, 1, waiting.over))) return
    if (!this.#slow.has(merchant)) await this.#lookUpIn(this.#prompt, waiting, merchant)
    await this.#lookUpIn(this.#patient, waiting, merchant)
    this.#oneEach.leave(merchant)
  }

  /** Looks up a name when the merchant has its turn, unless the request is over by then. */
  async #lookUpIn(lookups: Lookups, { name, over }: Waiting, merchant: string): Promise<void> {
    if (!(await lookups.turnstile.enter(merchant, 1, over))) return
    const found = lookups.find(name)
    const isAnswered = await found.then(
      () => true,
      (error) => !(error instanceof Unanswered),
    )
    if (!isAnswered) this.#slow.add(merchant)
    if (isAnswered || lookups === this.#patient)
      for (const waiting of this.#waiting) if (waiting.name === name) waiting.settle(found)
    lookups.turnstile.leave(merchant)
  }
}

/** Lookups with a time limit. */
class Lookups {
  readonly turnstile = new FairSemaphore<string>(MAX_LOOKUPS)
  readonly #lookUp: LookUp
  readonly #limitMs: number
  readonly #running = new Map<string, { readonly found: Found; readonly controller: AbortController }>()

  constructor(lookUp: LookUp, limitMs: number) {
    this.#lookUp = lookUp
    this.#limitMs = limitMs
  }

  running(name: string): Found | undefined {
    return this.#running.get(name)?.found
  }

  /** Returns the running lookup of a name, or else starts one. */
  find(name: string): Found {
    return this.running(name) ?? this.#start(name)
  }

  close(): void {
    for (const { controller } of this.#running.values()) controller.abort(new Error(ABORTED))
  }

  #start(name: string): Found {
    const controller = new AbortController()
    const late = new Unanswered(
      `${name} was not resolved to an address within ${this.#limitMs / 1_000} seconds`,
    )
    // In a later turn: after one that took long, an answer may have arrived that was not read yet.
    const abort = () => setImmediate(() => controller.abort(late))
    const timer = setTimeout(abort, this.#limitMs)
    const found = this.#lookUp(name, controller.signal)
      .then((all) => all.slice(0, MAX_ADDRESSES))
      .finally(() => {
        clearTimeout(timer)
        this.#running.delete(name)
      })
    this.#running.set(name, { found, controller })
    return found
  }
}
