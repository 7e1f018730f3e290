import type { CheckoutSession } from './checkout-session.ts'

type Amounts = Pick<CheckoutSession, 'lines' | 'amount_total'>

/**
 * Returns the total of a session before discounts, in the smallest currency unit: that of its lines, and of the customer's pending
 * invoice items.
 */
export const subtotalOf = (session: Amounts): number => (session.amount_total ?? 0) + discountOf(session)

/** Returns the sum of the discounts of the lines. */
export const discountOf = ({ lines }: Pick<CheckoutSession, 'lines'>): number =>
  lines.reduce((sum, { amount_discount }) => sum + amount_discount, 0)

/**
 * Returns what the customer's pending invoice items add to the total of a session, after their discounts.
 * See docs/contract/checkout-sessions.md#amounts.
 */
export const pendingAmountOf = (session: Amounts): number =>
  session.lines.reduce((rest, { amount_subtotal }) => rest - amount_subtotal, subtotalOf(session))
