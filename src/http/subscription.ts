import * as z from 'zod'
import { COLLECTION_METHODS } from '../core/invoice.ts'
import { DECLINE_CODES } from '../core/processor.ts'
import {
  hasEnded,
  MAX_ITEMS,
  MISSING_PAYMENT_METHOD,
  PAUSE_BEHAVIORS,
  SUBSCRIPTION_STATUSES,
  type Subscription,
} from '../core/subscription.ts'
import { cancelSubscription, createSubscription, type SubscriptionParams } from '../engine/subscription.ts'
import { resumeSubscription, updateSubscription } from '../engine/subscription-update.ts'
import type { Filter, View } from '../engine/view.ts'
import type { Api } from './api.ts'
import {
  currency,
  daysUntilDue,
  dueDateNotAllowed,
  instant,
  isDueOnlyWhenSent,
  metadata,
  optionalText,
  quantity,
  reference,
} from './fields.ts'
import type { Raw } from './form.ts'
import { declinedInvoice } from './invoice.ts'
import { createdFilters, createdParam, equals, listObjects, pageParams } from './pagination.ts'
import { retrieve } from './resource.ts'
import { type SubscriptionShape, subscriptionList, subscriptionSchema } from './schemas/subscription.ts'
import { ShownObject } from './shown-object.ts'
import { presentItems } from './subscription-item.ts'

const trialEnd = z.union([instant, z.literal('now')], { error: "expected Unix seconds, or 'now'" })
const item = z.object({
  price: reference,
  quantity: quantity.default(1),
  metadata,
})
export const createParams = z
  .object({
    customer: reference,
    currency,
    default_payment_method: reference.optional(),
    items: z.array(item).min(1).max(MAX_ITEMS),
    payment_behavior: z
      .enum(['default_incomplete', 'allow_incomplete', 'error_if_incomplete'])
      .default('default_incomplete'),
    collection_method: z.enum(COLLECTION_METHODS).default('charge_automatically'),
    days_until_due: daysUntilDue.optional(),
    trial_period_days: z.int().min(1).max(730).optional(),
    trial_end: trialEnd.optional(),
    trial_settings: z
      .object({
        end_behavior: z
          .object({ missing_payment_method: z.enum(MISSING_PAYMENT_METHOD).default('create_invoice') })
          .optional(),
      })
      .optional(),
    description: optionalText,
    metadata,
  })
  .refine(isDueOnlyWhenSent, dueDateNotAllowed)
  .refine(({ trial_period_days, trial_end }) => trial_period_days === undefined || trial_end === undefined, {
    path: ['trial_end'],
    error: 'use trial_period_days or trial_end, not both',
  })
const updateItem = z.object({
  id: reference.optional(),
  price: reference.optional(),
  quantity: quantity.optional(),
  deleted: z.boolean().optional(),
  metadata,
})
const updateParams = z.object({
  default_payment_method: reference.nullable().optional(),
  cancel_at_period_end: z.boolean().optional(),
  cancel_at: instant.nullable().optional(),
  collection_method: z.enum(COLLECTION_METHODS).optional(),
  days_until_due: daysUntilDue.optional(),
  items: z.array(updateItem).min(1).optional(),
  proration_behavior: z.literal('none', { error: "expected 'none': proration is not supported" }).optional(),
  trial_end: trialEnd.optional(),
  pause_collection: z
    .object({ behavior: z.enum(PAUSE_BEHAVIORS), resumes_at: instant.nullable().default(null) })
    .nullable()
    .optional(),
  description: optionalText,
  metadata,
})
const deleteParams = z.object({ cancel_at_period_end: z.boolean().default(false) })
const listParams = z.object({
  ...pageParams,
  customer: reference.optional(),
  price: reference.optional(),
  status: z.enum([...SUBSCRIPTION_STATUSES, 'all', 'ended']).optional(),
  collection_method: z.enum(COLLECTION_METHODS).optional(),
  created: createdParam,
})

/** Converts the parameters of a new subscription to those of the engine. */
export const asEngineParams = ({
  trial_settings,
  ...params
}: z.infer<typeof createParams>): SubscriptionParams => ({
  ...params,
  missing_payment_method: trial_settings?.end_behavior?.missing_payment_method ?? 'create_invoice',
})

/**
 * Requires a payment method for a subscription that is charged automatically and has no trial.
 * See docs/contract/subscriptions.md#creating.
 */
export function requiresPaymentMethod(raw: Raw): string | undefined {
  const hasTrial =
    raw.trial_period_days !== undefined || (raw.trial_end !== undefined && raw.trial_end !== 'now')
  const isNeeded = raw.collection_method !== 'send_invoice' && !hasTrial
  return isNeeded && raw.default_payment_method === undefined ? 'default_payment_method' : undefined
}

export function subscriptionRoutes(api: Api): void {
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
      const { customer, price, status, collection_method, created } = call.params
      const filters: Filter[] = [
        ...equals('customer', customer),
        ...(price === undefined ? [] : [{ holdsPrice: price }]),
        ...statusFilters(status),
        ...equals('collection_method', collection_method),
        ...createdFilters(created),
      ]
      return listObjects(call, 'subscription', filters, (subscription) =>
        presentSubscription(call.view, subscription),
      )
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
        'Updates the given fields of a subscription. New prices and quantities apply from the next renewal.',
      params: updateParams,
      returns: subscriptionSchema,
      errors: {
        400: ['parameter_missing', 'invalid_state_transition', 'amount_too_large'],
        422: ['unsupported_psp_capability'],
      },
    },
    ({ unit, view, params: { proration_behavior: _, ...params }, id }) =>
      presentSubscription(view, updateSubscription(unit, id, params)),
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

/** Converts the parameter `status` to filters. Without it, canceled subscriptions are left out. See docs/contract/subscriptions.md#listing. */
function statusFilters(status: z.infer<typeof listParams>['status']): Filter[] {
  if (status === undefined) return [{ field: 'status', isNot: 'canceled' }]
  if (status === 'all') return []
  return status === 'ended'
    ? [{ field: 'status', isEither: SUBSCRIPTION_STATUSES.filter((ended) => hasEnded({ status: ended })) }]
    : equals('status', status)
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
    items: presentItems(view, subscription),
    metadata: subscription.metadata,
    test_clock: subscription.test_clock,
  }
}
