import { sql } from 'kysely'
import type { Kind } from '../core/change.ts'
import { KINDS, kindNumber } from './columns.ts'
import { arg, type Statements } from './statements.ts'
import { JOURNAL_BLOCKS } from './tables.ts'

/** Instants between which something was created, both inclusive; Unix seconds. */
export type Span = { readonly from: number; readonly to: number }

/** What `created` is compared with. */
export type CreatedBound = { readonly compare: '=' | '>' | '>=' | '<' | '<='; readonly to: number }

/** All instants that there are. */
export const ALWAYS: Span = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER }

/** In the blocks of the journal, whoever owns the events. */
const EVERYBODY = 0

/** How many places a block has: so many rows are looked at for nothing at most where one is looked for. */
export const BLOCK_ROWS = 256

/** The bits for the types of events in a block: a number of JavaScript holds 53 exactly. Further types share them. */
const TYPE_BITS = 53

/** The bits of some types of events, by their numbers. A block without any of them has no event of these types. */
export const typeBits = (types: readonly number[]): number =>
  [...new Set(types.map((type) => type % TYPE_BITS))].reduce((bits, bit) => bits + 2 ** bit, 0)

/** The number of the block that a place is in. */
export const blockOf = (seq: number): number => Math.floor(seq / BLOCK_ROWS)

/** The span in which all bounds hold. */
export function spanOf(bounds: readonly CreatedBound[]): Span {
  const spans = bounds.map(({ compare, to }): Span => {
    if (compare === '=') return { from: to, to }
    if (compare === '>' || compare === '>=') return { ...ALWAYS, from: compare === '>' ? to + 1 : to }
    return { ...ALWAYS, to: compare === '<' ? to - 1 : to }
  })
  return {
    from: Math.max(ALWAYS.from, ...spans.map(({ from }) => from)),
    to: Math.min(ALWAYS.to, ...spans.map(({ to }) => to)),
  }
}

/**
 * What is known of every full block of a table's rows, by merchant: the first and the last instant at which one was created,
 * and for the journal which types of events are in it. Whoever looks for few rows leaves out the blocks that have none. An
 * index would be written with each row; this is written once with every block.
 */
export class Blocks {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** To be called with the place of each row that is added: the last one of a block sums it up. */
  added(kind: Kind | 'journal', seq: number): void {
    if ((seq + 1) % BLOCK_ROWS !== 0) return
    const place = { block: blockOf(seq), first: seq + 1 - BLOCK_ROWS, last: seq }
    if (kind === 'journal') {
      this.#sumUpJournal('merchant').run(place)
      this.#sumUpJournal('everybody').run(place)
    } else this.#sumUp(kind).run(place)
  }

  /** The place from which on the rows of a table are in no full block. */
  tail(kind: Kind | 'journal'): number {
    const row = this.#statements
      .named<{ seq: number | null }>(`newest of ${kind}`, (db) =>
        db.selectFrom(kind as 'object').select((eb) => eb.fn.max('seq').as('seq')),
      )
      .get({})
    return blockOf((row?.seq ?? -1) + 1) * BLOCK_ROWS
  }

  /** Between which places, both exclusive, a merchant's objects of a span are; undefined when it has none. */
  placesOf(kind: Kind, merchant: number, span: Span): { above: number; below: number } | undefined {
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

  /** Forgets the blocks that are full no more, after rows were taken away. */
  trim(): void {
    for (const kind of [...KINDS, 'journal' as const])
      this.#statements
        .named('trim blocks', (db) =>
          db
            .deleteFrom('block')
            .where('kind', '=', arg<number>('kind'))
            .where('number', '>=', arg<number>('number')),
        )
        .run({ kind: numberOf(kind), number: blockOf(this.tail(kind)) })
  }

  #full(kind: Kind, merchant: number, { from, to }: Span): { first: number | null; last: number | null } {
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

  #isInTail(kind: Kind, merchant: number, tail: number, { from, to }: Span): boolean {
    const row = this.#statements
      .named<{ seq: number }>(`tail of ${kind}`, (db) =>
        db
          .selectFrom(kind as 'object')
          .select('seq')
          .where('seq', '>=', arg<number>('tail'))
          // A plus keeps the planner off the index of this column, which has everything before the tail too.
          .where(sql<boolean>`+merchant = ${arg('merchant')}`)
          .where('created', '>=', arg<number>('from'))
          .where('created', '<=', arg<number>('to'))
          .limit(1),
      )
      .get({ merchant, tail, from, to })
    return row !== undefined
  }

  #sumUp(kind: Kind) {
    return this.#statements.named(`sum up ${kind}`, (db) =>
      db
        .replaceInto('block')
        .columns(['kind', 'merchant', 'number', 'earliest', 'latest', 'types'])
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
            ])
            .where('seq', '>=', arg<number>('first'))
            .where('seq', '<=', arg<number>('last'))
            .groupBy(sql`+merchant`),
        ),
    )
  }

  #sumUpJournal(whose: 'merchant' | 'everybody') {
    const owner = whose === 'merchant' ? sql<number>`+merchant` : sql<number>`${sql.lit(EVERYBODY)}`
    return this.#statements.named(`sum up journal of ${whose}`, (db) => {
      const events = db
        .selectFrom('journal')
        .select((eb) => [
          sql.lit(JOURNAL_BLOCKS).as('kind'),
          owner.as('merchant'),
          sql<number>`${arg('block')}`.as('number'),
          eb.fn.min('created').as('earliest'),
          eb.fn.max('created').as('latest'),
          sql<number>`sum(distinct 1 << (type % ${sql.lit(TYPE_BITS)}))`.as('types'),
        ])
        .where('seq', '>=', arg<number>('first'))
        .where('seq', '<=', arg<number>('last'))
        .where(sql<boolean>`+number is not null`)
      return db
        .replaceInto('block')
        .columns(['kind', 'merchant', 'number', 'earliest', 'latest', 'types'])
        .expression(
          whose === 'merchant'
            ? events.groupBy(sql`+merchant`)
            : events.having((eb) => eb.fn.countAll<number>(), '>', 0),
        )
    })
  }
}

/** The number of the merchant in whose blocks one looks. */
export const ownerOf = (merchant: number | null): number => merchant ?? EVERYBODY

const numberOf = (kind: Kind | 'journal'): number => (kind === 'journal' ? JOURNAL_BLOCKS : kindNumber(kind))
