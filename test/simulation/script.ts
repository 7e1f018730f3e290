import type { Dice } from './dice.ts'
import type { Moves } from './model-play.ts'

/** A request of a step that was played, or an action that concerns all merchants. */
export type Deed =
  | { readonly kind: 'reset' }
  | { readonly kind: 'save'; readonly snapshot: string }
  | { readonly kind: 'restore'; readonly snapshot: string }
  | Request

/** A request of a merchant, or of the operator, and its response. */
export type Request = {
  readonly kind: 'request'
  readonly isOperators: boolean
  /** What an advance does; null for other requests. */
  readonly moves:
    | (Moves & { /** When its events were emitted. */ readonly instants: readonly number[] })
    | null
  readonly merchant: number
  readonly method: string
  readonly path: string
  readonly body: string | undefined
  readonly idempotencyKey: string | undefined
  readonly status: number
  readonly text: string
}

/** The instants at which an advance stops on its way. */
export type Pace = (moves: NonNullable<Request['moves']>, dice: Dice) => readonly number[]

export const IN_ONE_JUMP: Pace = () => []

/**
 * Stops some times: at instants of events, a second before or after, or between them. Some advances are in up to 60 equal parts,
 * a day each for most of them.
 */
export const IN_STEPS: Pace = ({ from, to, instants }, dice) => {
  const chosen = new Set<number>()
  const add = (instant: number) => {
    if (instant > from && instant < to) chosen.add(instant)
  }
  if (dice.chance(6)) {
    const parts = Math.max(2, Math.min(60, Math.round((to - from) / 86_400)))
    for (let part = 1; part < parts; part += 1) add(from + Math.floor(((to - from) * part) / parts))
  }
  for (let count = dice.between(1, 4); count > 0; count -= 1) {
    const instant = dice.chance(75) ? dice.any(instants) : undefined
    if (instant === undefined) add(from + 1 + Math.floor(((to - from) * dice.below(10_000)) / 10_000))
    else add(instant + dice.of([-1, 0, 0, 1]))
  }
  return [...chosen].toSorted((left, right) => left - right)
}
