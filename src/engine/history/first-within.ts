import { jsonLength, MAX_PAGE_LENGTH } from '../../core/json-text.ts'
import type { Kind, Objects } from '../../core/kinds.ts'
import type { Cut } from '../../store/statements.ts'
import type { View } from './view.ts'

type Wanted<K extends Kind> = {
  readonly kind: K
  readonly ids: readonly string[]
  /** Selects some of them; all by default. */
  readonly isWanted?: (object: Objects[K]) => boolean
}

/**
 * Reads objects one after the other, up to a limit and until the wanted ones, or what was read for all of them, have the length of a
 * page. At least the first one is returned, if it is wanted.
 */
export function firstWithin<K extends Kind>(
  view: View,
  { kind, ids, isWanted = () => true }: Wanted<K>,
  limit: number,
): Cut<Objects[K]> {
  const readLength = () => view.readLength?.() ?? 0
  const readBefore = readLength()
  const rows: Objects[K][] = []
  let length = 0
  for (const id of ids) {
    const isFull = readLength() - readBefore > MAX_PAGE_LENGTH
    if (isFull || rows.length === limit) return { rows, isCut: true }
    const object = view.get(kind, id)
    if (!object || !isWanted(object)) continue
    length += jsonLength(object)
    if (length > MAX_PAGE_LENGTH && rows.length > 0) return { rows, isCut: true }
    rows.push(object)
  }
  return { rows, isCut: false }
}
