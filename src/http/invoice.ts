import * as z from 'zod'
import { totalDiscountAmounts } from '../core/billing/discount-amounts.ts'
import { COLLECTION_METHODS } from '../core/collection-method.ts'
import type { ApiError } from '../core/errors.ts'
import type { Invoice } from '../core/invoice.ts'
import { appliedBalance, endingBalance } from '../core/invoice-balance.ts'
import { INVOICE_STATUSES } from '../core/invoice-status.ts'
import { sumOf } from '../core/money.ts'
import { DECLINE_CODES } from '../core/processor.ts'
import type { View } from '../engine/history/view.ts'
import {
  createInvoice,
  deleteInvoice,
  finalizeInvoice,
  markUncollectible,
  payInvoice,
  voidInvoice,
} from '../engine/resources/invoice.ts'
import { previewInvoice } from '../engine/resources/invoice-preview.ts'
import type { Api } from './api.ts'
import { deferred } from './deferred.ts'
import { discountsParam, withDiscountsOf } from './discount-params.ts'
import {
  currency,
  daysUntilDue,
  dueDateNotAllowed,
  isDueOnlyWhenSent,
  metadata,
  optionalText,
  reference,
} from './fields.ts'
import { presentLine } from './invoice-line.ts'
import { asPreviewParams, PREVIEW_TEXTS, previewParams, requiresSubject } from './invoice-preview.ts'
import { createdParam, filtersOf, list, listObjects, NOT_DELETED, pageOf, pageParams } from './pagination.ts'
import { type Decline, declinedPayment } from './payment-intent.ts'
import { deletedStub, type Resource, retrieve } from './resource.ts'
import {
  deletedInvoice,
  type InvoiceShape,
  invoiceList,
  invoicePreviewSchema,
  invoiceSchema,
  lineItemList,
} from './schemas/invoice.ts'
import { ShownObject } from './shown-object.ts'

const createParams = deferred(() =>
  z
    .object({
      customer: reference,
      currency: currency.optional(),
      collection_method: z.enum(COLLECTION_METHODS).default('charge_automatically'),
      days_until_due: daysUntilDue.optional(),
      description: optionalText,
      discounts: discountsParam(),
      metadata,
    })
    .refine(isDueOnlyWhenSent, dueDateNotAllowed),
)
const payParams = deferred(() => z.object({ payment_method: reference.optional() }))
const linesParams = deferred(() => z.object(pageParams))
export const listParams = deferred(() =>
  z.object({
    ...pageParams,
    customer: reference.optional(),
    subscription: reference.optional(),
    status: z.enum(INVOICE_STATUSES).optional(),
    created: createdParam(),
  }),
)

/** Actions on an invoice without parameters. */
const ACTIONS = [
  {
    name: 'finalize',
    summary: 'Finalizes a draft invoice, which gets its number and can then be paid.',
    act: finalizeInvoice,
  },
  { name: 'void', summary: 'Voids an invoice that is not paid.', act: voidInvoice },
  {
    name: 'mark_uncollectible',
    summary:
      'Marks an open invoice uncollectible. It can still be paid, unless a pending update waited for it: then it is voided.',
    act: markUncollectible,
  },
] as const

function invoiceRoutes(api: Api): void {
  api.read(
    {
      method: 'get',
      path: '/v1/invoices',
      summary: 'Lists invoices, newest first.',
      params: listParams,
      returns: invoiceList,
    },
    (call) => {
      const filters = [NOT_DELETED, ...filtersOf(call.params, 'customer', 'subscription', 'status')]
      return listObjects(call, 'invoice', filters, presentInvoice)
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/invoices/:id',
      summary: 'Retrieves an invoice.',
      returns: invoiceSchema,
    },
    ({ view, id }) => ShownObject.of(view, retrieve(view, 'invoice', id), presentInvoice),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/invoices',
      summary: 'Creates a draft invoice from up to 250 pending invoice items of a customer, oldest first.',
      params: createParams,
      status: 201,
      returns: invoiceSchema,
      errors: { 400: ['amount_too_large'], 404: ['resource_missing'] },
    },
    ({ unit, view, params }) => presentInvoice(view, createInvoice(unit, withDiscountsOf(params))),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/invoices/:id/lines',
      summary: 'Lists the lines of an invoice, in invoice order.',
      params: linesParams,
      returns: lineItemList,
    },
    ({ c, view, id, params }) => {
      const invoice = retrieve(view, 'invoice', id)
      return pageOf(c.req.path, invoice.lines, params, (line) => presentLine(view, invoice, line))
    },
  )
  api.write(
    {
      method: 'post',
      path: '/v1/invoices/create_preview',
      summary:
        'Previews the next invoice of a subscription, or the invoice of a change or of a new subscription, without doing anything.',
      params: previewParams,
      requires: requiresSubject,
      returns: invoicePreviewSchema,
      errors: {
        400: ['parameter_missing', 'invalid_state_transition', 'amount_too_large'],
        404: ['resource_missing'],
      },
    },
    ({ unit, view, params }) => ({
      ...presentInvoice(view, previewInvoice(unit, asPreviewParams(params))),
      id: null,
    }),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/invoices/:id/pay',
      summary: 'Pays an invoice. A draft is finalized first.',
      params: payParams,
      returns: invoiceSchema,
      errors: { 400: ['invalid_state_transition'], 402: DECLINE_CODES },
    },
    ({ unit, view, id, params }) => {
      const collected = payInvoice(unit, id, params)
      return collected.result === 'failed'
        ? declinedInvoice(view, collected.invoice, collected.outcome)
        : presentInvoice(view, collected.invoice)
    },
  )
  for (const { name, summary, act } of ACTIONS) {
    api.write(
      {
        method: 'post',
        path: `/v1/invoices/:id/${name}`,
        summary,
        returns: invoiceSchema,
        errors: { 400: ['invalid_state_transition'] },
      },
      ({ unit, view, id }) => presentInvoice(view, act(unit, id)),
    )
  }
  api.write(
    {
      method: 'delete',
      path: '/v1/invoices/:id',
      summary: 'Deletes a manual draft and the invoice items that were created on it.',
      returns: deletedInvoice,
      errors: { 400: ['invalid_state_transition'] },
    },
    ({ unit, id }) => deletedStub('invoice', deleteInvoice(unit, id).id),
  )
}

/**
 * Creates the error for a declined payment of an invoice. The command is committed nevertheless, with the failed payment. See
 * docs/contract/errors.md#declines.
 */
export function declinedInvoice(view: View, { payment_intent }: Invoice, outcome: Decline): ApiError {
  const intent = payment_intent === null ? undefined : view.get('payment_intent', payment_intent)
  return declinedPayment(view, intent, outcome)
}

export function presentInvoice(view: View, invoice: Invoice): InvoiceShape {
  const { status, total, amount_due, amount_paid, collection_method } = invoice
  // A draft of a sent invoice is finalized on schedule, but nothing is attempted.
  const next_payment_attempt =
    collection_method === 'charge_automatically' ? invoice.next_payment_attempt : null
  return {
    id: invoice.id,
    object: 'invoice',
    created: invoice.created,
    livemode: false,
    merchant_id: view.merchant.id,
    status,
    number: invoice.number,
    customer: invoice.customer,
    subscription: invoice.subscription,
    currency: invoice.currency,
    amount_due,
    amount_paid,
    amount_remaining: amount_due - amount_paid,
    subtotal: sumOf(invoice.lines),
    discounts: [...invoice.discounts],
    total_discount_amounts: totalDiscountAmounts(invoice.lines),
    total,
    starting_balance: invoice.starting_balance,
    ending_balance: endingBalance(invoice),
    applied_balance: appliedBalance(invoice),
    pre_payment_credit_notes_amount: invoice.pre_payment_credit_notes_amount,
    post_payment_credit_notes_amount: invoice.post_payment_credit_notes_amount,
    attempt_count: invoice.attempt_count,
    attempted: invoice.attempted,
    auto_advance: next_payment_attempt !== null,
    next_payment_attempt,
    billing_reason: invoice.billing_reason,
    collection_method,
    default_payment_method: invoice.default_payment_method,
    payment_intent: invoice.payment_intent,
    charge: invoice.charge,
    days_until_due: invoice.days_until_due,
    due_date: invoice.due_date,
    period_start: invoice.period_start,
    period_end: invoice.period_end,
    status_transitions: {
      finalized_at: invoice.finalized_at,
      paid_at: invoice.paid_at,
      voided_at: invoice.voided_at,
      marked_uncollectible_at: invoice.marked_uncollectible_at,
    },
    lines: list(
      `/v1/invoices/${invoice.id}/lines`,
      invoice.lines.map((line) => presentLine(view, invoice, line)),
    ),
    description: invoice.description,
    metadata: invoice.metadata,
    test_clock: invoice.test_clock,
  }
}

export const invoiceResource: Resource<'invoice'> = {
  collection: 'invoices',
  present: presentInvoice,
  routes: invoiceRoutes,
  params: {
    payment_method: 'The payment method to charge, instead of the default one.',
    days_until_due: 'The days between the finalization of a sent invoice and its due date. Default: 30.',
    ...PREVIEW_TEXTS,
    customer: 'The customer. For a preview: that of a new subscription.',
    currency:
      'The currency. For a new invoice, required only without pending invoice items. For a preview, by default that of the first price.',
  },
  queryParams: {
    subscription: 'Only invoices of this subscription.',
  },
}
