import type { Change } from '../core/change.ts'
import { processorTimeout } from '../core/errors.ts'
import type { ChargeFault } from '../core/processor.ts'
import type { Unit } from './unit.ts'

/** What strikes the attempt of a unit's decision, should it make one; null for nothing. The operator is spared. */
export const faultAhead = (unit: Unit): ChargeFault | null =>
  unit.request?.isOperators ? null : unit.faults.aheadOfCharge(unit.merchant.settings.id)

/**
 * Takes note that a decision asked the card processor, if it did: the fault that struck has been used once, also when
 * everything else is taken back, as a card's script moves on too.
 * @throws ApiError internal_error when the processor did not answer a request. To the clock that is a failed attempt.
 * See docs/contract/faults.md#charge-faults.
 */
export function noteAttempt(unit: Unit, { hasAttempt }: Change): void {
  if (!hasAttempt || unit.request?.isOperators) return
  const fault = unit.faults.strikeCharge(unit.merchant.settings.id)
  if (fault === 'processor_timeout' && unit.request) throw processorTimeout()
}
