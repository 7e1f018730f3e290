import type { Collected } from '../../core/billing/collect.ts'
import { announceTrialEnd } from '../../core/billing/notify.ts'
import { endTrial } from '../../core/billing/renew.ts'
import { resume } from '../../core/billing/resume.ts'
import { movesTrialEndNear, withNotices } from '../../core/billing/schedule-notices.ts'
import { cancelAsPlanned } from '../../core/billing/settlement.ts'
import { type FeedbackParam, withFeedback } from '../../core/cancellation-feedback.ts'
import { Change } from '../../core/change.ts'
import { type CollectionMethod, DUE_DATE_REQUIRES_SENDING, daysToPay } from '../../core/collection-method.ts'
import { invalidStateTransition, parameterInvalid, unsupportedPspCapability } from '../../core/errors.ts'
import type { Invoice } from '../../core/invoice.ts'
import { isSameJson } from '../../core/json-text.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import type { PaymentMethod } from '../../core/payment-method.ts'
import { type PaymentSettings, withPaymentSettings } from '../../core/payment-settings.ts'
import { periodAmount } from '../../core/period-amount.ts'
import type { Outcome } from '../../core/processor.ts'
import {
  type MissingPaymentMethod,
  type PauseCollection,
  type Prices,
  type Subscription,
  withTrialEnd,
} from '../../core/subscription.ts'
import { hasEnded, isInTrial, isRunning } from '../../core/subscription-status.ts'
import { cannotBe } from '../../core/transitions.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { loadAccount, loadEndingAccount } from './account.ts'
import { endRemovedDiscounts } from './discount.ts'
import { checkTrialEnd } from './first-period.ts'
import { paymentMethodOf } from './payment-method.ts'
import {
  checkConditional,
  isPendingUntilPaid,
  isRefused,
  type PaymentBehavior,
  replacesPending,
  withoutPending,
} from './pending-update.ts'
import { changePlanNow, changesPlan, checkProration, type ProrationParams } from './plan-change.ts'
import { checkCancelAt, type PlannedCancellation, withCancellation } from './planned-cancellation.ts'
import { type DiscountParam, type Purchase, redeemList } from './redemption.ts'
import { checkManaged, updateCurrentPhase } from './schedule-sync.ts'
import { refusedPayment } from './subscription.ts'
import { type ItemUpdate, type RedeemForItem, updatedItems, withRedeemed } from './subscription-items.ts'

/** undefined leaves a field unchanged, null unsets it. */
export type SubscriptionUpdate = ProrationParams &
  PlannedCancellation & {
    default_payment_method?: string | null | undefined
    collection_method?: CollectionMethod | undefined
    days_until_due?: number | undefined
    items?: readonly ItemUpdate[] | undefined
    payment_behavior?: PaymentBehavior | undefined
    trial_end?: number | 'now' | undefined
    /** Whether a trial that ends now is billed also without a payment method, whatever its settings say. */
    bills_trial_end?: boolean | undefined
    pause_collection?: PauseCollection | null | undefined
    missing_payment_method?: MissingPaymentMethod | undefined
    /** Whether a payment method that pays by hand becomes the default one. */
    saves_payment_method?: boolean | undefined
    payment_settings?: Partial<PaymentSettings> | undefined
    cancellation_feedback?: FeedbackParam | undefined
    /** Replaces the discounts of the subscription; empty for none. */
    discounts?: readonly DiscountParam[] | undefined
    description?: string | null | undefined
    metadata?: MetadataParam | undefined
  }

/**
 * Updates a subscription. New items take effect at the next renewal, or at once if the update prorates. A trial that is
 * ended now is billed as at its end.
 * @throws ApiError resource_missing, parameter_invalid, unsupported_psp_capability, amount_too_large,
 *   invalid_state_transition (param status)
 * @throws PaymentRefused if `payment_behavior` does not accept that the payment of the change, or of a trial that ends now, fails
 * See docs/contract/subscriptions.md#updating.
 */
export function updateSubscription(unit: UnitOfWork, id: string, params: SubscriptionUpdate): Subscription {
  const found = unit.find('subscription', id)
  checkConditional(found, params)
  const clock = unit.clockOf(found.test_clock)
  const subscription = replacesPending(params) ? withoutPending(unit, found) : found
  const now = clock.instant
  const change = new Change()
  checkRanges(subscription, params, now)
  const method = methodOf(unit, change, subscription, params)
  const redeem: RedeemForItem = (item, given) =>
    withRedeemed(unit, change, item, { ...given, purchase: purchaseOf(unit, subscription, null) })
  const times = { now, from: params.proration_date }
  const items = params.items
    ? updatedItems(unit, subscription, params.items, { ...times, redeem })
    : subscription.items
  if (method && method.type !== 'card') throw unsupportedPspCapability(method.type)
  checkState(subscription, params)
  checkManaged(subscription, params)
  checkProration(subscription, params)
  const discounts = discountsOf(unit, change, { ...subscription, items }, params)

  const at = { now, notices: unit.merchant.settings.notices }
  const updated = withParams(
    { ...subscription, discounts },
    { ...params, items, default_payment_method: method === undefined ? undefined : (method?.id ?? null) },
    now,
  )
  const changed = typeof params.trial_end === 'number' ? withNotices(updated, at) : updated
  const isConditional = isPendingUntilPaid(params)
  if (!isConditional) endRemovedDiscounts(unit, change, subscription, changed)
  let collected: Collected | null = null
  if (params.trial_end === 'now') {
    const ifMissing = params.bills_trial_end ? 'create_invoice' : undefined
    collected = endTrialNow(unit, change, { subscription, changed, method, now, ifMissing })
  } else if (changesPlan(subscription, changed, params)) {
    const plans = { before: subscription, after: changed }
    collected = changePlanNow(unit, change, { ...plans, method, params, isConditional })
  } else if (!isSameJson(changed, subscription)) {
    change.update('subscription', subscription, () => changed, 'subscription.updated')
    if (movesTrialEndNear(subscription, changed, at)) announceTrialEnd(change, changed)
  }
  if (collected?.result === 'failed' && isRefused(change, collected, params))
    throw refusedPayment(unit, change, collected)
  // Removed items keep their discounts while the update waits for its payment.
  if (isConditional)
    endRemovedDiscounts(unit, change, subscription, change.latest('subscription', subscription))
  updateCurrentPhase(unit, change, subscription)
  apply(unit, change, clock)
  return change.latest('subscription', subscription)
}

/** @throws ApiError parameter_invalid for values that are invalid in every status */
function checkRanges(subscription: Subscription, params: SubscriptionUpdate, now: number): void {
  const { trial_end, pause_collection, collection_method, days_until_due } = params
  checkCancelAt(params, now)
  if (
    days_until_due !== undefined &&
    (collection_method ?? subscription.collection_method) !== 'send_invoice'
  ) {
    throw parameterInvalid('days_until_due', DUE_DATE_REQUIRES_SENDING)
  }
  if (typeof trial_end === 'number') checkTrialEnd(trial_end, now)
  const resumes_at = pause_collection?.resumes_at ?? null
  if (resumes_at !== null && resumes_at <= now) {
    throw parameterInvalid(
      'pause_collection[resumes_at]',
      `resumes_at must be after the current time, ${now}`,
    )
  }
}

/** @param amount - the amount of the subscription for a period; null if it is not known yet */
const purchaseOf = (
  unit: UnitOfWork,
  { id, customer, currency }: Subscription,
  amount: number | null,
): Purchase => ({ customer: unit.need('customer', customer), holder: { subscription: id }, currency, amount })

/** Returns the discounts of the subscription after an update, and creates new ones. @throws ApiError */
function discountsOf(
  unit: UnitOfWork,
  change: Change,
  subscription: Subscription,
  { discounts: params }: SubscriptionUpdate,
): readonly string[] {
  if (params === undefined) return subscription.discounts
  const prices: Prices = new Map(
    subscription.items.map(({ price }) => [price, unit.needWithoutMetadata('price', price)]),
  )
  const purchase = purchaseOf(unit, subscription, periodAmount(subscription.items, prices))
  return redeemList(unit, change, purchase, { params, current: subscription.discounts })
}

/** Finds the requested payment method: undefined for no change, null for none. @throws ApiError */
function methodOf(
  unit: UnitOfWork,
  change: Change,
  { customer }: Subscription,
  { default_payment_method: id }: SubscriptionUpdate,
): PaymentMethod | null | undefined {
  if (id === undefined || id === null) return id
  return paymentMethodOf(unit, change, unit.need('customer', customer), {
    id,
    param: 'default_payment_method',
  })
}

/**
 * @throws ApiError invalid_state_transition, param status, for changes that the subscription's status does not allow
 */
function checkState(subscription: Subscription, params: SubscriptionUpdate): void {
  const { description, metadata, cancellation_feedback, ...changes } = params
  const { proration_behavior, proration_date, payment_behavior, off_session, ...others } = changes
  const { cancel_at, cancel_at_period_end, pause_collection, trial_end } = others
  if (hasEnded(subscription) && Object.values(others).some((value) => value !== undefined)) {
    throw invalidStateTransition(
      `Only description and metadata of a subscription whose status is ${subscription.status} can be changed`,
    )
  }
  if (trial_end !== undefined && !isInTrial(subscription)) {
    throw invalidStateTransition(
      `A subscription whose status is ${subscription.status} has no trial to change`,
    )
  }
  const schedulesEnd = cancel_at_period_end === true || typeof cancel_at === 'number'
  if (schedulesEnd && !isRunning(subscription))
    throw cannotBe('A subscription', subscription, 'scheduled for cancellation')
  if (pause_collection && !isRunning(subscription)) throw cannotBe('A subscription', subscription, 'paused')
}

/** Applies checked parameters to the subscription, except for a trial that ends now. */
function withParams(
  subscription: Subscription,
  params: Omit<SubscriptionUpdate, 'items'> & Pick<Subscription, 'items'>,
  now: number,
): Subscription {
  const { default_payment_method, items, pause_collection, description, metadata, trial_end } = params
  const { missing_payment_method, saves_payment_method } = params
  const moved = typeof trial_end === 'number' ? withTrialEnd(subscription, trial_end) : subscription
  return {
    ...withCancellation(withCollection(moved, params), params, now),
    items,
    ...(default_payment_method !== undefined && { default_payment_method }),
    ...(pause_collection !== undefined && { pause_collection }),
    ...(description !== undefined && { description }),
    ...(missing_payment_method && { missing_payment_method }),
    ...(saves_payment_method !== undefined && { saves_payment_method }),
    cancellation_feedback: withFeedback(subscription.cancellation_feedback, params.cancellation_feedback),
    payment_settings: withPaymentSettings(subscription.payment_settings, params.payment_settings),
    metadata: mergeMetadata(subscription.metadata, metadata),
  }
}

function withCollection(
  subscription: Subscription,
  params: Pick<SubscriptionUpdate, 'collection_method' | 'days_until_due'>,
): Subscription {
  const collection_method = params.collection_method ?? subscription.collection_method
  const requested = params.days_until_due ?? subscription.days_until_due
  return { ...subscription, collection_method, days_until_due: daysToPay(collection_method, requested) }
}

/**
 * Ends a trial at once, as at its regular end. A cancellation that is scheduled for the end takes effect.
 * @param given.ifMissing - what happens without a payment method; by default what the trial's settings say
 * @returns the result of the invoice; null if none was collected
 * See docs/contract/subscriptions.md#updating.
 */
export function endTrialNow(
  unit: UnitOfWork,
  change: Change,
  given: {
    subscription: Subscription
    changed: Subscription
    method: PaymentMethod | null | undefined
    now: number
    ifMissing?: MissingPaymentMethod | undefined
  },
): Collected | null {
  const { subscription, changed, method, now, ifMissing } = given
  // A method that this update attaches is not stored yet.
  const account = loadEndingAccount(
    unit,
    {
      ...changed,
      default_payment_method: method ? null : changed.default_payment_method,
    },
    change,
  )
  const paying = method ? { ...account, paymentMethod: method } : account
  if (paying.notices.trial_will_end !== null) announceTrialEnd(change, subscription)
  if (changed.cancel_at_period_end) {
    change.update('subscription', subscription, () => changed)
    return cancelAsPlanned(change, paying, changed, 'cancellation_requested')
  }
  return endTrial(change, paying, subscription, { as: changed, endsAt: now, ifMissing })
}

/** A resumed subscription, and the failed payment if resuming required one. */
export type Resumed = {
  readonly subscription: Subscription
  readonly declined: { readonly invoice: Invoice; readonly outcome: Outcome & { approved: false } } | null
}

/**
 * Resumes a subscription.
 * @throws ApiError resource_missing; invalid_state_transition, param status
 * See docs/contract/subscriptions.md#resuming.
 */
export function resumeSubscription(unit: UnitOfWork, id: string): Resumed {
  const subscription = unit.find('subscription', id)
  const change = new Change()
  const collected = resume(change, loadAccount(unit, subscription), subscription)
  apply(unit, change, unit.clockOf(subscription.test_clock))
  return {
    subscription: change.latest('subscription', subscription),
    declined: collected?.result === 'failed' ? collected : null,
  }
}
