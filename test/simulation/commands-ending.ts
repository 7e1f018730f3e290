import { CHANGEABLE, scheduleForPeriodEnd } from './commands-subscriptions.ts'
import { billFinally, cancel, dropPending, invoicesOf, voidInvoice } from './model-billing.ts'
import { copyOf } from './model-copy.ts'
import { Operation } from './model-events.ts'
import { creditItems } from './model-plan.ts'
import { broken, type Command, done, refused } from './model-play.ts'
import { isEnded, nowOf } from './model-state.ts'

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
  const { status } = subscription
  if (isEnded(subscription)) return refused(play)
  const at = nowOf(merchant, subscription.customer)
  const before = copyOf(merchant)
  const operation = new Operation(merchant, faults, { at, subscription })
  dropPending(operation, subscription)
  const asked: { readonly prorate?: boolean; readonly invoice_now?: boolean } = play.body || {}
  if (asked.prorate && (status === 'active' || status === 'past_due' || status === 'unpaid'))
    creditItems(merchant, subscription, subscription.items, at)
  if (status === 'incomplete') {
    for (const invoice of invoicesOf(merchant, subscription)) {
      if (invoice.status === 'open') voidInvoice(operation, invoice)
    }
  }
  if (
    asked.invoice_now &&
    CHANGEABLE.some((each) => each === status) &&
    billFinally(operation, subscription, at + 1) === 'timed out'
  ) {
    Object.assign(merchant, before)
    return broken(play)
  }
  cancel(operation, subscription, { reason: 'cancellation_requested', isRequestedNow: true })
  return done({ ...play, emitted: operation.end({ isDeleted: true }) })
}

export const cancelLater: Command = (table) => {
  const { merchant, faults, dice } = table
  const subscription = dice.any(merchant.subscriptions.slice(-15))
  if (!subscription || subscription.cancelAt !== null) return null
  const path = `/v1/subscriptions/{${subscription.key}}`
  const play = { method: 'DELETE' as const, path, body: { cancel_at_period_end: true } }
  if (!CHANGEABLE.some((status) => status === subscription.status)) return refused(play)
  const at = nowOf(merchant, subscription.customer)
  const operation = new Operation(merchant, faults, { at, subscription })
  scheduleForPeriodEnd(subscription, at)
  return done({ ...play, emitted: operation.end() })
}
