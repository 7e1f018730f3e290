import type Stripe from 'stripe'
import {
  BALANCE_TRANSACTIONS,
  type BalanceTransaction,
  type BalanceTransactionType,
  balanceTransaction,
  hasHappened,
  sourceOfBalanceTransaction,
} from '../../../core/balance-transaction.ts'
import type { View } from '../../../engine/history/view.ts'
import type { Wire } from '../wire.ts'

/** Stripe's name of each type. */
const NAMES: Readonly<
  Record<BalanceTransactionType, { type: Stripe.BalanceTransaction.Type; description: string | null }>
> = {
  charge: { type: 'charge', description: null },
  refund: { type: 'refund', description: 'REFUND FOR CHARGE' },
  refund_failure: { type: 'refund_failure', description: 'REFUND FAILURE' },
  dispute: { type: 'adjustment', description: 'Chargeback withdrawal' },
  dispute_reversal: { type: 'adjustment', description: 'Chargeback reversal' },
}

/**
 * Presents a transaction of the merchant's balance. The money is available at once.
 * @param created - its time, in Unix seconds
 */
export function presentAccountTransaction(
  { id, type, amount, fee, currency, source }: BalanceTransaction,
  created: number,
): Wire<Stripe.BalanceTransaction> {
  const description = type === 'charge' ? 'Stripe processing fees' : 'Dispute fee'
  return {
    id,
    object: 'balance_transaction',
    amount,
    available_on: created,
    balance_type: 'payments',
    created,
    currency,
    description: NAMES[type].description,
    exchange_rate: null,
    fee,
    fee_details:
      fee === 0 ? [] : [{ amount: fee, application: null, currency, description, type: 'stripe_fee' }],
    net: amount - fee,
    reporting_category: type,
    source: source.id,
    status: 'available',
    type: NAMES[type].type,
  }
}

/** Finds the balance transaction with an id; undefined if its source does not exist or has no such transaction. */
export function transactionNamed(view: View, id: string): BalanceTransaction | undefined {
  const named = sourceOfBalanceTransaction(id)
  const source = named && view.get(BALANCE_TRANSACTIONS[named.type].kind, named.source)
  return source && hasHappened(named.type, source.status) ? balanceTransaction(named.type, source) : undefined
}
