import { formatAmount } from '../core/money.ts'
import type { Colour } from '../text/span.ts'

/**
 * The mark of a note on the axis: an event; a successful or failed payment; a status that improved, worsened or is final;
 * a due job, or a projected one.
 */
export type Mark = '●' | '✓' | '✗' | '▲' | '▼' | '■' | '○' | '◌'

/** A note of a timeline. Its text may be wrapped between its parts. */
export type Note = {
  readonly mark: Mark
  readonly parts: readonly string[]
  readonly colour?: Colour
  /** The result of an ordinary renewal, so that several renewals can be drawn as one run. */
  readonly routine?: Routine
}

export type Routine = {
  /** For example `paid`. */
  readonly outcome: string
  readonly amount: number
  readonly currency: string
  readonly label: string | null
  readonly subscription: string | null
}

/** The notes of one instant. */
export type Moment = {
  readonly at: number
  readonly notes: readonly Note[]
  /** Whether something is overdue afterwards: past_due, unpaid, incomplete. */
  readonly isTroubled: boolean
}

/** Names a subscription if there are several: `#2 `; otherwise returns an empty string. */
export type Namer = (subscription: string | null) => string

/** Creates a note without empty parts. */
export const note = (
  mark: Mark,
  parts: readonly (string | null | undefined)[],
  { colour, routine }: { colour?: Colour | undefined; routine?: Routine | undefined } = {},
): Note => ({
  mark,
  parts: parts.filter((part): part is string => Boolean(part)),
  ...(colour && { colour }),
  ...(routine && { routine }),
})

/** Formats an amount: `20.00 USD`; empty without an amount. */
export const money = ({ amount, currency }: { amount: number | null; currency: string | null }): string =>
  amount === null || currency === null ? '' : formatAmount(amount, currency)

/** Groups items by a key, in the order of each group's first item. */
export function grouped<T, Key>(items: readonly T[], keyOf: (item: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}
