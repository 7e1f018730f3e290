import { type DiscountAmount, totalDiscountAmounts } from '../../../core/billing/discount-amounts.ts'
import type { Discount } from '../../../core/discount.ts'
import type { Invoice } from '../../../core/invoice.ts'
import { appliedBalance } from '../../../core/invoice-balance.ts'
import { wholeQuantity } from '../../../core/invoice-line.ts'
import { type InvoiceStatus, isOpen } from '../../../core/invoice-status.ts'
import { type InvoicedCustomer, invoicedCustomer } from '../../../core/invoiced-customer.ts'
import { sumOf } from '../../../core/money.ts'
import type { View } from '../../../engine/history/view.ts'
import { invoicePdfUrl, invoiceUrl } from '../present/hosted-pages.ts'
import { presentLine } from '../present/invoice.ts'
import { addressLines } from './address-lines.ts'
import { dateText } from './date-text.ts'
import { lineText } from './line-text.ts'

/** Formats an amount in the smallest unit of a currency. */
export type FormatAmount = (amountMinor: number, currency: string) => string

/** The content of an invoice's page and PDF, formatted for people. */
export type InvoiceDocument = {
  readonly number: string
  /** Such as `20.00 USD due 2026-02-14`. */
  readonly headline: string
  readonly status: Invoice['status']
  /** Whether the customer can still pay it. */
  readonly isPayable: boolean
  readonly facts: readonly Row[]
  readonly from: string
  /** The customer: name, email address and postal address, a line each. */
  readonly to: readonly string[]
  readonly description: string | null
  readonly lines: readonly DocumentLine[]
  readonly totals: readonly Row[]
  /** The last row of the totals, with the amount due. */
  readonly due: Row
  readonly url: string
  readonly pdfUrl: string
  /** When it was finalized, in Unix seconds. */
  readonly created: number
}

/** A label and its value. */
export type Row = readonly [label: string, value: string]

export type DocumentLine = {
  readonly description: string
  /** Such as `2026-01-31 to 2026-02-28`; null for a line that is not about a span of time. */
  readonly period: string | null
  readonly quantity: string
  readonly unitPrice: string
  readonly amount: string
}

/** Describes a finalized invoice for people. */
export function documentOf(view: View, invoice: Invoice, format: FormatAmount): InvoiceDocument {
  return {
    number: invoice.number ?? invoice.id,
    headline: HEADLINES[invoice.status](invoice, format),
    status: invoice.status,
    isPayable: isPayable(invoice),
    facts: factsOf(invoice),
    from: view.merchant.name,
    to: partyOf(invoicedCustomer(invoice, view.get('customer', invoice.customer))),
    description: invoice.description,
    lines: invoice.lines.map((line) => lineOf(view, invoice, line, format)),
    totals: totalsOf(view, invoice, format),
    due: dueOf(invoice, format),
    url: invoiceUrl(view, invoice.id),
    pdfUrl: invoicePdfUrl(view, invoice.id),
    created: invoice.finalized_at ?? invoice.created,
  }
}

/** Reports whether a customer can pay an invoice on its page. */
export const isPayable = (invoice: Invoice): boolean => isOpen(invoice) && remainderOf(invoice) > 0

const remainderOf = ({ amount_due, amount_paid }: Invoice): number => amount_due - amount_paid

/** The headline of an invoice in each status. */
const HEADLINES: Readonly<Record<InvoiceStatus, (invoice: Invoice, format: FormatAmount) => string>> = {
  draft: (invoice, format) => `${remainderText(invoice, format)} due`,
  open: (invoice, format) =>
    `${remainderText(invoice, format)} due${invoice.due_date === null ? '' : ` ${dateText(invoice.due_date)}`}`,
  paid: ({ amount_paid, currency, paid_at, created }, format) =>
    `${format(amount_paid, currency)} paid on ${dateText(paid_at ?? created)}`,
  void: () => 'This invoice was voided',
  uncollectible: (invoice, format) => `${remainderText(invoice, format)} is marked as uncollectible`,
}

const remainderText = (invoice: Invoice, format: FormatAmount): string =>
  format(remainderOf(invoice), invoice.currency)

function factsOf({ number, finalized_at, due_date, paid_at, voided_at }: Invoice): Row[] {
  const dated: readonly (readonly [string, number | null])[] = [
    ['Date of issue', finalized_at],
    ['Date due', due_date],
    ['Date paid', paid_at],
    ['Date voided', voided_at],
  ]
  return [
    ['Invoice number', number ?? ''],
    ...dated.flatMap(([label, at]): Row[] => (at === null ? [] : [[label, dateText(at)]])),
  ]
}

/** Lists the name, the email address and the postal address of a customer, if known, in lines. */
function partyOf({ name, email, address, phone }: InvoicedCustomer): string[] {
  const known = [name, ...(address ? addressLines(address) : []), phone, email]
  return known.filter((line): line is string => line !== undefined && line !== '')
}

function lineOf(
  view: View,
  invoice: Invoice,
  line: Invoice['lines'][number],
  format: FormatAmount,
): DocumentLine {
  const { period } = presentLine(view, invoice, line)
  const [start, end] = [dateText(period.start), dateText(period.end)]
  return {
    description: lineText(view, invoice, line),
    period: start === end ? null : `${start} to ${end}`,
    quantity: wholeQuantity(line),
    unitPrice: line.unit_amount === null ? '' : format(line.unit_amount, invoice.currency),
    amount: format(line.amount, invoice.currency),
  }
}

function totalsOf(view: View, invoice: Invoice, format: FormatAmount): Row[] {
  const { currency, lines, total, pre_payment_credit_notes_amount, post_payment_credit_notes_amount } =
    invoice
  const balance = appliedBalance(invoice)
  const amounts: readonly (readonly [string, number])[] = [
    ['Subtotal', sumOf(lines)],
    ...discountRows(view, totalDiscountAmounts(lines), format),
    ['Total', total],
    ...(balance === 0 ? [] : [[total < 0 ? 'Credited to the balance' : 'Applied balance', balance] as const]),
    ...(pre_payment_credit_notes_amount === 0
      ? []
      : [['Credit notes', -pre_payment_credit_notes_amount] as const]),
    ...(post_payment_credit_notes_amount === 0
      ? []
      : [['Credited after payment', -post_payment_credit_notes_amount] as const]),
  ]
  return amounts.map(([label, amount]) => [label, format(amount, currency)])
}

/** paytwin: the maximum number of discounts that have a row of their own. Each of 250 lines can have 20 others. */
const MAX_DISCOUNTS = 20

/** Returns a row for each of the first discounts, and one for the others together. */
function discountRows(
  view: View,
  discounts: readonly DiscountAmount[],
  format: FormatAmount,
): (readonly [string, number])[] {
  const others = discounts.slice(MAX_DISCOUNTS)
  return [
    ...discounts
      .slice(0, MAX_DISCOUNTS)
      .map(
        ({ discount, amount }) =>
          [discountName(view, view.get('discount', discount), format), -amount] as const,
      ),
    ...(others.length === 0 ? [] : [[`${others.length} more discounts`, -sumOf(others)] as const]),
  ]
}

/** Returns the name of a discount: the name of its coupon, with the percentage or amount. */
function discountName(view: View, discount: Discount | undefined, format: FormatAmount): string {
  if (!discount) return 'Discount'
  const { percent_off, amount_off, currency } = discount.terms
  const off = percent_off === null ? format(amount_off ?? 0, currency ?? '') : `${percent_off}%`
  return `${view.withoutMetadata('coupon', discount.coupon)?.name ?? 'Discount'} (${off} off)`
}

function dueOf(invoice: Invoice, format: FormatAmount): Row {
  const { paid_at, amount_paid, currency, status } = invoice
  if (paid_at !== null) return ['Amount paid', format(amount_paid, currency)]
  return ['Amount due', status === 'void' ? format(0, currency) : remainderText(invoice, format)]
}
