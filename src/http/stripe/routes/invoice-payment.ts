import type Stripe from 'stripe'
import * as z from 'zod'
import { assert, resourceMissing } from '../../../core/errors.ts'
import type { Invoice } from '../../../core/invoice.ts'
import type { Filter, View } from '../../../engine/history/view.ts'
import { deferred } from '../../deferred.ts'
import { reference } from '../../fields.ts'
import {
  createdFilters,
  createdParam,
  equals,
  isWithin,
  NOT_DELETED,
  pageOf,
  pageParams,
  withCursors,
} from '../../pagination.ts'
import type { StripeApi } from '../api.ts'
import { intentOfPayment, presentPayments } from '../present/invoice-payment.ts'
import { listKind, returning, returningList, wireList } from '../returns.ts'
import type { Wire } from '../wire.ts'

const listParams = deferred(() =>
  z.object({
    ...pageParams,
    invoice: reference.optional(),
    payment: z.object({ type: z.literal('payment_intent'), payment_intent: reference }).optional(),
    status: z.enum(['open', 'paid', 'canceled']).optional(),
    created: createdParam(),
  }),
)
type ListParams = z.infer<ReturnType<typeof listParams>>

/** Registers the routes of the payments of invoices. An invoice has at most one. */
export function invoicePaymentRoutes(api: StripeApi): void {
  api.read(
    {
      method: 'get',
      path: '/v1/invoice_payments',
      summary: 'Lists the payments of invoices.',
      params: listParams,
      returns: returningList<Wire<Stripe.InvoicePayment>>('invoice_payment'),
    },
    (call) => {
      const { view, params } = call
      if (params.invoice !== undefined || params.payment) {
        const found = paymentsOf(view, params)
        return wireList(pageOf(call.c.req.path, found, params, (payment) => payment))
      }
      const cursors = withCursors(params, (id, param) => invoiceOf(view, id, param).id)
      return listKind({ ...call, params: cursors }, 'invoice', filtersOf(params), (_view, invoice) =>
        paymentOf(invoice),
      )
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/invoice_payments/:id',
      summary: 'Retrieves the payment of an invoice.',
      returns: returning<Wire<Stripe.InvoicePayment>>('invoice_payment'),
    },
    ({ view, id }) => paymentOf(invoiceOf(view, id, 'id')),
  )
}

/** Finds the invoice of a payment. @throws ApiError resource_missing */
function invoiceOf(view: View, id: string, param: string): Invoice {
  const intent = view.get('payment_intent', intentOfPayment(id))
  const invoice = intent?.invoice ? view.get('invoice', intent.invoice) : undefined
  if (!invoice) throw resourceMissing('invoice payment', id, param)
  return invoice
}

function paymentOf(invoice: Invoice): Wire<Stripe.InvoicePayment> {
  const [payment] = presentPayments(invoice)
  assert(payment, `the invoice ${invoice.id} has a payment`)
  return payment
}

/** Lists the payments of an invoice, or of an intent. @throws ApiError resource_missing */
function paymentsOf(view: View, { invoice: id, payment, status, created }: ListParams) {
  if (id !== undefined && !view.get('invoice', id)) throw resourceMissing('invoice', id, 'invoice')
  const intent = payment && view.get('payment_intent', payment.payment_intent)
  if (payment && !intent)
    throw resourceMissing('payment intent', payment.payment_intent, 'payment[payment_intent]')
  if (intent && id !== undefined && intent.invoice !== id) return []
  const invoice = view.get('invoice', id ?? intent?.invoice ?? '')
  const found = invoice ? presentPayments(invoice) : []
  return found.filter(
    (each) => (status === undefined || each.status === status) && isWithin(created, each.created),
  )
}

const STATUS_FILTERS: Readonly<Record<NonNullable<ListParams['status']>, readonly Filter[]>> = {
  open: [{ field: 'status', isEither: ['open', 'uncollectible'] }],
  paid: equals('status', 'paid'),
  canceled: equals('status', 'void'),
}

/** Converts the parameters of a list to filters of invoices. A payment is created when its invoice is finalized. */
const filtersOf = ({ status, created }: ListParams): Filter[] => [
  NOT_DELETED,
  { field: 'payment_intent', isNull: false },
  ...(status ? STATUS_FILTERS[status] : []),
  ...createdFilters(created, 'finalized_at'),
]
