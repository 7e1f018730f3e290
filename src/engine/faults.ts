import { resourceMissing } from '../core/errors.ts'
import type { Ids } from './ids.ts'

/** What can be made to go wrong. Source: operator.md, "Command line" (faults). */
export const FAULT_KINDS = [
  'key_resolution_unavailable',
  'rate_limit',
  'internal_error',
  'latency',
  'response_lost',
] as const
export type FaultKind = (typeof FAULT_KINDS)[number]

export type Fault = {
  readonly id: string
  readonly kind: FaultKind
  /** How many more times it strikes; null for ever. */
  remaining: number | null
  /** The share of the occasions on which it strikes, 0 to 1. */
  readonly rate: number
  /** The routes that it strikes, as a glob over `POST /v1/…`; null for all. */
  readonly route: string | null
  /** The merchant's id; null for all. */
  readonly merchant: string | null
  /** For latency: milliseconds. */
  readonly ms: number
}

/** What is struck: a request, by its route and, once that is known, its merchant. */
export type Occasion = { readonly route: string; readonly merchant: string | null }

/** The faults that the operator injected, in memory only: a restart is well again. */
export class Faults {
  readonly #ids: Ids
  readonly #faults: Fault[] = []
  #count = 0
  #occasions = 0

  constructor(ids: Ids) {
    this.#ids = ids
  }

  list(): readonly Fault[] {
    return this.#faults
  }

  add(given: Omit<Fault, 'id'>): Fault {
    this.#count += 1
    const fault = { ...given, id: `fault_${this.#count}` }
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

  /** The fault of a kind that strikes now, if one does; it is used up by that. */
  strike(kind: FaultKind, occasion: Occasion): Fault | undefined {
    const fault = this.#faults.find((candidate) => candidate.kind === kind && this.#hits(candidate, occasion))
    if (fault && fault.remaining !== null) {
      fault.remaining -= 1
      if (fault.remaining <= 0) this.#faults.splice(this.#faults.indexOf(fault), 1)
    }
    return fault
  }

  #hits({ rate, route, merchant }: Fault, occasion: Occasion): boolean {
    if (merchant !== null && merchant !== occasion.merchant) return false
    if (route !== null && !globMatches(route, occasion.route)) return false
    if (rate >= 1) return true
    // Chance follows from the seed, so that a run can be repeated.
    this.#occasions += 1
    return Number.parseInt(this.#ids.derived(`fault ${this.#occasions}`, 6, '0123456789'), 10) / 1e6 < rate
  }
}

/** Stars stand for anything; a glob without a method is one of the path. */
function globMatches(glob: string, route: string): boolean {
  const pattern = glob.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '.*')
  const [, path = route] = route.split(' ')
  return new RegExp(`^${pattern}$`).test(glob.includes(' ') ? route : path)
}
