import { cancel } from '../../core/billing/cancel.ts'
import { createItem } from '../../core/billing/change-plan.ts'
import { announceTrialEnd } from '../../core/billing/notify.ts'
import { release } from '../../core/billing/schedule.ts'
import { movesTrialEndNear, withNotices } from '../../core/billing/schedule-notices.ts'
import { start } from '../../core/billing/start.ts'
import { keptItems, meteredFrom, usageUpTo } from '../../core/billing/usage-changes.ts'
import { isSameInterval } from '../../core/calendar.ts'
import { Change } from '../../core/change.ts'
import { assert } from '../../core/errors.ts'
import type { Job } from '../../core/jobs.ts'
import type { ProrationBehavior } from '../../core/proration.ts'
import {
  canceledAt,
  intervalOf,
  newSubscription,
  type Prices,
  type Subscription,
  type SubscriptionItem,
  showsChange,
  withTrialEnd,
} from '../../core/subscription.ts'
import { isMetered } from '../../core/subscription-item.ts'
import {
  cancelAtOf,
  currentIndex,
  inPhase,
  isChangeDone,
  itemsOfPhase,
  mergedMetadata,
  nextPhase,
  type PhaseItem,
  SCHEDULE_TRANSITIONS,
  type SchedulePhase,
  type SubscriptionSchedule,
  settingsOf,
  withExpiry,
  withPhase,
} from '../../core/subscription-schedule.ts'
import { factsOf, isInTrial } from '../../core/subscription-status.ts'
import { move } from '../../core/transitions.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { accountOfNew, loadAccount, loadEndingAccount } from './account.ts'
import { endRemovedDiscounts } from './discount.ts'
import { enterDiscounts } from './phase-discount.ts'
import { changePlanNow, changesPlan, namesOf } from './plan-change.ts'
import { newItem } from './subscription-items.ts'
import { endTrialNow } from './subscription-update.ts'

/** Begins the next phase of a schedule, or ends the schedule after its last one. See docs/contract/schedules.md#entering-a-phase. */
export function runPhase(unit: UnitOfWork, { object }: Job): void {
  const schedule = unit.need('subscription_schedule', object)
  const clock = unit.clockOf(schedule.test_clock)
  const phase = nextPhase(schedule)
  const change = new Change()
  if (!phase) endPhases(unit, change, schedule)
  else if (schedule.subscription === null) {
    const starting = new Change()
    const started = startSchedule(unit, starting, schedule, phase)
    change.append(starting)
    change.update('subscription_schedule', schedule, () => started, 'subscription_schedule.updated')
  } else {
    const former = schedule.phases[currentIndex(schedule)] ?? null
    enterPhase(unit, change, { schedule, phase, former, behavior: phase.proration_behavior, isNew: true })
    change.update(
      'subscription_schedule',
      schedule,
      (active) => inPhase(active, phase),
      'subscription_schedule.updated',
    )
    const active = change.latest('subscription_schedule', schedule)
    if (isChangeDone(active)) endPhases(unit, change, active)
  }
  apply(unit, change, clock)
}

/** Reports a schedule that ends soon. See docs/contract/schedules.md#when-a-schedule-ends. */
export function reportExpiring(unit: UnitOfWork, { object }: Job): void {
  const schedule = unit.need('subscription_schedule', object)
  const change = new Change()
  change.update(
    'subscription_schedule',
    schedule,
    (active) => ({ ...active, expiring_at: null }),
    'subscription_schedule.expiring',
  )
  apply(unit, change, unit.clockOf(schedule.test_clock))
}

/** Loads the prices of a phase. */
const pricesOf = (unit: UnitOfWork, items: readonly { readonly price: string }[]): Prices =>
  new Map(items.map(({ price }) => [price, unit.needWithoutMetadata('price', price)]))

/** Returns a function that creates the item of a subscription from that of a phase. */
const itemMaker =
  (unit: UnitOfWork, now: number) =>
  ({ price, quantity, metadata }: PhaseItem): SubscriptionItem =>
    newItem(
      unit,
      { quantity: quantity ?? undefined, metadata: mergedMetadata({}, metadata) },
      { price: unit.needWithoutMetadata('price', price), created: now },
    )

/**
 * Creates the subscription of a schedule in its first phase, and bills it. The request has checked the objects of the phase.
 * @returns the schedule in its first phase; the change has the steps of the subscription only
 */
export function startSchedule(
  unit: UnitOfWork,
  change: Change,
  schedule: SubscriptionSchedule,
  phase: SchedulePhase,
): SubscriptionSchedule {
  const { instant: now } = unit.clockOf(schedule.test_clock)
  const prices = pricesOf(unit, phase.items)
  const blank = newSubscription(
    {
      ...settingsOf(schedule.default_settings, phase),
      id: unit.idFor('subscription'),
      created: now,
      customer: schedule.customer,
      currency: phase.currency,
      items: phase.items.map(itemMaker(unit, now)),
      trial_end: phase.trial_end,
      missing_payment_method: 'create_invoice',
      metadata: mergedMetadata({}, phase.metadata),
      test_clock: schedule.test_clock,
      schedule: schedule.id,
    },
    prices,
  )
  const cancel_at = cancelAtOf(schedule)
  const customer = unit.need('customer', schedule.customer)
  const redeeming = new Change()
  const discounted = {
    ...blank,
    ...enterDiscounts(unit, redeeming, blank, {
      ...{ customer, prices, items: blank.items },
      ...{ phase, former: null, isNew: true },
    }),
  }
  const subscription = cancel_at === null ? discounted : canceledAt(discounted, cancel_at, now)
  const method = methodOf(unit, subscription)
  const account = accountOfNew(unit, subscription, { method, change: redeeming })
  const names = namesOf(unit, prices)
  start(change, account, subscription, { behavior: 'create_prorations', names }, redeeming)
  return withExpiry(
    inPhase(
      {
        ...schedule,
        status: move(SCHEDULE_TRANSITIONS, schedule.status, 'start'),
        subscription: subscription.id,
      },
      phase,
    ),
    now,
  )
}

/** Returns the payment method of a new subscription; null if it has none, or if it was detached since it was chosen. */
function methodOf(unit: UnitOfWork, { customer, default_payment_method }: Subscription) {
  if (default_payment_method === null) return null
  const method = unit.need('payment_method', default_payment_method)
  return method.customer === customer ? method : null
}

/**
 * Applies a phase to its subscription, with the code of an update.
 * @param given.former - the previous phase, or the current one before its change
 * @param given.behavior - how a change within a period is billed
 * @param given.isNew - whether the phase begins now; otherwise the current phase has been changed
 * @param given.adjust - further changes of the subscription
 * See docs/contract/schedules.md#entering-a-phase.
 */
export function enterPhase(
  unit: UnitOfWork,
  change: Change,
  {
    schedule,
    phase,
    former,
    behavior,
    isNew,
    adjust = (same) => same,
  }: {
    readonly schedule: SubscriptionSchedule
    readonly phase: SchedulePhase
    readonly former: SchedulePhase | null
    readonly behavior: ProrationBehavior
    readonly isNew: boolean
    readonly adjust?: (subscription: Subscription) => Subscription
  },
): void {
  assert(schedule.subscription !== null, `${schedule.id} has a subscription`)
  const stored = unit.need('subscription', schedule.subscription)
  const subscription = change.latest('subscription', stored)
  const { instant: now } = unit.clockOf(schedule.test_clock)
  const wanted = itemsOfPhase(subscription.items, phase, itemMaker(unit, now))
  const metered = meteredFrom(subscription.items, wanted, now)
  const prices: Prices = new Map([...pricesOf(unit, subscription.items), ...pricesOf(unit, metered)])
  const { items, discounts } = enterDiscounts(unit, change, subscription, {
    ...{ customer: unit.need('customer', schedule.customer), prices, items: metered },
    ...{ phase, former, isNew },
  })
  const isOfInterval = isSameInterval(intervalOf(subscription.items, prices), intervalOf(items, prices))
  const beginsPeriod = !isOfInterval || (isNew && phase.billing_cycle_anchor === 'phase_start')
  const changed = adjust({ ...withPhase(subscription, schedule, phase, items), discounts })
  endRemovedDiscounts(unit, change, subscription, changed)
  const update = (after: Subscription) => {
    if (showsChange(subscription, after))
      change.update('subscription', subscription, () => after, 'subscription.updated')
  }

  if (isInTrial(subscription)) {
    const { trial_end } = phase
    if (trial_end !== null && trial_end > now) {
      const at = { now, notices: unit.merchant.settings.notices }
      const moved =
        trial_end === subscription.trial_end ? changed : withNotices(withTrialEnd(changed, trial_end), at)
      update(moved)
      if (movesTrialEndNear(subscription, moved, at)) announceTrialEnd(change, moved)
    } else if (subscription.current_period_end > now)
      endTrialNow(unit, change, { subscription, changed, method: undefined, now })
    else update(changed)
    return
  }
  const params = {
    proration_behavior: behavior,
    ...(beginsPeriod && { billing_cycle_anchor: 'now' as const }),
  }
  const { current_period_end } = subscription
  if (current_period_end > now && changesPlan(subscription, changed, params)) {
    changePlanNow(unit, change, {
      before: subscription,
      after: changed,
      method: undefined,
      params,
      isConditional: false,
    })
    return
  }
  // Within a period, the usage of replaced prices is billed as the behavior says: `none` bills none.
  const waits = current_period_end <= now && billEndedUsage(unit, change, subscription, changed)
  const has_pending_items = changed.has_pending_items || waits
  // The next invoice begins the first period of the new interval.
  update({
    ...changed,
    has_pending_items,
    ...(beginsPeriod && { billing_cycle_anchor: current_period_end }),
  })
}

/**
 * Bills the usage of the items that a phase replaces at the end of a period, before the renewal of the same second: the
 * renewal knows only the new items.
 * @returns whether an invoice item waits for the renewal
 */
function billEndedUsage(
  unit: UnitOfWork,
  change: Change,
  subscription: Subscription,
  { items }: Subscription,
): boolean {
  const { current_period_end: at } = subscription
  const isReplaced = keptItems(subscription, { items }).length < subscription.items.length
  if (!factsOf(subscription).isBilled || !isReplaced || !subscription.items.some(isMetered)) return false
  const account = loadAccount(unit, subscription)
  const lines = usageUpTo(account, subscription, { after: items, at })
  for (const line of lines) createItem(change, account, subscription, line)
  return lines.length > 0
}

/** Ends a schedule after its last phase. See docs/contract/schedules.md#when-a-schedule-ends. */
function endPhases(unit: UnitOfWork, change: Change, schedule: SubscriptionSchedule): void {
  const { instant: now } = unit.clockOf(schedule.test_clock)
  assert(schedule.subscription !== null, `${schedule.id} has a subscription`)
  const subscription = unit.need('subscription', schedule.subscription)
  if (schedule.end_behavior === 'cancel') {
    // Time does not cancel a paused subscription: the schedule does. Its end completes the schedule.
    cancel(change, loadEndingAccount(unit, subscription), subscription, 'cancellation_requested')
    return
  }
  detach(change, subscription)
  release(change, schedule, now)
}

/** Removes the schedule from its subscription. */
export function detach(
  change: Change,
  subscription: Subscription,
  rule: (subscription: Subscription) => Subscription = (same) => same,
): void {
  change.update(
    'subscription',
    subscription,
    (managed) => ({ ...rule(managed), schedule: null }),
    'subscription.updated',
  )
}
