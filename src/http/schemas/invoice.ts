import * as z from 'zod'
import { COLLECTION_METHODS } from '../../core/collection-method.ts'
import { BILLING_REASONS } from '../../core/invoice.ts'
import { INVOICE_STATUSES } from '../../core/invoice-status.ts'
import { component, type Shape } from './component.ts'
import { discountAmounts, discountRefs } from './discount.ts'
import {
  common,
  commonOf,
  currency,
  deletedStub,
  listOf,
  metadata,
  money,
  reference,
  seconds,
  testClock,
  text,
} from './fields.ts'

export const lineItemSchema = component('LineItem', () =>
  z
    .object({
      ...common('line_item', 'il'),
      invoice: reference('The invoice of the line.', 'Invoice'),
      amount: money('The amount before discounts; negative for a credit'),
      currency: currency(),
      description: text('The description.'),
      unit_amount: money(
        'The amount for one unit; null if the units do not have one whole amount',
      ).nullable(),
      quantity: z.int().describe('The number of units, without a fraction.'),
      quantity_decimal: text('The number of units as a decimal; usage can have a fraction.'),
      price: reference('The price that it was created from, if any.', 'Price').nullable(),
      subscription: reference('The billed subscription, if any.', 'Subscription').nullable(),
      subscription_item: text('The billed item of the subscription, if any.').nullable(),
      invoice_item: reference('The billed invoice item, if any.', 'InvoiceItem').nullable(),
      discountable: z
        .boolean()
        .describe('Whether discounts can reduce it. Prorations take them into account.'),
      discounts: discountRefs("The discounts of the line, which take the place of the invoice's."),
      discount_amounts: discountAmounts('What discounts take off the amount, in their order.'),
      proration: z
        .boolean()
        .describe('Whether it corrects a period because the subscription changed within it.'),
      period: z
        .object({ start: seconds('The start'), end: seconds('The end') })
        .describe(
          'The billed period; of a proration, the corrected part of it; of usage, the period that has ended.',
        ),
    })
    .describe('A line of an invoice.'),
)
export const lineItemList = listOf(lineItemSchema)

const statusTransitions = () =>
  z
    .object({
      finalized_at: seconds('When it was finalized').nullable(),
      paid_at: seconds('When it was paid').nullable(),
      voided_at: seconds('When it was voided').nullable(),
      marked_uncollectible_at: seconds('When it was marked uncollectible').nullable(),
    })
    .describe('The times of status changes; null for changes that have not occurred.')

const invoiceFields = () => ({
  ...commonOf('invoice'),
  status: z
    .enum(INVOICE_STATUSES)
    .describe(
      'The status. Finalizing a draft opens it. An open invoice is paid, voided or marked uncollectible.',
    ),
  number: text('The invoice prefix of the customer and a number; null until finalized.').nullable(),
  customer: reference('The billed customer.', 'Customer', 'DeletedCustomer'),
  subscription: reference('The billed subscription; null for a manual invoice.', 'Subscription').nullable(),
  currency: currency(),
  amount_due: money(
    'The amount to pay: the total with the balance of the customer applied, less credit notes, at least 0',
  ),
  amount_paid: money('The amount paid'),
  amount_remaining: money('The amount that remains to be paid'),
  subtotal: money('The sum of the lines before discounts'),
  discounts: discountRefs(
    'The discounts on lines without discounts of their own, in the order in which they apply.',
  ),
  total_discount_amounts: discountAmounts('What each discount takes off all lines.'),
  total: money('The subtotal less all discounts; negative if credits exceed charges'),
  starting_balance: money('The balance of the customer before the invoice was finalized'),
  ending_balance: money('The balance of the customer after it was finalized; null before').nullable(),
  pre_payment_credit_notes_amount: money('What credit notes took off the amount due'),
  post_payment_credit_notes_amount: money('What credit notes gave back'),
  applied_balance: money('What the balance added to the total; negative if a credit was used'),
  attempt_count: z.int().describe('The number of scheduled payment attempts. Manual attempts do not count.'),
  attempted: z.boolean().describe('Whether a payment was ever attempted.'),
  auto_advance: z.boolean().describe('Whether a payment attempt is scheduled.'),
  next_payment_attempt: seconds('The next scheduled payment attempt; null if there is none').nullable(),
  billing_reason: z.enum(BILLING_REASONS).describe('Why the invoice was created.'),
  collection_method: z
    .enum(COLLECTION_METHODS)
    .describe('Whether the invoice is charged automatically or sent to the customer.'),
  default_payment_method: reference('The payment method that is charged first.', 'PaymentMethod').nullable(),
  payment_intent: reference(
    'The payment intent of the invoice; null until finalized.',
    'PaymentIntent',
  ).nullable(),
  charge: reference('The charge of the latest payment attempt, even if declined.', 'Charge').nullable(),
  days_until_due: z
    .int()
    .nullable()
    .describe('For a manual invoice that is sent: the days between finalization and due date.'),
  due_date: seconds('The due date of a sent invoice; null for others').nullable(),
  period_start: seconds('The start of the billed period'),
  period_end: seconds('The end of the billed period'),
  status_transitions: statusTransitions(),
  lines: lineItemList.schema.describe('The lines.'),
  description: text('A description for your own use.').nullable(),
  metadata: metadata(),
  test_clock: testClock(),
})

export const invoiceSchema = component('Invoice', () =>
  z.object(invoiceFields()).describe('A bill for a period of a subscription, or a manual one.'),
)
export type InvoiceShape = Shape<typeof invoiceSchema>
export const invoiceList = listOf(invoiceSchema)
export const deletedInvoice = deletedStub('DeletedInvoice', 'invoice')

export const invoicePreviewSchema = component('InvoicePreview', () =>
  z
    .object({ ...invoiceFields(), id: z.null().describe('Always null: the invoice does not exist.') })
    .describe('A preview of the next invoice of a subscription.'),
)
