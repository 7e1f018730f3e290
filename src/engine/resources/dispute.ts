import { decide, respond } from '../../core/billing/dispute.ts'
import { Change } from '../../core/change.ts'
import type { Charge } from '../../core/charge.ts'
import { type Dispute, type Evidence, isRefundable } from '../../core/dispute.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'

export type DisputeParams = {
  evidence?: { readonly [Name in keyof Evidence]?: string | undefined } | undefined
  submit?: boolean | undefined
  metadata?: MetadataParam | undefined
}

/**
 * Updates a dispute. Evidence is submitted unless `submit` is false; without new evidence only if `submit` is true.
 * @throws ApiError resource_missing; invalid_state_transition when it is decided; parameter_missing without evidence
 * See docs/contract/disputes.md#evidence.
 */
export function updateDispute(unit: UnitOfWork, id: string, params: DisputeParams): Dispute {
  const dispute = unit.find('dispute', id)
  const { evidence, submit = evidence !== undefined } = params
  const given = Object.entries(evidence ?? {}).filter(([, text]) => text !== undefined)
  const change = new Change()
  respond(change, dispute, {
    evidence: evidence && (Object.fromEntries(given) as Evidence),
    metadata: mergeMetadata(dispute.metadata, params.metadata),
    submit,
  })
  apply(unit, change, unit.clockOf(dispute.test_clock))
  return change.latest('dispute', dispute)
}

/**
 * Accepts a dispute: it is lost.
 * @throws ApiError resource_missing; invalid_state_transition when it is decided
 * See docs/contract/disputes.md#status.
 */
export function closeDispute(unit: UnitOfWork, id: string): Dispute {
  const dispute = unit.find('dispute', id)
  const change = new Change()
  decide(change, dispute, 'lose')
  apply(unit, change, unit.clockOf(dispute.test_clock))
  return change.latest('dispute', dispute)
}

/** Reports whether a dispute prevents the refund of a charge. See docs/contract/disputes.md#refunds. */
export const isBlocked = (unit: UnitOfWork, { dispute }: Charge): boolean =>
  dispute !== null && !isRefundable(unit.need('dispute', dispute))
