import type { Invoice } from './invoice.ts'
import { INVOICE_TRANSITIONS, isOpen } from './invoice-status.ts'
import { move } from './transitions.ts'

/**
 * Applies a credit note. An open invoice without an amount due is then paid, without an attempt.
 * See docs/contract/credit-notes.md#open-invoices.
 */
export function credited(
  invoice: Invoice,
  { pre_payment_amount, post_payment_amount }: { pre_payment_amount: number; post_payment_amount: number },
  now: number,
): Invoice {
  const reduced = {
    ...invoice,
    amount_due: invoice.amount_due - pre_payment_amount,
    pre_payment_credit_notes_amount: invoice.pre_payment_credit_notes_amount + pre_payment_amount,
    post_payment_credit_notes_amount: invoice.post_payment_credit_notes_amount + post_payment_amount,
  }
  if (!isOpen(invoice) || reduced.amount_due > 0) return reduced
  const status = move(INVOICE_TRANSITIONS, invoice.status, 'pay')
  return { ...reduced, status, next_payment_attempt: null, paid_at: now }
}

/** Takes back a voided credit note of an open invoice. */
export const withoutCredit = (
  invoice: Invoice,
  { pre_payment_amount }: { pre_payment_amount: number },
): Invoice => ({
  ...invoice,
  amount_due: invoice.amount_due + pre_payment_amount,
  pre_payment_credit_notes_amount: invoice.pre_payment_credit_notes_amount - pre_payment_amount,
})
