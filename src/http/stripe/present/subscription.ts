import type Stripe from 'stripe'
import { NO_FEEDBACK } from '../../../core/cancellation-feedback.ts'
import { NO_PAYMENT_SETTINGS, type PaymentSettings } from '../../../core/payment-settings.ts'
import type { Subscription, SubscriptionItem } from '../../../core/subscription.ts'
import type { View } from '../../../engine/history/view.ts'
import { presentTaxSetting } from '../automatic-tax.ts'
import type { Wire, WireList } from '../wire.ts'
import { presentPlan, presentPrice } from './catalog.ts'

export function presentSubscription(view: View, subscription: Subscription): Wire<Stripe.Subscription> {
  const { comment, feedback } = subscription.cancellation_feedback ?? NO_FEEDBACK
  const settings = subscription.payment_settings ?? NO_PAYMENT_SETTINGS
  return {
    id: subscription.id,
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: presentTaxSetting(settings.automatic_tax === true),
    billing_cycle_anchor: subscription.billing_cycle_anchor,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible' },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: subscription.cancel_at,
    cancel_at_period_end: subscription.cancel_at_period_end,
    canceled_at: subscription.canceled_at,
    cancellation_details: {
      comment,
      feedback,
      feedback_option: null,
      reason: reasonOf(subscription),
    },
    collection_method: subscription.collection_method,
    created: subscription.created,
    currency: subscription.currency,
    customer: subscription.customer,
    customer_account: null,
    days_until_due: subscription.days_until_due,
    default_payment_method: subscription.default_payment_method,
    default_source: null,
    default_tax_rates: [],
    description: subscription.description,
    discounts: [...subscription.discounts],
    ended_at: subscription.ended_at,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    items: presentItems(view, subscription),
    latest_invoice: subscription.latest_invoice,
    livemode: false,
    managed_payments: null,
    metadata: subscription.metadata,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: subscription.pause_collection && { ...subscription.pause_collection },
    payment_settings: {
      payment_method_options: presentMethodOptions(settings),
      payment_method_types: settings.payment_method_types && [...settings.payment_method_types],
      save_default_payment_method: subscription.saves_payment_method ? 'on_subscription' : 'off',
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: subscription.pending_setup_intent,
    pending_update: presentPendingUpdate(view, subscription),
    schedule: subscription.schedule,
    start_date: subscription.start_date,
    status: subscription.status,
    test_clock: subscription.test_clock,
    transfer_data: null,
    trial_end: subscription.trial_end,
    trial_settings: {
      end_behavior: {
        billing_cycle_anchor: 'reset',
        missing_payment_method: subscription.missing_payment_method,
      },
    },
    trial_start: subscription.trial_start,
  }
}

/** Presents the options for cards that a request chose; null for none. */
function presentMethodOptions({
  request_three_d_secure: chosen,
}: PaymentSettings): Wire<Stripe.Subscription.PaymentSettings.PaymentMethodOptions> | null {
  if (chosen === null) return null
  return {
    acss_debit: null,
    bancontact: null,
    card: { network: null, request_three_d_secure: chosen },
    customer_balance: null,
    konbini: null,
    payto: null,
    pix: null,
    sepa_debit: null,
    upi: null,
    us_bank_account: null,
  }
}

function presentPendingUpdate(
  view: View,
  subscription: Subscription,
): Wire<Stripe.Subscription.PendingUpdate> | null {
  const { pending_update } = subscription
  if (!pending_update) return null
  const { items, period, expires_at } = pending_update
  return {
    billing_cycle_anchor: period?.start ?? null,
    cancel_at_period_end: null,
    discount: null,
    discounts: null,
    expires_at,
    metadata: null,
    subscription_items: items.map((item) => presentItem(view, subscription, item)),
    trial_end: null,
    trial_from_plan: null,
  }
}

/** Returns why a subscription was canceled, or is going to be. */
function reasonOf(subscription: Subscription): Stripe.Subscription.CancellationDetails.Reason | null {
  const { cancellation_reason, cancel_at, cancel_at_period_end } = subscription
  // Stripe has no reason of its own for a trial that ends without a payment method.
  if (cancellation_reason === 'payment_method_missing') return 'payment_failed'
  const isPlanned = cancel_at !== null || cancel_at_period_end
  return cancellation_reason ?? (isPlanned ? 'cancellation_requested' : null)
}

/** Presents the items of a subscription as the list in the field `items`. */
const presentItems = (view: View, subscription: Subscription): WireList<Wire<Stripe.SubscriptionItem>> => ({
  object: 'list',
  data: subscription.items.map((item) => presentItem(view, subscription, item)),
  has_more: false,
  total_count: subscription.items.length,
  url: `/v1/subscription_items?subscription=${subscription.id}`,
})

export function presentItem(
  view: View,
  subscription: Subscription,
  item: SubscriptionItem,
): Wire<Stripe.SubscriptionItem> {
  const price = view.get('price', item.price)
  if (!price) throw new Error(`the price ${item.price} of ${item.id} exists`)
  return {
    id: item.id,
    object: 'subscription_item',
    billing_thresholds: null,
    created: item.created,
    current_period_end: subscription.current_period_end,
    current_period_start: subscription.current_period_start,
    current_trial: null,
    discounts: [...(item.discounts ?? [])],
    metadata: item.metadata,
    plan: presentPlan(price),
    price: presentPrice(view, price),
    ...(item.quantity !== null && { quantity: item.quantity }),
    subscription: subscription.id,
    tax_rates: [],
  }
}
