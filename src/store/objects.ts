import { type RawBuilder, sql } from 'kysely'
import type { Kind, Objects } from '../core/change.ts'
import { assert } from '../core/errors.ts'
import type { Invoice } from '../core/invoice.ts'
import { changedFields, decode, encode, encodeFields, fieldsOf } from './codec.ts'
import { arg, literal, type Statements } from './statements.ts'

/** A condition of a list on a field that its table has. */
export type Filter =
  | { readonly field: string; readonly is: string | number }
  | { readonly field: string; readonly isNot: string }
  | { readonly field: string; readonly isIn: readonly string[] }
  | { readonly field: 'created'; readonly compare: '=' | '>' | '>=' | '<' | '<='; readonly to: number }
  | { readonly holdsPrice: string }

export type Page = {
  readonly limit: number
  /** The seq of the object that the page comes after or before, in the order newest first. */
  readonly after?: number | undefined
  readonly before?: number | undefined
}

const columnsOf = (kind: Kind) => fieldsOf(kind).map(({ name }) => name)

/** The current state of every public object, one row each. */
export class ObjectTable {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** The object of this id; undefined when the merchant has none. */
  get<K extends Kind>(kind: K, merchant: number, id: string): Objects[K] | undefined {
    const row = this.#statements
      .named<object>(`get ${kind}`, (db) =>
        db
          .selectFrom(kind as 'object')
          .select(columnsOf(kind))
          .where('id', '=', arg<string>('id'))
          .where('merchant', '=', arg<number>('merchant')),
      )
      .get({ id, merchant })
    return row && decode(kind, row)
  }

  /** The object in this place of its table, whoever owns it. */
  at<K extends Kind>(kind: K, seq: number): Objects[K] {
    const row = this.#statements
      .named<object>(`at ${kind}`, (db) =>
        db
          .selectFrom(kind as 'object')
          .select(columnsOf(kind))
          .where('seq', '=', arg<number>('seq')),
      )
      .get({ seq })
    assert(row, `${kind} ${seq} is there`)
    return decode(kind, row)
  }

  /** The place of an object in the order of creation; undefined when the merchant has none of this id. */
  seqOf(kind: Kind, merchant: number, id: string): number | undefined {
    return this.#statements
      .named<{ seq: number }>(`seq of ${kind}`, (db) =>
        db
          .selectFrom(kind as 'object')
          .select('seq')
          .where('id', '=', arg<string>('id'))
          .where('merchant', '=', arg<number>('merchant')),
      )
      .get({ id, merchant })?.seq
  }

  /** A page of a merchant's objects that meet all conditions: newest first, but for `before` the nearest to it first. */
  list<K extends Kind>(kind: K, merchant: number, filters: readonly Filter[], page: Page): Objects[K][] {
    const conditions = filters.map((filter, index) => conditionOf(filter, `filter ${index}`))
    const from = page.after === undefined ? (page.before === undefined ? 'top' : 'before') : 'after'
    const statement = this.#statements.named<object>(
      ['list', page.limit, kind, from, ...conditions.map(({ name }) => name)].join(' '),
      (db) => {
        let query = db
          .selectFrom(kind as 'object')
          .select(columnsOf(kind))
          .where('merchant', '=', arg<number>('merchant'))
        for (const { expression } of conditions) query = query.where(expression)
        if (from === 'after') query = query.where('seq', '<', arg<number>('after'))
        if (from === 'before') query = query.where('seq', '>', arg<number>('before'))
        return query.orderBy('seq', from === 'before' ? 'asc' : 'desc').limit(literal(page.limit))
      },
    )
    const values = Object.fromEntries(conditions.map(({ value }, index) => [`filter ${index}`, value]))
    return statement.all({ merchant, ...page, ...values }).map((row) => decode(kind, row))
  }

  /** A customer's open invoices, oldest first. */
  openInvoices(customer: string): Invoice[] {
    return this.#statements
      .named<object>('open invoices', (db) =>
        db
          .selectFrom('invoice' as 'object')
          .select(columnsOf('invoice'))
          .where('customer', '=', arg<string>('customer'))
          // A literal: with a parameter SQLite would not know that the partial index applies.
          .where(sql<boolean>`status = 'open'`)
          .orderBy('seq'),
      )
      .all({ customer })
      .map((row) => decode('invoice', row))
  }

  /** @returns the new row's seq */
  insert<K extends Kind>(kind: K, merchant: number, object: Objects[K]): number {
    return this.#statements
      .named(`insert ${kind}`, (db) =>
        db.insertInto(kind as 'object').values({
          id: arg<string>('id'),
          created: arg<number>('created'),
          merchant: arg<number>('merchant'),
          ...Object.fromEntries(columnsOf(kind).map((name) => [name, arg(name)])),
        }),
      )
      .run({ merchant, ...encode(kind, object) })
  }

  /**
   * Writes the fields that changed.
   * @returns the row's seq
   */
  update<K extends Kind>(kind: K, merchant: number, before: Objects[K], after: Objects[K]): number {
    const fields = changedFields(kind, before, after)
    const seq =
      fields.length === 0
        ? this.seqOf(kind, merchant, after.id)
        : this.#statements
            .named<{ seq: number }>(`update ${kind} ${fields.map(({ name }) => name).join(' ')}`, (db) =>
              db
                .updateTable(kind as 'object')
                .set(Object.fromEntries(fields.map(({ name }) => [name, arg(`new ${name}`)])))
                .where('id', '=', arg<string>('id'))
                .where('merchant', '=', arg<number>('merchant'))
                .returning('seq'),
            )
            .get({ ...encodeFields(after, fields, 'new '), id: after.id, merchant })?.seq
    assert(seq, `${after.id} is there`)
    return seq
  }
}

type Condition = {
  readonly name: string
  readonly value: string | number
  readonly expression: RawBuilder<boolean>
}

function conditionOf(filter: Filter, value: string): Condition {
  if ('holdsPrice' in filter) {
    const holds = sql<boolean>`exists (select 1 from json_each(items) where json_extract(json_each.value, '$.price') = ${arg(value)})`
    return { name: 'holds price', value: filter.holdsPrice, expression: holds }
  }
  if ('isIn' in filter) {
    const isIn = sql<boolean>`${sql.ref(filter.field)} in (select value from json_each(${arg(value)}))`
    return { name: `${filter.field} in`, value: JSON.stringify(filter.isIn), expression: isIn }
  }
  const operator = 'compare' in filter ? filter.compare : 'isNot' in filter ? '!=' : '='
  return {
    name: `${filter.field} ${operator}`,
    value: 'compare' in filter ? filter.to : 'isNot' in filter ? filter.isNot : filter.is,
    expression: sql<boolean>`${sql.ref(filter.field)} ${sql.raw(operator)} ${arg(value)}`,
  }
}
