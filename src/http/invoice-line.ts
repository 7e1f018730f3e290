import type { Invoice } from '../core/invoice.ts'
import { type InvoiceLine, isDiscountable, wholeQuantity } from '../core/invoice-line.ts'
import { isCorrection } from '../core/item-proration.ts'
import { formatAmount } from '../core/money.ts'
import type { View } from '../engine/history/view.ts'
import type { Shape } from './schemas/component.ts'
import type { lineItemSchema } from './schemas/invoice.ts'

/** Describes a line without a description: `2 × 6.50 USD`. */
const defaultDescription = ({ currency }: Invoice, { quantity, unit_amount, price }: InvoiceLine): string =>
  `${quantity} × ${unit_amount === null ? price : formatAmount(unit_amount, currency)}`

/** Presents a line of an invoice. paytwin: its fields. See docs/contract/invoices.md#lines. */
export const presentLine = (
  view: View,
  invoice: Invoice,
  line: InvoiceLine,
): Shape<typeof lineItemSchema> => ({
  id: line.id,
  object: 'line_item',
  created: invoice.created,
  livemode: false,
  merchant_id: view.merchant.id,
  invoice: invoice.id,
  amount: line.amount,
  currency: invoice.currency,
  description: line.description ?? defaultDescription(invoice, line),
  unit_amount: line.unit_amount,
  quantity: line.quantity,
  quantity_decimal: wholeQuantity(line),
  price: line.price,
  subscription: invoice.subscription,
  subscription_item: line.subscription_item || null,
  invoice_item: line.invoice_item || null,
  discountable: isDiscountable(line),
  discounts: [...(line.discounts ?? [])],
  discount_amounts: [...(line.discount_amounts ?? [])],
  proration: isCorrection(line.proration),
  period: {
    start: line.proration?.start ?? invoice.period_start,
    end: line.proration?.end ?? invoice.period_end,
  },
})
