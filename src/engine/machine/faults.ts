import { parameterInvalid, resourceMissing } from '../../core/errors.ts'
import { matchesGlob } from '../../core/glob.ts'
import { CHARGE_FAULTS, type ChargeFault } from '../../core/processor.ts'
import type { Ids } from './ids.ts'

/** The faults of requests. */
const REQUEST_FAULTS = [
  'key_resolution_unavailable',
  'internal_error',
  'response_lost',
  'rate_limit',
  'latency',
] as const
export type RequestFault = (typeof REQUEST_FAULTS)[number]

/** The fault of webhook deliveries; its `route` is a glob over the endpoint's URL. */
const WEBHOOK_FAULT = 'webhook_failure'

/** All kinds of faults. See docs/contract/faults.md#faults. */
export const FAULT_KINDS = [...CHARGE_FAULTS, ...REQUEST_FAULTS, WEBHOOK_FAULT] as const
export type FaultKind = (typeof FAULT_KINDS)[number]

/** Reports whether a fault applies to charge attempts, of requests and of jobs, rather than to requests. */
export const isChargeFault = (kind: FaultKind): kind is ChargeFault =>
  (CHARGE_FAULTS as readonly string[]).includes(kind)

export type Fault = {
  readonly id: string
  readonly kind: FaultKind
  /** The number of further uses; null for unlimited. */
  remaining: number | null
  /** The probability that it applies, 0 to 1. */
  readonly rate: number
  /**
   * A glob over `POST /v1/…`, or for a webhook failure over the endpoint's URL; null for all targets, and for a fault
   * of charges.
   */
  readonly route: string | null
  /** The merchant's id; null for all. */
  readonly merchant: string | null
  /** The latency in milliseconds; null for other faults. */
  readonly ms: number | null
  /** The number of targets so far, from which its random decisions are derived. */
  occasions: number
}

/**
 * The target of a fault: a request with its route and, once known, its merchant; or a delivery attempt, whose
 * endpoint's URL is the route.
 */
export type FaultTarget = { readonly route: string; readonly merchant: string | null }

/** paytwin: the maximum number of faults. Each request looks for one of its own among them. */
const MAX_FAULTS = 1_000

/** The faults that the operator injected. They are in memory only: a restart removes them. */
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

  /** @throws ApiError parameter_invalid if there are too many */
  add(given: Omit<Fault, 'id' | 'occasions'>): Fault {
    if (this.#faults.length >= MAX_FAULTS)
      throw parameterInvalid(
        null,
        `There can be ${MAX_FAULTS} faults. Clear some before you add another one.`,
      )
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

  /** Removes all faults. Later ones have the ids, and so the random decisions, of those since the start. */
  reset(): void {
    this.clear()
    this.#count = 0
  }

  /** Returns the fault of a kind that applies to a request or delivery attempt now, and uses it up once. */
  take(kind: RequestFault | typeof WEBHOOK_FAULT, { route, merchant }: FaultTarget): Fault | undefined {
    return this.#strike(
      (fault) =>
        fault.kind === kind &&
        isOf(fault, merchant) &&
        (fault.route === null || routeMatches(fault.route, route)),
    )
  }

  /** Returns the fault that will apply to a merchant's next charge attempt; null for none. It is not used up. */
  nextForCharge(merchant: string): ChargeFault | null {
    for (const fault of this.#faults) {
      if (isChargeFault(fault.kind) && isOf(fault, merchant) && this.#applies(fault)) return fault.kind
    }
    return null
  }

  /**
   * Returns the fault that applies to a merchant's charge attempt, the one that nextForCharge returned, and uses it up once.
   */
  takeForCharge(merchant: string): ChargeFault | null {
    const fault = this.#strike((candidate) => isChargeFault(candidate.kind) && isOf(candidate, merchant))
    return fault && isChargeFault(fault.kind) ? fault.kind : null
  }

  /**
   * Returns the first matching fault that applies. Counts an occasion of each matching fault, and a use of the returned one.
   */
  #strike(matches: (fault: Fault) => boolean): Fault | undefined {
    for (const fault of this.#faults) {
      if (!matches(fault)) continue
      const applies = this.#applies(fault)
      fault.occasions += 1
      if (!applies) continue
      if (fault.remaining !== null) fault.remaining -= 1
      if (fault.remaining === 0) this.#faults.splice(this.#faults.indexOf(fault), 1)
      return fault
    }
    return undefined
  }

  /** Decides at random, derived from the seed and the number of occasions, so that a run can be repeated. */
  #applies({ id, rate, occasions }: Fault): boolean {
    if (rate >= 1) return true
    return Number.parseInt(this.#ids.derived(`fault ${id} ${occasions}`, 6, '0123456789'), 10) / 1e6 < rate
  }
}

const isOf = (fault: Fault, merchant: string | null): boolean =>
  fault.merchant === null || fault.merchant === merchant

/** Matches a route; a glob without a method matches the path. */
function routeMatches(glob: string, route: string): boolean {
  const [, path = route] = route.split(' ')
  return matchesGlob(glob, glob.includes(' ') ? route : path)
}
