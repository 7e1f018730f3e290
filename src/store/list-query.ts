import { type RawBuilder, sql } from 'kysely'
import { assert } from '../core/errors.ts'
import type { CreatedBound } from './blocks.ts'
import { LEFT_OUT, MAX_NESTED } from './codec.ts'
import { columnsOf, indexesOf } from './columns.ts'
import { arg, literal } from './statements.ts'
import type { IndexChoice, StoredKind } from './stored-kind.ts'
import { USES, type Use } from './subscription-uses.ts'
import { contains } from './text-search.ts'

/**
 * A condition of a list on a field of its table. Numbers and the values of `isNot`, `isLiteral` and `isEither` are part of the SQL.
 */
export type Filter =
  | { readonly field: string; readonly is: string | number | null }
  | { readonly field: string; readonly isNot: string }
  /** The same as `is`, for the condition of a partial index. */
  | { readonly field: string; readonly isLiteral: string }
  | { readonly field: string; readonly isNull: boolean }
  | { readonly field: string; readonly isEither: readonly string[] }
  | { readonly field: string; readonly isIn: readonly string[] }
  | ({ readonly field: TimeField } & CreatedBound)
  | { readonly holdsPrice: string }
  /** Customers whose name or email address contains a text, or the objects of such customers. The case of ASCII letters is ignored. */
  | { readonly text: string }
  /** Subscriptions with an item. */
  | { readonly holdsItem: string }

/** The times by which lists can be bounded. */
export type TimeField =
  | 'created'
  | 'finalized_at'
  | 'canceled_at'
  | 'completed_at'
  | 'released_at'
  | 'current_period_start'
  | 'current_period_end'
  | 'due_date'

export type Page = {
  readonly limit: number
  /** The seq of the object before or after the page, in the order newest first. */
  readonly after?: number | undefined
  readonly before?: number | undefined
  /** The seq of the last row that is read; absent for all rows. */
  readonly until?: number | undefined
}

/** The shape of a page: whether it has bounds (both exclusive), its order and its size. */
export type PageShape = {
  readonly isAbove: boolean
  readonly isBelow: boolean
  readonly order: 'newest first' | 'oldest first'
  readonly limit: number
  /** Which columns are read. Of `small values`, large nested values are left out: see `LEFT_OUT`; of a `summary`, all nested values. */
  readonly columns: keyof typeof READ
  /** The nested values that a summary has; none by default. */
  readonly nested?: readonly string[]
}

type Column = readonly [name: string, type: string]

/** Whether a column is read. */
const READ = {
  all: () => true,
  'small values': () => true,
  summary: ([, type]: Column) => type !== 'json',
  ids: ([name]: Column) => name === 'id',
}

/** A list as one statement, and the values of its conditions. */
export type ListQuery = {
  readonly name: string
  /** Builds the query. It is called only for a new name, which is quicker to build than the query. */
  readonly query: () => RawBuilder<object>
  readonly values: Readonly<Record<string, unknown>>
}

/** Builds the query for a page of a merchant's objects. It also takes the values `merchant`, `above` and `below`. */
export function listQuery(kind: StoredKind, filters: readonly Filter[], shape: PageShape): ListQuery {
  const conditions = filters.map((filter, index) => conditionOf(kind, filter, `filter ${index}`))
  const has = (condition: string) => condition === '*' || conditions.some(({ name }) => name === condition)
  const choice = indexesOf(kind).find(({ condition, and = [] }) => [condition, ...and].every(has))
  assert(choice, `an index lists ${kind} by ${conditions.map(({ name }) => name).join(', ')}`)
  return {
    name: ['list', kind, ...conditions.map(({ name }) => name), ...Object.values(shape)].join(' '),
    query: () => queryOf(kind, conditions, choice, shape),
    values: Object.fromEntries(conditions.map(({ value, given }) => [value, given])),
  }
}

/** The texts of a customer in which a filter looks for a part. */
const TEXTS = ['name', 'email'].map((name) => sql.ref(`customer.${name}`))

/** The last row of a step of a list, and how much the step reads. */
export type StepEnd = {
  /** null if there are no rows. */
  readonly seq: number | null
  readonly rows: number
  /** The size of the texts of customers. */
  readonly bytes: number
}

/**
 * Builds the query for the end of a step that reads up to a number of rows (`limit`) beyond one (`from`) in the order of a list.
 * @param isByText - whether the step also reads texts of customers
 */
export function stepEndQuery(kind: StoredKind, order: PageShape['order'], isByText: boolean): ListQuery {
  const seq = sql.ref(`${kind}.seq`)
  const [compare, direction, last] = order === 'newest first' ? ['<', 'desc', 'min'] : ['>', 'asc', 'max']
  const shown = 'deleted' in columnsOf(kind) ? sql`and deleted = 0` : sql``
  const index = sql.ref(isByText && kind === 'customer' ? 'customer_text' : `${kind}_merchant`)
  return {
    name: `end of a step of ${kind} ${order}${isByText ? ' by text' : ''}`,
    query:
      () => sql<object>`select ${sql.raw(last)}(seq) as seq, count(*) as rows, total(bytes) as bytes from (
      select ${seq} as seq, ${isByText ? textSize(kind) : sql`0`} as bytes from ${sql.table(kind)} indexed by ${index}
      where merchant = ${arg('merchant')} ${shown} and ${seq} ${sql.raw(compare)} ${arg('from')}
      order by ${seq} ${sql.raw(direction)} limit ${arg('limit')})`,
    values: {},
  }
}

function queryOf(
  kind: StoredKind,
  conditions: readonly Condition[],
  choice: IndexChoice,
  shape: PageShape,
): RawBuilder<object> {
  const use = USES.find(({ table }) => table === choice.index)
  const place = sql.ref(use ? `${use.table}.subscription` : `${kind}.seq`)
  const source = use
    ? sql`${sql.table(use.table)} cross join subscription on subscription.seq = ${place}`
    : sql`${sql.table(kind)} indexed by ${sql.ref(choice.index)}`
  const wheres = [
    sql`${sql.ref(`${use?.table ?? kind}.merchant`)} = ${arg('merchant')}`,
    ...conditions.map(({ name, value, expression }) =>
      use && name === `holds ${use.column}`
        ? sql`${sql.ref(`${use.table}.${use.column}`)} = ${arg(value)}`
        : expression(),
    ),
    ...(shape.isAbove ? [sql`${place} > ${arg('above')}`] : []),
    ...(shape.isBelow ? [sql`${place} < ${arg('below')}`] : []),
  ]
  const columns = Object.entries(columnsOf(kind))
    .filter((column) => READ[shape.columns](column) || shape.nested?.includes(column[0]))
    .map(([name, type]) => {
      const column = sql.ref(`${kind}.${name}`)
      // Reading the length of a text does not read the text.
      return shape.columns === 'small values' && type === 'json'
        ? sql`iif(octet_length(${column}) > ${literal(MAX_NESTED)}, ${literal(LEFT_OUT)}, ${column})`
        : column
    })
  return sql<object>`select ${sql.join(columns)} from ${source} where ${sql.join(wheres, sql` and `)}
    order by ${place} ${sql.raw(shape.order === 'newest first' ? 'desc' : 'asc')} limit ${literal(shape.limit)}`
}

type Condition = {
  readonly name: string
  /** The name of its argument. */
  readonly value: string
  readonly given: unknown
  readonly expression: () => RawBuilder<unknown>
}

function conditionOf(kind: StoredKind, filter: Filter, value: string): Condition {
  if ('holdsPrice' in filter) return holding(USES[0], value, filter.holdsPrice)
  if ('holdsItem' in filter) return holding(USES[1], value, filter.holdsItem)
  if ('text' in filter) {
    return { name: 'text', value, given: filter.text, expression: () => textCondition(kind, value) }
  }
  const field = () => sql.ref(`${kind}.${filter.field}`)
  const named = (name: string, expression: () => RawBuilder<unknown>, given: unknown = null): Condition => ({
    name: `${filter.field} ${name}`,
    value,
    given,
    expression,
  })
  if ('isIn' in filter) {
    return named(
      'in',
      () => sql`${field()} in (select value from json_each(${arg(value)}))`,
      JSON.stringify(filter.isIn),
    )
  }
  // A partial index applies only if its condition is a literal in the statement.
  if ('isEither' in filter) {
    const either = filter.isEither.map((each) => `'${each}'`).join(', ')
    return named(`either ${either}`, () => sql`${field()} in (${sql.raw(either)})`)
  }
  if ('isNot' in filter)
    return named(`not '${filter.isNot}'`, () => sql`${field()} <> ${sql.lit(filter.isNot)}`)
  if ('isNull' in filter) {
    const name = filter.isNull ? 'is null' : 'is not null'
    return named(name, () => sql`${field()} ${sql.raw(name)}`)
  }
  if ('compare' in filter)
    return named(filter.compare, () => sql`${field()} ${sql.raw(filter.compare)} ${arg(value)}`, filter.to)
  if ('isLiteral' in filter)
    return named(`= '${filter.isLiteral}'`, () => sql`${field()} = ${sql.lit(filter.isLiteral)}`)
  if (filter.is === null) return named('is null', () => sql`${field()} is null`)
  return typeof filter.is === 'number'
    ? named(`= ${filter.is}`, () => sql`${field()} = ${sql.lit(filter.is)}`)
    : named('=', () => sql`${field()} = ${arg(value)}`, filter.is)
}

/** Selects the subscriptions with a price or an item. */
const holding = ({ table, column }: Use, value: string, given: string): Condition => ({
  name: `holds ${column}`,
  value,
  given,
  expression:
    () => sql`exists (select 1 from ${sql.table(table)} as used where used.merchant = subscription.merchant
    and ${sql.ref(`used.${column}`)} = ${arg(value)} and used.subscription = subscription.seq)`,
})

/** Looks for a part in the texts of a customer, or of the customer of an object. */
function textCondition(kind: StoredKind, value: string): RawBuilder<unknown> {
  const parts = TEXTS.map((text) => contains(text, arg(value)))
  const met = sql`(${sql.join(parts, sql` or `)})`
  return kind === 'customer' ? met : sql`exists (select 1 from ${customerOf(kind)} and ${met})`
}

/** Selects the size of the texts in which `textCondition` looks. It does not read them. */
function textSize(kind: StoredKind): RawBuilder<unknown> {
  const sizes = TEXTS.map((text) => sql`coalesce(octet_length(${text}), 0)`)
  const sum = sql.join(sizes, sql` + `)
  return kind === 'customer' ? sum : sql`(select ${sum} from ${customerOf(kind)})`
}

const customerOf = (kind: StoredKind) => sql`customer where customer.id = ${sql.ref(`${kind}.customer`)}`
