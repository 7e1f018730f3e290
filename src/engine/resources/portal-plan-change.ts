import type { PaymentIntent } from '../../core/payment-intent.ts'
import type { PortalFeatures } from '../../core/portal-configuration.ts'
import { type Plan, waitsForPeriodEnd } from '../../core/portal-permissions.ts'
import type { Subscription } from '../../core/subscription.ts'
import { isInTrial } from '../../core/subscription-status.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { type ChangePreview, previewAfter } from './invoice-preview.ts'
import { withoutPending } from './pending-update.ts'
import type { DiscountParam } from './redemption.ts'
import { updateSchedule } from './schedule-update.ts'
import { createScheduleFrom, releaseSchedule } from './subscription-schedule.ts'
import { type SubscriptionUpdate, updateSubscription } from './subscription-update.ts'

type Settings = PortalFeatures['subscription_update']

/** A change of the plan of a subscription with one item. */
export type PlanChange = {
  readonly plan: Plan
  /** The discounts of the subscription after the change; undefined for no change. */
  readonly discounts?: readonly DiscountParam[] | undefined
  /** When the change takes effect, in Unix seconds. */
  readonly proration_date: number
}

/** The invoices of a change of plan, and when it takes effect. */
export type PlanPreview = ChangePreview & {
  /** Unix seconds; null for a change at once. */
  readonly takesEffectAt: number | null
}

/**
 * Changes the plan of a subscription by the settings of the portal: now, or with a schedule at the end of the period.
 * @returns the payment that the customer must authenticate before the change counts; null if it was made or scheduled
 * @throws PaymentRefused with a 402 when a payment is due now and fails; ApiError as updateSubscription
 * See docs/contract/customer-portal.md#changing-a-plan.
 */
export function changePlanInPortal(
  unit: UnitOfWork,
  subscription: Subscription,
  settings: Settings,
  change: PlanChange,
): PaymentIntent | null {
  if (isLater(unit, subscription, settings, change)) {
    schedulePlan(unit, subscription, change)
    return null
  }
  const update = updateOf(subscription, settings, change)
  // A pending update takes no discounts, and no other end of a trial.
  const canWait = update.discounts === undefined && update.trial_end === undefined
  const payment_behavior = canWait ? 'pending_if_action' : 'error_if_incomplete'
  return waitingPayment(unit, updateSubscription(unit, subscription.id, { ...update, payment_behavior }))
}

/** Returns the payment that the pending change of a subscription waits for; null for none. */
export function waitingPayment(unit: UnitOfWork, { pending_update }: Subscription): PaymentIntent | null {
  if (pending_update === null) return null
  const { payment_intent } = unit.need('invoice', pending_update.invoice)
  return payment_intent === null ? null : unit.need('payment_intent', payment_intent)
}

/**
 * Withdraws a change of plan that waits for its payment or for the end of the period. See
 * docs/contract/customer-portal.md#changing-a-plan.
 */
export function withdrawPlanChange(unit: UnitOfWork, subscription: Subscription): void {
  const { schedule } = withoutPending(unit, subscription)
  if (schedule !== null) releaseSchedule(unit, schedule, { preserve_cancel_date: false })
}

/** Previews a change of plan: the change itself runs, and is rolled back. @throws ApiError as changePlanInPortal */
export function previewPlanInPortal(
  unit: UnitOfWork,
  subscription: Subscription,
  settings: Settings,
  change: PlanChange,
): PlanPreview {
  const { id, current_period_end } = subscription
  if (isLater(unit, subscription, settings, change))
    return {
      ...previewAfter(unit, id, (rehearsal) => schedulePlan(rehearsal, subscription, change)),
      takesEffectAt: current_period_end,
    }
  const update = updateOf(subscription, settings, change)
  return {
    ...previewAfter(unit, id, (rehearsal) => updateSubscription(rehearsal, id, update)),
    takesEffectAt: null,
  }
}

function isLater(
  unit: UnitOfWork,
  { items: [item] }: Subscription,
  settings: Settings,
  { plan }: PlanChange,
): boolean {
  if (!item) return false
  const before: Plan = { price: unit.needWithoutMetadata('price', item.price), quantity: item.quantity ?? 1 }
  return waitsForPeriodEnd(before, plan, settings)
}

function updateOf(
  subscription: Subscription,
  { proration_behavior, billing_cycle_anchor, trial_update_behavior }: Settings,
  { plan, discounts, proration_date }: PlanChange,
): SubscriptionUpdate {
  const items = subscription.items.map(({ id }) => ({ id, price: plan.price.id, quantity: plan.quantity }))
  // A trial has nothing to prorate, and its end begins a period in any case.
  if (isInTrial(subscription)) {
    const change = { items, discounts, proration_behavior }
    // The customer chose to buy, so that a missing payment method is no reason to cancel or pause.
    return trial_update_behavior === 'end_trial'
      ? { ...change, trial_end: 'now', bills_trial_end: true }
      : change
  }
  return {
    items,
    discounts,
    proration_behavior,
    proration_date: proration_behavior === 'none' ? undefined : proration_date,
    billing_cycle_anchor: billing_cycle_anchor ?? undefined,
  }
}

/** Plans the change for the end of the period. The schedule ends with the first period of the new plan. */
function schedulePlan(
  unit: UnitOfWork,
  { id, current_period_end }: Subscription,
  { plan, discounts }: PlanChange,
): void {
  const { id: schedule, phases } = createScheduleFrom(unit, id)
  const [phase] = phases
  if (!phase) return
  const { start_date, trial_end, items, proration_behavior } = phase
  updateSchedule(unit, schedule, {
    phases: [
      {
        start_date,
        end_date: current_period_end,
        // A phase without the running trial would end it.
        trial_end: trial_end ?? undefined,
        items: items.map(({ price, quantity }) => ({ price, quantity: quantity ?? undefined })),
        proration_behavior,
      },
      {
        items: [{ price: plan.price.id, quantity: plan.quantity }],
        iterations: 1,
        proration_behavior: 'none',
        discounts,
        chosen_in_portal: true,
      },
    ],
    end_behavior: 'release',
  })
}
