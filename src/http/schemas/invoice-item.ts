import * as z from 'zod'
import { prefixOf } from '../../core/kinds.ts'
import { component, type Shape } from './component.ts'
import { discountRefs } from './discount.ts'
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

export const invoiceItemSchema = component('InvoiceItem', () =>
  z
    .object({
      ...common('invoiceitem', prefixOf('invoice_item')),
      customer: reference('The billed customer.', 'Customer', 'DeletedCustomer'),
      invoice: reference('The invoice that bills it; null while it is pending.', 'Invoice').nullable(),
      subscription: reference('The subscription that it belongs to, if any.', 'Subscription').nullable(),
      subscription_item: text('For a proration: the corrected item of the subscription.').nullable(),
      proration: z
        .boolean()
        .describe('Whether it corrects a period because the subscription changed within it.'),
      period: z
        .object({ start: seconds('The start'), end: seconds('The end') })
        .describe('For a proration, the corrected part of the period; otherwise the time of creation.'),
      amount: money('The total amount; negative for a credit'),
      currency: currency(),
      unit_amount: money(
        'The amount for one unit; null if the units do not have one whole amount',
      ).nullable(),
      quantity: z.int().describe('The number of units.'),
      price: reference('The price that it was created from, if any.', 'Price').nullable(),
      description: text('The description on the invoice.').nullable(),
      discountable: z.boolean().describe('Whether discounts can reduce it.'),
      discounts: discountRefs("The discounts of the item, which take the place of the invoice's."),
      metadata: metadata(),
      test_clock: testClock(),
    })
    .describe("An item on a draft invoice, or a pending one for the customer's next manual invoice."),
)
export type InvoiceItemShape = Shape<typeof invoiceItemSchema>
export const invoiceItemList = listOf(invoiceItemSchema)
export const deletedInvoiceItem = deletedStub('DeletedInvoiceItem', 'invoiceitem')
