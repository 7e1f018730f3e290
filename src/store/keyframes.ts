import { type RawBuilder, sql } from 'kysely'
import type { Kind, Objects } from '../core/change.ts'
import { codecOf } from './codec.ts'
import { kindNumber } from './columns.ts'
import { MOVABLE } from './ownership.ts'
import { arg, type Statements } from './statements.ts'

/**
 * Every how many entries of an object there is a keyframe: at most so many entries are undone to show the object as of any
 * moment. Nearly all objects have fewer, and no keyframe.
 */
export const KEYFRAME_ENTRIES = 64

/** Whether the entry that gives an object so many entries has a keyframe. */
export const hasKeyframe = (entryCount: number): boolean => entryCount % KEYFRAME_ENTRIES === 0

export type Keyframe = {
  /** The seq of the journal entry after which the object was in this state. */
  readonly entry: number
  /** The values of all public fields. */
  readonly state: Readonly<Record<string, unknown>>
}

/**
 * The public states of objects right after some of their journal entries. The journal is an undo log: without keyframes, to
 * show an object as it was long ago would take the longer the more has happened to it since.
 */
export class Keyframes {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
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

  /** The first keyframe of an object at a journal entry or after it; undefined when there is none. */
  firstFrom(kind: Kind, object: number, entry: number): Keyframe | undefined {
    const row = this.#statements
      .named<{ entry: number; state: string }>('first keyframe', (db) =>
        db
          .selectFrom('keyframe')
          .select(['entry', 'state'])
          .where('kind', '=', arg<number>('kind'))
          .where('object', '=', arg<number>('object'))
          .where('entry', '>=', arg<number>('entry'))
          .orderBy('entry')
          .limit(1),
      )
      .get({ kind: kindNumber(kind), object, entry })
    return row && { entry: row.entry, state: JSON.parse(row.state) }
  }
}

/**
 * SQL for the first keyframe entry of an object after the instant of the argument `until`; null when there is none.
 * @param owner - a customer: only the keyframes of a movable object are considered that show it as this customer's
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
