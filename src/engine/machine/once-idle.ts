import { nextStep } from './arrivals.ts'
import type { MerchantState } from './merchant-state.ts'
import type { Timekeeper } from './timekeeper.ts'

/**
 * Ends the advances of a merchant, and deletes it once none of its clocks advances. Its commands wait until then, because they
 * could begin further advances.
 * @param work - deletes the merchant, or throws: then its commands run
 */
export async function onceIdle(time: Timekeeper, merchant: MerchantState, work: () => void): Promise<void> {
  try {
    do {
      merchant.awaitingDeletion ??= []
      await time.endAll(merchant)
      await nextStep()
    } while (merchant.held.size > 0)
    work()
  } finally {
    const waiting = merchant.awaitingDeletion ?? []
    merchant.awaitingDeletion = null
    for (const { requeue } of waiting) requeue()
  }
}
