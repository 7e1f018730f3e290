import { CHANGEABLE, scheduleForPeriodEnd } from './commands-subscriptions.ts'
import { billFinally, cancel, dropPending, voidOpen } from './model-billing.ts'
import { isBilled } from './model-change.ts'
import { copyOf } from './model-copy.ts'
import { Operation } from './model-events.ts'
import { creditItems } from './model-plan.ts'
import { broken, type Command, done, refused } from './model-play.ts'
import { managing } from './model-schedule.ts'
import { isEnded, nowOf, type Subscription } from './model-state.ts'

/** See docs/contract/subscriptions.md#canceling. */
export const cancelNow: Command = (table) => {
  const { merchant, faults, dice } = table
  const subscription = dice.any(merchant.subscriptions.slice(-15))
  if (!subscription) return null
  const [isProrated, isInvoiced] = [dice.chance(50), dice.chance(50)]
  const play = {
    method: 'DELETE' as const,
    path: `/v1/subscriptions/{${subscription.key}}`,
    ...(dice.chance(70) && {
      body: {
        ...(dice.chance(50) && { cancel_at_period_end: false }),
        ...(isProrated && { prorate: true }),
        ...(isInvoiced && { invoice_now: true }),
      },
    }),
  }
  if (isEnded(subscription)) return refused(play)
  const at = nowOf(merchant, subscription.customer)
  const before = copyOf(merchant)
  const operation = new Operation(merchant, faults, { at, subscription })
  if (!endNow(operation, subscription, play.body || {})) {
    Object.assign(merchant, before)
    return broken(play)
  }
  return done({ ...play, emitted: operation.end({ isDeleted: true }) })
}

/** Cancels a subscription immediately. @returns false if the final payment times out */
export function endNow(
  operation: Operation,
  subscription: Subscription,
  { prorate = false, invoice_now = false }: { readonly prorate?: boolean; readonly invoice_now?: boolean },
): boolean {
  const { merchant, at } = operation
  const { status } = subscription
  dropPending(operation, subscription)
  if (prorate && isBilled(subscription)) creditItems(merchant, subscription, subscription.items, at)
  if (status === 'incomplete') voidOpen(operation, subscription)
  if (
    invoice_now &&
    CHANGEABLE.some((each) => each === status) &&
    billFinally(operation, subscription, at + 1) === 'timed out'
  )
    return false
  cancel(operation, subscription, { reason: 'cancellation_requested', isRequestedNow: true })
  return true
}

export const cancelLater: Command = (table) => {
  const { merchant, faults, dice } = table
  const subscription = dice.any(merchant.subscriptions.slice(-15))
  if (!subscription || (subscription.cancelAt !== null && !managing(merchant, subscription))) return null
  const path = `/v1/subscriptions/{${subscription.key}}`
  const play = { method: 'DELETE' as const, path, body: { cancel_at_period_end: true } }
  if (!CHANGEABLE.some((status) => status === subscription.status)) return refused(play)
  if (managing(merchant, subscription)) return refused(play)
  const at = nowOf(merchant, subscription.customer)
  const operation = new Operation(merchant, faults, { at, subscription })
  scheduleForPeriodEnd(subscription, at)
  return done({ ...play, emitted: operation.end() })
}
