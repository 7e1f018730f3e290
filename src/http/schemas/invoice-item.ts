import { z } from 'zod'
import { component, type Shape } from './component.ts'
import {
  common,
  currency,
  deletedStub,
  listOf,
  metadata,
  money,
  reference,
  testClock,
  text,
} from './fields.ts'

export const invoiceItemSchema = component('InvoiceItem', () =>
  z
    .object({
      ...common('invoiceitem', 'ii'),
      customer: reference('Who is billed.', 'Customer', 'DeletedCustomer'),
      invoice: reference('The invoice that bills it; null while it is pending.', 'Invoice').nullable(),
      amount: money('What it comes to'),
      currency: currency(),
      unit_amount: money('What one unit costs'),
      quantity: z.int().describe('How many units.'),
      price: reference('The price that it was made from, if any.', 'Price').nullable(),
      description: text('What it is, on the invoice.').nullable(),
      metadata: metadata(),
      test_clock: testClock(),
    })
    .describe("Something that a draft bills, or that the customer's next manual invoice will bill."),
)
export type InvoiceItemShape = Shape<typeof invoiceItemSchema>
export const invoiceItemList = listOf(invoiceItemSchema)
export const deletedInvoiceItem = deletedStub('DeletedInvoiceItem', 'invoiceitem')
