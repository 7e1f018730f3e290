import { z } from 'zod'
import { REFUND_REASONS, REFUND_STATUSES } from '../../core/refund.ts'
import { component, type Shape } from './component.ts'
import { common, currency, listOf, metadata, money, reference, text } from './fields.ts'

export const refundSchema = component('Refund', () =>
  z
    .object({
      ...common('refund', 're'),
      status: z
        .enum(REFUND_STATUSES)
        .describe(
          'Whether the money went back. Only refunds of pm_card_refundFail are pending first, and fail.',
        ),
      amount: money('What goes back'),
      currency: currency(),
      charge: reference('What it gives back.', 'Charge'),
      payment_intent: reference('The intent of that charge.', 'PaymentIntent'),
      reason: z.enum(REFUND_REASONS).nullable().describe('Why it was made, as the request said.'),
      failure_reason: text('Why it failed; null while it has not.').nullable(),
      metadata: metadata(),
    })
    .describe('Money that goes back to a customer: all refunds of a charge together never exceed it.'),
)
export type RefundShape = Shape<typeof refundSchema>
export const refundList = listOf(refundSchema)
