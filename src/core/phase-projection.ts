import { isSameInterval, nextBoundary } from './calendar.ts'
import type { Discount, Discounts } from './discount.ts'
import { discountsInPhase, type RedeemPlanned } from './phase-discounts.ts'
import { intervalOf, type Prices, type Subscription } from './subscription.ts'
import {
  currentIndex,
  itemsOfPhase,
  type PhaseDiscount,
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

/** The part of a subscription that decides the lines of an invoice. */
export type Billed = Pick<Subscription, 'items' | 'discounts' | 'currency'>

/** A subscription at its next renewal, and the phases that begin after it. */
export type Projected<Projection extends Billed = Subscription> = {
  readonly subscription: Projection
  /** The renewal, in Unix seconds. */
  readonly due: number
  readonly phases: readonly ComingPhase[]
  /** The phase in force; null for none. */
  readonly phase: SchedulePhase | null
  /** The discounts of the subscription, its items and its customer, and those that phases add. */
  readonly discounts: Discounts
}

/** The input of a projection. */
export type ProjectionSource = {
  readonly prices: Prices
  /** Returns the discount that a phase would add at an instant, without an id; null if it cannot be redeemed then. */
  readonly plan: (planned: PhaseDiscount, at: number) => Discount | null
}

/** Begins a phase: its items and discounts replace the previous ones. */
export function inPhaseProjected<Projection extends Billed>(
  projected: Projected<Projection>,
  phase: ComingPhase,
  source: ProjectionSource,
): Projected<Projection> {
  const { subscription, discounts } = projected
  const wanted = itemsOfPhase(subscription.items, phase, (item) => ({
    id: `phase ${phase.number} ${item.price}`,
    created: phase.start_date,
    price: item.price,
    quantity: item.quantity,
    metadata: {},
  }))
  const added = new Map<string, Discount>()
  const redeem: RedeemPlanned = (planned) => {
    const found = source.plan(planned, phase.start_date)
    if (!found) return null
    const discount = { ...found, id: `phase ${phase.number} ${added.size}` }
    added.set(discount.id, discount)
    return discount
  }
  const entered = { phase, former: projected.phase, isNew: true, now: phase.start_date, discounts, redeem }
  const inForce = discountsInPhase(subscription, wanted, entered)
  return {
    ...projected,
    subscription: { ...subscription, ...inForce },
    phase,
    discounts: added.size === 0 ? discounts : new Map([...discounts, ...added]),
  }
}

/**
 * Begins all phases that start up to the next renewal. They can move the renewal.
 * See docs/contract/schedules.md#entering-a-phase.
 */
export function withPhasesUpTo(projected: Projected, source: ProjectionSource): Projected {
  const { due, subscription } = projected
  const [phase, ...phases] = projected.phases
  if (!phase || phase.start_date > due) return projected
  const { prices } = source
  const { start_date, trial_end, billing_cycle_anchor } = phase
  const entered = { ...inPhaseProjected(projected, phase, source), phases }
  const interval = intervalOf(entered.subscription.items, prices)
  const isSame = isSameInterval(intervalOf(subscription.items, prices), interval)
  const from = (anchor: number) => ({ ...entered.subscription, billing_cycle_anchor: anchor })
  if (trial_end !== null)
    return withPhasesUpTo({ ...entered, subscription: from(trial_end), due: trial_end }, source)
  if (isSame && billing_cycle_anchor !== 'phase_start') return withPhasesUpTo(entered, source)
  // A new period within the old one is billed with the phase; the next renewal is at its end.
  const renewal = start_date === due ? due : nextBoundary(start_date, interval, start_date)
  return withPhasesUpTo({ ...entered, subscription: from(start_date), due: renewal }, source)
}

/**
 * Returns a subscription with the settings for its next invoice: those of the last phase that begins until then. Its current
 * period ends with that invoice: a phase can begin a new period earlier.
 * @param given.schedule - the schedule that manages it; null for none
 * @param given.prices - those of the subscription and of its coming phases
 * @returns null if a phase extends the trial beyond the end of the current period, so that no invoice is made
 * See docs/contract/notices.md#upcoming-invoices.
 */
export function asNextBilled(
  subscription: Subscription,
  { schedule, prices }: { readonly schedule: SubscriptionSchedule | null; readonly prices: Prices },
): Subscription | null {
  if (schedule === null) return subscription
  const { current_period_end } = subscription
  let [billed, interval] = [subscription, intervalOf(subscription.items, prices)]
  for (const phase of comingPhases(schedule)) {
    const { start_date, trial_end, billing_cycle_anchor } = phase
    if (start_date > current_period_end) break
    if (isInTrial(subscription) && trial_end !== null && trial_end > current_period_end) return null
    const before = interval
    interval = intervalOf(phase.items, prices)
    billed = { ...billed, ...settingsOf(schedule.default_settings, phase) }
    if (billing_cycle_anchor === 'phase_start' || !isSameInterval(before, interval))
      return { ...billed, current_period_end: start_date }
  }
  return billed
}
