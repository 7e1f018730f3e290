import * as z from 'zod'
import { DISPUTE_REASONS, DISPUTE_STATUSES, EVIDENCE_NAMES, type EvidenceName } from '../../core/dispute.ts'
import { component, type Shape } from './component.ts'
import { commonOf, currency, listOf, metadata, money, reference, seconds, testClock, text } from './fields.ts'

const evidence = () =>
  z
    .object(
      Object.fromEntries(
        EVIDENCE_NAMES.map((name) => [
          name,
          text(`The ${name.replaceAll('_', ' ')}; null if not given.`).nullable(),
        ]),
      ) as Record<EvidenceName, z.ZodNullable<z.ZodString>>,
    )
    .describe('The evidence that was given.')

const evidenceDetails = () =>
  z
    .object({
      due_by: seconds('When it is lost without evidence'),
      has_evidence: z.boolean().describe('Whether there is evidence.'),
      past_due: z
        .boolean()
        .describe('Whether evidence was submitted too late. Always false: it is refused then.'),
      submission_count: z.int().describe('How often evidence was submitted.'),
    })
    .describe('The state of the evidence.')

export const disputeSchema = component('Dispute', () =>
  z
    .object({
      ...commonOf('dispute'),
      status: z
        .enum(DISPUTE_STATUSES)
        .describe('The status. Evidence that is submitted is under review until the bank decides.'),
      amount: money('The disputed amount'),
      currency: currency(),
      charge: reference('The disputed charge.', 'Charge'),
      payment_intent: reference('The payment intent of the charge.', 'PaymentIntent'),
      reason: z.enum(DISPUTE_REASONS).describe('The reason of the cardholder.'),
      is_charge_refundable: z.boolean().describe('Whether the charge can be refunded.'),
      evidence: evidence(),
      evidence_details: evidenceDetails(),
      metadata: metadata(),
      test_clock: testClock(),
    })
    .describe("A cardholder's complaint to the bank about a charge."),
)
export type DisputeShape = Shape<typeof disputeSchema>
export const disputeList = listOf(disputeSchema)
