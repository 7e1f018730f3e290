import { discountIdsOf } from '../../core/billing/discounting.ts'
import { Change } from '../../core/change.ts'
import { assert, invalidStateTransition, parameterInvalid, parameterMissing } from '../../core/errors.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import type { ProrationBehavior } from '../../core/proration.ts'
import { gridIn, type PhaseTiming, spansOf } from '../../core/schedule-phases.ts'
import { canceledAt, intervalOf, type Subscription } from '../../core/subscription.ts'
import {
  cancelAtOf,
  currentIndex,
  type EndBehavior,
  firstPhase,
  inPhase,
  isOver,
  type SchedulePhase,
  type SubscriptionSchedule,
  withExpiry,
} from '../../core/subscription-schedule.ts'
import { isInTrial } from '../../core/subscription-status.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { knownDiscounts } from './phase-discount.ts'
import {
  type CheckedPhase,
  checkCount,
  checkPhases,
  checkSize,
  type PhaseParams,
  phasesOf,
  type SettingsParams,
  settingsOfParams,
  under,
} from './schedule-params.ts'
import { enterPhase, startSchedule } from './schedule-phase.ts'
import { withoutPlannedEnd } from './subscription-schedule.ts'

/** undefined leaves a field unchanged. */
export type ScheduleUpdate = {
  phases?: readonly PhaseParams[] | undefined
  end_behavior?: EndBehavior | undefined
  /** How a change of the current phase is billed. */
  proration_behavior?: ProrationBehavior | undefined
  default_settings?: SettingsParams | undefined
  metadata?: MetadataParam | undefined
}

/**
 * Updates a schedule. A change of the current phase takes effect at once.
 * @throws ApiError resource_missing, parameter_missing, parameter_invalid, amount_too_large, unsupported_psp_capability,
 *   invalid_state_transition (param status)
 * See docs/contract/schedules.md#updating-a-schedule.
 */
export function updateSchedule(unit: UnitOfWork, id: string, params: ScheduleUpdate): SubscriptionSchedule {
  const schedule = unit.find('subscription_schedule', id)
  const clock = unit.clockOf(schedule.test_clock)
  const { instant: now } = clock
  const { metadata, ...others } = params
  if (isOver(schedule) && Object.values(others).some((value) => value !== undefined))
    throw invalidStateTransition(
      `Only metadata of a subscription schedule whose status is ${schedule.status} can be changed`,
    )
  const default_settings = updatedDefaults(unit, schedule, params.default_settings)
  const settled = { ...schedule, default_settings }
  const planned: SubscriptionSchedule = {
    ...settled,
    phases: params.phases ? updatedPhases(unit, settled, params.phases, now) : schedule.phases,
    end_behavior: params.end_behavior ?? schedule.end_behavior,
    metadata: mergeMetadata(schedule.metadata, metadata),
  }
  const change = new Change()
  const after = effectOf(unit, change, { schedule, planned, behavior: params.proration_behavior, now })
  if (!isEqual(after, schedule))
    change.update('subscription_schedule', schedule, () => after, 'subscription_schedule.updated')
  apply(unit, change, clock)
  return after
}

/** Makes the subscription follow the updated schedule. @returns the schedule in its phase */
function effectOf(
  unit: UnitOfWork,
  change: Change,
  {
    schedule,
    planned,
    behavior = 'create_prorations',
    now,
  }: {
    readonly schedule: SubscriptionSchedule
    readonly planned: SubscriptionSchedule
    readonly behavior: ProrationBehavior | undefined
    readonly now: number
  },
): SubscriptionSchedule {
  if (isOver(schedule)) return planned
  // Otherwise a phase that begins or ends in this second waits for its job.
  const isReplanned = planned.phases !== schedule.phases
  if (schedule.subscription === null) {
    const first = firstPhase(planned)
    const isStarted = isReplanned && first.start_date === now
    return isStarted ? startSchedule(unit, change, planned, first) : planned
  }
  const before = schedule.phases[currentIndex(schedule)]
  const phase = isReplanned
    ? planned.phases.find(({ start_date, end_date }) => start_date <= now && now < end_date)
    : before
  assert(before && phase, `a phase of ${schedule.id} is in force`)
  const cancel_at = cancelAtOf(planned)
  const adjust = (subscription: Subscription): Subscription => {
    if (cancel_at === cancelAtOf(schedule)) return subscription
    return cancel_at === null
      ? withoutPlannedEnd(subscription, now)
      : canceledAt(subscription, cancel_at, now)
  }
  const isNew = phase.start_date !== before.start_date
  const defaultsChange = !isEqual(planned.default_settings, schedule.default_settings)
  if (isNew || defaultsChange || !isEqual(contentOf(phase), contentOf(before)))
    enterPhase(unit, change, {
      schedule: planned,
      phase,
      former: before,
      behavior: isNew ? phase.proration_behavior : behavior,
      isNew,
      adjust,
    })
  else if (cancel_at !== cancelAtOf(schedule))
    change.update(
      'subscription',
      unit.need('subscription', schedule.subscription),
      adjust,
      'subscription.updated',
    )
  return withExpiry(inPhase(planned, phase), now)
}

/** Returns the part of a phase that applies to its subscription. */
const contentOf = ({ start_date, end_date, proration_behavior, ...content }: SchedulePhase) => content

/** Compares plain values regardless of the order of their fields. */
const isEqual = (left: unknown, right: unknown): boolean =>
  JSON.stringify(left, inOrder) === JSON.stringify(right, inOrder)

const inOrder = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value

function updatedDefaults(
  unit: UnitOfWork,
  { customer, default_settings }: SubscriptionSchedule,
  params: SettingsParams | undefined,
): SubscriptionSchedule['default_settings'] {
  if (!params) return default_settings
  const given = under('default_settings', () =>
    settingsOfParams(unit, unit.need('customer', customer), params),
  )
  const collection_method = given.collection_method ?? default_settings.collection_method
  const days = params.invoice_settings ? given.days_until_due : default_settings.days_until_due
  return {
    collection_method,
    days_until_due: collection_method === 'send_invoice' ? days : null,
    default_payment_method:
      params.default_payment_method === undefined
        ? default_settings.default_payment_method
        : given.default_payment_method,
    description: params.description === undefined ? default_settings.description : given.description,
  }
}

/**
 * Returns the phases after an update: those that have ended, and the given ones from the current one on.
 * @throws ApiError parameter_missing, parameter_invalid
 */
function updatedPhases(
  unit: UnitOfWork,
  schedule: SubscriptionSchedule,
  params: readonly PhaseParams[],
  now: number,
): readonly SchedulePhase[] {
  const given = params[0]?.start_date
  if (given === undefined) throw parameterMissing('phases[0][start_date]')
  const start = given === 'now' ? now : given
  const current = currentIndex(schedule)
  const first = current === -1 ? 0 : schedule.phases.findIndex(({ start_date }) => start_date === start)
  if (current === -1 ? start < now : first === -1 || first > current)
    throw parameterInvalid(
      'phases[0][start_date]',
      current === -1
        ? `start_date must not be before the current time, ${now}`
        : `The phases must begin with the current one, which began at ${schedule.current_phase?.start_date}`,
    )
  const offset = Math.max(0, current - first)
  if (params.length <= offset) throw parameterInvalid('phases', 'The phases must include the current one')
  checkCount(params.length - offset)
  const checked = checkPhases(unit, params, {
    customer: unit.need('customer', schedule.customer),
    defaults: schedule.default_settings,
    known: new Set(schedule.phases.flatMap(({ items }) => items.map(({ price }) => price))),
    knownDiscounts: knownDiscounts(schedule.phases, managedDiscounts(unit, schedule)),
    currency: current === -1 ? null : firstPhase(schedule).currency,
  })
  const past = schedule.phases.slice(0, Math.max(0, current))
  checked.slice(0, offset).forEach((phase, index) => {
    checkPast(phase, past[first + index], index)
  })
  const coming = checked.slice(offset)
  const timings = coming.map(({ timing }) => timing)
  const spans = spansOf(timings, {
    ...{ start: schedule.current_phase?.start_date ?? start, now, offset },
    ...runningAt(unit, schedule, timings[0], now),
  })
  const [now1] = spans
  if (now1 && (now1.end_date < now || (now1.end_date === now && spans.length === 1)))
    throw parameterInvalid(
      `phases[${offset}][end_date]`,
      `The current phase must end after the current time, ${now}, or be followed by another one; to end the schedule, release or cancel it`,
    )
  const phases = [...past, ...phasesOf(coming, spans)]
  checkSize(phases)
  return phases
}

/** Lists the discounts that a schedule's subscription and its items have. */
const managedDiscounts = (unit: UnitOfWork, { subscription }: SubscriptionSchedule): readonly string[] =>
  subscription === null ? [] : discountIdsOf(unit.need('subscription', subscription))

/** Returns the grid by which the phases of a schedule are counted, and whether its current phase can be a trial. */
function runningAt(
  unit: UnitOfWork,
  schedule: SubscriptionSchedule,
  current: PhaseTiming | undefined,
  now: number,
) {
  if (schedule.subscription === null || !current) return { grid: null, canTry: true, triedUntil: null }
  const subscription = unit.need('subscription', schedule.subscription)
  const prices = new Map(
    subscription.items.map(({ price }) => [price, unit.needWithoutMetadata('price', price)]),
  )
  const recurring = intervalOf(subscription.items, prices)
  return {
    grid: gridIn(current, { subscription, recurring, now }),
    canTry: isInTrial(subscription),
    triedUntil: schedule.phases[currentIndex(schedule)]?.trial_end ?? null,
  }
}

/** @throws ApiError parameter_invalid, such as param phases[0], for a change of a phase that has ended */
function checkPast(
  { timing, content }: CheckedPhase,
  stored: SchedulePhase | undefined,
  index: number,
): void {
  const { start_date, end_date, trial_end, ...former } = stored ?? {}
  const isKept =
    (timing.start_date === undefined || timing.start_date === start_date) &&
    (timing.end_date === undefined || timing.end_date === end_date) &&
    timing.iterations === undefined &&
    timing.duration === undefined &&
    Object.entries(content).every(([name, value]) => isEqual(value, Reflect.get(former, name)))
  if (!isKept)
    throw parameterInvalid(
      `phases[${index}]`,
      'This phase has ended and cannot be changed; leave it out, or repeat it as it is',
    )
}
