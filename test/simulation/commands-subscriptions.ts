import { bill, invoicesOf, voidInvoice } from './model-billing.ts'
import { DAY } from './model-calendar.ts'
import { copyOf } from './model-copy.ts'
import { Operation } from './model-events.ts'
import { isNear, scheduleNotices } from './model-notices.ts'
import { enterFirstPeriod } from './model-periods.ts'
import { keepInPhase } from './model-phases.ts'
import {
  broken,
  type Command,
  declined,
  done,
  methodsOf,
  refused,
  subscriptionIn,
  type Table,
} from './model-play.ts'
import { endTrialNow } from './model-renewals.ts'
import { managing } from './model-schedule.ts'
import { ref } from './model-shown.ts'
import { nowOf, type Subscription } from './model-state.ts'

export const CHANGEABLE = ['active', 'past_due', 'trialing', 'unpaid'] as const

/**
 * An update of a running subscription, and its changes.
 * @param isOfSchedule - whether a schedule plans what changes, so that managed subscriptions refuse it
 */
const update =
  (
    change: (subscription: Subscription, table: Table, at: number) => Record<string, unknown> | null,
    { isOfSchedule = false } = {},
  ): Command =>
  (table) => {
    const { merchant, faults } = table
    const subscription = subscriptionIn(table, ...CHANGEABLE)
    if (!subscription) return null
    const at = nowOf(merchant, subscription.customer)
    const operation = new Operation(merchant, faults, { at, subscription })
    const before = copyOf(subscription)
    const body = change(subscription, table, at)
    if (body === null) return null
    const play = { method: 'POST' as const, path: `/v1/subscriptions/{${subscription.key}}`, body }
    const schedule = managing(merchant, subscription)
    if (schedule && isOfSchedule) {
      Object.assign(subscription, before)
      return refused(play)
    }
    keepInPhase(schedule, before, subscription)
    return done({ ...play, emitted: operation.end() })
  }

export const pauseCollection = update((subscription, { dice }, at) => {
  const behavior = dice.of(['keep_as_draft', 'mark_uncollectible', 'void'] as const)
  const resumes_at = dice.chance(50) ? at + dice.between(1, 60) * DAY : null
  subscription.pause = { behavior, resumes_at }
  return { pause_collection: subscription.pause }
})

export const endPause = update((subscription) => {
  subscription.pause = null
  return { pause_collection: null }
})

/** Removes the payment method; then the customer's default is charged. */
export const leaveToDefault = update((subscription) => {
  subscription.method = null
  return { default_payment_method: null }
})

export const changeMethod = update((subscription, table) => {
  const method = table.dice.any(methodsOf(table, subscription.customer))
  if (!method) return null
  subscription.method = method.key
  return { default_payment_method: ref(method.key) }
})

/** Changes the collection from the next invoice on. Sent invoices are due after 30 days by default. */
export const changeCollection = update((subscription, { dice }) => {
  if (subscription.collection === 'send_invoice') {
    // Automatic charging needs a payment method.
    if (subscription.method === null) return null
    subscription.collection = 'charge_automatically'
    subscription.daysUntilDue = null
    return { collection_method: 'charge_automatically' }
  }
  const days = dice.chance(30) ? undefined : dice.of([0, 3, 14])
  subscription.collection = 'send_invoice'
  subscription.daysUntilDue = days ?? 30
  return { collection_method: 'send_invoice', ...(days !== undefined && { days_until_due: days }) }
})

export const describeIt = update((subscription, { dice }) => {
  subscription.description = dice.of(['one', 'two', 'three'])
  return { description: subscription.description }
})

export const cancelAt = update(
  (subscription, { dice }, at) => {
    if (subscription.cancelAtPeriodEnd || subscription.cancelAt !== null) return null
    subscription.cancelAt = at + dice.between(1, 90 * 24) * 3600
    subscription.canceledAt = at
    return { cancel_at: subscription.cancelAt }
  },
  { isOfSchedule: true },
)

export const cancelAtPeriodEnd = update(
  (subscription, _, at) => {
    if (subscription.cancelAtPeriodEnd || subscription.cancelAt !== null) return null
    scheduleForPeriodEnd(subscription, at)
    return { cancel_at_period_end: true }
  },
  { isOfSchedule: true },
)

/** See docs/contract/subscriptions.md#cancellation-fields. */
export function scheduleForPeriodEnd(subscription: Subscription, at: number): void {
  subscription.cancelAtPeriodEnd = true
  subscription.cancelAt = subscription.end
  subscription.canceledAt = at
}

export const extendTrial: Command = (table) => {
  const { merchant, faults, dice } = table
  const subscription = subscriptionIn(table, 'trialing')
  if (!subscription || subscription.cancelAt !== null) return null
  const at = nowOf(merchant, subscription.customer)
  const operation = new Operation(merchant, faults, { at, subscription })
  const end = subscription.end + dice.between(1, 20) * DAY
  if (end > at + 720 * DAY) return null
  const path = `/v1/subscriptions/{${subscription.key}}`
  const play = { method: 'POST' as const, path, body: { trial_end: end } }
  if (managing(merchant, subscription)) return refused(play)
  Object.assign(subscription, { trialEnd: end, end, anchor: end })
  scheduleNotices(merchant, subscription, at)
  if (isNear(merchant, end, at)) operation.tellLast('trial_will_end')
  return done({ ...play, emitted: operation.end() })
}

/** See docs/contract/subscriptions.md#updating. */
export const endTrialAtOnce: Command = (table) => {
  const { merchant, faults } = table
  const subscription = subscriptionIn(table, 'trialing')
  // The contract is not precise about timeouts, and about a cancellation at the end of the trial.
  if (!subscription || subscription.cancelAt !== null || faults.some(({ remaining }) => remaining > 0))
    return null
  const path = `/v1/subscriptions/{${subscription.key}}`
  const play = { method: 'POST' as const, path, body: { trial_end: 'now' } }
  if (managing(merchant, subscription)) return refused(play)
  const at = nowOf(merchant, subscription.customer)
  const operation = new Operation(merchant, faults, { at, subscription })
  return done({ ...play, emitted: operation.end(endTrialNow(operation, subscription)) })
}

/** See docs/contract/subscriptions.md#resuming. */
export const resume: Command = (table) => {
  const { merchant, faults, dice } = table
  const worthIt = merchant.subscriptions.filter(
    ({ status, pause, cancelAtPeriodEnd }) => status === 'paused' || pause !== null || cancelAtPeriodEnd,
  )
  const subscription = dice.any(dice.chance(80) ? worthIt : merchant.subscriptions)
  if (!subscription) return null
  const at = nowOf(merchant, subscription.customer)
  const play = { method: 'POST' as const, path: `/v1/subscriptions/{${subscription.key}}/resume` }
  if (subscription.status === 'paused') return resumePaused(table, subscription, play)
  const isPending = CHANGEABLE.some((status) => status === subscription.status)
  if (!isPending || !(subscription.cancelAtPeriodEnd || subscription.pause)) return refused(play)
  const operation = new Operation(merchant, faults, { at, subscription })
  if (subscription.cancelAtPeriodEnd) {
    if (managing(merchant, subscription)) return refused(play)
    Object.assign(subscription, { cancelAtPeriodEnd: false, cancelAt: null, canceledAt: null })
  }
  subscription.pause = null
  return done({ ...play, emitted: operation.end({ isResumed: true }) })
}

/** Resumes a paused subscription with a new period and anchor; a failure emits I3f, PI−, invoice.voided. */
function resumePaused(table: Table, subscription: Subscription, play: { method: 'POST'; path: string }) {
  const { merchant, faults } = table
  const at = nowOf(merchant, subscription.customer)
  const before = copyOf(merchant)
  const wasBefore = copyOf(subscription)
  const operation = new Operation(merchant, faults, { at, subscription })
  subscription.anchor = at
  // It removes a `cancel_at` that has passed, and ends a pause of collection. See
  // docs/contract/subscriptions.md#resuming.
  subscription.pause = null
  if (subscription.cancelAt !== null && subscription.cancelAt <= at) {
    Object.assign(subscription, { cancelAt: null, canceledAt: null, cancelAtPeriodEnd: false })
  }
  enterFirstPeriod(operation, subscription)
  const outcome = bill(operation, subscription, { reason: 'subscription_cycle' })
  if (outcome === 'timed out') {
    Object.assign(merchant, before)
    return broken(play)
  }
  const invoice = invoicesOf(merchant, subscription).at(-1)
  if ((outcome === 'declined' || outcome === 'no method') && invoice) {
    voidInvoice(operation, invoice, true)
    const { discounts, itemDiscounts } = subscription
    Object.assign(subscription, wasBefore, { discounts, itemDiscounts })
    return declined({ ...play, emitted: operation.end() })
  }
  subscription.status = 'active'
  return done({ ...play, emitted: operation.end({ isResumed: true }) })
}
