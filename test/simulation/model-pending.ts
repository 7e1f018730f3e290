import type { Operation } from './model-events.ts'
import { scheduleNotices } from './model-notices.ts'
import type { Merchant, Subscription } from './model-state.ts'

/** The fields that a change of the plan sets. */
export type Plan = Pick<
  Subscription,
  'items' | 'amountsOff' | 'anchor' | 'period' | 'cycle' | 'start' | 'end'
>

/** A change that waits until its invoice is paid. See docs/contract/proration.md#pending-updates. */
export type Pending = {
  readonly invoice: string
  readonly expiresAt: number
  readonly plan: Plan
  readonly isNewPeriod: boolean
  /** The items that waited before. */
  readonly waited: readonly string[]
  /** The items of the change that exceeded its invoice. */
  readonly exceeding: readonly string[]
}

const HOURS_TO_PAY = 23

/** Returns the fields of a subscription that a change of the plan sets. */
export const planOf = ({ items, amountsOff, anchor, period, cycle, start, end }: Subscription): Plan => ({
  ...{ items: items.map((item) => ({ ...item })), amountsOff, anchor, period, cycle, start, end },
})

/** Takes a change back whose payment has failed, until its invoice is paid. */
export function wait(
  subscription: Subscription,
  before: Subscription,
  { invoice, at, ...items }: { invoice: string; at: number } & Pick<Pending, 'waited' | 'exceeding'>,
): void {
  const plan = planOf(subscription)
  const { cancelAt, upcomingAt, trialNoticeAt } = before
  Object.assign(subscription, planOf(before), { cancelAt, upcomingAt, trialNoticeAt })
  subscription.pending = {
    invoice,
    expiresAt: Math.min(at + HOURS_TO_PAY * 3600, subscription.end),
    plan,
    isNewPeriod: plan.cycle !== subscription.cycle,
    ...items,
  }
}

/** See docs/contract/proration.md#pending-updates. */
export function applyPending(operation: Operation, subscription: Subscription): void {
  const { pending, end } = subscription
  if (!pending) return
  subscription.pending = null
  Object.assign(subscription, pending.plan)
  if (pending.isNewPeriod) scheduleNotices(operation.merchant, subscription, operation.at)
  if (pending.isNewPeriod && subscription.cancelAtPeriodEnd && subscription.cancelAt === end)
    subscription.cancelAt = subscription.end
  operation.tellLast('pending_update_applied')
}

/** Removes a pending update. The items that waited before it wait again; its own that exceeded its invoice are deleted. */
export function forgetPending(merchant: Merchant, subscription: Subscription): void {
  const { waited = [], exceeding = [] } = subscription.pending ?? {}
  subscription.pending = null
  for (const item of merchant.items) if (waited.includes(item.key)) item.invoice = null
  merchant.items = merchant.items.filter(({ key }) => !exceeding.includes(key))
}

export const showPending = (pending: Pending | null) =>
  pending && {
    expires_at: pending.expiresAt,
    billing_cycle_anchor: pending.isNewPeriod ? pending.plan.anchor : null,
    subscription_items: pending.plan.items.map(({ price, quantity, isMetered }) => [
      ...[`{${price}}`, isMetered ? null : quantity],
    ]),
  }
