import { cancelSchedule, release } from '../../core/billing/schedule.ts'
import { Change } from '../../core/change.ts'
import { DUE_DATE_REQUIRES_SENDING } from '../../core/collection-method.ts'
import type { Customer } from '../../core/customer.ts'
import { invalidStateTransition, parameterInvalid } from '../../core/errors.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import { spansOf } from '../../core/schedule-phases.ts'
import { canceledAt, type Subscription, withoutCancellation } from '../../core/subscription.ts'
import {
  areTooLong,
  cancelAtOf,
  type EndBehavior,
  MAX_PHASES_LENGTH,
  type SchedulePhase,
  type SubscriptionSchedule,
  withExpiry,
} from '../../core/subscription-schedule.ts'
import { isRunning } from '../../core/subscription-status.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { checkOneCurrency } from './one-currency.ts'
import { NO_KNOWN_DISCOUNTS } from './phase-discount.ts'
import { cancelWithSettlement } from './plan-change.ts'
import {
  checkCount,
  checkPhases,
  checkSize,
  type PhaseParams,
  phasesOf,
  type SettingsParams,
  settingsOfParams,
  under,
} from './schedule-params.ts'
import { detach, startSchedule } from './schedule-phase.ts'

export type NewScheduleParams = {
  customer: string
  start_date: number | 'now'
  phases: readonly PhaseParams[]
  default_settings?: SettingsParams | undefined
  end_behavior?: EndBehavior | undefined
  metadata?: MetadataParam | undefined
}

/**
 * Creates a schedule with its phases. If it starts now, its subscription is created and billed at once.
 * @throws ApiError resource_missing, parameter_invalid, amount_too_large, unsupported_psp_capability
 * See docs/contract/schedules.md#creating-a-schedule.
 */
export function createSchedule(unit: UnitOfWork, params: NewScheduleParams): SubscriptionSchedule {
  const customer = unit.find('customer', params.customer, 'customer')
  const clock = unit.clockOf(customer.test_clock)
  const { instant: now } = clock
  const start = params.start_date === 'now' ? now : params.start_date
  if (start < now)
    throw parameterInvalid(
      'start_date',
      `start_date must not be before the current time, ${now}; paytwin does not support a start in the past yet`,
    )
  checkCount(params.phases.length)
  const default_settings = defaultsOf(unit, customer, params.default_settings)
  const checked = checkPhases(unit, params.phases, {
    customer,
    defaults: default_settings,
    known: new Set(),
    knownDiscounts: NO_KNOWN_DISCOUNTS,
    currency: null,
  })
  const spans = spansOf(
    checked.map(({ timing }) => timing),
    { start, now, grid: null, canTry: true, triedUntil: null },
  )
  const planned: SubscriptionSchedule = {
    ...blankSchedule(unit, customer, now),
    phases: phasesOf(checked, spans),
    default_settings,
    end_behavior: params.end_behavior ?? 'release',
    metadata: mergeMetadata({}, params.metadata),
  }
  checkSize(planned.phases)
  const currency = planned.phases[0]?.currency
  if (currency !== undefined) checkOneCurrency(unit, customer, currency)
  const change = new Change()
  const starting = new Change()
  const [first] = planned.phases
  const schedule = start === now && first ? startSchedule(unit, starting, planned, first) : planned
  change.create('subscription_schedule', schedule, 'subscription_schedule.created')
  change.append(starting)
  apply(unit, change, clock)
  return schedule
}

/** Returns the default settings of a new schedule. @throws ApiError with names such as default_settings[description] */
function defaultsOf(
  unit: UnitOfWork,
  customer: Customer,
  params: SettingsParams = {},
): SubscriptionSchedule['default_settings'] {
  return under('default_settings', () => {
    const settings = settingsOfParams(unit, customer, params)
    const collection_method = settings.collection_method ?? 'charge_automatically'
    if (settings.days_until_due !== null && collection_method !== 'send_invoice')
      throw parameterInvalid('invoice_settings[days_until_due]', DUE_DATE_REQUIRES_SENDING)
    return { ...settings, collection_method }
  })
}

const blankSchedule = (
  unit: UnitOfWork,
  { id, test_clock }: Pick<Customer, 'id' | 'test_clock'>,
  now: number,
): Omit<SubscriptionSchedule, 'phases' | 'default_settings' | 'end_behavior'> => ({
  id: unit.idFor('subscription_schedule'),
  created: now,
  status: 'not_started',
  customer: id,
  subscription: null,
  released_subscription: null,
  current_phase: null,
  canceled_at: null,
  completed_at: null,
  released_at: null,
  expiring_at: null,
  metadata: {},
  test_clock,
})

/**
 * Creates a schedule for a running subscription. Its only phase is the current period, or lasts until the planned cancellation.
 * @throws ApiError resource_missing; parameter_invalid, param from_subscription, when it has a schedule;
 *   invalid_state_transition, param status
 * See docs/contract/schedules.md#from-a-subscription.
 */
export function createScheduleFrom(unit: UnitOfWork, id: string): SubscriptionSchedule {
  const subscription = unit.find('subscription', id, 'from_subscription')
  const clock = unit.clockOf(subscription.test_clock)
  if (!isRunning(subscription))
    throw invalidStateTransition(
      `A subscription whose status is ${subscription.status} cannot get a schedule`,
    )
  if (subscription.schedule !== null)
    throw parameterInvalid(
      'from_subscription',
      `The subscription already has a schedule: '${subscription.schedule}'`,
    )
  if (subscription.pending_update !== null)
    throw parameterInvalid('from_subscription', 'A subscription with a pending update cannot get a schedule')
  const { collection_method, days_until_due, default_payment_method, description } = subscription
  const customer = { id: subscription.customer, test_clock: subscription.test_clock }
  const phase = phaseOf(subscription)
  if (areTooLong([phase]))
    throw parameterInvalid(
      'from_subscription',
      `The items of the subscription have more than ${MAX_PHASES_LENGTH} characters as JSON, which the phases of a schedule cannot have. Shorten their metadata`,
    )
  const schedule: SubscriptionSchedule = {
    ...blankSchedule(unit, customer, clock.instant),
    status: 'active',
    subscription: id,
    phases: [phase],
    current_phase: { start_date: phase.start_date, end_date: phase.end_date },
    default_settings: { collection_method, days_until_due, default_payment_method, description },
    end_behavior: subscription.cancel_at === null ? 'release' : 'cancel',
  }
  const change = new Change()
  const created = change.create(
    'subscription_schedule',
    withExpiry(schedule, clock.instant),
    'subscription_schedule.created',
  )
  change.update(
    'subscription',
    subscription,
    (running) => ({ ...running, schedule: created.id, cancel_at_period_end: false }),
    'subscription.updated',
  )
  apply(unit, change, clock)
  return created
}

/** Returns the phase that a running subscription is in. */
function phaseOf(subscription: Subscription): SchedulePhase {
  const { current_period_start, current_period_end, cancel_at, trial_end } = subscription
  const end_date = cancel_at ?? current_period_end
  const isTrial = trial_end !== null && trial_end > current_period_start
  return {
    start_date: current_period_start,
    end_date,
    trial_end: isTrial ? Math.min(trial_end, end_date) : null,
    currency: subscription.currency,
    items: subscription.items.map(({ price, quantity, metadata }) => ({ price, quantity, metadata })),
    proration_behavior: 'create_prorations',
    billing_cycle_anchor: null,
    collection_method: null,
    days_until_due: null,
    default_payment_method: null,
    description: null,
    metadata: {},
  }
}

/**
 * Releases a schedule: its subscription continues without it.
 * @param params.preserve_cancel_date - whether a cancellation that the schedule has set stays
 * @throws ApiError resource_missing; invalid_state_transition, param status
 * See docs/contract/schedules.md#releasing.
 */
export function releaseSchedule(
  unit: UnitOfWork,
  id: string,
  { preserve_cancel_date }: { preserve_cancel_date: boolean },
): SubscriptionSchedule {
  const schedule = unit.find('subscription_schedule', id)
  const clock = unit.clockOf(schedule.test_clock)
  const change = new Change()
  const { subscription } = schedule
  const managed = change.latest('subscription_schedule', schedule)
  const releasing = new Change()
  release(releasing, managed, clock.instant)
  if (subscription !== null) {
    const clears = cancelAtOf(schedule) !== null && !preserve_cancel_date
    detach(change, unit.need('subscription', subscription), (kept) =>
      clears ? withoutPlannedEnd(kept, clock.instant) : kept,
    )
  }
  change.append(releasing)
  apply(unit, change, clock)
  return change.latest('subscription_schedule', schedule)
}

/** Returns a subscription without the cancellation that its schedule has set. */
export const withoutPlannedEnd = (subscription: Subscription, now: number): Subscription =>
  canceledAt(withoutCancellation(subscription), null, now)

/**
 * Cancels a schedule, and its subscription if it has begun.
 * @param params.invoice_now - whether to bill the pending items at once
 * @param params.prorate - whether to credit the unused time
 * @throws ApiError resource_missing; invalid_state_transition, param status
 * See docs/contract/schedules.md#canceling-a-schedule.
 */
export function cancelScheduleNow(
  unit: UnitOfWork,
  id: string,
  { invoice_now, prorate }: { invoice_now: boolean; prorate: boolean },
): SubscriptionSchedule {
  const schedule = unit.find('subscription_schedule', id)
  const clock = unit.clockOf(schedule.test_clock)
  const change = new Change()
  cancelSchedule(change, schedule, clock.instant)
  if (schedule.subscription !== null)
    cancelWithSettlement(unit, change, unit.need('subscription', schedule.subscription), {
      prorate,
      invoice_now,
    })
  apply(unit, change, clock)
  return change.latest('subscription_schedule', schedule)
}
