import type Stripe from 'stripe'
import {
  BALANCE_TRANSACTION_TYPES,
  BALANCE_TRANSACTIONS,
  effectOf,
  hasHappened,
} from '../../../core/balance-transaction.ts'
import type { CurrentView } from '../../../engine/history/view.ts'
import { readInSteps } from '../../read-turn.ts'
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
    ({ c: { env }, services, owner, view, checkCredentials: check }) =>
      readInSteps(services, { owner, env, check }, balanceInSteps(view)),
  )
}

/**
 * The kinds whose objects cause balance transactions. What takes money from a charge is read before the charges: if others
 * run in between, no refund is counted without its charge.
 */
const KINDS = ['dispute', 'refund', 'charge'] as const

/** Presents the sums of all balance transactions, in steps. The money is available at once. */
function* balanceInSteps(view: CurrentView): Generator<void, Wire<Stripe.Balance>> {
  const sums = new Map<string, number>()
  for (const kind of KINDS) {
    const types = BALANCE_TRANSACTION_TYPES.filter((type) => BALANCE_TRANSACTIONS[type].kind === kind)
    for (const counts of view.countAmounts(kind)) {
      for (const { amount, currency, status, count } of counts)
        for (const type of types.filter((each) => hasHappened(each, status))) {
          const { sign, fee } = effectOf(type, amount)
          sums.set(currency, (sums.get(currency) ?? 0) + count * (sign * amount - fee))
        }
      yield
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
