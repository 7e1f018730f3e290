import type { Change } from '../change.ts'
import type { Charge } from '../charge.ts'
import {
  type Dispute,
  decided,
  decisionOn,
  type Evidence,
  newDispute,
  submitted,
  withEvidence,
} from '../dispute.ts'
import { isSameJson } from '../json-text.ts'
import type { PaymentMethod } from '../payment-method.ts'
import { cardNamed } from '../test-card.ts'

type Moment = {
  readonly now: number
  readonly newId: (prefix: string) => string
  readonly testClock: string | null
}

/**
 * Disputes a charge that just succeeded, if its card is one whose charges are disputed. The dispute begins at once.
 * See docs/contract/disputes.md#disputed-cards.
 */
export function disputeCharge(
  change: Change,
  { now, newId, testClock }: Moment,
  id: string | null,
  method: PaymentMethod | null,
): void {
  const reason = cardNamed(method?.test_card ?? null)?.dispute
  const charge = reason === undefined || id === null ? undefined : change.pending('charge', id)
  if (reason === undefined || charge?.status !== 'succeeded') return
  const given = { id: newId('du'), created: now, reason, test_clock: testClock }
  const dispute = newDispute(charge, given)
  change.update('charge', charge, (latest): Charge => ({ ...latest, dispute: dispute.id }))
  change.create('dispute', dispute, 'charge.dispute.created')
  change.update('dispute', dispute, (latest) => latest, 'charge.dispute.funds_withdrawn')
}

/**
 * Adds evidence to a dispute, and submits it. The bank decides at once if the evidence is one of the deciding texts.
 * @param given.evidence - undefined for no new evidence
 * @throws ApiError invalid_state_transition when the dispute is decided; parameter_missing without evidence to submit
 * See docs/contract/disputes.md#evidence.
 */
export function respond(
  change: Change,
  dispute: Dispute,
  given: {
    readonly evidence: Evidence | undefined
    readonly metadata: Dispute['metadata']
    readonly submit: boolean
  },
): void {
  const staged = given.evidence === undefined ? dispute : withEvidence(dispute, given.evidence)
  const updated = { ...(given.submit ? submitted(staged) : staged), metadata: given.metadata }
  if (!isSameJson(updated, dispute))
    change.update('dispute', dispute, () => updated, 'charge.dispute.updated')
  const decision = given.submit ? decisionOn(updated) : undefined
  if (decision) decide(change, dispute, decision)
}

/**
 * Decides a dispute. A dispute that is won reinstates the funds.
 * @throws ApiError invalid_state_transition when it is decided
 * See docs/contract/disputes.md#status.
 */
export function decide(change: Change, dispute: Dispute, event: 'win' | 'lose'): void {
  change.update('dispute', dispute, (latest) => decided(latest, event), 'charge.dispute.closed')
  if (event === 'win')
    change.update('dispute', dispute, (latest) => latest, 'charge.dispute.funds_reinstated')
}
