import type { MovePlace } from '../../store/clock-events.ts'
import type { Identity } from '../../store/contents.ts'
import type { Store } from '../../store/store.ts'
import { randomToken } from './ids.ts'

const SETTING = 'state'
const ID_LENGTH = 16

/**
 * Identifies the history that began with a first start, a reset or a restore. With the same seed, another history has the same
 * ids, so the id of an event does not identify its history.
 */
export type StateMark = {
  /** Random. */
  readonly id: string
  /** The place of the newest event or entry among those of all merchants when the history began; 0 if there was none. */
  readonly head: number
}

/** Marks the beginning of a history, within the open transaction. */
export function markState({ directory, journal, clockEvents }: Store): void {
  const head = Math.max(journal.head(null), clockEvents.head(null))
  directory.setSetting(SETTING, `${randomToken(ID_LENGTH)} ${head}`)
}

/**
 * Deletes a merchant and all its rows, within the open transaction. The next entries can get the places of deleted ones, so the
 * mark moves with the events that are left.
 * @returns where places among the events of all merchants are now
 */
export function deleteStoredMerchant(store: Store, merchant: Identity): MovePlace {
  const movePlace = store.deleteMerchant(merchant)
  const mark = stateMark(store)
  if (mark) store.directory.setSetting(SETTING, `${mark.id} ${movePlace(mark.head)}`)
  return movePlace
}

/** Returns the mark of the current history; undefined in a database that an older paytwin has begun. */
export function stateMark({ directory }: Store): StateMark | undefined {
  const [id, head] = directory.setting(SETTING)?.split(' ') ?? []
  return id === undefined ? undefined : { id, head: Number(head) }
}
