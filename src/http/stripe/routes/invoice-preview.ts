import type Stripe from 'stripe'
import * as z from 'zod'
import { ApiError, resourceMissing } from '../../../core/errors.ts'
import type { Invoice } from '../../../core/invoice.ts'
import { factsOf } from '../../../core/subscription-status.ts'
import type { UnitOfWork } from '../../../engine/machine/unit.ts'
import { previewInvoice } from '../../../engine/resources/invoice-preview.ts'
import { deferred } from '../../deferred.ts'
import type { Raw } from '../../form.ts'
import { asPreviewParams, previewParams, requiresSubject } from '../../invoice-preview.ts'
import { pageOfRead, pageParams } from '../../pagination.ts'
import type { StripeApi } from '../api.ts'
import { automaticTaxParam } from '../automatic-tax.ts'
import { presentLine, presentPreview } from '../present/invoice.ts'
import { returning, returningList, wireList } from '../returns.ts'
import { BASIL_VERSION } from '../versions/basil-version.ts'
import type { Wire } from '../wire.ts'

type PreviewParams = z.infer<ReturnType<typeof previewParams>>

/** The parameters of a preview, and those with one allowed value. */
const stripePreviewParams = deferred(() =>
  previewParams().extend({
    automatic_tax: automaticTaxParam(),
    preview_mode: z.literal('next', { error: 'paytwin knows only next here yet' }).optional(),
  }),
)

const upcomingParams = deferred(() => previewParams().extend({ automatic_tax: automaticTaxParam() }))

/** The preview of older versions is that of a customer, or of one of its subscriptions. */
const requiresCustomer = ({ customer, subscription }: Raw) =>
  customer === undefined && subscription === undefined ? 'customer' : undefined

/**
 * Registers the routes that preview invoices. They must come before routes with the id of an invoice in the same part of the
 * path.
 */
export function invoicePreviewRoutes(api: StripeApi): void {
  api.write(
    {
      method: 'post',
      path: '/v1/invoices/create_preview',
      summary: 'Previews the next invoice of a subscription, or the invoice of a change or of a new one.',
      params: stripePreviewParams,
      requires: requiresSubject,
      returns: returning<Wire<Stripe.Invoice>>('invoice'),
    },
    ({ unit, view, params: { automatic_tax, preview_mode: _, ...params } }) =>
      presentPreview(view, preview(unit, params), { isTaxed: automatic_tax?.enabled ?? false }),
  )
  api.write(
    {
      method: 'get',
      path: '/v1/invoices/upcoming',
      summary: `Previews an invoice, in versions before ${BASIL_VERSION}.`,
      params: upcomingParams,
      requires: requiresCustomer,
      returns: returning<Wire<Stripe.Invoice>>('invoice'),
    },
    ({ unit, view, params: { automatic_tax, ...params }, version }) =>
      presentPreview(view, upcoming(unit, { params, version }), {
        isTaxed: automatic_tax?.enabled ?? false,
      }),
  )
  api.write(
    {
      method: 'get',
      path: '/v1/invoices/upcoming/lines',
      summary: `Lists the lines of a previewed invoice, in versions before ${BASIL_VERSION}.`,
      params: deferred(() => previewParams().extend(pageParams)),
      requires: requiresCustomer,
      returns: returningList<Wire<Stripe.InvoiceLineItem>>('line_item'),
    },
    (call) => {
      const { limit: _limit, starting_after: _after, ending_before: _before, ...params } = call.params
      const found = upcoming(call.unit, { params, version: call.version })
      return wireList(pageOfRead(call, found.lines, (view, line) => presentLine(view, found, line)))
    },
  )
}

const preview = (unit: UnitOfWork, params: PreviewParams): Invoice => ({
  ...previewInvoice(unit, asPreviewParams(withProration(params))),
  id: `upcoming_${unit.idFor('invoice')}`,
})

/** Adds the default of Stripe's previews: changes of items are prorated. */
function withProration(params: PreviewParams): PreviewParams {
  const { subscription, subscription_details: details } = params
  if (subscription === undefined || details?.items === undefined) return params
  const { proration_behavior = 'create_prorations' } = details
  return { ...params, subscription_details: { ...details, proration_behavior } }
}

/**
 * Previews an invoice as older versions do: without a subscription and without items, the next one of the customer.
 * @throws ApiError resource_missing in other versions; invoice_upcoming_none
 */
function upcoming(
  unit: UnitOfWork,
  { params, version }: { readonly params: PreviewParams; readonly version: string },
): Invoice {
  if (version >= BASIL_VERSION) throw resourceMissing('invoice', 'upcoming')
  const { customer = '', subscription_details } = params
  const isNew = params.subscription === undefined && subscription_details?.items !== undefined
  const subscription = params.subscription ?? (isNew ? undefined : nextToBill(unit, customer))
  try {
    return preview(unit, { ...params, subscription })
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_state_transition') throw noneUpcoming(customer)
    throw error
  }
}

/** Returns the id of the subscription of a customer that is billed next. @throws ApiError invoice_upcoming_none */
function nextToBill(unit: UnitOfWork, customer: string): string {
  const { id } = unit.find('customer', customer, 'customer')
  // Without their items and metadata: 500 subscriptions may be large.
  const [next] = unit.store.objects
    .summaries('subscription', unit.owner, [{ field: 'customer', is: id }], { limit: MAX_SUBSCRIPTIONS })
    .filter((each) => factsOf(each).isRunning && !each.cancel_at_period_end)
    .toSorted((one, other) => one.current_period_end - other.current_period_end)
  if (!next) throw noneUpcoming(id)
  return next.id
}

/** Stripe's limit of subscriptions for each customer. */
const MAX_SUBSCRIPTIONS = 500

const noneUpcoming = (customer: string) =>
  new ApiError({
    status: 404,
    type: 'invalid_request_error',
    code: 'invoice_upcoming_none',
    param: null,
    message: `No upcoming invoices for customer: ${customer}`,
  })
