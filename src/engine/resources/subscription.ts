import type { Collected } from '../../core/billing/collect.ts'
import { type FirstBilling, start } from '../../core/billing/start.ts'
import { type FeedbackParam, withFeedback } from '../../core/cancellation-feedback.ts'
import { Change } from '../../core/change.ts'
import { type CollectionMethod, daysToPay } from '../../core/collection-method.ts'
import { paymentFailed, unsupportedPspCapability } from '../../core/errors.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import { sumOf } from '../../core/money.ts'
import { type PaymentSettings, withPaymentSettings } from '../../core/payment-settings.ts'
import { meterOf } from '../../core/price.ts'
import { priceAmount } from '../../core/price-amount.ts'
import {
  canceledAtPeriodEnd,
  type MissingPaymentMethod,
  newSubscription,
  type Prices,
  type Subscription,
} from '../../core/subscription.ts'
import { isRunning } from '../../core/subscription-status.ts'
import { cannotBe } from '../../core/transitions.ts'
import { apply } from '../machine/apply.ts'
import { consumeChargeFault } from '../machine/charge-fault.ts'
import { PaymentRefused, type UnitOfWork } from '../machine/unit.ts'
import { accountOfNew, prepaidBy } from './account.ts'
import { type AddedItemParams, itemsOfNew } from './added-items.ts'
import { checkAnchor, checkBackdate, trialEnd } from './first-period.ts'
import { checkOneCurrency } from './one-currency.ts'
import { paymentMethodOf } from './payment-method.ts'
import { cancelWithSettlement, namesOf } from './plan-change.ts'
import { checkCancelAt, type PlannedCancellation, withCancellation } from './planned-cancellation.ts'
import { type DiscountParam, type Purchase, redeemList } from './redemption.ts'
import { checkManaged } from './schedule-sync.ts'
import { addPendingSetup, pendingSetup } from './setup-intent.ts'
import {
  checkItems,
  checkQuantity,
  findItemPrice,
  type ItemParams,
  newItem,
  withRedeemed,
} from './subscription-items.ts'

export type SubscriptionParams = PlannedCancellation & {
  customer: string
  currency: string
  items: readonly ItemParams[]
  default_payment_method?: string | undefined
  payment_behavior: 'default_incomplete' | 'allow_incomplete' | 'error_if_incomplete'
  collection_method: CollectionMethod
  days_until_due?: number | undefined
  trial_period_days?: number | undefined
  trial_end?: number | 'now' | undefined
  missing_payment_method: MissingPaymentMethod
  /** The end of the first period, in Unix seconds; by default, the period is a whole one. */
  billing_cycle_anchor?: number | undefined
  proration_behavior?: FirstBilling['behavior'] | undefined
  /** When it started, in the past, in Unix seconds. The time since then is billed, unless proration_behavior is none. */
  backdate_start_date?: number | undefined
  /** Whether a payment method that pays by hand becomes the default one. */
  saves_payment_method?: boolean | undefined
  payment_settings?: Partial<PaymentSettings> | undefined
  discounts?: readonly DiscountParam[] | undefined
  /** One-time prices that the first invoice bills too. */
  add_invoice_items?: readonly AddedItemParams[] | undefined
  /** The succeeded intent that has paid the first invoice. */
  paid_by?: string | undefined
  /** Whether the customer is absent and cannot authenticate the first payment. */
  off_session?: boolean | undefined
  description?: string | null | undefined
  metadata?: MetadataParam | undefined
}

/**
 * Creates a subscription and collects its first invoice.
 * @throws ApiError resource_missing and parameter_invalid for references; unsupported_psp_capability; amount_too_large
 * @throws PaymentRefused with a 402 for error_if_incomplete when the payment fails
 * See docs/contract/subscriptions.md#creating.
 */
export function createSubscription(unit: UnitOfWork, params: SubscriptionParams): Subscription {
  const customer = unit.find('customer', params.customer, 'customer')
  const now = unit.clockOf(customer.test_clock).instant
  // The value is checked before the other references. This check needs the customer's clock.
  const trial_end = trialEnd(params, now)
  const items = params.items.map((item, index) => ({ ...item, ...findItemPrice(unit, item, index) }))
  const prices: Prices = new Map(items.map(({ price }) => [price.id, price]))
  const change = new Change()
  const methodId = params.default_payment_method
  const method =
    methodId === undefined
      ? null
      : paymentMethodOf(unit, change, customer, { id: methodId, param: 'default_payment_method' })
  for (const [index, item] of items.entries()) checkQuantity(item, item.quantity, index)
  checkItems(items, params.currency)
  // What is paid already is not refused.
  if (params.paid_by === undefined) checkOneCurrency(unit, customer, params.currency)
  checkAnchor(params, prices, now)
  checkCancelAt(params, now)
  if (method && method.type !== 'card') throw unsupportedPspCapability(method.type)

  const redeeming = new Change()
  const id = unit.idFor('subscription')
  const purchase: Purchase = {
    customer,
    holder: { subscription: id },
    currency: params.currency,
    amount: sumOf(
      items
        .filter(({ price }) => meterOf(price) === undefined)
        .map(({ price, quantity = 1 }) => ({ amount: priceAmount(price, quantity) })),
    ),
  }
  const subscription = newSubscription(
    {
      id,
      created: now,
      customer: customer.id,
      currency: params.currency,
      collection_method: params.collection_method,
      days_until_due: daysToPay(params.collection_method, params.days_until_due),
      default_payment_method: method?.id ?? null,
      description: params.description ?? null,
      items: items.map(({ price, discounts, ...item }, index) => {
        const plain = newItem(unit, item, { price, created: now })
        if (!discounts) return plain
        return withRedeemed(unit, redeeming, plain, { params: discounts, purchase, price, index })
      }),
      discounts: redeemList(unit, redeeming, purchase, { params: params.discounts ?? [] }),
      trial_end,
      anchor: params.billing_cycle_anchor ?? null,
      startDate: params.backdate_start_date,
      missing_payment_method: params.missing_payment_method,
      metadata: mergeMetadata({}, params.metadata),
      test_clock: customer.test_clock,
      savesMethod: params.saves_payment_method ?? false,
      paymentSettings: withPaymentSettings(null, params.payment_settings),
    },
    prices,
  )
  const { items: billed, billing_cycle_anchor: anchor } = subscription
  checkBackdate(params.backdate_start_date, { items: billed, prices, now, anchor })
  const added = itemsOfNew(unit, redeeming, {
    customer,
    subscription,
    params: params.add_invoice_items ?? [],
  })
  const account = accountOfNew(unit, subscription, { method, change: redeeming, added })
  const isFree = trial_end !== null || (purchase.amount === 0 && added.length === 0)
  const setup = isFree ? pendingSetup(unit, subscription, account.paymentMethod, params) : null
  const planned = withCancellation(subscription, params, now)
  const given = { ...planned, pending_setup_intent: setup?.id ?? null }
  const collected = start(
    change,
    { ...account, isOnSession: !params.off_session, ...prepaidBy(unit, params.paid_by) },
    given,
    firstBilling(unit, params, prices),
    redeeming,
  )
  if (setup) addPendingSetup(change, setup, account.paymentMethod, params)
  if (collected?.result === 'failed' && params.payment_behavior === 'error_if_incomplete') {
    throw refusedPayment(unit, change, collected)
  }
  apply(unit, change, unit.clockOf(customer.test_clock))
  return change.latest('subscription', subscription)
}

/** Returns how the first period is billed; undefined for a whole period that is charged at once. */
function firstBilling(
  unit: UnitOfWork,
  params: SubscriptionParams,
  prices: Prices,
): FirstBilling | undefined {
  const { billing_cycle_anchor, payment_behavior, proration_behavior = 'create_prorations' } = params
  const backdatedTo = proration_behavior === 'none' ? undefined : params.backdate_start_date
  const { chargesDefaultIncomplete, billsTrialStart } = unit.rules
  const isUncharged = payment_behavior === 'default_incomplete' && !chargesDefaultIncomplete
  const isPlain = billing_cycle_anchor === undefined && backdatedTo === undefined
  if (isPlain && !isUncharged && !billsTrialStart) return undefined
  const names = namesOf(unit, prices)
  return {
    behavior: proration_behavior,
    names,
    isUncharged,
    ...(backdatedTo !== undefined && { backdatedTo }),
  }
}

/**
 * Creates the refusal of a request whose payment failed. Everything is rolled back, except the position in a card's script.
 * See docs/contract/subscriptions.md#payment-behavior.
 */
export function refusedPayment(
  unit: UnitOfWork,
  change: Change,
  { outcome }: Collected & { result: 'failed' },
): PaymentRefused {
  consumeChargeFault(unit, change)
  const { code, decline_code, message } = outcome
  const error = paymentFailed(code, message, { decline_code, charge: null, payment_intent: null })
  return new PaymentRefused(error, scriptSteps(change))
}

/**
 * Returns the steps that advance a card's script, which are kept when everything else is rolled back.
 * See docs/contract/payments.md#scripted-cards.
 */
function scriptSteps(change: Change): Change {
  const kept = new Change()
  for (const step of change.steps) {
    if (step.kind === 'payment_method' && step.before) kept.update(step.kind, step.before, () => step.after)
  }
  return kept
}

/**
 * Cancels a subscription, now or at the end of its period.
 * @throws ApiError resource_missing; invalid_state_transition, param status, when its status does not allow it
 * See docs/contract/subscriptions.md#canceling.
 */
export function cancelSubscription(
  unit: UnitOfWork,
  id: string,
  {
    cancel_at_period_end,
    prorate = false,
    invoice_now = false,
    cancellation_feedback,
  }: {
    cancel_at_period_end: boolean
    prorate?: boolean
    invoice_now?: boolean
    cancellation_feedback?: FeedbackParam | undefined
  },
): Subscription {
  const subscription = unit.find('subscription', id)
  const { instant: now } = unit.clockOf(subscription.test_clock)
  const change = new Change()
  checkManaged(subscription, { cancel_at_period_end: cancel_at_period_end || undefined })
  if (cancellation_feedback)
    change.update('subscription', subscription, (running) => ({
      ...running,
      cancellation_feedback: withFeedback(running.cancellation_feedback, cancellation_feedback),
    }))
  if (!cancel_at_period_end) cancelWithSettlement(unit, change, subscription, { prorate, invoice_now })
  else if (!isRunning(subscription))
    throw cannotBe('A subscription', subscription, 'canceled at the end of its period')
  else if (!subscription.cancel_at_period_end) {
    change.update(
      'subscription',
      subscription,
      (running) => canceledAtPeriodEnd(running, now),
      'subscription.updated',
    )
  }
  apply(unit, change, unit.clockOf(subscription.test_clock))
  return change.latest('subscription', subscription)
}
