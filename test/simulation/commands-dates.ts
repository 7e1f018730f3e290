import { CHANGEABLE } from './commands-subscriptions.ts'
import { DAY } from './model-calendar.ts'
import type { Table } from './model-play.ts'
import type { Merchant, Subscription } from './model-state.ts'

/** An instant of the current period, its first and last one more often, or rarely one outside. */
export function dateOf({ merchant, dice }: Table, subscription: Subscription, at: number): number {
  const { start, end } = subscription
  if (dice.chance(10)) return dice.of([start - 1, end + 1])
  const former = proratedFrom(merchant, subscription)
  // Credits reach their limit only if dates go back: before a former change, then between the two.
  if (former.length > 0 && dice.chance(60)) {
    const [one, other] = [dice.of([start, ...former]), dice.of(former)]
    return dice.between(Math.min(one, other), Math.max(one, other))
  }
  return dice.of([start, end, at, at - (at % DAY), dice.between(start, end), dice.between(start, end)])
}

/** Lists the dates from which changes in the current period were prorated. */
export const proratedFrom = ({ items }: Merchant, { key, cycle }: Subscription): number[] =>
  items.flatMap(({ subscription, bills }) =>
    subscription === key && bills?.cycle === cycle && !bills.isUsage ? [bills.start] : [],
  )

/** Chooses, in some of a hundred cases, a subscription that was changed in the current period. */
export function changedInPeriod({ merchant, dice }: Table, percent: number): Subscription | undefined {
  if (!dice.chance(percent)) return undefined
  const isChanged = (each: Subscription) =>
    CHANGEABLE.some((status) => status === each.status) && proratedFrom(merchant, each).length > 0
  return dice.any(merchant.subscriptions.filter(isChanged).slice(-12))
}
