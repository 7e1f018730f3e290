import { jsonLength, MAX_PAGE_LENGTH } from '../../core/json-text.ts'
import type { Kind, Objects } from '../../core/kinds.ts'
import type { Cut } from '../../store/statements.ts'
import type { View } from './view.ts'

/** Returns the first objects up to a limit and up to the length of a page, at least one if there is one. */
export function firstWithin<T>(objects: Iterable<T>, limit: number): Cut<T> {
  const rows: T[] = []
  let length = 0
  for (const object of objects) {
    length += jsonLength(object)
    if (rows.length === limit || (length > MAX_PAGE_LENGTH && rows.length > 0)) return { rows, isCut: true }
    rows.push(object)
  }
  return { rows, isCut: false }
}

/** Reads objects one after the other, and yields those that are wanted. */
export function* each<K extends Kind>(
  view: View,
  kind: K,
  ids: readonly string[],
  isWanted: (object: Objects[K]) => boolean = () => true,
): Generator<Objects[K], void> {
  for (const id of ids) {
    const object = view.get(kind, id)
    if (object && isWanted(object)) yield object
  }
}
