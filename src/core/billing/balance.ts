import type { Change } from '../change.ts'
import { type BalanceTransactionType, withBalance } from '../customer-balance.ts'
import type { Invoice } from '../invoice.ts'
import { type AppliedBalance, applyBalance } from '../invoice-balance.ts'
import type { Account } from './account.ts'

/** Returns how the customer's balance would be applied to an invoice that is finalized now. */
export function balanceApplied(change: Change, account: Account, invoice: Invoice): AppliedBalance {
  const { balances } = change.latest('customer', account.customer)
  return applyBalance(invoice.total, balances[invoice.currency] ?? 0)
}

/** Changes the balance by what finalizing an invoice used or added. See docs/contract/proration.md#balance. */
export function takeFromBalance(change: Change, account: Account, invoice: Invoice): void {
  move(change, account, invoice, invoice.total - invoice.amount_due, 'applied_to_invoice')
}

/** Undoes in the balance what finalizing an invoice did, because the invoice is voided. */
export function returnToBalance(change: Change, account: Account, invoice: Invoice): void {
  move(change, account, invoice, invoice.amount_due - invoice.total, 'unapplied_from_invoice')
}

function move(
  change: Change,
  account: Account,
  { id, currency, test_clock }: Invoice,
  amount: number,
  type: BalanceTransactionType,
): void {
  if (amount === 0) return
  const { balances } = change.latest('customer', account.customer)
  const ending_balance = (balances[currency] ?? 0) + amount
  change.update('customer', account.customer, (customer) => ({
    ...customer,
    balances: withBalance(customer.balances, currency, ending_balance),
  }))
  change.create('customer_balance_transaction', {
    id: account.newId('cbtxn'),
    created: account.now,
    customer: account.customer.id,
    currency,
    type,
    amount,
    ending_balance,
    invoice: id,
    description: null,
    metadata: {},
    test_clock,
  })
}
