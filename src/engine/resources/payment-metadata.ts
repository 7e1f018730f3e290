import { Change } from '../../core/change.ts'
import type { Charge } from '../../core/charge.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import type { Refund } from '../../core/refund.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'

/** Updates the metadata of a charge. @throws ApiError resource_missing */
export function updateCharge(unit: UnitOfWork, id: string, metadata: MetadataParam | undefined): Charge {
  const charge = unit.find('charge', id)
  const customer = charge.customer === null ? null : unit.need('customer', charge.customer)
  const change = new Change()
  const updated = change.update('charge', charge, (before) => ({
    ...before,
    metadata: mergeMetadata(before.metadata, metadata),
  }))
  apply(unit, change, unit.clockOf(customer?.test_clock ?? null))
  return updated
}

/** Updates the metadata of a refund. @throws ApiError resource_missing */
export function updateRefund(unit: UnitOfWork, id: string, metadata: MetadataParam | undefined): Refund {
  const refund = unit.find('refund', id)
  const change = new Change()
  const updated = change.update('refund', refund, (before) => ({
    ...before,
    metadata: mergeMetadata(before.metadata, metadata),
  }))
  apply(unit, change, unit.clockOf(refund.test_clock))
  return updated
}
