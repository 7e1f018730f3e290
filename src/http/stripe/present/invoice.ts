import type Stripe from 'stripe'
import { type Invoice, isPaidOutOfBand } from '../../../core/invoice.ts'
import { endingBalance } from '../../../core/invoice-balance.ts'
import type { InvoiceItem } from '../../../core/invoice-item.ts'
import { type InvoiceLine, isDiscountable, NO_ID, wholeQuantity } from '../../../core/invoice-line.ts'
import { isDraft, isOpen } from '../../../core/invoice-status.ts'
import { invoicedCustomer } from '../../../core/invoiced-customer.ts'
import { isCorrection } from '../../../core/item-proration.ts'
import type { Metadata } from '../../../core/metadata.ts'
import { sumOf } from '../../../core/money.ts'
import type { View } from '../../../engine/history/view.ts'
import { clientSecretOf } from '../../client-secret.ts'
import { presentTaxResult } from '../automatic-tax.ts'
import type { Wire, WireList } from '../wire.ts'
import { presentTotals } from './discount.ts'
import { invoicePdfUrl, invoiceUrl } from './hosted-pages.ts'
import { presentPayments } from './invoice-payment.ts'

export function presentInvoice(view: View, invoice: Invoice): Wire<Stripe.Invoice> {
  const customer = view.get('customer', invoice.customer)
  const shown = invoicedCustomer(invoice, customer)
  const remaining = invoice.amount_due - invoice.amount_paid
  return {
    id: invoice.id,
    object: 'invoice',
    account_country: 'US',
    account_name: view.merchant.name,
    account_tax_ids: null,
    amount_due: invoice.amount_due,
    amount_overpaid: 0,
    amount_paid: invoice.amount_paid,
    ...(isPaidOutOfBand(invoice) && { amount_paid_off_stripe: invoice.amount_paid }),
    amount_remaining: remaining,
    amount_shipping: 0,
    application: null,
    attempt_count: invoice.attempt_count,
    attempted: invoice.attempted,
    auto_advance: invoice.next_payment_attempt !== null,
    automatic_tax: { disabled_reason: null, ...presentTaxResult(view, isTaxed(view, invoice), customer) },
    automatically_finalizes_at: isDraft(invoice) ? invoice.next_payment_attempt : null,
    billing_reason: invoice.billing_reason,
    collection_method: invoice.collection_method,
    ...(isOpen(invoice) &&
      invoice.payment_intent !== null && {
        confirmation_secret: {
          client_secret: clientSecretOf(view.ids, invoice.payment_intent),
          type: 'payment_intent',
        },
      }),
    created: invoice.created,
    currency: invoice.currency,
    custom_fields: null,
    customer: invoice.customer,
    customer_account: null,
    customer_address: shown.address ? { ...shown.address } : null,
    customer_email: shown.email ?? null,
    customer_name: shown.name ?? null,
    customer_phone: shown.phone ?? null,
    customer_shipping: null,
    customer_tax_exempt: shown.tax_exempt ?? 'none',
    customer_tax_ids: [],
    default_payment_method: invoice.default_payment_method,
    default_source: null,
    default_tax_rates: [],
    description: invoice.description,
    discounts: [...invoice.discounts],
    due_date: invoice.due_date,
    effective_at: invoice.finalized_at,
    ending_balance: endingBalance(invoice),
    footer: null,
    from_invoice: null,
    hosted_invoice_url: isFinalized(invoice) ? invoiceUrl(view, invoice.id) : null,
    invoice_pdf: isFinalized(invoice) ? invoicePdfUrl(view, invoice.id) : null,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: presentLines(view, invoice, FIRST_LINES),
    livemode: false,
    metadata: invoice.metadata,
    next_payment_attempt: isSent(invoice) ? null : invoice.next_payment_attempt,
    number: invoice.number,
    on_behalf_of: null,
    parent: parentOf(view, invoice),
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    payments: {
      object: 'list',
      data: presentPayments(invoice),
      has_more: false,
      total_count: presentPayments(invoice).length,
      url: `/v1/invoice_payments?invoice=${invoice.id}`,
    },
    ...periodOf(invoice),
    post_payment_credit_notes_amount: invoice.post_payment_credit_notes_amount,
    pre_payment_credit_notes_amount: invoice.pre_payment_credit_notes_amount,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: invoice.starting_balance,
    statement_descriptor: null,
    status: invoice.status,
    status_transitions: {
      finalized_at: invoice.finalized_at,
      marked_uncollectible_at: invoice.marked_uncollectible_at,
      paid_at: invoice.paid_at,
      voided_at: invoice.voided_at,
    },
    subtotal: sumOf(invoice.lines),
    subtotal_excluding_tax: sumOf(invoice.lines),
    test_clock: invoice.test_clock,
    total: invoice.total,
    total_discount_amounts: presentTotals(invoice.lines),
    total_excluding_tax: invoice.total,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: isDraft(invoice) ? null : invoice.created,
  }
}

/** Taxes are a setting of the subscription, which is fixed when it is created. */
const isTaxed = (view: View, { subscription: id }: Invoice): boolean =>
  id !== null && view.get('subscription', id)?.payment_settings?.automatic_tax === true

const isFinalized = ({ finalized_at }: Invoice): boolean => finalized_at !== null

const isSent = ({ collection_method }: Invoice): boolean => collection_method === 'send_invoice'

/**
 * Returns the period before that of the lines, in which pending items were collected. Without one, the time of the invoice's
 * creation.
 */
function periodOf(invoice: Invoice): { period_start: number; period_end: number } {
  const { previous_start, created } = invoice
  return previous_start === null
    ? { period_start: created, period_end: created }
    : { period_start: previous_start, period_end: invoice.period_start }
}

function parentOf(view: View, { subscription: id }: Invoice): Wire<Stripe.Invoice.Parent> | null {
  if (id === null) return null
  return {
    quote_details: null,
    subscription_details: { metadata: view.get('subscription', id)?.metadata ?? {}, subscription: id },
    type: 'subscription_details',
  }
}

/** Presents an invoice that is not stored, whose lines cannot be listed later: it shows all of them. */
export const presentPreview = (
  view: View,
  invoice: Invoice,
  { isTaxed: asked = false } = {},
): Wire<Stripe.Invoice> => ({
  ...presentInvoice(view, invoice),
  ...(asked && {
    automatic_tax: {
      disabled_reason: null,
      ...presentTaxResult(view, true, view.get('customer', invoice.customer)),
    },
  }),
  lines: presentLines(view, invoice),
})

/** The number of lines that an invoice shows. The others are in the list of its lines. */
const FIRST_LINES = 10

/** Presents the first lines of an invoice, or all of them. */
const presentLines = (
  view: View,
  invoice: Invoice,
  limit = invoice.lines.length,
): WireList<Wire<Stripe.InvoiceLineItem>> => ({
  object: 'list',
  data: invoice.lines.slice(0, limit).map((line) => presentLine(view, invoice, line)),
  has_more: invoice.lines.length > limit,
  total_count: invoice.lines.length,
  url: `/v1/invoices/${invoice.id}/lines`,
})

export const presentLine = (
  view: View,
  invoice: Invoice,
  line: InvoiceLine,
): Wire<Stripe.InvoiceLineItem> => ({
  id: line.id,
  object: 'line_item',
  amount: line.amount,
  currency: invoice.currency,
  description: line.description ?? defaultDescription(view, line),
  discount_amounts: (line.discount_amounts ?? []).map((amount) => ({ ...amount })),
  discountable: isDiscountable(line),
  discounts: [...(line.discounts ?? [])],
  invoice: invoice.id,
  livemode: false,
  metadata: metadataOf(view, invoice, line),
  parent: parentOfLine(invoice, line),
  period: {
    end: line.proration?.end ?? invoice.period_end,
    start: line.proration?.start ?? invoice.period_start,
  },
  pretax_credit_amounts: [],
  pricing: pricingOf(view, line.price, line.unit_amount),
  quantity: line.quantity,
  quantity_decimal: wholeQuantity(line),
  subscription: invoice.subscription,
  subtotal: line.amount,
  taxes: [],
})

/** Returns the metadata of the invoice item that a line bills, or the current one of the subscription. */
function metadataOf(view: View, invoice: Invoice, { invoice_item }: InvoiceLine): Metadata {
  const owner =
    invoice_item === undefined
      ? invoice.subscription !== null && view.get('subscription', invoice.subscription)
      : view.get('invoice_item', invoice_item)
  return owner ? owner.metadata : {}
}

function defaultDescription(view: View, { price: id, quantity }: InvoiceLine): string | null {
  const price = id === null ? undefined : view.get('price', id)
  const product = price?.product ? view.get('product', price.product) : undefined
  return product ? `${quantity} × ${product.name}` : null
}

function parentOfLine(invoice: Invoice, line: InvoiceLine): Wire<Stripe.InvoiceLineItem.Parent> {
  const common = { proration: isCorrection(line.proration), proration_details: { credited_items: null } }
  const { invoice_item, subscription_item } = line
  if (invoice_item === undefined)
    return {
      invoice_item_details: null,
      subscription_item_details: {
        ...common,
        invoice_item: null,
        subscription: invoice.subscription,
        subscription_item: subscription_item ?? NO_ID,
      },
      type: 'subscription_item_details',
    }
  return {
    invoice_item_details: { ...common, invoice_item, subscription: invoice.subscription },
    subscription_item_details: null,
    type: 'invoice_item_details',
  }
}

function pricingOf(
  view: View,
  price: string | null,
  unit_amount: number | null,
): Wire<Stripe.InvoiceLineItem.Pricing> | null {
  const unit_amount_decimal = unit_amount === null ? null : String(unit_amount)
  if (price === null) return null
  const product = view.get('price', price)?.product ?? ''
  return { price_details: { price, product }, type: 'price_details', unit_amount_decimal }
}

export const presentInvoiceItem = (view: View, item: InvoiceItem): Wire<Stripe.InvoiceItem> => ({
  id: item.id,
  object: 'invoiceitem',
  amount: item.amount,
  currency: item.currency,
  customer: item.customer,
  customer_account: null,
  date: item.created,
  description: item.description,
  discountable: item.discountable,
  discounts: [...item.discounts],
  invoice: item.invoice,
  livemode: false,
  metadata: item.metadata,
  net_amount: item.amount,
  parent:
    item.subscription === null
      ? null
      : {
          subscription_details: {
            subscription: item.subscription,
            ...(item.proration && { subscription_item: item.proration.subscription_item }),
          },
          type: 'subscription_details',
        },
  period: { end: item.proration?.end ?? item.created, start: item.proration?.start ?? item.created },
  pricing: pricingOf(view, item.price, item.unit_amount),
  proration: isCorrection(item.proration),
  quantity: item.quantity,
  quantity_decimal: wholeQuantity(item),
  tax_rates: [],
  test_clock: item.test_clock,
})
