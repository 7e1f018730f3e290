import * as z from 'zod'
import { CREDIT_LINE_TYPES, CREDIT_NOTE_REASONS, CREDIT_NOTE_STATUSES } from '../../core/credit-note.ts'
import { component, type Shape } from './component.ts'
import {
  commonOf,
  currency,
  listOf,
  livemode,
  metadata,
  money,
  reference,
  seconds,
  testClock,
  text,
} from './fields.ts'

export const creditLineSchema = component('CreditNoteLineItem', () =>
  z
    .object({
      id: z.string().describe('The id, which begins with cnli_.'),
      object: z.literal('credit_note_line_item').describe('The type of the object.'),
      livemode: livemode(),
      type: z.enum(CREDIT_LINE_TYPES).describe('Whether it credits a line of the invoice, or is its own.'),
      amount: money('The credited amount, which is positive'),
      description: text('The description.').nullable(),
      invoice_line_item: text('The credited line of the invoice, if any.').nullable(),
      quantity: z.int().nullable().describe('The number of units; null if the line was given as an amount.'),
      unit_amount: money('The amount for one unit; null if the line was given as an amount').nullable(),
    })
    .describe('A line of a credit note.'),
)
export const creditLineList = listOf(creditLineSchema)

const creditNoteFields = () => ({
  ...commonOf('credit_note'),
  status: z
    .enum(CREDIT_NOTE_STATUSES)
    .describe('The status. Only credit notes of open invoices can be voided.'),
  number: text('The number of the invoice, and the number of the credit note on it.'),
  type: z
    .enum(['pre_payment', 'post_payment', 'mixed'])
    .describe('Whether it was taken off the amount due, given back, or both.'),
  customer: reference('The customer of the invoice.', 'Customer', 'DeletedCustomer'),
  invoice: reference('The credited invoice.', 'Invoice'),
  currency: currency(),
  amount: money('The sum of the lines'),
  subtotal: money('The sum of the lines'),
  total: money('The sum of the lines'),
  pre_payment_amount: money('The amount that was taken off the amount due of the invoice'),
  post_payment_amount: money('The amount that was given back'),
  out_of_band_amount: money('The part that is given back outside of paytwin; null if none').nullable(),
  refund: reference('The refund of the charge, if any.', 'Refund').nullable(),
  customer_balance_transaction: reference(
    'The credit to the balance of the customer, if any.',
    'CustomerBalanceTransaction',
  ).nullable(),
  lines: creditLineList.schema.describe('The lines.'),
  reason: z.enum(CREDIT_NOTE_REASONS).nullable().describe('The reason that the request gave.'),
  memo: text('A text for the customer.').nullable(),
  metadata: metadata(),
  voided_at: seconds('When it was voided; null if it was not').nullable(),
  test_clock: testClock(),
})

export const creditNoteSchema = component('CreditNote', () =>
  z.object(creditNoteFields()).describe('A correction of an invoice that was finalized.'),
)
export type CreditNoteShape = Shape<typeof creditNoteSchema>
export const creditNoteList = listOf(creditNoteSchema)

export const creditNotePreviewSchema = component('CreditNotePreview', () =>
  z
    .object({ ...creditNoteFields(), id: z.null().describe('Always null: the credit note does not exist.') })
    .describe('A preview of a credit note.'),
)
