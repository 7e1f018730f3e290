import { Change } from '../../core/change.ts'
import { type CustomerBalanceTransaction, withBalance } from '../../core/customer-balance.ts'
import { amountTooLarge } from '../../core/errors.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import { MAX_AMOUNT } from '../../core/money.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'

export type BalanceParams = {
  /** In the smallest currency unit; negative for a credit to the customer. */
  amount: number
  currency: string
  description?: string | null | undefined
  metadata?: MetadataParam | undefined
}

/**
 * Changes the balance of a customer by an amount.
 * @throws ApiError resource_missing; amount_too_large when the balance would exceed the largest amount, unless it already does
 *   and comes nearer to zero
 * See docs/contract/proration.md#balance.
 */
export function adjustBalance(
  unit: UnitOfWork,
  id: string,
  { amount, currency, description = null, metadata }: BalanceParams,
): CustomerBalanceTransaction {
  const customer = unit.find('customer', id)
  const clock = unit.clockOf(customer.test_clock)
  const balance = customer.balances[currency] ?? 0
  const ending_balance = balance + amount
  // Invoices that credit the customer can move a balance beyond the largest amount.
  if (Math.abs(ending_balance) > Math.max(MAX_AMOUNT, Math.abs(balance)))
    throw amountTooLarge(`The balance of ${ending_balance} exceeds the maximum of ${MAX_AMOUNT}`)
  const change = new Change()
  change.update('customer', customer, (before) => ({
    ...before,
    balances: withBalance(before.balances, currency, ending_balance),
  }))
  const transaction = change.create('customer_balance_transaction', {
    id: unit.idFor('customer_balance_transaction'),
    created: clock.instant,
    customer: customer.id,
    currency,
    type: 'adjustment',
    amount,
    ending_balance,
    invoice: null,
    credit_note: null,
    description,
    metadata: mergeMetadata({}, metadata),
    test_clock: customer.test_clock,
  })
  apply(unit, change, clock)
  return transaction
}

/** Updates the description and metadata of a balance transaction. */
export function updateBalanceTransaction(
  unit: UnitOfWork,
  transaction: CustomerBalanceTransaction,
  params: Pick<BalanceParams, 'description' | 'metadata'>,
): CustomerBalanceTransaction {
  const change = new Change()
  const updated = change.update('customer_balance_transaction', transaction, (before) => ({
    ...before,
    description: params.description === undefined ? before.description : params.description,
    metadata: mergeMetadata(before.metadata, params.metadata),
  }))
  apply(unit, change, unit.clockOf(transaction.test_clock))
  return updated
}
