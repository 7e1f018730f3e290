import { type Invoice, waitsAsDraft } from './invoice.ts'
import { isOpen } from './invoice-status.ts'

/**
 * What the jobs of an invoice follow from. A subscription can have thousands of invoices with a planned attempt, whose lines do not fit
 * into memory together.
 */
export type InvoicePlan = Pick<
  Invoice,
  | 'id'
  | 'status'
  | 'subscription'
  | 'next_payment_attempt'
  | 'due_date'
  | 'overdue'
  | 'notices'
  | 'test_clock'
  | 'deleted'
>

/**
 * Removes the planned attempt of an open invoice, or the planned finalization of a draft.
 * @returns the same object without one
 * See docs/contract/subscriptions.md#canceling.
 */
export const withoutRetries = <Plan extends InvoicePlan>(invoice: Plan): Plan =>
  invoice.next_payment_attempt !== null && (isOpen(invoice) || waitsAsDraft(invoice))
    ? { ...invoice, next_payment_attempt: null }
    : invoice
