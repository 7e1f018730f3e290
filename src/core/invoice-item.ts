import type { InvoiceLine } from './invoice.ts'
import type { Metadata } from './metadata.ts'

/**
 * A charge of any amount that waits for the customer's next manual invoice, or is on one.
 * Source: decisions.md 7 (`/v1/invoiceitems`). Amounts in the smallest currency unit.
 */
export type InvoiceItem = {
  readonly id: string
  readonly created: number
  readonly customer: string
  readonly currency: string
  readonly amount: number
  readonly unit_amount: number
  readonly quantity: number
  readonly price: string | null
  readonly description: string | null
  /** The invoice that bills it; null while it waits. */
  readonly invoice: string | null
  readonly metadata: Metadata
  readonly test_clock: string | null
  readonly deleted: boolean
}

/** The line that bills an item. */
export const lineOfItem = (
  { amount, unit_amount, quantity, price, description, id }: InvoiceItem,
  lineId: string,
): InvoiceLine => ({
  id: lineId,
  amount,
  unit_amount,
  quantity,
  price,
  subscription_item: null,
  invoice_item: id,
  description,
})
