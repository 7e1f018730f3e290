import type { Kind, Objects } from '../../core/kinds.ts'
import type { Filter } from '../../store/list-query.ts'
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

/** Returns the objects of a list one after the other, newest first. It reads little more of a long list than what is asked for. */
export function* newestFirst<K extends Kind>(
  unit: UnitOfWork,
  kind: K,
  filters: readonly Filter[],
): Generator<Objects[K], void> {
  const { objects } = unit.store
  for (let after: number | undefined; ; ) {
    const ids = objects.ids(kind, unit.owner, filters, { limit: CHUNK, after })
    yield* oneByOne(unit, kind, ids)
    const last = ids.at(-1)
    if (last === undefined || ids.length < CHUNK) return
    after = objects.seqOf(kind, unit.owner, last)
  }
}
