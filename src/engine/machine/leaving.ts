import { nextTurn } from './gate.ts'
import type { MerchantState } from './merchant-state.ts'
import type { Timekeeper } from './timekeeper.ts'

/**
 * Ends the advances of a merchant, and does work once all its clocks stand. Its commands wait until then, because they could
 * begin further advances.
 */
export async function whileStanding(
  time: Timekeeper,
  merchant: MerchantState,
  work: () => void,
): Promise<void> {
  try {
    do {
      merchant.leaving ??= []
      for (const clock of merchant.held.keys()) time.cancel(merchant, clock)
      await nextTurn()
    } while (merchant.held.size > 0)
    work()
  } finally {
    const waiting = merchant.leaving ?? []
    merchant.leaving = null
    for (const { requeue } of waiting) requeue()
  }
}
