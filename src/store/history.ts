import { sql } from 'kysely'
import { type Kind, kindNumber, type Objects } from '../core/kinds.ts'
import { type EntryOfObject, firstKeyframeAfterUntil, type Keyframe, type Keyframes } from './keyframes.ts'
import type { ObjectTable } from './objects.ts'
import { isMovable, OWNER_OF_ENTRY, ownerBefore } from './ownership.ts'
import { arg, type Statements } from './statements.ts'

type Sources = {
  readonly statements: Statements
  readonly objects: ObjectTable
  readonly keyframes: Keyframes
}

/** The state of an object right after one of its journal entries. */
type State = {
  /** The seq of that entry; 0 for the state before the first one. */
  readonly entry: number
  readonly object: Objects[Kind]
}

/** States of an object, newest first: from a known state back to the oldest one that was needed. */
type Segment = {
  /** The last journal entry at which the first of the states still holds. */
  readonly until: number
  readonly states: [State, ...State[]]
}

/** The end of a segment that starts at the current row. */
const NEVER = Number.MAX_SAFE_INTEGER

/** The start of a segment that is read back to an entry. */
type Start = Omit<EntryOfObject, 'entry'> & {
  readonly above: number
  readonly until: number
  readonly first: State
}

/** The replaced values of a journal entry, and the object's previous entry. */
type Undo = { readonly previous: number | null; readonly replaced: string | null }

/**
 * Reads past states of objects. Private fields have their current values, because the journal does not record them.
 *
 * A reader serves one page. It keeps the states that it reconstructs, so each journal entry of an object is undone
 * once, whatever the order of the reads.
 */
export class HistoryReader {
  readonly #sources: Sources
  readonly #segments = new Map<string, Segment[]>()

  constructor(sources: Sources) {
    this.#sources = sources
  }

  /**
   * Returns an object as it was right after a journal entry of any object.
   * @param object - its seq
   */
  asOf<K extends Kind>(kind: K, object: number, entry: number): Objects[K] {
    const segments = this.#segmentsOf(kind, object)
    let segment = segments.find(({ until, states }) => entry <= until && entry >= oldestOf(states).entry)
    if (!segment) {
      segment = this.#segmentAt(segments, { kind, object, entry })
      this.#extend(segment, entry)
    }
    return stateAt(segment.states, entry) as Objects[K]
  }

  /**
   * Reads the states of objects at journal entries together, with a few statements. `asOf` then needs none for them.
   * An object may have several entries.
   */
  load(places: readonly EntryOfObject[]): void {
    const starts = this.#firstStates(places)
    const undone = this.#entriesBetweenEach(starts.map(({ first, above }) => [first.entry, above]))
    for (const { kind, object, until, first } of starts) {
      const states: Segment['states'] = [first]
      let state = first.object
      for (const { previous, replaced } of undone.get(first.entry) ?? []) {
        if (replaced !== null) state = { ...state, ...JSON.parse(replaced) }
        states.push({ entry: previous ?? 0, object: state })
      }
      this.#segmentsOf(kind, object).push({ until, states })
    }
  }

  /** Reads the first states of the segments that contain some entries: keyframes, or current rows. */
  #firstStates(places: readonly EntryOfObject[]): Start[] {
    const { objects, keyframes } = this.#sources
    const wanted = new Map<string, EntryOfObject & { readonly keyframe: Keyframe | undefined }>()
    for (const [index, keyframe] of keyframes.firstFromEach(places).entries()) {
      const place = places[index] as EntryOfObject
      const key = `${place.kind} ${place.object} ${keyframe?.entry}`
      const entry = Math.min(place.entry, wanted.get(key)?.entry ?? place.entry)
      wanted.set(key, { ...place, entry, keyframe })
    }
    const segments = [...wanted.values()]
    const kinds = [...new Set(segments.map(({ kind }) => kind))]
    return kinds.flatMap((kind) => {
      const ofKind = segments.filter((segment) => segment.kind === kind)
      const rows = objects.atEach(kind, [...new Set(ofKind.map(({ object }) => object))])
      const bySeq = new Map(rows.map((row) => [row.seq, row]))
      return ofKind.flatMap(({ object, entry: above, keyframe }) => {
        const row = bySeq.get(object)
        if (!row) return []
        const first: State = keyframe
          ? { entry: keyframe.entry, object: { ...row.object, ...keyframe.state } as Objects[Kind] }
          : { entry: row.newestEntry ?? 0, object: row.object }
        return { kind, object, above, until: keyframe?.entry ?? NEVER, first }
      })
    })
  }

  /**
   * Returns an object as it was at the end of an instant of its clock; undefined before it was created.
   * @param instant - Unix seconds
   * @param customer - the owner of the clock: of a movable object, changes during this customer's ownership are
   *   preferred
   */
  at<K extends Kind>(kind: K, object: number, instant: number, customer?: string): Objects[K] | undefined {
    const isOwned = customer !== undefined && isMovable(kind)
    const owned = isOwned ? this.#newestEntryOfOwnerAt(kind, object, instant, customer) : undefined
    const entry = owned ?? this.#newestEntryAt(kind, object, instant)
    return entry === undefined ? undefined : this.asOf(kind, object, entry)
  }

  #segmentsOf(kind: Kind, object: number): Segment[] {
    const key = `${kind} ${object}`
    const segments = this.#segments.get(key) ?? []
    this.#segments.set(key, segments)
    return segments
  }

  /** Returns the segment that contains an entry. It starts at the next keyframe, or at the current row. */
  #segmentAt(
    segments: Segment[],
    { kind, object, entry }: { kind: Kind; object: number; entry: number },
  ): Segment {
    const { objects, keyframes } = this.#sources
    // The place of a keyframe takes less time to read than its state, which may be large.
    const end = segments.length === 0 ? undefined : (keyframes.entryFrom({ kind, object, entry }) ?? NEVER)
    const known = segments.find((segment) => segment.until === end)
    if (known) return known
    const keyframe = end === NEVER ? undefined : keyframes.firstFrom(kind, object, entry)
    const until = keyframe?.entry ?? NEVER
    const current = objects.at(kind, object)
    const first: State = keyframe
      ? { entry: keyframe.entry, object: { ...current, ...keyframe.state } as Objects[Kind] }
      : { entry: objects.newestEntryAt(kind, object) ?? 0, object: current }
    const segment: Segment = { until, states: [first] }
    segments.push(segment)
    return segment
  }

  /** Undoes the entries of a segment back to a journal entry. */
  #extend({ states }: Segment, entry: number): void {
    const oldest = oldestOf(states)
    if (oldest.entry <= entry) return
    let { object } = oldest
    for (const { previous, replaced } of this.#entriesBetween(entry, oldest.entry)) {
      if (replaced !== null) object = { ...object, ...JSON.parse(replaced) }
      states.push({ entry: previous ?? 0, object })
    }
  }

  /** Lists the entries of an object from its entry `last` back to the first after the entry `above`, newest first. */
  #entriesBetween(above: number, last: number): Undo[] {
    return this.#sources.statements
      .named<Undo>('entries to undo', (db) => ({
        compile: () =>
          sql`with recursive chain (previous, replaced) as (
              select previous, replaced from journal where seq = ${arg('last')}
              union all
              select journal.previous, journal.replaced from chain
              cross join journal on journal.seq = chain.previous where chain.previous > ${arg('above')})
            select previous, replaced from chain`.compile(db),
      }))
      .all({ last, above })
  }

  /**
   * Does the same as `#entriesBetween` for several spans.
   * @param spans - the entries `last` and `above` of each
   * @returns the entries by `last`
   */
  #entriesBetweenEach(spans: readonly (readonly [last: number, above: number])[]): Map<number, Undo[]> {
    const found = new Map<number, Undo[]>()
    const open = spans.filter(([last, above]) => last > above)
    if (open.length === 0) return found
    const rows = this.#sources.statements
      .named<Undo & { last: number }>('entries to undo of each', (db) => ({
        compile: () =>
          sql`with recursive chain (last, above, previous, replaced) as (
              select journal.seq, json_extract(span.value, '$[1]'), journal.previous, journal.replaced
              from json_each(${arg('spans')}) span cross join journal on journal.seq = json_extract(span.value, '$[0]')
              union all
              select chain.last, chain.above, journal.previous, journal.replaced from chain
              cross join journal on journal.seq = chain.previous where chain.previous > chain.above)
            select last, previous, replaced from chain`.compile(db),
      }))
      .all({ spans: JSON.stringify(open) })
    for (const { last, ...undo } of rows) {
      const known = found.get(last)
      if (known) known.push(undo)
      else found.set(last, [undo])
    }
    return found
  }

  /** Returns the seq of a movable object's newest entry up to an instant of a customer's clock. */
  #newestEntryOfOwnerAt(kind: Kind, object: number, instant: number, customer: string): number | undefined {
    const row = this.#sources.statements
      .named<{ seq: number }>(`entry of ${kind} of customer at instant`, (db) => ({
        compile: () => {
          const number = sql.lit(kindNumber(kind))
          const keyframe = firstKeyframeAfterUntil(number, sql`object.seq`, arg('customer'))
          const isFound = sql`chain.created <= ${arg('until')} and ${OWNER_OF_ENTRY} = ${arg('customer')}`
          const owner = sql`case when journal.seq = object.newest_entry then object.customer else ${arg('customer')} end`
          return sql`with recursive chain (seq, previous, created, owner, former) as (
              select journal.seq, journal.previous, journal.created, ${owner}, ${ownerBefore(owner)}
              from ${sql.table(kind)} object
              cross join journal on journal.seq = coalesce(${keyframe}, object.newest_entry)
              where object.seq = ${arg('object')}
              union all
              select journal.seq, journal.previous, journal.created, chain.former, ${ownerBefore(sql`chain.former`)}
              from chain cross join journal on journal.seq = chain.previous where (${isFound}) is not true)
            select seq from chain where ${isFound} limit 1`.compile(db)
        },
      }))
      .get({ object, until: instant, customer })
    return row?.seq
  }

  /** Returns the seq of an object's newest entry up to an instant, for an object whose clock never goes back. */
  #newestEntryAt(kind: Kind, object: number, instant: number): number | undefined {
    const row = this.#sources.statements
      .named<{ seq: number }>(`entry of ${kind} at instant`, (db) => ({
        compile: () =>
          sql`with recursive chain (seq, previous, created) as (
              select journal.seq, journal.previous, journal.created from ${sql.table(kind)} object
              cross join journal on journal.seq =
                coalesce(${firstKeyframeAfterUntil(sql.lit(kindNumber(kind)), sql`object.seq`)}, object.newest_entry)
              where object.seq = ${arg('object')}
              union all
              select journal.seq, journal.previous, journal.created from chain
              cross join journal on journal.seq = chain.previous where chain.created > ${arg('until')})
            select seq from chain where created <= ${arg('until')} limit 1`.compile(db),
      }))
      .get({ object, until: instant })
    return row?.seq
  }
}

const oldestOf = (states: Segment['states']): State => states.at(-1) ?? states[0]

/**
 * Returns the state right after a journal entry; before the object's first entry, the state that this entry created.
 */
const stateAt = (states: Segment['states'], entry: number): Objects[Kind] =>
  (states.find((state) => state.entry <= entry) ?? oldestOf(states)).object
