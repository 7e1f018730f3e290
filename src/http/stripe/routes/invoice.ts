import type Stripe from 'stripe'
import * as z from 'zod'
import { COLLECTION_METHODS } from '../../../core/collection-method.ts'
import type { ApiError } from '../../../core/errors.ts'
import type { Invoice } from '../../../core/invoice.ts'
import type { View } from '../../../engine/history/view.ts'
import {
  createInvoice,
  deleteInvoice,
  markUncollectible,
  payInvoice,
  payInvoiceOutOfBand,
  voidInvoice,
} from '../../../engine/resources/invoice.ts'
import { sendInvoice, updateInvoice } from '../../../engine/resources/invoice-update.ts'
import { finalizeWith } from '../../../engine/resources/planned-invoice.ts'
import { deferred } from '../../deferred.ts'
import { discountsParam, withDiscountsOf } from '../../discount-params.ts'
import {
  currency,
  daysUntilDue,
  dueDateNotAllowed,
  instant,
  isDueOnlyWhenSent,
  metadata,
  optionalText,
  reference,
} from '../../fields.ts'
import { listParams } from '../../invoice.ts'
import {
  createdFilters,
  createdParam,
  filtersOf,
  NOT_DELETED,
  pageOfRead,
  pageParams,
} from '../../pagination.ts'
import type { Decline } from '../../payment-intent.ts'
import { retrieve } from '../../resource.ts'
import type { StripeApi } from '../api.ts'
import { disabled, only } from '../only.ts'
import { presentInvoice, presentLine } from '../present/invoice.ts'
import { listKind, returning, returningList, wireList } from '../returns.ts'
import { searchRoute } from '../search/route.ts'
import type { Wire } from '../wire.ts'
import { ACCOUNT_CURRENCY } from './account.ts'
import { declinedPayment } from './payment-intent.ts'

const invoice = returning<Wire<Stripe.Invoice>>('invoice')

const createParams = deferred(() =>
  z
    .object({
      customer: reference,
      currency: currency.optional(),
      collection_method: z.enum(COLLECTION_METHODS).default('charge_automatically'),
      days_until_due: daysUntilDue.optional(),
      due_date: instant.optional(),
      pending_invoice_items_behavior: z.enum(['exclude', 'include']).default('exclude'),
      auto_advance: z.boolean().optional(),
      automatic_tax: disabled('taxes'),
      description: optionalText,
      discounts: discountsParam(),
      metadata,
    })
    .refine(isDueOnlyWhenSent, dueDateNotAllowed),
)

const updateParams = deferred(() =>
  z.object({
    collection_method: z.enum(COLLECTION_METHODS).optional(),
    days_until_due: daysUntilDue.optional(),
    due_date: instant.optional(),
    auto_advance: z.boolean().optional(),
    automatic_tax: disabled('taxes'),
    default_payment_method: reference.nullable().optional(),
    description: optionalText,
    discounts: discountsParam(),
    metadata,
  }),
)

const stripeListParams = deferred(() =>
  listParams().extend({
    collection_method: z.enum(COLLECTION_METHODS).optional(),
    due_date: createdParam(),
  }),
)

const payParams = deferred(() =>
  z
    .object({
      payment_method: reference.optional(),
      off_session: only(true),
      paid_out_of_band: z.boolean().optional(),
    })
    .refine(({ payment_method, paid_out_of_band }) => !paid_out_of_band || payment_method === undefined, {
      path: ['paid_out_of_band'],
      error: 'use payment_method or paid_out_of_band, not both',
    }),
)

/** Actions on an invoice. */
const ACTIONS = [
  {
    name: 'send',
    summary:
      'Sends an invoice that is not paid automatically. A draft is finalized first. Its mail is kept, and not sent.',
    act: sendInvoice,
    params: deferred(() => z.object({})),
  },
  {
    name: 'void',
    summary: 'Voids an invoice that is not paid.',
    act: voidInvoice,
    params: deferred(() => z.object({})),
  },
  {
    name: 'mark_uncollectible',
    summary: 'Marks an open invoice uncollectible.',
    act: markUncollectible,
    params: deferred(() => z.object({})),
  },
] as const

export function invoiceRoutes(api: StripeApi): void {
  api.read(
    {
      method: 'get',
      path: '/v1/invoices',
      summary: 'Lists invoices.',
      params: stripeListParams,
      returns: returningList<Wire<Stripe.Invoice>>('invoice'),
    },
    (call) => {
      const filters = [
        NOT_DELETED,
        ...filtersOf(call.params, 'customer', 'subscription', 'status', 'collection_method'),
        ...createdFilters(call.params.due_date, 'due_date'),
      ]
      return listKind(call, 'invoice', filters, presentInvoice)
    },
  )
  searchRoute(api, { kind: 'invoice', path: '/v1/invoices', present: presentInvoice })
  api.read(
    { method: 'get', path: '/v1/invoices/:id', summary: 'Retrieves an invoice.', returns: invoice },
    ({ view, id }) => presentInvoice(view, retrieve(view, 'invoice', id)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/invoices',
      summary: 'Creates a draft invoice of a customer, with its pending invoice items on request.',
      params: createParams,
      returns: invoice,
    },
    ({ unit, view, params: { pending_invoice_items_behavior, automatic_tax: _, ...given } }) => {
      const bills_pending_items = pending_invoice_items_behavior === 'include'
      const made = createInvoice(unit, {
        ...withDiscountsOf(given),
        bills_pending_items,
        default_currency: ACCOUNT_CURRENCY,
      })
      return presentInvoice(view, made)
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/invoices/:id/lines',
      summary: 'Lists the lines of an invoice.',
      params: deferred(() => z.object(pageParams)),
      returns: returningList<Wire<Stripe.InvoiceLineItem>>('line_item'),
    },
    (call) => {
      const found = retrieve(call.view, 'invoice', call.id)
      return wireList(pageOfRead(call, found.lines, (view, line) => presentLine(view, found, line)))
    },
  )
  api.write(
    {
      method: 'post',
      path: '/v1/invoices/:id',
      summary: 'Updates a draft. Of other invoices, only the description and metadata can change.',
      params: updateParams,
      returns: invoice,
    },
    ({ unit, view, id, params: { automatic_tax: _, ...params } }) =>
      presentInvoice(view, updateInvoice(unit, id, withDiscountsOf(params))),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/invoices/:id/pay',
      summary: 'Pays an invoice. A draft is finalized first.',
      params: payParams,
      returns: invoice,
    },
    ({ unit, view, id, params: { payment_method, paid_out_of_band } }) => {
      if (paid_out_of_band) return presentInvoice(view, payInvoiceOutOfBand(unit, id))
      const collected = payInvoice(unit, id, { payment_method })
      return collected.result === 'failed'
        ? declinedInvoice(view, collected.invoice, collected.outcome)
        : presentInvoice(view, collected.invoice)
    },
  )
  api.write(
    {
      method: 'post',
      path: '/v1/invoices/:id/finalize',
      summary: 'Finalizes a draft invoice.',
      params: deferred(() => z.object({ auto_advance: z.boolean().optional() })),
      returns: invoice,
    },
    ({ unit, view, id, params }) => presentInvoice(view, finalizeWith(unit, id, params)),
  )
  for (const { name, summary, act, params } of ACTIONS) {
    api.write(
      { method: 'post', path: `/v1/invoices/:id/${name}`, summary, params, returns: invoice },
      ({ unit, view, id }) => presentInvoice(view, act(unit, id)),
    )
  }
  api.write(
    {
      method: 'delete',
      path: '/v1/invoices/:id',
      summary: 'Deletes a draft that was created by a request.',
      returns: returning<Wire<Stripe.DeletedInvoice>>('deleted_invoice'),
    },
    ({ unit, id }) => ({
      id: deleteInvoice(unit, id).id,
      object: 'invoice' as const,
      deleted: true as const,
    }),
  )
}

/** Creates the error for a declined payment of an invoice. The command is committed nevertheless, with the failed payment. */
export function declinedInvoice(view: View, { payment_intent }: Invoice, outcome: Decline): ApiError {
  const intent = payment_intent === null ? undefined : view.get('payment_intent', payment_intent)
  return declinedPayment(view, intent, outcome)
}
