import { type RawBuilder, sql } from 'kysely'
import { STORED_KINDS, storedNumber } from './columns.ts'
import { type AddedRow, GrowingBlock, ofEverybody, type Summary } from './growing-block.ts'
import { arg, type Statements } from './statements.ts'
import type { StoredKind } from './stored-kind.ts'
import { EVENT_BLOCKS, type EventTableName } from './tables.ts'

/** A range of creation times in Unix seconds, both ends inclusive. */
export type Span = { readonly from: number; readonly to: number }

/** A condition on `created`. */
export type CreatedBound = { readonly compare: '=' | '>' | '>=' | '<' | '<='; readonly to: number }

/** The span of all instants. */
export const ALL_INSTANTS: Span = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER }

/** The `merchant` of blocks of events that cover those of all merchants. */
const ALL_MERCHANTS = 0

/** The number of rows of a block. A block that may contain a match is scanned completely. */
export const BLOCK_ROWS = 256

/** The number of types of events that have a bit in one column: a number of JavaScript holds 53 exactly. */
const TYPE_BITS = 53

/** The bits of types of events. A block without any of the bits has no event of the types. */
export type TypeBits = { readonly types: number; readonly late_types: number }

/** Returns the bits of some event types, by their numbers, below 106. */
export function typeBits(numbers: Iterable<number>): TypeBits {
  const types = [...new Set(numbers)]
  return {
    types: bitsOf(types.filter((type) => type < TYPE_BITS)),
    late_types: bitsOf(types.filter((type) => type >= TYPE_BITS).map((type) => type - TYPE_BITS)),
  }
}

const bitsOf = (positions: readonly number[]): number =>
  positions.reduce((bits, position) => bits + 2 ** position, 0)

/** Returns the number of the block that a seq is in. */
export const blockOf = (seq: number): number => Math.floor(seq / BLOCK_ROWS)

/** Returns the span in which all bounds hold. */
export function spanOf(bounds: readonly CreatedBound[]): Span {
  const spans = bounds.map(({ compare, to }): Span => {
    if (compare === '=') return { from: to, to }
    if (compare === '>' || compare === '>=') return { ...ALL_INSTANTS, from: compare === '>' ? to + 1 : to }
    return { ...ALL_INSTANTS, to: compare === '<' ? to - 1 : to }
  })
  return {
    from: Math.max(ALL_INSTANTS.from, ...spans.map(({ from }) => from)),
    to: Math.min(ALL_INSTANTS.to, ...spans.map(({ to }) => to)),
  }
}

/**
 * A summary of every full block of a table's rows, by merchant: the first and last `created`, and for events
 * their types. A search for few rows skips the blocks without any. An index would be written with each row; a
 * summary is written once a block.
 */
export class Blocks {
  readonly #statements: Statements
  readonly #growing = new Map<StoredKind | EventTableName, GrowingBlock>()

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** Must be called with each added object; the last one of a block writes its summary. */
  added(kind: StoredKind, row: AddedRow): void {
    const growing = this.#growingOf(kind, row.seq)
    growing.add(row)
    if (!isLast(row.seq)) return
    const { whole } = growing
    if (whole) this.#write(kind, row.seq, whole)
    else this.#sumUp(kind).run(placeOf(row.seq))
  }

  /** Must be called with each row added to a table of events, and the number of its event's type; null for one without event. */
  addedEvent(table: EventTableName, row: AddedRow, type: number | null): void {
    const growing = this.#growingOf(table, row.seq)
    if (type === null) growing.skip(row.seq)
    else growing.add(row, type)
    if (!isLast(row.seq)) return
    const { whole } = growing
    if (whole) {
      this.#write(table, row.seq, whole)
      if (whole.size > 0) this.#write(table, row.seq, [[ALL_MERCHANTS, ofEverybody(whole.values())]])
    } else {
      this.#sumUpEvents(table, 'merchant').run(placeOf(row.seq))
      this.#sumUpEvents(table, 'everybody').run(placeOf(row.seq))
    }
  }

  /** Must be called when rows were rolled back, deleted or replaced. */
  forget(): void {
    for (const growing of this.#growing.values()) growing.forget()
  }

  /** Returns the first seq that is in no full block. */
  tail(kind: StoredKind | EventTableName): number {
    const row = this.#statements
      .named<{ seq: number | null }>(`newest of ${kind}`, (db) =>
        db.selectFrom(kind as 'object').select((eb) => eb.fn.max('seq').as('seq')),
      )
      .get({})
    return blockOf((row?.seq ?? -1) + 1) * BLOCK_ROWS
  }

  /** Returns the range of seqs (both ends exclusive) that contains a merchant's objects of a span; undefined if there are none. */
  placesOf(kind: StoredKind, merchant: number, span: Span): { above: number; below: number } | undefined {
    const tail = this.tail(kind)
    const isInTail = this.#isInTail(kind, merchant, tail, span)
    const { first, last } = this.#full(kind, merchant, span)
    if (first === null || last === null)
      return isInTail ? { above: tail - 1, below: Number.MAX_SAFE_INTEGER } : undefined
    return {
      above: first * BLOCK_ROWS - 1,
      below: isInTail ? Number.MAX_SAFE_INTEGER : (last + 1) * BLOCK_ROWS,
    }
  }

  /** Deletes the summaries of blocks that are no longer full, after rows were deleted. */
  trim(): void {
    for (const kind of [...STORED_KINDS, 'journal' as const, 'clock_event' as const])
      this.#statements
        .named('trim blocks', (db) =>
          db
            .deleteFrom('block')
            .where('kind', '=', arg<number>('kind'))
            .where('number', '>=', arg<number>('number')),
        )
        .run({ kind: numberOf(kind), number: blockOf(this.tail(kind)) })
  }

  #full(
    kind: StoredKind,
    merchant: number,
    { from, to }: Span,
  ): { first: number | null; last: number | null } {
    const row = this.#statements
      .named<{ first: number | null; last: number | null }>('blocks of span', (db) =>
        db
          .selectFrom('block')
          .select((eb) => [eb.fn.min('number').as('first'), eb.fn.max('number').as('last')])
          .where('kind', '=', arg<number>('kind'))
          .where('merchant', '=', arg<number>('merchant'))
          .where('latest', '>=', arg<number>('from'))
          .where('earliest', '<=', arg<number>('to')),
      )
      .get({ kind: numberOf(kind), merchant, from, to })
    return row ?? { first: null, last: null }
  }

  #isInTail(kind: StoredKind, merchant: number, tail: number, { from, to }: Span): boolean {
    const row = this.#statements
      .named<{ seq: number }>(`tail of ${kind}`, (db) =>
        db
          .selectFrom(kind as 'object')
          .select('seq')
          .where('seq', '>=', arg<number>('tail'))
          // The unary plus disables the index of this column, which also has the rows before the tail.
          .where(sql<boolean>`+merchant = ${arg('merchant')}`)
          .where('created', '>=', arg<number>('from'))
          .where('created', '<=', arg<number>('to'))
          .limit(1),
      )
      .get({ merchant, tail, from, to })
    return row !== undefined
  }

  /** Returns the newest block of a table, which the row with this seq is added to. */
  #growingOf(kind: StoredKind | EventTableName, seq: number): GrowingBlock {
    let growing = this.#growing.get(kind)
    if (!growing) {
      growing = new GrowingBlock()
      this.#growing.set(kind, growing)
    }
    if (seq % BLOCK_ROWS === 0) growing.begin(seq)
    return growing
  }

  #write(
    kind: StoredKind | EventTableName,
    seq: number,
    summaries: Iterable<readonly [merchant: number, Summary]>,
  ): void {
    const statement = this.#statements.named('write block', (db) =>
      db.replaceInto('block').values({
        kind: arg<number>('kind'),
        merchant: arg<number>('merchant'),
        number: arg<number>('number'),
        earliest: arg<number>('earliest'),
        latest: arg<number>('latest'),
        types: arg<number>('types'),
        late_types: arg<number>('late_types'),
      }),
    )
    for (const [merchant, { types, ...span }] of summaries)
      statement.run({
        kind: numberOf(kind),
        merchant,
        number: blockOf(seq),
        ...span,
        ...typeBits(types),
      })
  }

  #sumUp(kind: StoredKind) {
    return this.#statements.named(`sum up ${kind}`, (db) =>
      db
        .replaceInto('block')
        .columns(BLOCK_COLUMNS)
        .expression(
          db
            .selectFrom(kind as 'object')
            .select((eb) => [
              sql.lit(numberOf(kind)).as('kind'),
              sql<number>`+merchant`.as('merchant'),
              sql<number>`${arg('block')}`.as('number'),
              eb.fn.min('created').as('earliest'),
              eb.fn.max('created').as('latest'),
              sql.lit(0).as('types'),
              sql.lit(0).as('late_types'),
            ])
            .where('seq', '>=', arg<number>('first'))
            .where('seq', '<=', arg<number>('last'))
            .groupBy(sql`+merchant`),
        ),
    )
  }

  #sumUpEvents(table: EventTableName, whose: 'merchant' | 'everybody') {
    const owner = whose === 'merchant' ? sql<number>`+merchant` : sql<number>`${sql.lit(ALL_MERCHANTS)}`
    return this.#statements.named(`sum up ${table} of ${whose}`, (db) => {
      const events = db
        .selectFrom(table as 'journal')
        .select((eb) => [
          sql.lit(EVENT_BLOCKS[table]).as('kind'),
          owner.as('merchant'),
          sql<number>`${arg('block')}`.as('number'),
          eb.fn.min('created').as('earliest'),
          eb.fn.max('created').as('latest'),
          sumOfBits(sql`type < ${sql.lit(TYPE_BITS)}`, sql`type`).as('types'),
          sumOfBits(sql`type >= ${sql.lit(TYPE_BITS)}`, sql`type - ${sql.lit(TYPE_BITS)}`).as('late_types'),
        ])
        .where('seq', '>=', arg<number>('first'))
        .where('seq', '<=', arg<number>('last'))
        .where(sql<boolean>`+number is not null`)
      return db
        .replaceInto('block')
        .columns(BLOCK_COLUMNS)
        .expression(
          whose === 'merchant'
            ? events.groupBy(sql`+merchant`)
            : events.having((eb) => eb.fn.countAll<number>(), '>', 0),
        )
    })
  }
}

const BLOCK_COLUMNS = ['kind', 'merchant', 'number', 'earliest', 'latest', 'types', 'late_types'] as const

const sumOfBits = (condition: RawBuilder<unknown>, position: RawBuilder<unknown>) =>
  sql<number>`coalesce(sum(distinct 1 << (${position})) filter (where ${condition}), 0)`

/** Returns the `merchant` of the blocks of events to search. */
export const ownerOf = (merchant: number | null): number => merchant ?? ALL_MERCHANTS

const isLast = (seq: number): boolean => (seq + 1) % BLOCK_ROWS === 0

const placeOf = (last: number) => ({ block: blockOf(last), first: last + 1 - BLOCK_ROWS, last })

const numberOf = (kind: StoredKind | EventTableName): number =>
  kind === 'journal' || kind === 'clock_event' ? EVENT_BLOCKS[kind] : storedNumber(kind)
