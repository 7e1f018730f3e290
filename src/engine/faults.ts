import { resourceMissing } from '../core/errors.ts'
import { matchesGlob } from '../core/glob.ts'
import { CHARGE_FAULTS, type ChargeFault } from '../core/processor.ts'
import type { Ids } from './ids.ts'

/** What can be made to go wrong with a request. */
const REQUEST_FAULTS = [
  'key_resolution_unavailable',
  'internal_error',
  'response_lost',
  'rate_limit',
  'latency',
] as const
export type RequestFault = (typeof REQUEST_FAULTS)[number]

/** What can be made to go wrong with what is posted to a webhook endpoint; its `route` is a glob over the url. */
const WEBHOOK_FAULT = 'webhook_failure'

/** What can be made to go wrong. See docs/contract/faults.md#faults. */
export const FAULT_KINDS = [...CHARGE_FAULTS, ...REQUEST_FAULTS, WEBHOOK_FAULT] as const
export type FaultKind = (typeof FAULT_KINDS)[number]

/** Whether it strikes attempts to charge a card, be they a request's or the clock's, rather than requests. */
export const isChargeFault = (kind: FaultKind): kind is ChargeFault =>
  (CHARGE_FAULTS as readonly string[]).includes(kind)

export type Fault = {
  readonly id: string
  readonly kind: FaultKind
  /** How many more times it strikes; null for ever. */
  remaining: number | null
  /** The share of the occasions on which it strikes, 0 to 1. */
  readonly rate: number
  /**
   * What it strikes, as a glob: over `POST /v1/…`, or for a webhook failure over the endpoint's url; null for all, and for a
   * fault of charges.
   */
  readonly route: string | null
  /** The merchant's id; null for all. */
  readonly merchant: string | null
  /** Of a latency: milliseconds; null for any other. */
  readonly ms: number | null
  /** On how many occasions it might have struck, from which chance follows. */
  occasions: number
}

/**
 * What is struck: a request, by its route and, once that is known, its merchant; or an attempt to post to a webhook
 * endpoint, whose url stands for the route.
 */
export type Occasion = { readonly route: string; readonly merchant: string | null }

/** The faults that the operator injected, in memory only: a restart is well again. */
export class Faults {
  readonly #ids: Ids
  readonly #faults: Fault[] = []
  #count = 0

  constructor(ids: Ids) {
    this.#ids = ids
  }

  /** Whether no fault was injected. */
  get isEmpty(): boolean {
    return this.#faults.length === 0
  }

  list(): readonly Fault[] {
    return this.#faults
  }

  add(given: Omit<Fault, 'id' | 'occasions'>): Fault {
    this.#count += 1
    const fault = { ...given, id: `fault_${this.#count}`, occasions: 0 }
    this.#faults.push(fault)
    return fault
  }

  /** @throws ApiError resource_missing for an unknown id */
  clear(id?: string): void {
    if (id === undefined) {
      this.#faults.length = 0
      return
    }
    const place = this.#faults.findIndex((fault) => fault.id === id)
    if (place === -1) throw resourceMissing('fault', id)
    this.#faults.splice(place, 1)
  }

  /** The fault of a kind that strikes a request, or an attempt to post to an endpoint, now, if one does; one use of it is gone by that. */
  strike(kind: RequestFault | typeof WEBHOOK_FAULT, { route, merchant }: Occasion): Fault | undefined {
    return this.#strike(
      (fault) =>
        fault.kind === kind &&
        isOf(fault, merchant) &&
        (fault.route === null || routeMatches(fault.route, route)),
    )
  }

  /** What would strike a merchant's next attempt to charge a card; null for nothing. Looking uses nothing up. */
  aheadOfCharge(merchant: string): ChargeFault | null {
    for (const fault of this.#faults) {
      if (isChargeFault(fault.kind) && isOf(fault, merchant) && this.#hits(fault)) return fault.kind
    }
    return null
  }

  /** What strikes a merchant's attempt to charge a card, which is made now: the same that was ahead of it. */
  strikeCharge(merchant: string): ChargeFault | null {
    const struck = this.#strike((fault) => isChargeFault(fault.kind) && isOf(fault, merchant))
    return struck && isChargeFault(struck.kind) ? struck.kind : null
  }

  /** The first that hits of the faults concerned. Each that is asked has had an occasion, the one that hits a use. */
  #strike(concerns: (fault: Fault) => boolean): Fault | undefined {
    for (const fault of this.#faults) {
      if (!concerns(fault)) continue
      const hits = this.#hits(fault)
      fault.occasions += 1
      if (!hits) continue
      if (fault.remaining !== null) fault.remaining -= 1
      if (fault.remaining === 0) this.#faults.splice(this.#faults.indexOf(fault), 1)
      return fault
    }
    return undefined
  }

  /** Chance follows from the seed and from how often the fault was asked, so that a run can be repeated. */
  #hits({ id, rate, occasions }: Fault): boolean {
    if (rate >= 1) return true
    return Number.parseInt(this.#ids.derived(`fault ${id} ${occasions}`, 6, '0123456789'), 10) / 1e6 < rate
  }
}

const isOf = (fault: Fault, merchant: string | null): boolean =>
  fault.merchant === null || fault.merchant === merchant

/** Stars stand for anything; a glob without a method is one of the path. */
function routeMatches(glob: string, route: string): boolean {
  const [, path = route] = route.split(' ')
  return matchesGlob(glob, glob.includes(' ') ? route : path)
}
