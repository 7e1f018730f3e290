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
  /** The seq of the newest journal entry when the history began; 0 if there was none. */
  readonly head: number
}

/** Marks the beginning of a history, within the open transaction. */
export function markState({ directory, journal }: Store): void {
  directory.setSetting(SETTING, `${randomToken(ID_LENGTH)} ${journal.head(null)}`)
}

/** Returns the mark of the current history; undefined in a database that an older paytwin has begun. */
export function stateMark({ directory }: Store): StateMark | undefined {
  const [id, head] = directory.setting(SETTING)?.split(' ') ?? []
  return id === undefined ? undefined : { id, head: Number(head) }
}
