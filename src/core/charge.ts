import type { Metadata } from './metadata.ts'
import type { PaymentIntent } from './payment-intent.ts'
import type { Outcome } from './processor.ts'

type ChargeStatus = 'succeeded' | 'failed'

/** A charge. Amounts are in the smallest currency unit. See docs/contract/payments.md#charges. */
export type Charge = {
  readonly id: string
  readonly created: number
  readonly status: ChargeStatus
  readonly amount: number
  readonly amount_refunded: number
  readonly currency: string
  readonly customer: string | null
  readonly payment_intent: string
  readonly invoice: string | null
  readonly payment_method: string | null
  readonly failure_code: string | null
  readonly failure_message: string | null
  /** The issuer's reason, shown as `outcome.reason`. */
  readonly decline_code: string | null
  readonly dispute: string | null
  readonly metadata: Metadata
}

/** Creates the charge of an attempt, also of a declined one. */
export function newCharge(
  intent: PaymentIntent,
  outcome: Outcome,
  { id, created, payment_method, metadata }: Pick<Charge, 'id' | 'created' | 'payment_method' | 'metadata'>,
): Charge {
  return {
    id,
    created,
    status: outcome.approved ? 'succeeded' : 'failed',
    amount: intent.amount,
    amount_refunded: 0,
    currency: intent.currency,
    customer: intent.customer,
    payment_intent: intent.id,
    invoice: intent.invoice,
    payment_method,
    failure_code: outcome.approved ? null : outcome.code,
    failure_message: outcome.approved ? null : outcome.message,
    decline_code: outcome.approved ? null : outcome.decline_code,
    dispute: null,
    metadata,
  }
}
