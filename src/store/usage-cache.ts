import type { Formula } from '../core/meter.ts'

/** The events of one meter and customer in a span of time. `start` is inclusive, `end` exclusive, in Unix seconds. */
export type UsageSpan = {
  readonly customer: string
  readonly meter: string
  readonly start: number
  readonly end: number
  /** Only usage that was known at the end of this instant of the customer's clock; by default all usage. */
  readonly asOf?: number | undefined
}

/** An aggregate in units of 10⁻¹², and the number of events that were read for it. */
export type Aggregate = { readonly quantity: bigint; readonly events: number }

/** A meter of a customer that has more events in a span is read in blocks. A statement takes as long as some 20 events. */
const MANY_EVENTS = 1_000
const MAX_KEPT = 10_000

/**
 * Keeps aggregates until the next write of an event. The subscriptions of a customer ask for the usage of many spans, which differ
 * little. A long sum is that of blocks, whose lengths are powers of two and which begin at multiples of their length. Spans
 * share blocks, and few blocks contain one instant. So each event is read a few times, however many spans contain it.
 */
export class UsageCache {
  readonly #read: (formula: Formula, span: UsageSpan) => Aggregate
  readonly #kept = new Map<string, bigint>()
  /** The meters of customers that have many events. */
  readonly #large = new Set<string>()

  constructor(read: (formula: Formula, span: UsageSpan) => Aggregate) {
    this.#read = read
  }

  quantity(formula: Formula, span: UsageSpan): bigint {
    const owner = `${formula} ${span.customer} ${span.meter} ${span.asOf ?? ''}`
    const key = `${owner} ${span.start} ${span.end}`
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept
    const quantity = this.#sumOfBlocks(owner, formula, span) ?? this.#readAll(owner, formula, span)
    if (this.#kept.size >= MAX_KEPT) this.forget()
    this.#kept.set(key, quantity)
    return quantity
  }

  #readAll(owner: string, formula: Formula, span: UsageSpan): bigint {
    const { quantity, events } = this.#read(formula, span)
    if (events > MANY_EVENTS) this.#large.add(owner)
    return quantity
  }

  /** @returns undefined for a span that is not read in blocks */
  #sumOfBlocks(owner: string, formula: Formula, span: UsageSpan): bigint | undefined {
    if (!this.#large.has(owner)) return undefined
    const blocks = blocksOf(span)
    if (blocks.length <= 1) return undefined
    return blocks.reduce((sum, block) => sum + this.quantity(formula, { ...span, ...block }), 0n)
  }

  /** Drops all aggregates. Must be called when events were written or rolled back. */
  forget(): void {
    this.#kept.clear()
    this.#large.clear()
  }
}

/** Divides a span into blocks, whose lengths are powers of two and which begin at multiples of their length. */
export function blocksOf({ start, end }: Pick<UsageSpan, 'start' | 'end'>): { start: number; end: number }[] {
  const blocks = []
  for (let at = start; at < end; ) {
    let length = 1
    while (at % (2 * length) === 0 && at + 2 * length <= end) length *= 2
    blocks.push({ start: at, end: at + length })
    at += length
  }
  return blocks
}
