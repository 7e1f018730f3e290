import * as z from 'zod'
import { REFUND_REASONS, REFUND_STATUSES } from '../../core/refund.ts'
import { component, type Shape } from './component.ts'
import { commonOf, currency, listOf, metadata, money, reference, text } from './fields.ts'

export const refundSchema = component('Refund', () =>
  z
    .object({
      ...commonOf('refund'),
      status: z
        .enum(REFUND_STATUSES)
        .describe('The status. Only refunds of pm_card_refundFail are pending first, and then fail.'),
      amount: money('The refunded amount'),
      currency: currency(),
      charge: reference('The refunded charge.', 'Charge'),
      payment_intent: reference('The payment intent of the charge.', 'PaymentIntent'),
      reason: z.enum(REFUND_REASONS).nullable().describe('The reason that the request gave.'),
      failure_reason: text('The reason of the failure; null if it did not fail.').nullable(),
      metadata: metadata(),
    })
    .describe('A refund of a charge. The refunds of a charge never exceed its amount.'),
)
export type RefundShape = Shape<typeof refundSchema>
export const refundList = listOf(refundSchema)
