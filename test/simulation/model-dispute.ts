import type { Merchant } from './model-state.ts'

export type Dispute = {
  readonly key: string
  readonly charge: string
  readonly created: number
  status: 'needs_response' | 'under_review' | 'won' | 'lost'
  /** The newest evidence. */
  text: string | null
  /** How often evidence was submitted. */
  submissions: number
}

/** Whether a charge cannot be refunded. See docs/contract/disputes.md#refunds. */
export const isDisputed = ({ disputes }: Merchant, charge: string | null): boolean =>
  disputes.some((dispute) => dispute.charge === charge && dispute.status !== 'won')
