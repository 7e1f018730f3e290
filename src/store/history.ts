import { sql } from 'kysely'
import type { Kind, Objects } from '../core/kinds.ts'
import { assertIntact } from './damage.ts'
import type { EntryOfObject, Keyframe, Keyframes } from './keyframes.ts'
import { newestEntryAt, newestEntryOfOwnerAt } from './newest-entry.ts'
import { isMovable } from './ownership.ts'
import { rowAt, rowsAt } from './past-rows.ts'
import { arg, type Statements } from './statements.ts'

type Sources = {
  readonly statements: Statements
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

/**
 * The maximum number of characters that `load` reads: half of what a page may read. So a page that ends early has shown some of what
 * was loaded.
 */
const MAX_LOADED = 2 * 1024 * 1024

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
  #readLength = 0
  #loadedLength = 0

  constructor(sources: Sources) {
    this.#sources = sources
  }

  /**
   * The length of all that was read, in characters: rows, keyframes and replaced values as they are stored. A state can be much
   * shorter than the row from which it was reconstructed.
   */
  get readLength(): number {
    return this.#readLength
  }

  /** Counts replaced values, or a preview, that a caller read itself. */
  countRead(length: number): void {
    this.#readLength += length
  }

  /**
   * Returns an object as it was right after a journal entry of any object.
   * @param object - its seq
   */
  asOf<K extends Kind>(kind: K, object: number, entry: number): Objects[K] {
    const segments = this.#segmentsOf(kind, object)
    let segment = segmentWith(segments, entry)
    if (!segment) {
      segment = this.#segmentAt(segments, { kind, object, entry })
      this.#extend(segment, entry)
    }
    return stateAt(segment.states, { kind, object, entry }) as Objects[K]
  }

  /** Whether the state of an object at a journal entry was read, so that `asOf` reads nothing. */
  has({ kind, object, entry }: EntryOfObject): boolean {
    return segmentWith(this.#segmentsOf(kind, object), entry) !== undefined
  }

  /**
   * Reads the states of objects at journal entries together, with a few statements. `asOf` then needs none for them.
   * An object may have several entries. Large values are left to `asOf`, because not all of them may be needed.
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
    const { statements, keyframes } = this.#sources
    const ends = keyframes.entryFromEach(places)
    const entries = [...new Set(ends.flatMap((end) => end ?? []))]
    const found = entries.length === 0 ? [] : keyframes.atEach(entries, this.#shareOf(entries))
    this.#countLoaded(found)
    const byEntry = new Map(found.map((keyframe) => [keyframe.entry, keyframe]))
    const wanted = new Map<string, EntryOfObject & { readonly keyframe: Keyframe | undefined }>()
    for (const [index, place] of places.entries()) {
      const end = ends[index]
      const keyframe = end === undefined ? undefined : byEntry.get(end)
      if (end !== undefined && !keyframe) continue
      const key = `${place.kind} ${place.object} ${end}`
      const entry = Math.min(place.entry, wanted.get(key)?.entry ?? place.entry)
      wanted.set(key, { ...place, entry, keyframe })
    }
    const segments = [...wanted.values()]
    const kinds = [...new Set(segments.map(({ kind }) => kind))]
    return kinds.flatMap((kind) => {
      const ofKind = segments.filter((segment) => segment.kind === kind)
      const seqs = [...new Set(ofKind.map(({ object }) => object))]
      const rows = rowsAt(statements, kind, { seqs, maxBytes: this.#shareOf(seqs) })
      this.#countLoaded(rows)
      const bySeq = new Map(rows.map((row) => [row.seq, row]))
      return ofKind.flatMap(({ object, entry: above, keyframe }) => {
        const row = bySeq.get(object)
        if (!row) return []
        return {
          kind,
          object,
          above,
          until: keyframe?.entry ?? NEVER,
          first: firstState({ kind, object }, row, keyframe),
        }
      })
    })
  }

  /** Returns the maximum size of each of some values that `load` reads: equal shares of the length that is left. */
  #shareOf(values: readonly unknown[]): number {
    return Math.floor((MAX_LOADED - this.#loadedLength) / values.length)
  }

  #countLoaded(values: readonly { readonly length: number }[]): void {
    const length = values.reduce((sum, value) => sum + value.length, 0)
    this.#loadedLength += length
    this.#readLength += length
  }

  /**
   * Returns an object as it was at the end of an instant of its clock; undefined before it was created.
   * @param instant - Unix seconds
   * @param customer - the owner of the clock: of a movable object, changes during this customer's ownership are
   *   preferred
   */
  at<K extends Kind>(kind: K, object: number, instant: number, customer?: string): Objects[K] | undefined {
    const isOwned = customer !== undefined && isMovable(kind)
    const { statements } = this.#sources
    const owned = isOwned ? newestEntryOfOwnerAt(statements, { kind, object, instant, customer }) : undefined
    const entry = owned ?? newestEntryAt(statements, { kind, object, instant })
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
    const { statements, keyframes } = this.#sources
    // The place of a keyframe takes less time to read than its state, which may be large.
    const end = segments.length === 0 ? undefined : (keyframes.entryFrom({ kind, object, entry }) ?? NEVER)
    const known = segments.find((segment) => segment.until === end)
    if (known) return known
    const keyframe = end === NEVER ? undefined : keyframes.firstFrom(kind, object, entry)
    const until = keyframe?.entry ?? NEVER
    const row = rowAt(statements, kind, object)
    this.#readLength += row.length + (keyframe?.length ?? 0)
    const first = firstState({ kind, object }, row, keyframe)
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
      this.#readLength += replaced?.length ?? 0
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
   * Does the same as `#entriesBetween` for several spans, of which the ends may be left out.
   * @param spans - the entries `last` and `above` of each
   * @returns the entries by `last`
   */
  #entriesBetweenEach(spans: readonly (readonly [last: number, above: number])[]): Map<number, Undo[]> {
    const found = new Map<number, Undo[]>()
    const open = spans.filter(([last, above]) => last > above)
    if (open.length === 0) return found
    const size = sql`ifnull(octet_length(journal.replaced), 0)`
    const rows = this.#sources.statements
      .named<Undo & { last: number }>('entries to undo of each', (db) => ({
        compile: () =>
          // The texts are read last, because each row of the chain is copied.
          sql`with recursive chain (last, above, seq, previous, room) as (
              select journal.seq, json_extract(span.value, '$[1]'), journal.seq, journal.previous, ${arg('maxBytes')} - ${size}
              from json_each(${arg('spans')}) span cross join journal on journal.seq = json_extract(span.value, '$[0]')
              union all
              select chain.last, chain.above, journal.seq, journal.previous, chain.room - ${size} from chain
              cross join journal on journal.seq = chain.previous where chain.previous > chain.above and chain.room >= 0)
            select last, chain.previous, replaced from chain
            cross join journal on journal.seq = chain.seq where room >= 0`.compile(db),
      }))
      .all({ spans: JSON.stringify(open), maxBytes: this.#shareOf(open) })
    this.#countLoaded(rows.flatMap(({ replaced }) => replaced ?? []))
    for (const { last, ...undo } of rows) {
      const known = found.get(last)
      if (known) known.push(undo)
      else found.set(last, [undo])
    }
    return found
  }
}

const segmentWith = (segments: readonly Segment[], entry: number): Segment | undefined =>
  segments.find(({ until, states }) => entry <= until && entry >= oldestOf(states).entry)

/**
 * Returns the state with which a segment starts: that of a keyframe with the private fields of the row, or the row.
 * @throws RowDamaged for a keyframe of another object
 */
function firstState(
  { kind, object }: Omit<EntryOfObject, 'entry'>,
  row: { readonly newestEntry: number | null; readonly object: Objects[Kind] },
  keyframe: Keyframe | undefined,
): State {
  if (!keyframe) return { entry: row.newestEntry ?? 0, object: row.object }
  const isOwn = keyframe.kind === kind && keyframe.object === object
  assertIntact(isOwn, `the keyframe ${keyframe.entry} belongs to another object`)
  return { entry: keyframe.entry, object: { ...row.object, ...keyframe.state } as Objects[Kind] }
}

const oldestOf = (states: Segment['states']): State => states.at(-1) ?? states[0]

/**
 * Returns the state right after a journal entry; before the object's first entry, the state that this entry created, which ends the
 * states at 0.
 * @throws RowDamaged if an entry is missing, so that the states end before
 */
function stateAt(states: Segment['states'], { kind, object, entry }: EntryOfObject): Objects[Kind] {
  const state = states.find((each) => each.entry <= entry)
  assertIntact(state, `the journal entry ${oldestOf(states).entry} of ${kind} ${object} is missing`)
  return state.object
}
