import * as z from 'zod'
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
      customer: reference('The billed customer.', 'Customer', 'DeletedCustomer'),
      invoice: reference('The invoice that bills it; null while it is pending.', 'Invoice').nullable(),
      amount: money('The total amount'),
      currency: currency(),
      unit_amount: money('The amount for one unit'),
      quantity: z.int().describe('The number of units.'),
      price: reference('The price that it was created from, if any.', 'Price').nullable(),
      description: text('The description on the invoice.').nullable(),
      metadata: metadata(),
      test_clock: testClock(),
    })
    .describe("An item on a draft invoice, or a pending one for the customer's next manual invoice."),
)
export type InvoiceItemShape = Shape<typeof invoiceItemSchema>
export const invoiceItemList = listOf(invoiceItemSchema)
export const deletedInvoiceItem = deletedStub('DeletedInvoiceItem', 'invoiceitem')
