import type { AmountsOff } from './amounts-off.ts'
import { nextBoundary, type Period, type Recurring } from './calendar.ts'
import type { CancellationFeedback } from './cancellation-feedback.ts'
import type { CollectionMethod } from './collection-method.ts'
import { assert } from './errors.ts'
import type { Invoice } from './invoice.ts'
import type { Metadata } from './metadata.ts'
import type { SubscriptionNotices } from './notices.ts'
import type { PaymentSettings } from './payment-settings.ts'
import type { PendingUpdate } from './pending-update.ts'
import type { BilledPrice } from './price.ts'
import type { Rules } from './rules.ts'
import type { SubscriptionItem } from './subscription-item.ts'
import { FIRST_STATUS, type SubscriptionStatus } from './subscription-status.ts'

export type { SubscriptionItem } from './subscription-item.ts'

/** The maximum number of items of a subscription. See docs/contract/subscriptions.md#items. */
export const MAX_ITEMS = 20

export const MISSING_PAYMENT_METHOD = ['create_invoice', 'pause', 'cancel'] as const
export type MissingPaymentMethod = (typeof MISSING_PAYMENT_METHOD)[number]

export const PAUSE_BEHAVIORS = ['keep_as_draft', 'mark_uncollectible', 'void'] as const
export type PauseCollection = {
  readonly behavior: (typeof PAUSE_BEHAVIORS)[number]
  readonly resumes_at: number | null
}

export type CancellationReason = 'cancellation_requested' | 'payment_failed' | 'payment_method_missing'

/** A subscription. Times are in Unix seconds. See docs/contract/subscriptions.md#fields. */
export type Subscription = {
  readonly id: string
  readonly created: number
  readonly status: SubscriptionStatus
  readonly customer: string
  readonly currency: string
  readonly collection_method: CollectionMethod
  readonly days_until_due: number | null
  readonly default_payment_method: string | null
  readonly description: string | null
  readonly items: readonly SubscriptionItem[]
  /** null until one of its invoices has been paid, then the newest finalized one. */
  readonly latest_invoice: string | null
  /** The newest finalized invoice, paid or not. Not part of the API's object. */
  readonly newest_invoice: string | null
  /** Whether invoice items may wait for its next invoice. Not part of the API's object. */
  readonly has_pending_items: boolean
  readonly start_date: number
  readonly billing_cycle_anchor: number
  readonly current_period_start: number
  readonly current_period_end: number
  readonly trial_start: number | null
  readonly trial_end: number | null
  readonly missing_payment_method: MissingPaymentMethod
  readonly cancel_at: number | null
  readonly cancel_at_period_end: boolean
  readonly canceled_at: number | null
  readonly ended_at: number | null
  readonly cancellation_reason: CancellationReason | null
  readonly pause_collection: PauseCollection | null
  readonly pending_update: PendingUpdate | null
  /** The schedule that manages it; null for none. See docs/contract/schedules.md#managed-subscriptions. */
  readonly schedule: string | null
  /** Not part of the API's object. */
  readonly notices: SubscriptionNotices | null
  /** The discounts of its invoices, in the order in which they apply. */
  readonly discounts: readonly string[]
  /** Not part of the API's object. */
  readonly amounts_off: AmountsOff
  readonly metadata: Metadata
  readonly test_clock: string | null
  /** When it expires if its first payment is still missing; null for the end of its first period. Not part of the API's object. */
  readonly expires_at: number | null
  /** Whether a payment method that pays an invoice by hand becomes its default one. Not part of the API's object. */
  readonly saves_payment_method: boolean
  /** The setup intent that prepares its payment method; null for none. Not part of the API's object. */
  readonly pending_setup_intent: string | null
  /** null if none was given. Only Stripe's API has it. */
  readonly cancellation_feedback: CancellationFeedback | null
  /** null if none were given. */
  readonly payment_settings: PaymentSettings | null
}

/** Returns when a scheduled cancellation takes effect; null without one. See docs/contract/subscriptions.md#canceling. */
export function cancellationAt(subscription: Subscription): number | null {
  const { cancel_at, cancel_at_period_end, current_period_end } = subscription
  if (!cancel_at_period_end) return cancel_at
  return cancel_at === null ? current_period_end : Math.min(cancel_at, current_period_end)
}

/** Prices by id, without their metadata: twenty prices can have 3 MB of it. */
export type Prices = ReadonlyMap<string, BilledPrice>

/** Returns the price of an item, which must be among the given ones. */
export const priceOf = (item: Pick<SubscriptionItem, 'price'>, prices: Prices): BilledPrice => {
  const price = prices.get(item.price)
  assert(price, `the price ${item.price} was loaded`)
  return price
}

/** Returns the interval that all items of a subscription share. See docs/contract/subscriptions.md#items. */
export function intervalOf(items: readonly Pick<SubscriptionItem, 'price'>[], prices: Prices): Recurring {
  const [item] = items
  assert(item, 'a subscription has at least one item')
  const { recurring } = priceOf(item, prices)
  assert(recurring, 'an item has a recurring price')
  const { interval, interval_count } = recurring
  return { interval, interval_count }
}

/**
 * Creates a subscription in its state before the first payment. A trial is its first period, and the trial's end is the
 * anchor; without a trial the anchor is now, or the given one, at which the first period then ends.
 * @param given.trial_end - Unix seconds after now; null for no trial
 * @param given.anchor - Unix seconds after now; null for no anchor of its own
 * See docs/contract/subscriptions.md#creating.
 */
export function newSubscription(
  given: Pick<
    Subscription,
    | 'id'
    | 'created'
    | 'customer'
    | 'currency'
    | 'collection_method'
    | 'days_until_due'
    | 'default_payment_method'
    | 'description'
    | 'items'
    | 'trial_end'
    | 'missing_payment_method'
    | 'metadata'
    | 'test_clock'
  > & {
    readonly anchor?: number | null
    readonly startDate?: number | undefined
    readonly schedule?: string
    readonly savesMethod?: boolean
    readonly paymentSettings?: PaymentSettings | null
    readonly discounts?: readonly string[]
  },
  prices: Prices,
): Subscription {
  const { created: now, trial_end } = given
  const firstEnd = trial_end ?? given.anchor ?? null
  // The fields are named one by one for the reason given at draftInvoice.
  return {
    id: given.id,
    created: now,
    status: trial_end === null ? FIRST_STATUS.paid : FIRST_STATUS.trial,
    customer: given.customer,
    currency: given.currency,
    collection_method: given.collection_method,
    days_until_due: given.days_until_due,
    default_payment_method: given.default_payment_method,
    description: given.description,
    items: given.items,
    latest_invoice: null,
    newest_invoice: null,
    has_pending_items: false,
    start_date: given.startDate ?? now,
    billing_cycle_anchor: firstEnd ?? now,
    current_period_start: now,
    current_period_end: firstEnd ?? nextBoundary(now, intervalOf(given.items, prices), now),
    trial_start: trial_end === null ? null : now,
    trial_end,
    missing_payment_method: given.missing_payment_method,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    ended_at: null,
    cancellation_reason: null,
    pause_collection: null,
    pending_update: null,
    schedule: given.schedule ?? null,
    notices: null,
    discounts: given.discounts ?? [],
    amounts_off: null,
    metadata: given.metadata,
    test_clock: given.test_clock,
    expires_at: null,
    saves_payment_method: given.savesMethod ?? false,
    pending_setup_intent: null,
    cancellation_feedback: null,
    payment_settings: given.paymentSettings ?? null,
  }
}

/**
 * Schedules a cancellation at the end of the period, or of the trial. See docs/contract/subscriptions.md#canceling.
 */
export const canceledAtPeriodEnd = (subscription: Subscription, now: number): Subscription => ({
  ...subscription,
  cancel_at_period_end: true,
  cancel_at: Math.min(subscription.cancel_at ?? Number.POSITIVE_INFINITY, subscription.current_period_end),
  canceled_at: now,
})

/**
 * Removes a cancellation at the end of the period. An earlier `cancel_at` stays in force.
 * See docs/contract/subscriptions.md#resuming.
 */
export function withoutCancellation(subscription: Subscription): Subscription {
  const { cancel_at, current_period_end, canceled_at } = subscription
  const remains = cancel_at !== null && cancel_at < current_period_end
  return {
    ...subscription,
    cancel_at_period_end: false,
    cancel_at: remains ? cancel_at : null,
    canceled_at: remains ? canceled_at : null,
  }
}

/**
 * Schedules a cancellation at an instant, or removes it for null.
 * See docs/contract/subscriptions.md#canceling.
 */
export function canceledAt(subscription: Subscription, cancel_at: number | null, now: number): Subscription {
  if (cancel_at !== null) return { ...subscription, cancel_at, canceled_at: now }
  const { cancel_at_period_end, current_period_end, canceled_at } = subscription
  return {
    ...subscription,
    cancel_at: cancel_at_period_end ? current_period_end : null,
    canceled_at: cancel_at_period_end ? canceled_at : null,
  }
}

/** Moves the end of a trial, and with it a cancellation at that end. See docs/contract/subscriptions.md#updating. */
export const withTrialEnd = (subscription: Subscription, trial_end: number): Subscription => ({
  ...subscription,
  trial_end,
  billing_cycle_anchor: trial_end,
  current_period_end: trial_end,
  cancel_at: cancellationMovedTo(subscription, trial_end),
})

/** Starts a period within another one. A cancellation at the end of the period moves along with the end. */
export const withRestartedPeriod = (subscription: Subscription, { start, end }: Period): Subscription => ({
  ...subscription,
  billing_cycle_anchor: start,
  current_period_start: start,
  current_period_end: end,
  cancel_at: cancellationMovedTo(subscription, end),
})

/** Returns the instant of the cancellation if the current period gets another end. */
function cancellationMovedTo(subscription: Subscription, end: number): number | null {
  const { cancel_at_period_end, cancel_at, current_period_end } = subscription
  return cancel_at_period_end && cancel_at === current_period_end ? end : cancel_at
}

/**
 * Sets the newest finalized invoice. `latest_invoice` is null until an invoice of the subscription is paid, and the
 * newest one from then on. Where the rules name unpaid invoices, it is the newest invoice from the start, drafts too. See docs/contract/subscriptions.md#latest-invoice.
 */
export function withInvoice(
  subscription: Subscription,
  collected: { readonly result: 'paid' | 'sent' | 'failed' | 'uncollected'; readonly invoice: Invoice },
  { namesUnpaidInvoice }: Pick<Rules, 'namesUnpaidInvoice'>,
): Subscription {
  const { result, invoice } = collected
  if (result === 'uncollected' && !namesUnpaidInvoice) return subscription
  const isNamed = namesUnpaidInvoice || subscription.latest_invoice !== null || result === 'paid'
  const { newest_invoice } = subscription
  // Ids sort by creation: a draft that is finalized late does not become the newest.
  const newest = newest_invoice !== null && newest_invoice > invoice.id ? newest_invoice : invoice.id
  const latest_invoice = isNamed ? newest : null
  if (newest === newest_invoice && latest_invoice === subscription.latest_invoice) return subscription
  return { ...subscription, newest_invoice: newest, latest_invoice }
}

/** Reports whether an update changes a field that the API shows. */
export function showsChange(before: Subscription, after: Subscription): boolean {
  const { newest_invoice, has_pending_items, notices, amounts_off } = before
  const shown = { ...after, newest_invoice, has_pending_items, notices, amounts_off }
  return JSON.stringify(shown) !== JSON.stringify(before)
}
