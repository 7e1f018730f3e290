import type { Metadata } from './metadata.ts'

/** Why the balance of a customer changed. See docs/contract/proration.md#balance. */
export const BALANCE_TRANSACTION_TYPES = [
  'adjustment',
  'applied_to_invoice',
  'unapplied_from_invoice',
  'credit_note',
] as const
export type BalanceTransactionType = (typeof BALANCE_TRANSACTION_TYPES)[number]

/**
 * A change of a customer's balance in one currency. Amounts are in the smallest unit; a credit is negative. See
 * docs/contract/proration.md#balance.
 */
export type CustomerBalanceTransaction = {
  readonly id: string
  readonly created: number
  readonly customer: string
  readonly currency: string
  readonly type: BalanceTransactionType
  readonly amount: number
  /** The balance after the transaction. */
  readonly ending_balance: number
  readonly invoice: string | null
  readonly credit_note: string | null
  readonly description: string | null
  readonly metadata: Metadata
  readonly test_clock: string | null
}

/** Amounts by currency, in the smallest unit. Currencies without a balance are absent. */
export type Balances = Readonly<Record<string, number>>

/** Returns the balances with another one in a currency, the oldest one first. */
export function withBalance(balances: Balances, currency: string, balance: number): Balances {
  const { [currency]: _, ...others } = balances
  return balance === 0 ? others : { ...balances, [currency]: balance }
}
