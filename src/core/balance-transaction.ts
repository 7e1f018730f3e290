import type { Charge } from './charge.ts'
import type { Dispute } from './dispute.ts'
import { type EventType, prefixOf } from './kinds.ts'
import { sumOfShares } from './money.ts'
import type { Refund } from './refund.ts'

/**
 * A transaction of the merchant's balance. It is not stored, but derived from a charge, a refund or a dispute, and from the
 * event that caused it.
 */
export type BalanceTransaction = {
  readonly id: string
  readonly type: BalanceTransactionType
  /** In the smallest unit of the currency; negative if it is taken from the merchant. */
  readonly amount: number
  /** The part of the amount that the service keeps. */
  readonly fee: number
  readonly currency: string
  readonly source: Charge | Refund | Dispute
}

/** The types of transactions: the letters in their ids, the kind of their source, and the event that causes them. */
export const BALANCE_TRANSACTIONS = {
  charge: { mark: 'c', kind: 'charge', event: 'charge.succeeded' },
  refund: { mark: 'r', kind: 'refund', event: 'refund.created' },
  refund_failure: { mark: 'f', kind: 'refund', event: 'refund.failed' },
  dispute: { mark: 'd', kind: 'dispute', event: 'charge.dispute.funds_withdrawn' },
  dispute_reversal: { mark: 'w', kind: 'dispute', event: 'charge.dispute.funds_reinstated' },
} as const satisfies Readonly<
  Record<string, { mark: string; kind: 'charge' | 'refund' | 'dispute'; event: EventType }>
>
export type BalanceTransactionType = keyof typeof BALANCE_TRANSACTIONS
export const BALANCE_TRANSACTION_TYPES = Object.keys(BALANCE_TRANSACTIONS) as BalanceTransactionType[]

/** The fee of a charge: 2.9 % and 30 of the smallest unit of the currency. */
const FEE = { part: 29, whole: 1_000, fixed: 30 }
/** The fee of a dispute, which is returned when the dispute is won. */
const DISPUTE_FEE = 1_500

/** Returns the id of a balance transaction, which has the same random part as the id of its source. */
export const balanceTransactionId = (type: BalanceTransactionType, source: string): string =>
  `txn_${BALANCE_TRANSACTIONS[type].mark}${source.slice(source.lastIndexOf('_') + 1)}`

/** Parses the id of a balance transaction: its type, and the id of its source. Undefined for any other text. */
export function sourceOfBalanceTransaction(
  id: string,
): { type: BalanceTransactionType; source: string } | undefined {
  const [, mark, rest = ''] = /^txn_(.)(\w+)$/.exec(id) ?? []
  const type = BALANCE_TRANSACTION_TYPES.find((each) => BALANCE_TRANSACTIONS[each].mark === mark)
  return type && { type, source: `${prefixOf(BALANCE_TRANSACTIONS[type].kind)}_${rest}` }
}

/** Derives the balance transaction of a type from its source. */
export function balanceTransaction(
  type: BalanceTransactionType,
  source: Charge | Refund | Dispute,
): BalanceTransaction {
  const { currency } = source
  const { sign, fee } = effectOf(type, source.amount)
  const id = balanceTransactionId(type, source.id)
  return { id, type, amount: sign * source.amount, fee, currency, source }
}

/** Returns the effect of a type on the merchant's balance, for the amount of its source. */
export const effectOf = (type: BalanceTransactionType, amount: number): Effect => EFFECTS[type](amount)

/** Reports whether the balance transaction of a type exists, by the status of its source. */
export const hasHappened = (type: BalanceTransactionType, status: string): boolean => HAPPENED[type](status)

const HAPPENED: Readonly<Record<BalanceTransactionType, (status: string) => boolean>> = {
  charge: (status) => status === 'succeeded',
  refund: () => true,
  refund_failure: (status) => status === 'failed',
  dispute: () => true,
  dispute_reversal: (status) => status === 'won',
}

type Effect = { readonly sign: 1 | -1; readonly fee: number }

/** The effect of each type: the signed amount, and the fee. A refund does not return the fee of its charge. */
const EFFECTS: Readonly<Record<BalanceTransactionType, (amount: number) => Effect>> = {
  charge: (amount) => ({
    sign: 1,
    fee: sumOfShares([{ amount, part: FEE.part, whole: FEE.whole }]) + FEE.fixed,
  }),
  refund: () => ({ sign: -1, fee: 0 }),
  refund_failure: () => ({ sign: 1, fee: 0 }),
  dispute: () => ({ sign: -1, fee: DISPUTE_FEE }),
  dispute_reversal: () => ({ sign: 1, fee: -DISPUTE_FEE }),
}
