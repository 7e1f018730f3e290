import { DECLINE_CODES } from '../core/processor.ts'
import type { Subscription } from '../core/subscription.ts'
import type { View } from '../engine/history/view.ts'
import { cancelSubscription, createSubscription } from '../engine/resources/subscription.ts'
import { resumeSubscription, updateSubscription } from '../engine/resources/subscription-update.ts'
import type { Api } from './api.ts'
import { declinedInvoice } from './invoice.ts'
import { listObjects } from './pagination.ts'
import { type Resource, retrieve } from './resource.ts'
import { type SubscriptionShape, subscriptionList, subscriptionSchema } from './schemas/subscription.ts'
import { ShownObject } from './shown-object.ts'
import { presentItems, presentPendingUpdate, subscriptionItemRoutes } from './subscription-item.ts'
import {
  asEngineParams,
  asUpdate,
  CHANGE_TEXTS,
  createParams,
  deleteParams,
  listParams,
  requiresPaymentMethod,
  subscriptionFilters,
  updateParams,
} from './subscription-params.ts'

function subscriptionRoutes(api: Api): void {
  api.write(
    {
      method: 'post',
      path: '/v1/subscriptions',
      summary: 'Creates a subscription, and collects the first payment unless it has a trial.',
      params: createParams,
      requires: requiresPaymentMethod,
      status: 201,
      returns: subscriptionSchema,
      errors: {
        400: ['amount_too_large'],
        402: DECLINE_CODES,
        404: ['resource_missing'],
        422: ['unsupported_psp_capability'],
      },
    },
    ({ unit, view, params }) => presentSubscription(view, createSubscription(unit, asEngineParams(params))),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/subscriptions',
      summary: 'Lists subscriptions, newest first. Canceled ones are listed only with the parameter status.',
      params: listParams,
      returns: subscriptionList,
    },
    (call) => {
      return listObjects(call, 'subscription', subscriptionFilters(call.params), presentSubscription)
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/subscriptions/:id',
      summary: 'Retrieves a subscription.',
      returns: subscriptionSchema,
    },
    ({ view, id }) => ShownObject.of(view, retrieve(view, 'subscription', id), presentSubscription),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/subscriptions/:id',
      summary:
        'Updates the given fields of a subscription. New prices and quantities apply from the next renewal, or are prorated.',
      params: updateParams,
      returns: subscriptionSchema,
      errors: {
        400: ['parameter_missing', 'invalid_state_transition', 'amount_too_large'],
        402: DECLINE_CODES,
        422: ['unsupported_psp_capability'],
      },
    },
    ({ unit, view, params, id }) => presentSubscription(view, updateSubscription(unit, id, asUpdate(params))),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/subscriptions/:id/resume',
      summary: 'Undoes a pending cancellation, or resumes a paused subscription with a new invoice.',
      returns: subscriptionSchema,
      errors: { 400: ['invalid_state_transition'], 402: DECLINE_CODES },
    },
    ({ unit, view, id }) => {
      const { subscription, declined } = resumeSubscription(unit, id)
      return declined
        ? declinedInvoice(view, declined.invoice, declined.outcome)
        : presentSubscription(view, subscription)
    },
  )
  api.write(
    {
      method: 'delete',
      path: '/v1/subscriptions/:id',
      summary: 'Cancels a subscription, immediately or at the end of its period.',
      params: deleteParams,
      returns: subscriptionSchema,
      errors: { 400: ['invalid_state_transition'] },
    },
    ({ unit, view, params, id }) => presentSubscription(view, cancelSubscription(unit, id, params)),
  )
}

export function presentSubscription(view: View, subscription: Subscription): SubscriptionShape {
  const { missing_payment_method, cancellation_reason } = subscription
  return {
    id: subscription.id,
    object: 'subscription',
    created: subscription.created,
    livemode: false,
    merchant_id: view.merchant.id,
    status: subscription.status,
    customer: subscription.customer,
    currency: subscription.currency,
    collection_method: subscription.collection_method,
    days_until_due: subscription.days_until_due,
    default_payment_method: subscription.default_payment_method,
    description: subscription.description,
    latest_invoice: subscription.latest_invoice,
    start_date: subscription.start_date,
    billing_cycle_anchor: subscription.billing_cycle_anchor,
    current_period_start: subscription.current_period_start,
    current_period_end: subscription.current_period_end,
    trial_start: subscription.trial_start,
    trial_end: subscription.trial_end,
    trial_settings: { end_behavior: { missing_payment_method } },
    cancel_at: subscription.cancel_at,
    cancel_at_period_end: subscription.cancel_at_period_end,
    canceled_at: subscription.canceled_at,
    ended_at: subscription.ended_at,
    cancellation_details: { reason: cancellation_reason },
    pause_collection: subscription.pause_collection,
    pending_update: presentPendingUpdate(view, subscription),
    schedule: subscription.schedule,
    discounts: [...subscription.discounts],
    items: presentItems(view, subscription),
    metadata: subscription.metadata,
    test_clock: subscription.test_clock,
  }
}

export const subscriptionResource: Resource<'subscription'> = {
  collection: 'subscriptions',
  present: presentSubscription,
  routes: (api) => {
    subscriptionRoutes(api)
    subscriptionItemRoutes(api)
  },
  params: {
    ...CHANGE_TEXTS,
    default_payment_method:
      'The payment method to charge. A test id is attached to the customer first. Required for a new subscription unless it has a trial or its invoices are sent.',
    items: 'The prices to bill: at most 20, of one currency and interval.',
    payment_behavior:
      'The effect of a failed payment. With error_if_incomplete nothing is written. Otherwise a new subscription is incomplete, and an update counts although its invoice is open. With pending_if_incomplete, an update counts once its invoice is paid within 23 hours.',
    days_until_due: 'The days between a sent invoice and its due date. Default: 30.',
    trial_period_days: 'The length of the trial in days. Use this or trial_end.',
    prorate: 'Whether to credit the unused time of the current period.',
    invoice_now: 'Whether to bill pending items at once.',
    status:
      'Only subscriptions with this status. all lists every status; ended lists those that never bill again.',
    price: 'Only subscriptions with this price.',
  },
}
