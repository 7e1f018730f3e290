import type { Invoice } from './invoice.ts'
import { MAX_AMOUNT } from './money.ts'

/** The fields of an invoice that say how the customer's balance was applied. */
export type AppliedBalance = Pick<Invoice, 'amount_due' | 'starting_balance'>

/**
 * Applies a customer's balance to the total of an invoice: a credit is used up to the total, and a debt is added. A negative
 * total becomes a credit. The part beyond the largest amount stays in the balance.
 * See docs/contract/proration.md#balance.
 */
export function applyBalance(total: number, starting_balance: number): AppliedBalance {
  const sum = total + starting_balance
  const amount_due = Math.min(Math.max(0, sum), Math.max(total, MAX_AMOUNT))
  return { amount_due, starting_balance }
}

/**
 * Returns the amount that the customer's balance added to the total of an invoice; negative if a credit was used. Credit notes
 * do not change it.
 */
export const appliedBalance = ({ total, amount_due, pre_payment_credit_notes_amount }: Invoice): number =>
  amount_due + pre_payment_credit_notes_amount - total

/** Returns the customer's balance after an invoice was finalized; null for a draft. */
export const endingBalance = (invoice: Invoice): number | null =>
  invoice.finalized_at === null ? null : invoice.starting_balance - appliedBalance(invoice)
