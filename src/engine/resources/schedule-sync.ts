import { discountIdsOf } from '../../core/billing/discounting.ts'
import { Change } from '../../core/change.ts'
import { parameterInvalid } from '../../core/errors.ts'
import { isSameJson } from '../../core/json-text.ts'
import { plannedAs } from '../../core/phase-discounts.ts'
import type { Subscription } from '../../core/subscription.ts'
import {
  areTooLong,
  currentIndex,
  isOver,
  MAX_PHASES_LENGTH,
  type PhaseItem,
  type PhaseSettings,
  type SchedulePhase,
  type SubscriptionSchedule,
} from '../../core/subscription-schedule.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { loadDiscounts } from './discount.ts'

/** The fields of a subscription that only its schedule may change. */
const MANAGED = ['cancel_at', 'cancel_at_period_end', 'trial_end'] as const

/**
 * Refuses changes of a subscription that belong to its schedule.
 * @throws ApiError parameter_invalid, param cancel_at, cancel_at_period_end, trial_end or payment_behavior
 * See docs/contract/schedules.md#managed-subscriptions.
 */
export function checkManaged(
  subscription: Subscription,
  given: { readonly [Name in (typeof MANAGED)[number]]?: unknown } & { readonly payment_behavior?: unknown },
): void {
  if (subscription.schedule === null) return
  if (given.payment_behavior === 'pending_if_incomplete')
    throw parameterInvalid(
      'payment_behavior',
      'An update of a subscription that is managed by a subscription schedule cannot be pending',
    )
  const name = MANAGED.find((each) => given[each] !== undefined && given[each] !== subscription[each])
  if (name === undefined) return
  throw parameterInvalid(
    name,
    `The subscription is managed by the subscription schedule '${subscription.schedule}', so ${name} cannot be changed directly. Update the schedule instead.`,
  )
}

const SETTINGS = [
  'collection_method',
  'days_until_due',
  'default_payment_method',
  'description',
] as const satisfies readonly (keyof SchedulePhase & keyof Subscription)[]

/**
 * Applies a direct change of a subscription to the current phase of its schedule.
 * @param before - the subscription before the change
 * @throws ApiError parameter_invalid if the phases would be too long
 * See docs/contract/schedules.md#managed-subscriptions.
 */
export function updateCurrentPhase(unit: UnitOfWork, change: Change, before: Subscription): void {
  if (before.schedule === null) return
  const after = change.latest('subscription', before)
  const isSame = (name: keyof Subscription) => isSameJson(before[name], after[name])
  const changed = SETTINGS.filter((name) => !isSame(name))
  if (changed.length === 0 && isSame('items') && isSame('discounts')) return
  const schedule = change.latest('subscription_schedule', unit.need('subscription_schedule', before.schedule))
  if (isOver(schedule)) return
  const current = currentIndex(schedule)
  const discounts = loadDiscounts(unit, discountIdsOf(after), change)
  const itemsOf = (phase: SchedulePhase) =>
    after.items.map(({ price, quantity, metadata, discounts: ids = [] }): PhaseItem => {
      const planned = phase.items.find((item) => item.price === price)?.discounts
      return { price, quantity, metadata, ...(planned && { discounts: plannedAs(planned, ids, discounts) }) }
    })
  const phases = schedule.phases.map((phase, index) =>
    index === current
      ? {
          ...phase,
          ...Object.fromEntries(changed.map((name) => [name, after[name]])),
          ...(!isSame('items') && { items: itemsOf(phase) }),
          ...(phase.discounts &&
            !isSame('discounts') && { discounts: plannedAs(phase.discounts, after.discounts, discounts) }),
        }
      : phase,
  )
  if (isSameJson(phases, schedule.phases)) return
  // Older schedules can be too long already.
  if (areTooLong(phases) && !areTooLong(schedule.phases))
    throw parameterInvalid(
      isSame('items') ? (changed[0] ?? 'discounts') : 'items',
      `The change also applies to the current phase of the subscription schedule '${schedule.id}', whose phases would have more than ${MAX_PHASES_LENGTH} characters as JSON. Release the schedule first`,
    )
  change.update(
    'subscription_schedule',
    schedule,
    (active) => ({ ...active, phases }),
    'subscription_schedule.updated',
  )
}

/**
 * Makes a schedule that names payment methods name another one from now on.
 * See docs/contract/customer-portal.md#cards.
 */
export function replaceMethods(unit: UnitOfWork, schedule: SubscriptionSchedule, method: string): void {
  const withMethod = <Settings extends PhaseSettings>(settings: Settings): Settings =>
    settings.default_payment_method === null ? settings : { ...settings, default_payment_method: method }
  const current = currentIndex(schedule)
  const default_settings = withMethod(schedule.default_settings)
  const phases = schedule.phases.map((phase, index) => (index < current ? phase : withMethod(phase)))
  const after = { ...schedule, default_settings, phases }
  if (isSameJson(after, schedule)) return
  const change = new Change()
  change.update('subscription_schedule', schedule, () => after, 'subscription_schedule.updated')
  apply(unit, change, unit.clockOf(schedule.test_clock))
}
