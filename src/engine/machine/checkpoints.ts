import type { Store } from '../../store/store.ts'
import { mayBeOfStorage } from '../../store/unusable.ts'
import { nextStep } from './arrivals.ts'
import type { Listeners } from './listeners.ts'

/**
 * The number of batches between two checkpoints, which have a turn of their own so that no request waits for both a
 * batch and a checkpoint. If it were larger, SQLite would often checkpoint by itself at the end of a commit. If it were
 * smaller, pages that every batch changes would be written more often.
 */
const BATCHES_A_CHECKPOINT = 8

/**
 * Checkpoints the log after each few batches of an advance. On a full or failing disk, the rest stays in the log until the next
 * checkpoint.
 * @param batches - the number of batches that the advance has run
 */
export async function checkpointAfter(batches: number, store: Store, listeners: Listeners): Promise<void> {
  if (batches % BATCHES_A_CHECKPOINT !== 0) return
  await nextStep()
  try {
    store.checkpoint()
  } catch (error) {
    if (!mayBeOfStorage(error)) throw error
    listeners.report(error, 'checkpointing the log')
  }
}
