import { periodBegin } from './model-calendar.ts'
import type { Code, Coupon, Discount, Holder } from './model-discount.ts'
import type { Operation } from './model-events.ts'
import { type Merchant, named, newKey } from './model-state.ts'

/** A request to redeem a coupon or a code, or to keep a discount. */
export type Entry =
  | { readonly coupon: string }
  | { readonly promotion_code: string }
  | { readonly discount: string }

/** What a coupon is redeemed for: `amount` is what is bought; null for a customer. */
export type Purchase = { readonly customer: string; readonly holder: Holder; readonly amount: number | null }

/**
 * Redeems a list; null if it is refused, and then the state has to be taken back.
 * See docs/contract/discounts.md#redeeming.
 */
export function redeemAll(
  operation: Operation,
  purchase: Purchase,
  { entries, current = [] }: { entries: readonly Entry[]; current?: readonly string[] },
): string[] | null {
  const { merchant } = operation
  const keys: string[] = []
  for (const entry of entries) {
    const isKept = 'discount' in entry
    if (isKept && (!current.includes(entry.discount) || named(merchant.discounts, entry.discount).isOver))
      return null
    const discount = isKept ? named(merchant.discounts, entry.discount) : redeem(operation, purchase, entry)
    if (!discount || keys.some((key) => named(merchant.discounts, key).coupon === discount.coupon))
      return null
    keys.push(discount.key)
  }
  return keys
}

/** Redeems a coupon or a code; null if it is refused. */
export function redeem(
  operation: Operation,
  { customer, holder, amount }: Purchase,
  entry: Exclude<Entry, { discount: string }>,
  event: 'created' | 'updated' = 'created',
): Discount | null {
  const { merchant, at } = operation
  const code = 'promotion_code' in entry ? named(merchant.codes, entry.promotion_code) : null
  if (code && !canUse(merchant, code, { customer, amount, at })) return null
  const coupon = named(merchant.coupons, code?.coupon ?? ('coupon' in entry ? entry.coupon : ''))
  if (!coupon.valid || (coupon.redeemBy !== null && coupon.redeemBy <= at)) return null
  if (amount !== null && (coupon.currency ?? 'usd') !== 'usd') return null
  coupon.redeemed += 1
  if (coupon.redeemed === coupon.max) invalidate(merchant, coupon)
  if (code) {
    code.redeemed += 1
    if (code.redeemed === code.max) code.active = false
  }
  const { percent, amount: off, currency, months, duration, products } = coupon
  const isForOneInvoice = holder.invoice !== undefined || holder.invoiceItem !== undefined
  const discount: Discount = {
    key: newKey(merchant, 'di'),
    customer,
    coupon: coupon.key,
    code: code?.key ?? null,
    terms: { percent, amount: off, currency, months, duration, products },
    holder,
    start: at,
    end:
      isForOneInvoice || months === null
        ? null
        : periodBegin(at, { interval: 'month', interval_count: 1 }, months),
    usedBy: null,
    isOver: false,
  }
  merchant.discounts.push(discount)
  operation.tellOfDiscount(event, discount)
  return discount
}

function canUse(
  merchant: Merchant,
  code: Code,
  { customer, amount, at }: { customer: string; amount: number | null; at: number },
): boolean {
  if (!code.active || (code.expiresAt !== null && code.expiresAt <= at)) return false
  if (code.customer !== null && code.customer !== customer) return false
  if (code.least !== null && (amount === null || amount < code.least)) return false
  const hasPaid =
    merchant.invoices.some((invoice) => invoice.customer === customer && invoice.status === 'paid') ||
    merchant.charges.some((charge) => charge.customer === customer && charge.succeeded)
  return !(code.isFirst && hasPaid)
}

/** Ends the validity of a coupon, and with it that of its codes. */
export function invalidate({ codes }: Merchant, coupon: Coupon): void {
  coupon.valid = false
  for (const code of codes) if (code.coupon === coupon.key) code.active = false
}
