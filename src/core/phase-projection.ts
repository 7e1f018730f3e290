import { nextBoundary } from './calendar.ts'
import { intervalOf, type Prices, type Subscription, type SubscriptionItem } from './subscription.ts'
import {
  currentIndex,
  type SchedulePhase,
  type SubscriptionSchedule,
  settingsOf,
} from './subscription-schedule.ts'
import { isInTrial } from './subscription-status.ts'

/** A phase that has not begun, with its number from 1. */
export type ComingPhase = SchedulePhase & { readonly number: number }

/** Lists the phases that have not begun. */
export function comingPhases(schedule: SubscriptionSchedule): ComingPhase[] {
  const next = currentIndex(schedule) + 1
  return schedule.phases.slice(next).map((phase, index) => ({ ...phase, number: next + index + 1 }))
}

/** Returns the items of a subscription in a phase, without ids. */
export const itemsIn = ({ items }: SchedulePhase): SubscriptionItem[] =>
  items.map((item) => ({ ...item, id: '', created: 0 }))

/** A subscription at its next renewal, and the phases that begin after it. */
export type Projected = {
  readonly subscription: Subscription
  /** The renewal, in Unix seconds. */
  readonly due: number
  readonly phases: readonly ComingPhase[]
}

/**
 * Lets the phases begin that do so up to the next renewal, which they may move.
 * See docs/contract/schedules.md#entering-a-phase.
 */
export function withPhasesUpTo(projected: Projected, prices: Prices): Projected {
  const { due, subscription } = projected
  const [phase, ...phases] = projected.phases
  if (!phase || phase.start_date > due) return projected
  const { start_date, trial_end, billing_cycle_anchor } = phase
  const items = itemsIn(phase)
  const interval = intervalOf(items, prices)
  const isSame = JSON.stringify(intervalOf(subscription.items, prices)) === JSON.stringify(interval)
  if (trial_end !== null) {
    const inTrial = { ...subscription, items, billing_cycle_anchor: trial_end }
    return withPhasesUpTo({ subscription: inTrial, due: trial_end, phases }, prices)
  }
  if (isSame && billing_cycle_anchor !== 'phase_start')
    return withPhasesUpTo({ subscription: { ...subscription, items }, due, phases }, prices)
  const moved = { ...subscription, items, billing_cycle_anchor: start_date }
  // A new period within the old one is billed with the phase; the next renewal is at its end.
  const renewal = start_date === due ? due : nextBoundary(start_date, interval, start_date)
  return withPhasesUpTo({ subscription: moved, due: renewal, phases }, prices)
}

/**
 * Returns a subscription with the settings that its next invoice follows: those of the last phase that begins up to then.
 * @param schedule - the schedule that manages it; null for none
 * @returns null if a phase goes on with the trial beyond the end of the current period, which then makes no invoice
 * See docs/contract/notices.md#upcoming-invoices.
 */
export function asNextBilled(
  subscription: Subscription,
  schedule: SubscriptionSchedule | null,
): Subscription | null {
  if (schedule === null) return subscription
  const { current_period_end } = subscription
  const begun = comingPhases(schedule).filter(({ start_date }) => start_date <= current_period_end)
  const goesOn = begun.some(({ trial_end }) => trial_end !== null && trial_end > current_period_end)
  if (isInTrial(subscription) && goesOn) return null
  const last = begun.at(-1)
  return last ? { ...subscription, ...settingsOf(schedule.default_settings, last) } : subscription
}
