import * as z from 'zod'
import { COLLECTION_METHODS } from '../core/collection-method.ts'
import { PRORATION_BEHAVIORS } from '../core/proration.ts'
import { MAX_ITEMS, MISSING_PAYMENT_METHOD, PAUSE_BEHAVIORS } from '../core/subscription.ts'
import { hasEnded, SUBSCRIPTION_STATUSES } from '../core/subscription-status.ts'
import type { Filter } from '../engine/history/view.ts'
import type { SubscriptionParams } from '../engine/resources/subscription.ts'
import type { SubscriptionUpdate } from '../engine/resources/subscription-update.ts'
import { deferred } from './deferred.ts'
import { discountsOf, discountsParam, discountsTexts, withDiscountsOf } from './discount-params.ts'
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
import { createdParam, equals, filtersOf, pageParams } from './pagination.ts'
import { recurringPriceData } from './price-params.ts'
import { priceDataTexts } from './price-texts.ts'

/** Whether a new subscription begins with a trial. */
const hasTrial = ({ trial_period_days, trial_end }: { trial_period_days?: unknown; trial_end?: unknown }) =>
  trial_period_days !== undefined || (trial_end !== undefined && trial_end !== 'now')

export const trialEnd = deferred(() =>
  z.union([instant, z.literal('now')], { error: "expected Unix seconds, or 'now'" }),
)
type ItemPriceParams = { price?: unknown; price_data?: unknown }
const hasOnePrice = ({ price, price_data }: ItemPriceParams): boolean =>
  price === undefined || price_data === undefined
const onePrice = { path: ['price_data'], error: 'use price or price_data, not both' }

/** An item with a price, or the data of one. */
export const subscriptionItem = deferred(() =>
  z
    .object({
      price: reference.optional(),
      price_data: recurringPriceData().optional(),
      quantity: quantity.optional(),
      metadata,
    })
    .refine(({ price, price_data }: ItemPriceParams) => price !== undefined || price_data !== undefined, {
      path: ['price'],
      error: 'expected a price',
      // A missing parameter is reported before mistakes in others.
      when: ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value),
    })
    .refine(hasOnePrice, onePrice),
)
const discountedItem = deferred(() => subscriptionItem().safeExtend({ discounts: discountsParam() }))
export const createParams = deferred(() =>
  z
    .object({
      customer: reference,
      currency,
      default_payment_method: reference.optional(),
      items: z.array(discountedItem()).min(1).max(MAX_ITEMS),
      payment_behavior: z
        .enum(['default_incomplete', 'allow_incomplete', 'error_if_incomplete'])
        .default('default_incomplete'),
      collection_method: z.enum(COLLECTION_METHODS).default('charge_automatically'),
      days_until_due: daysUntilDue.optional(),
      billing_cycle_anchor: instant.optional(),
      proration_behavior: z.enum(['create_prorations', 'none']).optional(),
      trial_period_days: z.int().min(1).max(730).optional(),
      trial_end: trialEnd().optional(),
      trial_settings: z
        .object({
          end_behavior: z
            .object({ missing_payment_method: z.enum(MISSING_PAYMENT_METHOD).default('create_invoice') })
            .optional(),
        })
        .optional(),
      discounts: discountsParam(),
      description: optionalText,
      metadata,
    })
    .refine(isDueOnlyWhenSent, dueDateNotAllowed)
    .refine(
      ({ trial_period_days, trial_end }) => trial_period_days === undefined || trial_end === undefined,
      {
        path: ['trial_end'],
        error: 'use trial_period_days or trial_end, not both',
      },
    )
    .refine((given) => given.billing_cycle_anchor === undefined || !hasTrial(given), {
      path: ['billing_cycle_anchor'],
      error: 'a trial sets the anchor to its end; use billing_cycle_anchor without a trial',
    }),
)
export const updateItem = deferred(() =>
  z
    .object({
      id: reference.optional(),
      price: reference.optional(),
      price_data: recurringPriceData().optional(),
      quantity: quantity.optional(),
      deleted: z.boolean().optional(),
      discounts: discountsParam(),
      metadata,
    })
    .refine(hasOnePrice, onePrice),
)
export const updateParams = deferred(() =>
  z.object({
    default_payment_method: reference.nullable().optional(),
    cancel_at_period_end: z.boolean().optional(),
    cancel_at: instant.nullable().optional(),
    collection_method: z.enum(COLLECTION_METHODS).optional(),
    days_until_due: daysUntilDue.optional(),
    items: z.array(updateItem()).min(1).optional(),
    proration_behavior: z.enum(PRORATION_BEHAVIORS).optional(),
    proration_date: instant.optional(),
    billing_cycle_anchor: z.enum(['now', 'unchanged']).optional(),
    payment_behavior: z.enum(['allow_incomplete', 'error_if_incomplete', 'pending_if_incomplete']).optional(),
    trial_end: trialEnd().optional(),
    pause_collection: z
      .object({ behavior: z.enum(PAUSE_BEHAVIORS), resumes_at: instant.nullable().default(null) })
      .nullable()
      .optional(),
    discounts: discountsParam(),
    description: optionalText,
    metadata,
  }),
)
export const deleteParams = deferred(() =>
  z
    .object({
      cancel_at_period_end: z.boolean().default(false),
      prorate: z.boolean().default(false),
      invoice_now: z.boolean().default(false),
    })
    .refine(
      ({ cancel_at_period_end, prorate, invoice_now }) => !(cancel_at_period_end && (prorate || invoice_now)),
      {
        path: ['cancel_at_period_end'],
        error: 'use prorate and invoice_now only to cancel immediately',
      },
    ),
)
export const listParams = deferred(() =>
  z.object({
    ...pageParams,
    customer: reference.optional(),
    price: reference.optional(),
    status: z.enum([...SUBSCRIPTION_STATUSES, 'all', 'ended']).optional(),
    collection_method: z.enum(COLLECTION_METHODS).optional(),
    created: createdParam(),
  }),
)

/** Returns the filters of a customer's subscriptions that are not canceled. */
export const notCanceledOf = (customer: string): Filter[] => [
  ...equals('customer', customer),
  ...statusFilters(undefined),
]

/** Converts the parameters of a list to filters. */
export const subscriptionFilters = (params: z.infer<ReturnType<typeof listParams>>): Filter[] => [
  ...(params.price === undefined ? [] : [{ holdsPrice: params.price }]),
  ...statusFilters(params.status),
  ...filtersOf(params, 'customer', 'collection_method'),
]

/** Converts the parameter `status` to filters. Without it, canceled subscriptions are left out. See docs/contract/subscriptions.md#listing. */
function statusFilters(status: z.infer<ReturnType<typeof listParams>>['status']): Filter[] {
  if (status === undefined) return [{ field: 'status', isNot: 'canceled' }]
  if (status === 'all') return []
  return status === 'ended'
    ? [{ field: 'status', isEither: SUBSCRIPTION_STATUSES.filter((ended) => hasEnded({ status: ended })) }]
    : equals('status', status)
}

/** Converts the parameters of a new subscription to those of the engine. */
export const asEngineParams = ({
  trial_settings,
  ...params
}: z.infer<ReturnType<typeof createParams>>): SubscriptionParams => ({
  ...params,
  discounts: discountsOf(params.discounts),
  items: params.items.map(withDiscountsOf),
  missing_payment_method: trial_settings?.end_behavior?.missing_payment_method ?? 'create_invoice',
})

/** Converts the parameters of an update to those of the engine. */
export const asUpdate = (params: z.infer<ReturnType<typeof updateParams>>): SubscriptionUpdate => ({
  ...params,
  discounts: discountsOf(params.discounts),
  items: params.items?.map(withDiscountsOf),
})

/**
 * Requires a payment method for a subscription that is charged automatically and has no trial.
 * See docs/contract/subscriptions.md#creating.
 */
export function requiresPaymentMethod(raw: Raw): string | undefined {
  const isNeeded = raw.collection_method !== 'send_invoice' && !hasTrial(raw)
  return isNeeded && raw.default_payment_method === undefined ? 'default_payment_method' : undefined
}

/** Descriptions of the parameters of a change, which a preview has too. */
export const CHANGE_TEXTS: Readonly<Record<string, string>> = {
  'items.price': 'The id of a recurring price. A new item needs price or price_data.',
  'items.price_data': 'A recurring price to create for this item only, in place of price.',
  ...priceDataTexts('items.price_data'),
  'items.quantity': 'The number of units. Default for a new item: 1. Not for a metered price.',
  ...discountsTexts('items.discounts', 'the item'),
  'items.metadata': 'Keys and values for your own use.',
  'items.id': 'The item to update. Without an id, an item is added.',
  'items.deleted': 'Whether to remove the item.',
  ...discountsTexts('discounts', 'the subscription'),
  trial_end: 'The end of the trial in Unix seconds. now ends a running trial, or creates none.',
  proration_behavior:
    'How a change of items within a period is billed: from the next renewal (none, the default), with lines on the next invoice (create_prorations), or on an invoice now (always_invoice). For a new subscription with a billing_cycle_anchor: whether the first period is billed in part (create_prorations, the default) or not at all (none).',
  proration_date:
    'The time within the current period from which the new items count, in Unix seconds. Default: now.',
  billing_cycle_anchor:
    'For an update: now begins a new period and bills it; unchanged is the default. For a new subscription: the end of the first period, from which later ones count, in Unix seconds at most one period ahead.',
  cancel_at_period_end: 'Whether to cancel at the end of the current period.',
}
