import { SECONDS_PER_DAY } from './calendar.ts'
import type { Charge } from './charge.ts'
import { invalidStateTransition, parameterMissing } from './errors.ts'
import type { Metadata } from './metadata.ts'
import { allows, move, type Transitions } from './transitions.ts'

export const DISPUTE_STATUSES = ['needs_response', 'under_review', 'won', 'lost'] as const
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number]
export type DisputeEvent = 'submit' | 'win' | 'lose'

/** See docs/contract/disputes.md#status. */
export const DISPUTE_TRANSITIONS: Transitions<DisputeStatus, DisputeEvent> = {
  needs_response: { submit: 'under_review', lose: 'lost' },
  under_review: { submit: 'under_review', win: 'won', lose: 'lost' },
  won: {},
  lost: {},
}

/** The facts about each status. Other code reads these facts and does not compare statuses. */
const STATUS_FACTS: Readonly<
  Record<
    DisputeStatus,
    {
      /** Whether it is lost when its due date passes. */
      readonly awaitsEvidence: boolean
      /** Whether its charge can be refunded. */
      readonly isRefundable: boolean
    }
  >
> = {
  needs_response: { awaitsEvidence: true, isRefundable: false },
  under_review: { awaitsEvidence: false, isRefundable: false },
  won: { awaitsEvidence: false, isRefundable: true },
  lost: { awaitsEvidence: false, isRefundable: false },
}

export const DISPUTE_REASONS = ['fraudulent', 'product_not_received'] as const
export type DisputeReason = (typeof DISPUTE_REASONS)[number]

/** The texts that can be evidence. */
export const EVIDENCE_NAMES = [
  'access_activity_log',
  'billing_address',
  'cancellation_policy_disclosure',
  'cancellation_rebuttal',
  'customer_email_address',
  'customer_name',
  'customer_purchase_ip',
  'duplicate_charge_explanation',
  'duplicate_charge_id',
  'product_description',
  'refund_policy_disclosure',
  'refund_refusal_explanation',
  'service_date',
  'shipping_address',
  'shipping_carrier',
  'shipping_date',
  'shipping_tracking_number',
  'uncategorized_text',
] as const
export type EvidenceName = (typeof EVIDENCE_NAMES)[number]
export type Evidence = { readonly [Name in EvidenceName]?: string }

/** How long a dispute waits for evidence. See docs/contract/disputes.md#due-date. */
const RESPONSE_SECONDS = 7 * SECONDS_PER_DAY

/** A dispute. The amount is in the charge's currency and smallest unit. See docs/contract/disputes.md#fields. */
export type Dispute = {
  readonly id: string
  readonly created: number
  readonly status: DisputeStatus
  readonly amount: number
  readonly currency: string
  readonly charge: string
  readonly payment_intent: string
  readonly reason: DisputeReason
  readonly evidence: Evidence
  /** Unix seconds. */
  readonly due_by: number
  readonly submission_count: number
  readonly metadata: Metadata
  readonly test_clock: string | null
}

/** Creates the dispute of a charge. */
export const newDispute = (
  charge: Charge,
  given: Pick<Dispute, 'id' | 'created' | 'reason' | 'test_clock'>,
): Dispute => ({
  ...given,
  status: 'needs_response',
  amount: charge.amount,
  currency: charge.currency,
  charge: charge.id,
  payment_intent: charge.payment_intent,
  evidence: {},
  due_by: given.created + RESPONSE_SECONDS,
  submission_count: 0,
  metadata: {},
})

/** Reports whether a dispute is lost when its due date passes. */
export const awaitsEvidence = ({ status }: Dispute): boolean => STATUS_FACTS[status].awaitsEvidence

/** Reports whether the charge of a dispute can be refunded. See docs/contract/disputes.md#refunds. */
export const isRefundable = ({ status }: Pick<Dispute, 'status'>): boolean =>
  STATUS_FACTS[status].isRefundable

/** The decisions of the bank, by the text of `uncategorized_text`. See docs/contract/disputes.md#evidence. */
const DECISIONS: Readonly<Record<string, 'win' | 'lose'>> = {
  winning_evidence: 'win',
  losing_evidence: 'lose',
}

/** Returns how the bank decides on the evidence of a dispute; undefined while it reviews it. */
export const decisionOn = ({ evidence }: Dispute): 'win' | 'lose' | undefined =>
  DECISIONS[evidence.uncategorized_text ?? '']

/**
 * Adds evidence to a dispute. An empty text removes the evidence of its name.
 * @throws ApiError invalid_state_transition when the dispute is decided
 */
export function withEvidence(dispute: Dispute, given: Evidence): Dispute {
  if (!allows(DISPUTE_TRANSITIONS, dispute.status, 'submit')) throw isDecided(dispute)
  const evidence = Object.fromEntries(
    Object.entries({ ...dispute.evidence, ...given }).filter(([, text]) => text !== ''),
  )
  return { ...dispute, evidence }
}

/**
 * Submits the evidence of a dispute to the bank.
 * @throws ApiError parameter_missing without evidence; invalid_state_transition when the dispute is decided
 */
export function submitted(dispute: Dispute): Dispute {
  const status = move(DISPUTE_TRANSITIONS, dispute.status, 'submit', () => isDecided(dispute))
  if (Object.keys(dispute.evidence).length === 0)
    throw parameterMissing('evidence', 'The dispute has no evidence that could be submitted')
  return { ...dispute, status, submission_count: dispute.submission_count + 1 }
}

/** Decides a dispute. @throws ApiError invalid_state_transition when it is decided */
export const decided = (dispute: Dispute, event: 'win' | 'lose'): Dispute => ({
  ...dispute,
  status: move(DISPUTE_TRANSITIONS, dispute.status, event, () => isDecided(dispute)),
})

const isDecided = ({ status }: Dispute) => invalidStateTransition(`The dispute is decided: it is ${status}`)
