import type { CreditNote } from './model-money.ts'
import { type Invoice, type Line, type Merchant, named } from './model-state.ts'

export const amountOf = ({ lines }: Pick<CreditNote, 'lines'>): number =>
  lines.reduce((sum, { amount }) => sum + amount, 0)

export const priceOf = (
  merchant: Merchant,
  items: readonly { readonly price: string; readonly quantity: number }[],
): number =>
  items.reduce((sum, { price, quantity }) => sum + named(merchant.prices, price).amount * quantity, 0)

/** The amount of some lines before discounts. */
export const subtotalOf = (lines: readonly Pick<Line, 'amount'>[]): number =>
  lines.reduce((sum, { amount }) => sum + amount, 0)

/** The amount of a line less its discounts. */
export const netOf = ({ amount, off }: Pick<Line, 'amount' | 'off'>): number => amount - subtotalOf(off)

export const totalOf = ({ lines }: Pick<Invoice, 'lines'>): number =>
  lines.reduce((sum, line) => sum + netOf(line), 0)

/** See docs/contract/requests.md#amounts. */
export const MAX_AMOUNT = 99_999_999

/** What was to be paid before credit notes. A debt does not raise it over the largest amount. See docs/contract/proration.md#balance. */
export function billedOf(invoice: Invoice): number {
  const total = totalOf(invoice)
  return Math.min(Math.max(0, total + invoice.balance.before), Math.max(total, MAX_AMOUNT))
}

/** What is to be paid. */
export const dueOf = (invoice: Invoice): number => billedOf(invoice) - invoice.credited.pre
