import type { Kind, Objects } from '../../core/kinds.ts'
import type { UnitOfWork } from '../machine/unit.ts'

/** The number of small objects that are read together. */
const CHUNK = 64

/** Returns objects of a merchant one after the other. Only a few of them are in memory at a time, however large they are. */
export function* oneByOne<K extends Kind>(
  unit: UnitOfWork,
  kind: K,
  ids: readonly string[],
): Generator<Objects[K], void> {
  for (let done = 0; done < ids.length; done += CHUNK) {
    const chunk = ids.slice(done, done + CHUNK)
    unit.store.objects.loadWhenAsked(kind, unit.owner, chunk)
    for (const id of chunk) yield unit.need(kind, id)
  }
}
