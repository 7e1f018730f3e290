import type Stripe from 'stripe'
import * as z from 'zod'
import { ApiError, resourceMissing } from '../../../core/errors.ts'
import type { Invoice } from '../../../core/invoice.ts'
import { isRunning } from '../../../core/subscription-status.ts'
import { nextInvoice } from '../../../engine/machine/jobs.ts'
import type { UnitOfWork } from '../../../engine/machine/unit.ts'
import { previewInvoice } from '../../../engine/resources/invoice-preview.ts'
import { readForNextInvoice } from '../../../engine/resources/next-invoice-reads.ts'
import { presentOf } from '../../../engine/resources/portal-actions.ts'
import { deferred } from '../../deferred.ts'
import type { Raw } from '../../form.ts'
import { asPreviewParams, previewParams, requiresSubject } from '../../invoice-preview.ts'
import { equals, pageOfRead, pageParams } from '../../pagination.ts'
import type { StripeApi } from '../api.ts'
import { automaticTaxParam } from '../automatic-tax.ts'
import { presentLine, presentPreview } from '../present/invoice.ts'
import { returning, returningList, wireList } from '../returns.ts'
import { BASIL_VERSION } from '../versions/basil-version.ts'
import type { Wire } from '../wire.ts'
import { DEFAULT_PRORATION } from './subscription-params.ts'

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

/** Adds the default proration of updates. `cancel_now` has another default. */
function withProration(params: PreviewParams): PreviewParams {
  const { subscription, subscription_details: details } = params
  if (subscription === undefined || details === undefined || details.cancel_now) return params
  const { proration_behavior = DEFAULT_PRORATION } = details
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
    if (!(error instanceof ApiError) || error.code !== 'invalid_state_transition') throw error
    throw noneUpcoming(
      subscription === undefined ? customer : unit.need('subscription', subscription).customer,
    )
  }
}

/**
 * Returns the id of the subscription of a customer whose next invoice is made first. Only the invoices of subscriptions that can come
 * before the first one found are computed.
 * @throws ApiError invoice_upcoming_none
 */
function nextToBill(unit: UnitOfWork, customer: string): string {
  const { id } = unit.find('customer', customer, 'customer')
  let first: BillingTime | undefined
  let read = 0
  for (const time of runningOf(unit, id).slice(0, MAX_COMPARED)) {
    if (first && compareBillingTimes(first, time) < 0) break
    const { subscription } = time
    const needed = readForNextInvoice(unit, unit.need('subscription', subscription))
    if (needed === 0) continue
    if (read > 0 && read + needed > MAX_READ) break
    read += needed
    const next = nextInvoice(unit, subscription)
    const found = next && { subscription, at: next.created }
    if (found && (!first || compareBillingTimes(found, first) < 0)) first = found
  }
  if (!first) throw noneUpcoming(id)
  return first.subscription
}

/** A subscription, and when it is billed or at the earliest can be: Unix seconds. */
type BillingTime = { readonly subscription: string; readonly at: number }

/**
 * Compares subscriptions by the order in which they are billed: in the same second the oldest first.
 * See docs/contract/clocks.md#order-of-jobs.
 */
const compareBillingTimes = (one: BillingTime, other: BillingTime): number =>
  one.at - other.at || (one.subscription < other.subscription ? -1 : 1)

/**
 * Lists the running subscriptions of a customer with the earliest time at which each can be billed: the end of its period or of the
 * phase of its schedule, or its cancellation. The first to be billed come first.
 */
function runningOf({ store, owner }: UnitOfWork, customer: string): BillingTime[] {
  const limit = MAX_SUBSCRIPTIONS
  // Without their items, phases and metadata: 500 subscriptions may be large.
  const running = store.objects
    .summaries('subscription', owner, presentOf(customer), { limit })
    .filter(isRunning)
  const filters = [...equals('customer', customer), ...equals('status', 'active')]
  const schedules = running.every(({ schedule }) => schedule === null)
    ? []
    : store.objects.summaries('subscription_schedule', owner, filters, { limit }, ['current_phase'])
  const phaseEnds = new Map(schedules.map(({ id, current_phase }) => [id, current_phase?.end_date]))
  return running
    .map(({ id, current_period_end: end, cancel_at, schedule }) => ({
      subscription: id,
      at: Math.min(end, cancel_at ?? end, phaseEnds.get(schedule ?? '') ?? end),
    }))
    .toSorted(compareBillingTimes)
}

/** paytwin: the number of subscriptions of a customer whose next invoices are compared. */
const MAX_COMPARED = 50

/** paytwin: the maximum number of objects that these invoices read, unless the first one reads more: see readForNextInvoice. */
const MAX_READ = 500

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
