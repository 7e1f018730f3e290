import type { Change } from '../../core/change.ts'
import { processorTimeout } from '../../core/errors.ts'
import type { ChargeFault } from '../../core/processor.ts'
import type { UnitOfWork } from './unit.ts'

/** Returns the fault for the next charge attempt of a unit; null for none. */
export const nextChargeFault = (unit: UnitOfWork): ChargeFault | null =>
  isExempt(unit) ? null : unit.faults.nextForCharge(unit.merchant.settings.id)

/**
 * Uses up the fault of a decision's charge attempt, if it made one. A use is not rolled back with the decision, as the position
 * in a card's script is not.
 * @throws ApiError internal_error when the processor did not answer a request; for a job that is a failed attempt
 * See docs/contract/faults.md#charge-faults.
 */
export function consumeChargeFault(unit: UnitOfWork, { hasAttempt }: Change): void {
  if (!hasAttempt || isExempt(unit)) return
  const fault = unit.faults.takeForCharge(unit.merchant.settings.id)
  if (fault === 'processor_timeout' && unit.request) throw processorTimeout()
}

/** Whether no faults apply to a unit: a request of the operator, or a rehearsal. */
const isExempt = ({ request }: UnitOfWork): boolean =>
  request !== null && (request.isOperatorRequest === true || request.isRehearsal === true)
