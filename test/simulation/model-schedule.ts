import { DAY, type Interval, periodBegin } from './model-calendar.ts'
import type { Behavior } from './model-change.ts'
import { ref, type Shown } from './model-shown.ts'
import { type Merchant, named, type Price, type Subscription } from './model-state.ts'

/** What a phase sets, or the default settings of a schedule. */
export type Settings = {
  collection: Subscription['collection'] | null
  daysUntilDue: number | null
  method: string | null
  description: string | null
}

/** The quantity of a metered price is 0. */
export type PhaseItem = { readonly price: string; readonly quantity: number; readonly isMetered: boolean }

export type Phase = Settings & {
  readonly start: number
  readonly end: number
  readonly trialEnd: number | null
  items: readonly PhaseItem[]
  readonly behavior: Behavior
  /** Whether a new period begins with it. */
  readonly isAnchored: boolean
}

export type Schedule = {
  readonly key: string
  readonly customer: string
  status: 'not_started' | 'active' | 'completed' | 'released' | 'canceled'
  subscription: string | null
  released: string | null
  /** All phases, also those that have ended. */
  phases: Phase[]
  /** The place of the phase in force; -1 before the first one. */
  current: number
  defaults: Settings
  endBehavior: 'release' | 'cancel'
  canceledAt: number | null
  completedAt: number | null
  releasedAt: number | null
  /** When it is reported as expiring; null if it is not. */
  expiringAt: number | null
}

export const isOver = ({ status }: Schedule): boolean => status !== 'not_started' && status !== 'active'

/** Returns the schedule that manages a subscription, or that managed it until its end. */
export const scheduleOf = ({ schedules }: Merchant, { schedule }: Subscription): Schedule | null =>
  schedule === null ? null : named<Schedule>(schedules, schedule)

/** The schedule that manages a subscription now. */
export function managing(merchant: Merchant, subscription: Subscription): Schedule | null {
  const schedule = scheduleOf(merchant, subscription)
  return schedule?.status === 'active' ? schedule : null
}

export const endOfAll = ({ phases }: Schedule): number => phases.at(-1)?.end ?? Number.NaN

/** Plans the report of its end, and the cancellation of its subscription. See docs/contract/schedules.md#when-a-schedule-ends. */
export function planEnd(schedule: Schedule, subscription: Subscription, at: number): void {
  const end = endOfAll(schedule)
  const expiring = end - 7 * DAY
  schedule.expiringAt = expiring > at ? expiring : null
  const cancelAt = schedule.endBehavior === 'cancel' ? end : null
  if (subscription.cancelAt === cancelAt) return
  subscription.cancelAt = cancelAt
  subscription.canceledAt = cancelAt === null ? null : at
}

/** Ends the schedule of a subscription that ends. See docs/contract/schedules.md#when-the-subscription-ends. */
export function endWith(merchant: Merchant, subscription: Subscription, at: number): void {
  const schedule = managing(merchant, subscription)
  if (!schedule) return
  schedule.expiringAt = null
  if (schedule.endBehavior === 'cancel' && endOfAll(schedule) <= at) {
    Object.assign(schedule, { status: 'completed', completedAt: at })
  } else Object.assign(schedule, { status: 'canceled', canceledAt: at })
}

/** Lets a subscription go on without its schedule. See docs/contract/schedules.md#releasing. */
export function release(schedule: Schedule, subscription: Subscription, at: number): void {
  Object.assign(schedule, { status: 'released', releasedAt: at, expiringAt: null })
  Object.assign(schedule, { subscription: null, released: subscription.key })
  subscription.schedule = null
}

export const intervalOf = ({ prices }: Merchant, items: readonly PhaseItem[]): Interval =>
  named<Price>(prices, items[0]?.price ?? 'a price')

export const isSameInterval = (one: Interval, other: Interval): boolean =>
  one.interval === other.interval && one.interval_count === other.interval_count

/** How many days or months an interval has. */
const sizeOf = ({ interval, interval_count }: Interval): { unit: 'day' | 'month'; size: number } =>
  interval === 'day' || interval === 'week'
    ? { unit: 'day', size: interval_count * (interval === 'week' ? 7 : 1) }
    : { unit: 'month', size: interval_count * (interval === 'year' ? 12 : 1) }

/**
 * Returns the end of a phase after a length. It is counted from the anchor if the phase begins with a period and lasts for whole
 * ones. See docs/contract/schedules.md#when-a-phase-ends.
 */
export function endAfter(
  start: number,
  { length, anchor, interval }: { length: Interval; anchor: number; interval: Interval },
): number {
  const [whole, part] = [sizeOf(length), sizeOf(interval)]
  if (whole.unit === part.unit && whole.size % part.size === 0) {
    for (let n = 0; periodBegin(anchor, interval, n) <= start; n += 1) {
      if (periodBegin(anchor, interval, n) !== start) continue
      return periodBegin(anchor, interval, n + whole.size / part.size)
    }
  }
  return periodBegin(start, length, 1)
}

const showSettings = ({ collection, method, description }: Settings) => ({
  collection_method: collection,
  default_payment_method: ref(method),
  description,
})

const showPhase = (phase: Phase) => ({
  ...showSettings(phase),
  ...{ start_date: phase.start, end_date: phase.end, trial_end: phase.trialEnd },
  items: phase.items.map(({ price, quantity, isMetered }) => [`{${price}}`, isMetered ? null : quantity]),
  proration_behavior: phase.behavior,
  billing_cycle_anchor: phase.isAnchored ? 'phase_start' : null,
  invoice_settings: phase.daysUntilDue === null ? null : { days_until_due: phase.daysUntilDue },
})

export function showSchedule(schedule: Schedule): Shown {
  const { status, customer, subscription, released, phases, current, defaults, endBehavior } = schedule
  const phase = status === 'active' ? phases[current] : undefined
  return {
    ...{ status, customer: ref(customer), subscription: ref(subscription) },
    released_subscription: ref(released),
    current_phase: phase ? { start_date: phase.start, end_date: phase.end } : null,
    phases: phases.map(showPhase),
    default_settings: {
      ...showSettings(defaults),
      invoice_settings: { days_until_due: defaults.daysUntilDue },
    },
    end_behavior: endBehavior,
    canceled_at: schedule.canceledAt,
    completed_at: schedule.completedAt,
    released_at: schedule.releasedAt,
  }
}
