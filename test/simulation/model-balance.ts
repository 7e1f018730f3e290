import { billedOf, dueOf, totalOf } from './model-amounts.ts'
import { type Customer, type Invoice, type Merchant, named, type Transaction } from './model-state.ts'

/** Changes a balance, unless by nothing. See docs/contract/proration.md#balance. */
export function changeBalance(
  customer: Customer,
  { amount, currency, type, invoice }: Omit<Transaction, 'ending'>,
): void {
  if (amount === 0) return
  const ending = (customer.balances[currency] ?? 0) + amount
  // A balance of 0 is not shown.
  if (ending === 0) delete customer.balances[currency]
  else customer.balances[currency] = ending
  customer.transactions.push({ type, amount, currency, ending, invoice })
}

/** Applies the balance of its currency to an invoice that is finalized. */
export function applyBalance(merchant: Merchant, invoice: Invoice): void {
  const customer = named<Customer>(merchant.customers, invoice.customer)
  const before = customer.balances.usd ?? 0
  invoice.balance = { before, after: null }
  const after = totalOf(invoice) + before - dueOf(invoice)
  invoice.balance = { before, after }
  const change = { currency: 'usd', invoice: invoice.key, type: 'applied_to_invoice' as const }
  changeBalance(customer, { ...change, amount: after - before })
}

/** Returns what an invoice took from the balance, or gave to it. */
export function returnBalance(merchant: Merchant, invoice: Invoice): void {
  const { before, after } = invoice.balance
  if (after === null) return
  const customer = named<Customer>(merchant.customers, invoice.customer)
  const change = { currency: 'usd', invoice: invoice.key, type: 'unapplied_from_invoice' as const }
  changeBalance(customer, { ...change, amount: before - after })
}

/** The balance fields of an invoice. */
export const showBalance = (invoice: Invoice) => ({
  starting_balance: invoice.balance.before,
  ending_balance: invoice.balance.after,
  applied_balance: billedOf(invoice) - totalOf(invoice),
})
