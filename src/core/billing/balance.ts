import type { Change } from '../change.ts'
import type { CreditNote } from '../credit-note.ts'
import { type BalanceTransactionType, withBalance } from '../customer-balance.ts'
import type { Invoice } from '../invoice.ts'
import { type AppliedBalance, appliedBalance, applyBalance } from '../invoice-balance.ts'
import type { Account } from './account.ts'

/** Returns how the customer's balance would be applied to an invoice that is finalized now. */
export function balanceApplied(change: Change, account: Account, invoice: Invoice): AppliedBalance {
  const { balances } = change.latest('customer', account.customer)
  return applyBalance(invoice.total, balances[invoice.currency] ?? 0)
}

/** Changes the balance by the amount that finalizing an invoice used or added. See docs/contract/proration.md#balance. */
export function takeFromBalance(change: Change, account: Account, invoice: Invoice): void {
  move(change, account, invoice, -appliedBalance(invoice), 'applied_to_invoice')
}

/** Reverts the change of the balance by an invoice that is voided. */
export function returnToBalance(change: Change, account: Account, invoice: Invoice): void {
  move(change, account, invoice, appliedBalance(invoice), 'unapplied_from_invoice')
}

/** Credits the balance with the part of a credit note. See docs/contract/credit-notes.md#paid-invoices. */
export function creditBalance(change: Change, account: Account, note: CreditNote): void {
  const { id, invoice, customer_balance_transaction, credit_amount } = note
  move(change, account, { ...note, id: invoice }, -credit_amount, 'credit_note', {
    id: customer_balance_transaction ?? undefined,
    credit_note: id,
  })
}

/** @param given.id - the id of the transaction, if it is known already */
function move(
  change: Change,
  account: Account,
  { id, currency, test_clock }: Pick<Invoice, 'id' | 'currency' | 'test_clock'>,
  amount: number,
  type: BalanceTransactionType,
  given: { id?: string | undefined; credit_note: string | null } = { credit_note: null },
): void {
  if (amount === 0) return
  const { balances } = change.latest('customer', account.customer)
  const ending_balance = (balances[currency] ?? 0) + amount
  change.update('customer', account.customer, (customer) => ({
    ...customer,
    balances: withBalance(customer.balances, currency, ending_balance),
  }))
  change.create('customer_balance_transaction', {
    id: given.id ?? account.newId('cbtxn'),
    created: account.now,
    customer: account.customer.id,
    currency,
    type,
    amount,
    ending_balance,
    invoice: id,
    credit_note: given.credit_note,
    description: null,
    metadata: {},
    test_clock,
  })
}
