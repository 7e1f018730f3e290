import { formatAmount } from '../core/money.ts'
import type { Colour } from './output.ts'

/**
 * What stands on the axis: something happened, a payment came or failed, a status got better, worse or final; something is
 * due, or would follow.
 */
export type Mark = '●' | '✓' | '✗' | '▲' | '▼' | '■' | '○' | '◌'

/** A line of a timeline: what to say in parts, between which it may be broken. */
export type Note = {
  readonly mark: Mark
  readonly parts: readonly string[]
  readonly colour?: Colour
  /** Of a renewal that went as renewals go: what it came to, so that many of them can be told at once. */
  readonly routine?: Routine
}

export type Routine = {
  /** As in `paid`. */
  readonly outcome: string
  readonly amount: number
  readonly currency: string
  readonly label: string | null
  readonly subscription: string | null
}

/** What happened, or is to happen, at one instant. */
export type Moment = {
  readonly at: number
  readonly notes: readonly Note[]
  /** Whether something is overdue afterwards: past_due, unpaid, incomplete. */
  readonly isTroubled: boolean
}

/** Names a subscription where there are several: `#2 `, else nothing. */
export type Namer = (subscription: string | null) => string

/** A note whose empty parts are left out. */
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

/** `20.00 USD`, or nothing where no money is asked for. */
export const money = ({ amount, currency }: { amount: number | null; currency: string | null }): string =>
  amount === null || currency === null ? '' : formatAmount(amount, currency)

/** Things by something that they have in common, in the order of their first. */
export function grouped<T, Key>(things: readonly T[], keyOf: (thing: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>()
  for (const thing of things) {
    const key = keyOf(thing)
    const group = groups.get(key)
    if (group) group.push(thing)
    else groups.set(key, [thing])
  }
  return groups
}
