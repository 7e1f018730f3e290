import { z } from 'zod'
import { BILLING_REASONS, COLLECTION_METHODS, INVOICE_STATUSES } from '../../core/invoice.ts'
import { component, type Shape } from './component.ts'
import {
  common,
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
      invoice: reference('The invoice that it stands on.', 'Invoice'),
      amount: money('What it comes to'),
      currency: currency(),
      description: text('What it is.'),
      unit_amount: money('What one unit costs'),
      quantity: z.int().describe('How many units.'),
      price: reference('The price that it was made from, if any.', 'Price').nullable(),
      subscription: reference('The subscription that it bills, if any.', 'Subscription').nullable(),
      subscription_item: text('The item of the subscription that it bills, if any.').nullable(),
      invoice_item: reference('The invoice item that it bills, if any.', 'InvoiceItem').nullable(),
      period: z
        .object({ start: seconds('Its beginning'), end: seconds('Its end') })
        .describe('The period that it bills.'),
    })
    .describe('One line of an invoice.'),
)
export const lineItemList = listOf(lineItemSchema)

const statusTransitions = () =>
  z
    .object({
      finalized_at: seconds('When it was finalized').nullable(),
      paid_at: seconds('When it was paid').nullable(),
      voided_at: seconds('When it was voided').nullable(),
      marked_uncollectible_at: seconds('When it was given up').nullable(),
    })
    .describe('When its status changed; null for what has not happened.')

const invoiceFields = () => ({
  ...common('invoice', 'in'),
  status: z
    .enum(INVOICE_STATUSES)
    .describe('A draft is finalized, which opens it; an open one is paid, voided or given up.'),
  number: text("The customer's prefix and a running number; null until it is finalized.").nullable(),
  customer: reference('Who pays.', 'Customer', 'DeletedCustomer'),
  subscription: reference('What it bills; null for one that was made by hand.', 'Subscription').nullable(),
  currency: currency(),
  amount_due: money('What is to be paid'),
  amount_paid: money('What has been paid'),
  amount_remaining: money('What is left to pay'),
  subtotal: money('The sum of its lines'),
  total: money('The sum of its lines: nothing is added or taken off'),
  attempt_count: z
    .int()
    .describe('How often its payment was attempted on schedule; attempts by hand do not count.'),
  attempted: z.boolean().describe('Whether its payment was ever attempted.'),
  auto_advance: z.boolean().describe('Whether its payment is going to be attempted again.'),
  next_payment_attempt: seconds('When its payment is attempted again; null for never').nullable(),
  billing_reason: z.enum(BILLING_REASONS).describe('Why it was made.'),
  collection_method: z
    .enum(COLLECTION_METHODS)
    .describe('Whether it is charged automatically or sent to the customer.'),
  default_payment_method: reference(
    'What it is charged to before anything else.',
    'PaymentMethod',
  ).nullable(),
  payment_intent: reference(
    'The intent that pays it; null until it is finalized.',
    'PaymentIntent',
  ).nullable(),
  charge: reference('The charge of the latest attempt, a declined one too.', 'Charge').nullable(),
  days_until_due: z
    .int()
    .nullable()
    .describe('Of a sent one that was made by hand: the days between finalizing it and its due date.'),
  due_date: seconds('When a sent one is due; null for others').nullable(),
  period_start: seconds('Where the period begins that it bills'),
  period_end: seconds('Where the period ends that it bills'),
  status_transitions: statusTransitions(),
  lines: lineItemList.schema.describe('What it bills.'),
  description: text('Words for your own use.').nullable(),
  metadata: metadata(),
  test_clock: testClock(),
})

export const invoiceSchema = component('Invoice', () =>
  z.object(invoiceFields()).describe('What a customer owes for a period of a subscription, or by hand.'),
)
export type InvoiceShape = Shape<typeof invoiceSchema>
export const invoiceList = listOf(invoiceSchema)
export const deletedInvoice = deletedStub('DeletedInvoice', 'invoice')

export const invoicePreviewSchema = component('InvoicePreview', () =>
  z
    .object({ ...invoiceFields(), id: z.null().describe('It does not exist.') })
    .describe('The next invoice of a subscription, as it would be.'),
)
