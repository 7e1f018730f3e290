import * as z from 'zod'
import { parameterInvalid, parameterMissing } from '../core/errors.ts'
import { PRORATION_BEHAVIORS } from '../core/proration.ts'
import type { InvoicePreviewParams } from '../engine/resources/invoice-preview.ts'
import type { DiscountParam } from '../engine/resources/redemption.ts'
import { deferred } from './deferred.ts'
import { discountsOf, discountsParam, discountsTexts, withDiscountsOf } from './discount-params.ts'
import { currency, instant, reference } from './fields.ts'
import type { Raw } from './form.ts'
import { CHANGE_TEXTS, trialEnd, updateItem } from './subscription-params.ts'

const details = deferred(() =>
  z
    .object({
      items: z.array(updateItem()).min(1).optional(),
      proration_behavior: z.enum(PRORATION_BEHAVIORS).optional(),
      proration_date: instant.optional(),
      billing_cycle_anchor: z
        .union([instant, z.enum(['now', 'unchanged'])], {
          error: "expected Unix seconds, 'now' or 'unchanged'",
        })
        .optional(),
      trial_end: trialEnd().optional(),
      cancel_at: instant.nullable().optional(),
      cancel_at_period_end: z.boolean().optional(),
      cancel_now: z.boolean().optional(),
    })
    .optional(),
)

export const previewParams = deferred(() =>
  z.object({
    subscription: reference.optional(),
    customer: reference.optional(),
    currency: currency.optional(),
    discounts: discountsParam(),
    subscription_details: details(),
  }),
)
type PreviewParams = z.infer<ReturnType<typeof previewParams>>
type Details = NonNullable<PreviewParams['subscription_details']>

/** Requires a subscription, or the customer and the items of a new one. */
export function requiresSubject(given: Raw): string | undefined {
  const { subscription, customer, subscription_details, schedule, schedule_details } = given
  // The error for a preview of a schedule must be that paytwin does not support it, not that another parameter is missing.
  const isOther = schedule !== undefined || schedule_details !== undefined
  if (subscription !== undefined || isOther) return undefined
  if (customer === undefined) return subscription_details === undefined ? 'subscription' : 'customer'
  const { items } = (subscription_details ?? {}) as Raw
  return items === undefined ? 'subscription_details[items]' : undefined
}

/** Converts the parameters of a preview to those of the use case that it rehearses. */
export function asPreviewParams(params: PreviewParams): InvoicePreviewParams {
  const { subscription, customer = '', currency: given, subscription_details = {} } = params
  const discounts = discountsOf(params.discounts)
  if (subscription === undefined)
    return { creation: { ...creationOf(customer, given, subscription_details), discounts } }
  const isChange =
    discounts !== undefined || Object.values(subscription_details).some((value) => value !== undefined)
  return {
    subscription,
    customer: params.customer,
    currency: given,
    change: isChange ? changeOf(subscription_details, discounts) : null,
  }
}

const refuse = (name: string, why: string) =>
  parameterInvalid(`subscription_details[${name}]`, `subscription_details[${name}] ${why}`)

/** @throws ApiError parameter_invalid for parameters that only a new subscription takes, or that contradict each other */
function changeOf(
  { cancel_now = false, billing_cycle_anchor, items, ...update }: Details,
  discounts: readonly DiscountParam[] | undefined,
): Extract<InvoicePreviewParams, { subscription: string }>['change'] {
  if (!cancel_now) {
    if (typeof billing_cycle_anchor === 'number')
      throw refuse('billing_cycle_anchor', "of an existing subscription must be 'now' or 'unchanged'")
    return { ...update, items: items?.map(withDiscountsOf), billing_cycle_anchor, discounts }
  }
  const { proration_behavior = 'none', ...others } = update
  const [other] = Object.entries({ ...others, items, billing_cycle_anchor }).filter(
    ([, value]) => value !== undefined,
  )
  if (other) throw refuse('cancel_now', `cannot be used with ${other[0]}`)
  if (discounts !== undefined) throw refuse('cancel_now', 'cannot be used with discounts')
  return { cancel: { prorate: proration_behavior !== 'none' } }
}

type Creation = Extract<InvoicePreviewParams, { creation: unknown }>['creation']

/** @throws ApiError parameter_missing, parameter_invalid for parameters that only an existing subscription takes */
function creationOf(customer: string, given: string | undefined, params: Details): Creation {
  const { items = [], trial_end, proration_behavior, billing_cycle_anchor, ...others } = params
  const [other] = Object.entries(others).filter(([, value]) => value !== undefined && value !== false)
  if (other) throw refuse(other[0], 'needs an existing subscription')
  if (proration_behavior === 'always_invoice')
    throw refuse('proration_behavior', 'of a new subscription must be create_prorations or none')
  if (billing_cycle_anchor !== undefined && typeof billing_cycle_anchor !== 'number')
    throw refuse('billing_cycle_anchor', 'of a new subscription must be Unix seconds')
  if (billing_cycle_anchor !== undefined && typeof trial_end === 'number')
    throw refuse('billing_cycle_anchor', 'cannot be used with a trial, which sets the anchor to its end')
  return {
    customer,
    currency: given,
    items: items.map(({ id, deleted, discounts, ...item }, index) => {
      if (id !== undefined || deleted) throw refuse(`items][${index}`, 'needs an existing subscription')
      if (item.price === undefined && !item.price_data)
        throw parameterMissing(`subscription_details[items][${index}][price]`)
      return { ...item, discounts: discountsOf(discounts) }
    }),
    payment_behavior: 'default_incomplete',
    collection_method: 'charge_automatically',
    missing_payment_method: 'create_invoice',
    trial_end,
    proration_behavior,
    billing_cycle_anchor,
  }
}

/** Descriptions of the parameters of a preview. */
export const PREVIEW_TEXTS: Readonly<Record<string, string>> = {
  ...discountsTexts('discounts', 'the invoice, or of the previewed subscription'),
  subscription: 'The subscription whose next invoice, or change, to preview.',
  subscription_details:
    'The change of the subscription, or the new subscription, to preview: the parameters that would make it.',
  ...Object.fromEntries(
    Object.entries(CHANGE_TEXTS).map(([name, description]) => [`subscription_details.${name}`, description]),
  ),
  'subscription_details.items': 'The items, as in an update of the subscription or in its creation.',
  'subscription_details.cancel_at': 'When to cancel the subscription, in Unix seconds; null for never.',
  'subscription_details.cancel_now':
    'Whether to preview the final invoice of a cancellation now. It credits unused time unless proration_behavior is none, the default.',
}
