import { SECONDS_PER_DAY } from './calendar.ts'
import { type CollectionMethod, daysToPay } from './collection-method.ts'
import { assert } from './errors.ts'
import { MAX_METADATA_KEYS, type Metadata } from './metadata.ts'
import type { ProrationBehavior } from './proration.ts'
import type { Subscription, SubscriptionItem } from './subscription.ts'
import type { Transitions } from './transitions.ts'

export const SCHEDULE_STATUSES = ['not_started', 'active', 'completed', 'released', 'canceled'] as const
export type ScheduleStatus = (typeof SCHEDULE_STATUSES)[number]

export type ScheduleEvent = 'start' | 'complete' | 'release' | 'cancel'

/**
 * The events: start, the first phase begins; complete, the last phase has ended and the subscription is canceled; release, the
 * schedule leaves its subscription; cancel, the schedule is canceled or aborted.
 * See docs/contract/schedules.md#status-of-a-schedule.
 */
export const SCHEDULE_TRANSITIONS: Transitions<ScheduleStatus, ScheduleEvent> = {
  not_started: { start: 'active', release: 'released', cancel: 'canceled' },
  active: { complete: 'completed', release: 'released', cancel: 'canceled' },
  completed: {},
  released: {},
  canceled: {},
}

export const END_BEHAVIORS = ['release', 'cancel'] as const
export type EndBehavior = (typeof END_BEHAVIORS)[number]

export const PHASE_ANCHORS = ['automatic', 'phase_start'] as const
export type PhaseAnchor = (typeof PHASE_ANCHORS)[number]

/** The maximum number of current and future phases. See docs/contract/schedules.md#phases. */
export const MAX_PHASES = 10

/** The limits of all phases, those that have ended included: their number, and the length of their JSON text. */
export const MAX_ALL_PHASES = 100
export const MAX_PHASES_LENGTH = 1_000_000

/** Whether phases have more characters as JSON than those of a schedule may have. */
export const areTooLong = (phases: readonly SchedulePhase[]): boolean =>
  JSON.stringify(phases).length > MAX_PHASES_LENGTH

/**
 * The number of days before its end on which a schedule is reported as expiring. See
 * docs/contract/schedules.md#when-a-schedule-ends.
 */
const EXPIRING_DAYS = 7

/** A discount that a phase plans: exactly one of the three is not null. */
export type PhaseDiscount = {
  /** The internal id of a coupon, which is redeemed when the phase begins. */
  readonly coupon: string | null
  readonly promotion_code: string | null
  /** A discount that the subscription or the item has already. */
  readonly discount: string | null
}

/** An item of a phase. An empty value in `metadata` removes that key from the item of the subscription. */
export type PhaseItem = {
  readonly price: string
  /** null for a metered price. */
  readonly quantity: number | null
  readonly metadata: Metadata
  /** The discounts of the item in the phase; absent if the phase leaves them as they are. */
  readonly discounts?: readonly PhaseDiscount[]
}

/** The settings that a schedule has for all its phases, and that a phase can override. null: not set. */
export type PhaseSettings = {
  readonly collection_method: CollectionMethod | null
  readonly days_until_due: number | null
  readonly default_payment_method: string | null
  readonly description: string | null
}

/** A phase. Times are in Unix seconds; the end of a phase is the start of the next one. See docs/contract/schedules.md#phases. */
export type SchedulePhase = PhaseSettings & {
  readonly start_date: number
  readonly end_date: number
  readonly currency: string
  readonly items: readonly PhaseItem[]
  /** null without a trial; at most the end of the phase. */
  readonly trial_end: number | null
  readonly proration_behavior: ProrationBehavior
  readonly billing_cycle_anchor: PhaseAnchor | null
  /** An empty value removes the key from the subscription. */
  readonly metadata: Metadata
  /** The discounts of the subscription in the phase; absent if the phase leaves them as they are. */
  readonly discounts?: readonly PhaseDiscount[]
  /** Whether the customer chose the plan in the portal; absent for phases of the merchant. Not part of the API's object. */
  readonly chosen_in_portal?: true
}

/** A schedule of a subscription. Times are in Unix seconds. See docs/contract/schedules.md#schedule-fields. */
export type SubscriptionSchedule = {
  readonly id: string
  readonly created: number
  readonly status: ScheduleStatus
  readonly customer: string
  /** null until the first phase begins, and after a release. */
  readonly subscription: string | null
  readonly released_subscription: string | null
  readonly current_phase: { readonly start_date: number; readonly end_date: number } | null
  /** Oldest first; at least one. */
  readonly phases: readonly SchedulePhase[]
  readonly default_settings: PhaseSettings & { readonly collection_method: CollectionMethod }
  readonly end_behavior: EndBehavior
  readonly canceled_at: number | null
  readonly completed_at: number | null
  readonly released_at: number | null
  /** When subscription_schedule.expiring is emitted; null if it was, or will not be. Not part of the API's object. */
  readonly expiring_at: number | null
  readonly metadata: Metadata
  readonly test_clock: string | null
}

/** Reports whether a schedule starts no further phase. */
export const isOver = ({ status }: Pick<SubscriptionSchedule, 'status'>): boolean =>
  Object.keys(SCHEDULE_TRANSITIONS[status]).length === 0

/** Returns the first phase. */
export function firstPhase({ id, phases }: SubscriptionSchedule): SchedulePhase {
  const [first] = phases
  assert(first, `${id} has phases`)
  return first
}

/** Returns the end of the last phase, in Unix seconds. */
export function endOf({ id, phases }: Pick<SubscriptionSchedule, 'id' | 'phases'>): number {
  const last = phases.at(-1)
  assert(last, `${id} has phases`)
  return last.end_date
}

/** Returns the index of the phase that an active schedule is in; -1 for others. */
export const currentIndex = ({ phases, current_phase }: SubscriptionSchedule): number =>
  current_phase === null ? -1 : phases.findIndex(({ start_date }) => start_date === current_phase.start_date)

/** Returns the phase that follows the current one; undefined after the last one. A schedule that has not started begins with its first. */
export const nextPhase = (schedule: SubscriptionSchedule): SchedulePhase | undefined =>
  schedule.phases[currentIndex(schedule) + 1]

/**
 * Whether the plan that the customer chose in the portal has begun, and the schedule has nothing else to do. It ends then, so that the
 * customer can change the plan or cancel again.
 */
export const isChangeDone = (schedule: SubscriptionSchedule): boolean =>
  schedule.end_behavior === 'release' &&
  nextPhase(schedule) === undefined &&
  schedule.phases[currentIndex(schedule)]?.chosen_in_portal === true

/** Returns the schedule in a phase. `expiring_at` stays null once the event has been emitted for the same end. */
export const inPhase = (
  schedule: SubscriptionSchedule,
  { start_date, end_date }: SchedulePhase,
): SubscriptionSchedule => ({ ...schedule, current_phase: { start_date, end_date } })

/**
 * Returns the schedule with the instant at which it is reported as expiring, 7 days before its end. null if that instant is not
 * in the future.
 */
export function withExpiry(schedule: SubscriptionSchedule, now: number): SubscriptionSchedule {
  const expiring_at = endOf(schedule) - EXPIRING_DAYS * SECONDS_PER_DAY
  return { ...schedule, expiring_at: expiring_at > now ? expiring_at : null }
}

/** Returns the instant at which a schedule cancels its subscription; null if it releases it. */
export const cancelAtOf = (schedule: SubscriptionSchedule): number | null =>
  schedule.end_behavior === 'cancel' ? endOf(schedule) : null

/**
 * Merges the metadata of a phase. An empty value removes its key. Keys beyond the largest number are left out: a phase must not
 * fail to begin.
 */
export const mergedMetadata = (current: Metadata, added: Metadata): Metadata =>
  Object.fromEntries(
    Object.entries({ ...current, ...added })
      .filter(([, value]) => value !== '')
      .slice(0, MAX_METADATA_KEYS),
  )

/** Returns a subscription with the settings of a phase, and with new items. See docs/contract/schedules.md#entering-a-phase. */
export function withPhase(
  subscription: Subscription,
  { default_settings }: Pick<SubscriptionSchedule, 'default_settings'>,
  phase: SchedulePhase,
  items: readonly SubscriptionItem[],
): Subscription {
  return {
    ...subscription,
    // The customer chose another plan only: the card and the other settings stay as they have become since.
    ...(!phase.chosen_in_portal && settingsOf(default_settings, phase)),
    items,
    metadata: mergedMetadata(subscription.metadata, phase.metadata),
  }
}

/** Returns the settings of a subscription in a phase. */
export function settingsOf(
  defaults: SubscriptionSchedule['default_settings'],
  phase: PhaseSettings,
): Pick<Subscription, 'collection_method' | 'days_until_due' | 'default_payment_method' | 'description'> {
  const collection_method = phase.collection_method ?? defaults.collection_method
  return {
    collection_method,
    days_until_due: daysToPay(collection_method, phase.days_until_due ?? defaults.days_until_due),
    default_payment_method: phase.default_payment_method ?? defaults.default_payment_method,
    description: phase.description ?? defaults.description,
  }
}

/**
 * Returns the items of a subscription in a phase. An item with the same price stays; the other items take the remaining prices
 * in their order, so that a change of the price keeps the item.
 * @param newItem - creates an item
 * See docs/contract/schedules.md#entering-a-phase.
 */
export function itemsOfPhase(
  current: readonly SubscriptionItem[],
  { items }: Pick<SchedulePhase, 'items'>,
  newItem: (item: PhaseItem) => SubscriptionItem,
): readonly SubscriptionItem[] {
  const kept = new Map(current.map((item) => [item.price, item]))
  const wanted = new Set(items.map(({ price }) => price))
  const free = current.filter(({ price }) => !wanted.has(price))
  return items.map((item) => {
    const same = kept.get(item.price) ?? free.shift()
    if (!same) return newItem(item)
    const { price, quantity, metadata } = item
    return { ...same, price, quantity, metadata: mergedMetadata(same.metadata, metadata) }
  })
}
