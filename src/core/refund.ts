import type { Charge } from './charge.ts'
import { amountTooLarge, chargeDisputed, paymentIntentUnexpectedState } from './errors.ts'
import type { Metadata } from './metadata.ts'
import { move, type Transitions } from './transitions.ts'

export const REFUND_STATUSES = ['pending', 'succeeded', 'failed'] as const
export type RefundStatus = (typeof REFUND_STATUSES)[number]

export const REFUND_TRANSITIONS: Transitions<RefundStatus, 'fail'> = {
  pending: { fail: 'failed' },
  succeeded: {},
  failed: {},
}

export const REFUND_REASONS = ['duplicate', 'fraudulent', 'requested_by_customer'] as const
export type RefundReason = (typeof REFUND_REASONS)[number]

/** The time after which a refund that fails does so, in seconds. See docs/contract/payments.md#failing-refunds. */
const SETTLEMENT_SECONDS = 60

/** A refund. The amount is in the charge's currency and smallest unit. See docs/contract/payments.md#refunds. */
export type Refund = {
  readonly id: string
  readonly created: number
  readonly status: RefundStatus
  readonly amount: number
  readonly currency: string
  readonly charge: string
  readonly payment_intent: string
  readonly reason: RefundReason | null
  readonly failure_reason: string | null
  readonly metadata: Metadata
  /** When a pending refund fails. Not part of the API's object. */
  readonly settles_at: number | null
  readonly test_clock: string | null
}

/**
 * Returns when a refund that was created as pending fails, also after it has failed.
 * See docs/contract/payments.md#failing-refunds.
 */
export const settlementOf = ({ created }: Pick<Refund, 'created'>): number => created + SETTLEMENT_SECONDS

/** Returns the refundable remainder of a charge. See docs/contract/payments.md#charges. */
export const refundable = ({ amount, amount_refunded }: Charge): number => amount - amount_refunded

/**
 * Creates a refund and updates its charge.
 * @param given.amount - in the smallest currency unit; the remainder when not given
 * @param given.fails - whether the card's refunds fail after a minute
 * @param given.isBlocked - whether a dispute prevents it
 * @throws ApiError payment_intent_unexpected_state for a failed charge; charge_disputed; amount_too_large beyond the remainder
 * See docs/contract/payments.md#refunds.
 */
export function refund(
  charge: Charge,
  given: Pick<Refund, 'id' | 'created' | 'reason' | 'metadata' | 'test_clock'> & {
    amount: number | undefined
    fails: boolean
    isBlocked: boolean
  },
): { refund: Refund; charge: Charge } {
  if (charge.status !== 'succeeded') {
    throw paymentIntentUnexpectedState('A charge that did not succeed cannot be refunded')
  }
  const { fails, isBlocked, ...fields } = given
  if (isBlocked) throw chargeDisputed(charge.id)
  const remainder = refundable(charge)
  const amount = given.amount ?? remainder
  if (remainder === 0) throw amountTooLarge('The charge has already been refunded in full')
  if (amount > remainder)
    throw amountTooLarge(`Amount must be at most ${remainder}, the refundable remainder`)
  return {
    refund: {
      ...fields,
      amount,
      status: fails ? 'pending' : 'succeeded',
      currency: charge.currency,
      charge: charge.id,
      payment_intent: charge.payment_intent,
      failure_reason: null,
      settles_at: fails ? settlementOf(given) : null,
    },
    charge: { ...charge, amount_refunded: charge.amount_refunded + amount },
  }
}

/** Fails a pending refund and restores its charge. See docs/contract/payments.md#failing-refunds. */
export const refundFailed = (pending: Refund, charge: Charge): { refund: Refund; charge: Charge } => ({
  refund: {
    ...pending,
    status: move(REFUND_TRANSITIONS, pending.status, 'fail'),
    failure_reason: 'declined',
    settles_at: null,
  },
  charge: { ...charge, amount_refunded: charge.amount_refunded - pending.amount },
})
