import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type Kind, kindNumber, kindOfNumber, type Objects } from '../core/kinds.ts'
import { codecOf } from './codec.ts'
import { MOVABLE } from './ownership.ts'
import { arg, type Statements } from './statements.ts'
import type { Tables } from './tables.ts'

/**
 * The maximum number of an object's entries from one keyframe to the next, and so the maximum number of entries that are
 * undone to show the object as of any moment. Nearly all objects have fewer entries and no keyframe.
 */
export const KEYFRAME_ENTRIES = 64

/**
 * An entry has a keyframe when more bytes than this would have to be undone to show the object as of the oldest entry after the last
 * keyframe. A keyframe for each large entry would double the growth of large objects.
 */
const MAX_UNDONE = 524_288

/** The bytes to undo are summed up only after an entry that replaces more characters. 64 smaller ones have as many as may be undone. */
const LARGE_ENTRY = MAX_UNDONE / KEYFRAME_ENTRIES

/** A journal entry, and an object whose state at that entry is wanted or known. */
export type EntryOfObject = {
  readonly kind: Kind
  /** Its seq. */
  readonly object: number
  readonly entry: number
}

export type Keyframe = EntryOfObject & {
  /** The values of all public fields. */
  readonly state: Readonly<Record<string, unknown>>
  /** The length of the state as JSON, in characters. */
  readonly length: number
}

/**
 * The public states of objects right after some of their journal entries. Without keyframes, the time to reconstruct an
 * old state from the undo log would grow with the number of later changes.
 */
export class Keyframes {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /**
   * Reports whether an entry, which is the newest of its object, needs a keyframe.
   * @param entryCount - the number of entries of its object, itself included
   * @param replaced - the values that it replaced, as JSON
   */
  isDue(
    entry: EntryOfObject,
    { entryCount, replaced }: { readonly entryCount: number; readonly replaced: string | null },
  ): boolean {
    if (entryCount % KEYFRAME_ENTRIES === 0) return true
    return replaced !== null && replaced.length > LARGE_ENTRY && this.#undoneBefore(entry) > MAX_UNDONE
  }

  /**
   * Returns the bytes that are undone to show an object as of the oldest entry after its last keyframe. The values that this entry
   * itself replaced are not undone.
   * @param place.entry - its newest entry
   */
  #undoneBefore({ kind, object, entry }: EntryOfObject): number {
    return (
      this.#statements
        .named<{ undone: number | null }>('bytes to undo', (db) => ({
          compile: () =>
            sql`with recursive last (entry) as materialized (
                select coalesce(max(entry), 0) from keyframe where kind = ${arg('kind')} and object = ${arg('object')}),
              chain (previous, size) as (
                select previous, octet_length(replaced) from journal where seq = ${arg('entry')}
                union all
                select journal.previous, octet_length(journal.replaced) from chain
                cross join journal on journal.seq = chain.previous
                where chain.previous > (select entry from last))
              select sum(size) as undone from chain where previous > (select entry from last)`.compile(db),
        }))
        .get({ kind: kindNumber(kind), object, entry })?.undone ?? 0
    )
  }

  add(
    place: { kind: Kind; object: number; merchant: number; entry: number; created: number },
    state: Objects[Kind],
  ): void {
    this.#statements
      .named('add keyframe', (db) =>
        db.insertInto('keyframe').values({
          entry: arg<number>('entry'),
          merchant: arg<number>('merchant'),
          kind: arg<number>('kind'),
          object: arg<number>('object'),
          created: arg<number>('created'),
          state: arg<string>('state'),
        }),
      )
      .run({
        ...place,
        kind: kindNumber(place.kind),
        state: codecOf(place.kind).publicState(state as never),
      })
  }

  /** Returns the first keyframe of an object at a journal entry or after it. */
  firstFrom(kind: Kind, object: number, entry: number): Keyframe | undefined {
    return this.#statements
      .named(
        'first keyframe',
        (db) =>
          db
            .selectFrom('keyframe')
            .select(KEYFRAME_COLUMNS)
            // The kind and the object are read from the table (see damage.ts).
            .where('entry', '=', firstEntryFrom(db)),
        readKeyframe,
      )
      .get({ kind: kindNumber(kind), object, entry })
  }

  /**
   * Returns the entry of a keyframe of an object at a journal entry or after it; undefined when there is none.
   * @param skipped - the number of keyframes to skip
   */
  entryFrom({ kind, object, entry }: EntryOfObject, skipped = 0): number | undefined {
    return this.#statements
      .named<{ entry: number }>('entry of keyframe', (db) =>
        firstEntryFrom(db).offset(arg<number>('skipped')),
      )
      .get({ kind: kindNumber(kind), object, entry, skipped })?.entry
  }

  /** Returns the result of `entryFrom` for each of many places, in their order. */
  entryFromEach(places: readonly EntryOfObject[]): (number | undefined)[] {
    const rows = this.#statements
      .named<{ index: number; entry: number | null }>('first keyframes', (db) => ({
        compile: () =>
          sql`select place.key as "index", (select entry from keyframe where keyframe.kind = json_extract(place.value, '$[0]')
              and keyframe.object = json_extract(place.value, '$[1]') and entry >= json_extract(place.value, '$[2]')
              order by entry limit 1) as entry
            from json_each(${arg('places')}) place`.compile(db),
      }))
      .all({
        places: JSON.stringify(places.map(({ kind, object, entry }) => [kindNumber(kind), object, entry])),
      })
    const found = new Map(
      rows.flatMap(({ index, entry }) => (entry === null ? [] : [[index, entry] as const])),
    )
    return places.map((_, index) => found.get(index))
  }

  /** Returns the keyframes of several entries. Those of more than `maxBytes` are left out. */
  atEach(entries: readonly number[], maxBytes: number): Keyframe[] {
    return this.#statements
      .named(
        'keyframes',
        (db) =>
          db
            .selectFrom('keyframe')
            .select(KEYFRAME_COLUMNS)
            .where(sql<boolean>`entry in (select value from json_each(${arg('entries')}))`)
            .where(sql<boolean>`octet_length(state) <= ${arg('maxBytes')}`),
        readKeyframe,
      )
      .all({ entries: JSON.stringify(entries), maxBytes })
  }
}

/** The entry of an object's first keyframe at a journal entry or after it. */
const firstEntryFrom = (db: Kysely<Tables>) =>
  db
    .selectFrom('keyframe')
    .select('entry')
    .where('kind', '=', arg<number>('kind'))
    .where('object', '=', arg<number>('object'))
    .where('entry', '>=', arg<number>('entry'))
    .orderBy('entry')
    .limit(1)

const KEYFRAME_COLUMNS = ['kind', 'object', 'entry', 'state'] as const

function readKeyframe(values: readonly unknown[]): Keyframe {
  const [kind, object, entry, state] = values as [number, number, number, string]
  return { kind: kindOfNumber(kind), object, entry, state: JSON.parse(state), length: state.length }
}

/**
 * SQL for the first keyframe entry of an object after the instant of the argument `until`; null when there is none.
 * @param owner - a customer: for a movable object, only keyframes during this customer's ownership count
 */
export const firstKeyframeAfterUntil = (
  kind: RawBuilder<unknown>,
  object: RawBuilder<unknown>,
  owner?: RawBuilder<unknown>,
) => sql<number | null>`
  (select entry from keyframe where keyframe.kind = ${kind} and keyframe.object = ${object}
  and keyframe.created > ${arg('until')}
  ${owner ? sql`and (${kind} not in ${MOVABLE} or json_extract(keyframe.state, '$.customer') = ${owner})` : sql``}
  order by keyframe.created, keyframe.entry limit 1)`
