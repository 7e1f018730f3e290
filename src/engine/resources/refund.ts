import { Change } from '../../core/change.ts'
import type { Charge } from '../../core/charge.ts'
import { parameterInvalid, parameterMissing, paymentIntentUnexpectedState } from '../../core/errors.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import { intentFactsOf } from '../../core/payment-intent.ts'
import { type Refund, type RefundReason, refund, refundFailed } from '../../core/refund.ts'
import { cardNamed } from '../../core/test-card.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { isBlocked } from './dispute.ts'

export type RefundParams = {
  charge?: string | undefined
  payment_intent?: string | undefined
  amount?: number | undefined
  reason?: RefundReason | undefined
  metadata?: MetadataParam | undefined
}

/**
 * Refunds a charge, in part or in full. Commands run one after another, so refunds never exceed their charge.
 * @throws ApiError resource_missing, parameter_invalid, payment_intent_unexpected_state, charge_disputed, amount_too_large
 * See docs/contract/payments.md#refunds.
 */
export function createRefund(unit: UnitOfWork, params: RefundParams): Refund {
  const charge = chargeOf(unit, params)
  const customer = charge.customer === null ? null : unit.need('customer', charge.customer)
  const method = charge.payment_method === null ? null : unit.need('payment_method', charge.payment_method)
  const clock = unit.clockOf(customer?.test_clock ?? null)
  const { refund: made, charge: refunded } = refund(charge, {
    id: unit.idFor('refund'),
    created: clock.instant,
    amount: params.amount,
    reason: params.reason ?? null,
    metadata: mergeMetadata({}, params.metadata),
    test_clock: customer?.test_clock ?? null,
    isBlocked: isBlocked(unit, charge),
    fails: cardNamed(method?.test_card ?? null)?.refundFails ?? false,
  })
  const change = new Change()
  change.create('refund', made, 'refund.created')
  change.update('charge', charge, () => refunded, 'charge.refunded')
  apply(unit, change, clock)
  return made
}

/** Finds the charge to refund: the given one, or the succeeded charge of the given intent. */
function chargeOf(unit: UnitOfWork, params: RefundParams): Charge {
  const named = params.charge === undefined ? null : unit.find('charge', params.charge, 'charge')
  if (params.payment_intent === undefined) {
    if (!named) throw parameterMissing('charge')
    return named
  }
  const intent = unit.find('payment_intent', params.payment_intent, 'payment_intent')
  if (named && named.payment_intent !== intent.id) {
    throw parameterInvalid(
      'payment_intent',
      `The charge '${named.id}' does not belong to the payment intent '${intent.id}'`,
    )
  }
  if (!intentFactsOf(intent).isPaid || intent.latest_charge === null) {
    throw paymentIntentUnexpectedState(`A payment intent whose status is ${intent.status} cannot be refunded`)
  }
  return named ?? unit.need('charge', intent.latest_charge)
}

/** Fails a pending refund. See docs/contract/payments.md#failing-refunds. */
export function failRefund(unit: UnitOfWork, id: string): void {
  const pending = unit.need('refund', id)
  const charge = unit.need('charge', pending.charge)
  const failed = refundFailed(pending, charge)
  const change = new Change()
  change.update('refund', pending, () => failed.refund, 'refund.failed')
  change.update('charge', charge, () => failed.charge)
  apply(unit, change, unit.clockOf(pending.test_clock))
}
