import { Operation } from './model-events.ts'
import type { Charge } from './model-money.ts'
import { type Command, done, refused } from './model-play.ts'
import { named, nowOf } from './model-state.ts'

/** The status after evidence. See docs/contract/disputes.md#evidence. */
const DECISIONS = { winning_evidence: 'won', losing_evidence: 'lost', 'a receipt': 'under_review' } as const

/** Submits evidence for a dispute, or gives it up. */
export const answerDispute: Command = ({ merchant, faults, dice }) => {
  const dispute = dice.any(merchant.disputes.slice(-8))
  if (!dispute) return null
  const text = dice.of(['winning_evidence', 'losing_evidence', 'a receipt', null] as const)
  const path = `/v1/disputes/{${dispute.key}}`
  const play =
    text === null
      ? { method: 'POST' as const, path: `${path}/close` }
      : { method: 'POST' as const, path, body: { evidence: { uncategorized_text: text } } }
  if (dispute.status === 'won' || dispute.status === 'lost') return refused(play)
  const { customer } = named<Charge>(merchant.charges, dispute.charge)
  const operation = new Operation(merchant, faults, { at: nowOf(merchant, customer) })
  if (text !== null) {
    const changed = [
      'evidence_details',
      ...(dispute.text === text ? [] : ['evidence']),
      ...(dispute.status === 'under_review' ? [] : ['status']),
    ]
    dispute.text = text
    dispute.status = 'under_review'
    dispute.submissions += 1
    operation.tellOfDispute('updated', dispute, changed)
  }
  dispute.status = text === null ? 'lost' : DECISIONS[text]
  if (dispute.status !== 'under_review') operation.tellOfDispute('closed', dispute)
  if (dispute.status === 'won') operation.tellOfDispute('funds_reinstated', dispute)
  return done({ ...play, emitted: operation.end() })
}
