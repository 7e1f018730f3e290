import type { DiscountAmount } from './billing/discount-amounts.ts'
import { type ItemProration, isCorrection } from './item-proration.ts'

/** The id, in the lines of a preview, of an item that does not exist. The line still says what it bills. */
export const NO_ID = ''

/** One line of an invoice. Amounts are in the invoice's currency and smallest unit. Its period is the invoice's. */
export type InvoiceLine = {
  readonly id: string
  readonly amount: number
  /** null if the units do not have one whole amount. */
  readonly unit_amount: number | null
  readonly quantity: number
  /** The whole quantity of usage that is not whole; `quantity` lacks its fraction. */
  readonly quantity_decimal?: string
  readonly price: string | null
  readonly subscription_item: string | null
  /** For a line that bills an invoice item: the item. */
  readonly invoice_item?: string
  /** The description of the invoice item, or of a quantity whose units do not have one whole amount. */
  readonly description?: string | null
  /** For a line that corrects a period after a change, or bills usage: its span. Other lines have the period of the invoice. */
  readonly proration?: ItemProration
  /** Whether discounts can reduce it. By default, all lines but prorations. */
  readonly discountable?: boolean
  /** The line's own discounts, which take the place of the invoice's. Absent for none. */
  readonly discounts?: readonly string[]
  /** The amounts that discounts take off, in their order. Absent for none. */
  readonly discount_amounts?: readonly DiscountAmount[]
  /** Whether the item was created on this invoice, rather than pending before. Not part of the API's object. */
  readonly is_own_item?: boolean
  /** Whether its invoice bills a period that never began, because its update was discarded. Not part of the API's object. */
  readonly is_discarded?: true
}

/** Returns the whole quantity of a line or an invoice item, as a decimal: usage can have a fraction, which `quantity` lacks. */
export const wholeQuantity = ({
  quantity,
  proration,
  quantity_decimal = proration?.quantity_decimal,
}: Pick<InvoiceLine, 'quantity' | 'quantity_decimal'> & {
  readonly proration?: ItemProration | null
}): string => quantity_decimal ?? String(quantity)

/** Returns the amount of a line after discounts. */
export function netAmount({ amount, discount_amounts }: InvoiceLine): number {
  if (discount_amounts === undefined) return amount
  return discount_amounts.reduce((net, { amount: off }) => net - off, amount)
}

/** Reports whether discounts can reduce lines and items without a choice of their own: all but prorations. */
export const isDiscountableByDefault = (proration: ItemProration | null | undefined): boolean =>
  !isCorrection(proration)

/** Reports whether discounts can reduce a line. Prorations already take them into account. */
export const isDiscountable = ({ discountable, proration }: InvoiceLine): boolean =>
  discountable ?? isDiscountableByDefault(proration)
