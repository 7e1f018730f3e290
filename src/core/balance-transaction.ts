import type { Charge } from './charge.ts'
import type { Dispute } from './dispute.ts'
import { type EventType, prefixOf } from './kinds.ts'
import { sumOfShares } from './money.ts'
import type { Refund } from './refund.ts'

/**
 * A movement of the merchant's money. It is not stored: each follows from a charge, a refund or a dispute, and happens with
 * one event of it.
 */
export type BalanceTransaction = {
  readonly id: string
  readonly type: BalanceTransactionType
  /** In the smallest unit of the currency; negative for what is taken from the merchant. */
  readonly amount: number
  /** What the service keeps of the amount. */
  readonly fee: number
  readonly currency: string
  readonly source: Charge | Refund | Dispute
}

/** Each type of movement: its mark in ids, the kind of its source, and the event with which it happens. */
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

/** Returns the id of a movement, which has the same characters as the id of its source. */
export const balanceTransactionId = (type: BalanceTransactionType, source: string): string =>
  `txn_${BALANCE_TRANSACTIONS[type].mark}${source.slice(source.lastIndexOf('_') + 1)}`

/** Returns the type and the id of the source of the movement with an id; undefined for any other text. */
export function sourceOfBalanceTransaction(
  id: string,
): { type: BalanceTransactionType; source: string } | undefined {
  const [, mark, rest = ''] = /^txn_(.)(\w+)$/.exec(id) ?? []
  const type = BALANCE_TRANSACTION_TYPES.find((each) => BALANCE_TRANSACTIONS[each].mark === mark)
  return type && { type, source: `${prefixOf(BALANCE_TRANSACTIONS[type].kind)}_${rest}` }
}

/** Creates the movement of a type that follows from its source. */
export function balanceTransaction(
  type: BalanceTransactionType,
  source: Charge | Refund | Dispute,
): BalanceTransaction {
  const { currency } = source
  const { sign, fee } = effectOf(type, source.amount)
  const id = balanceTransactionId(type, source.id)
  return { id, type, amount: sign * source.amount, fee, currency, source }
}

/** Returns what a movement of a type does with the amount of its source. */
export const effectOf = (type: BalanceTransactionType, amount: number): Effect => EFFECTS[type](amount)

/** Reports whether a movement of a type has happened, by the status of its source. */
export const hasHappened = (type: BalanceTransactionType, status: string): boolean => HAPPENED[type](status)

const HAPPENED: Readonly<Record<BalanceTransactionType, (status: string) => boolean>> = {
  charge: (status) => status === 'succeeded',
  refund: () => true,
  refund_failure: (status) => status === 'failed',
  dispute: () => true,
  dispute_reversal: (status) => status === 'won',
}

type Effect = { readonly sign: 1 | -1; readonly fee: number }

/** What each type moves of the amount of its source, and its fee. The fee of a charge is not returned with a refund. */
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
