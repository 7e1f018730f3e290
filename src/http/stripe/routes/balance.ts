import type Stripe from 'stripe'
import {
  BALANCE_TRANSACTION_TYPES,
  BALANCE_TRANSACTIONS,
  effectOf,
  hasHappened,
} from '../../../core/balance-transaction.ts'
import type { CurrentView } from '../../../engine/history/view.ts'
import type { StripeApi } from '../api.ts'
import { returning } from '../returns.ts'
import type { Wire } from '../wire.ts'
import { ACCOUNT_CURRENCY } from './account.ts'

/** Registers the route of the merchant's balance. */
export function balanceRoutes(api: StripeApi): void {
  api.read(
    {
      method: 'get',
      path: '/v1/balance',
      summary: "Retrieves the account's money by currency: the sum of its balance transactions.",
      returns: returning<Wire<Stripe.Balance>>('balance'),
    },
    ({ view }) => presentBalance(view),
  )
}

/** Presents the sums of all balance transactions. The money is available at once. */
function presentBalance(view: CurrentView): Wire<Stripe.Balance> {
  const sums = new Map<string, number>()
  for (const type of BALANCE_TRANSACTION_TYPES) {
    for (const { amount, currency, status, count } of view.countAmounts(BALANCE_TRANSACTIONS[type].kind)) {
      const { sign, fee } = effectOf(type, amount)
      if (hasHappened(type, status))
        sums.set(currency, (sums.get(currency) ?? 0) + count * (sign * amount - fee))
    }
  }
  if (sums.size === 0) sums.set(ACCOUNT_CURRENCY, 0)
  const currencies = [...sums].toSorted(([left], [right]) => (left < right ? -1 : 1))
  const inEach = (amountOf: (sum: number) => number) =>
    currencies.map(([currency, sum]) => ({
      amount: amountOf(sum),
      currency,
      source_types: { card: amountOf(sum) },
    }))
  return {
    object: 'balance',
    available: inEach((sum) => sum),
    livemode: false,
    pending: inEach(() => 0),
  }
}
