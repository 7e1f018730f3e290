import type { CreditNote } from './model-money.ts'
import { type Invoice, type Line, type Merchant, named, type Price } from './model-state.ts'

export const amountOf = ({ lines }: Pick<CreditNote, 'lines'>): number =>
  lines.reduce((sum, { amount }) => sum + amount, 0)

export const priceOf = (
  merchant: Merchant,
  items: readonly { readonly price: string; readonly quantity: number }[],
): number =>
  items.reduce((sum, item) => sum + fullOf(merchant, item), 0)

/** What a quantity costs in a whole period; nothing at a metered price. See docs/contract/customers.md#amounts-of-a-quantity. */
export function fullOf(
  { prices }: Merchant,
  { price: key, quantity }: { readonly price: string; readonly quantity: number },
): number {
  const price = named<Price>(prices, key)
  return price.meter === null ? costOf(price, quantity * 1000) : 0
}

/** Returns what a quantity in thousandths costs, rounded once. See docs/contract/usage.md#amounts. */
export function costOf({ amount, tiers, tiersMode }: Price, usage: number): number {
  const quantity = Math.max(0, usage)
  let exact = 0n
  if (!tiers) exact = BigInt(amount) * BigInt(quantity)
  else if (tiersMode === 'volume') {
    const tier = tiers.find(({ upTo }) => upTo === null || quantity <= upTo * 1000)
    exact = BigInt(tier?.amount ?? 0) * BigInt(quantity) + BigInt(tier?.flat ?? 0) * 1000n
  } else {
    let from = 0
    for (const { upTo, amount: unit, flat } of tiers) {
      if (quantity <= from && from > 0) break
      const to = upTo === null ? quantity : Math.min(quantity, upTo * 1000)
      exact += BigInt(unit) * BigInt(to - from) + BigInt(flat) * 1000n
      from = (upTo ?? 0) * 1000
      if (upTo === null) break
    }
  }
  return Number((2n * exact + 1000n) / 2000n)
}

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
