import { type RawBuilder, sql } from 'kysely'
import { columnsOf } from './columns.ts'
import { arg, literal } from './statements.ts'
import type { StoredKind } from './stored-kind.ts'
import { contains } from './text-search.ts'

/** The left side of a comparison: a column, a key of the metadata, or a value that is computed from columns or in their JSON. */
export type Operand =
  | { readonly column: string }
  | { readonly metadata: string }
  | { readonly computed: keyof typeof COMPUTED }
  | { readonly nested: Nested }

/** The kinds of comparisons. `same` and `contains` ignore the case of ASCII letters. */
export type Comparison =
  | { readonly is: string | number }
  | { readonly same: string }
  | { readonly contains: string }
  | { readonly compare: '>' | '>=' | '<' | '<='; readonly to: number }
  | { readonly isNull: true }

export type SearchClause = {
  readonly operand: Operand
  readonly comparison: Comparison
  readonly isNegated: boolean
}

/** The clauses of a search: all of them or any of them have to be met. */
export type Search = { readonly joined: 'and' | 'or'; readonly clauses: readonly SearchClause[] }

/** Values that are computed from small columns. */
const COMPUTED = {
  'always null': 'null',
  'charge is disputed': 'charge.dispute is not null',
  'charge is refunded': "charge.status = 'succeeded' and charge.amount_refunded = charge.amount",
  'intent status': `iif(payment_intent.payment_method is null and payment_intent.status = 'requires_confirmation',
    'requires_payment_method', payment_intent.status)`,
  'price type': "iif(price.recurring is null, 'one_time', 'recurring')",
} as const

/** Values in the JSON of a customer, or of the payment method of a charge. A search parses the JSON once for each row and value. */
const NESTED = {
  'billing postal_code': {
    table: 'payment_method',
    column: 'billing_details',
    path: '$.address.postal_code',
  },
  'customer phone': { table: 'customer', column: 'contact', path: '$.phone' },
  'card brand': { table: 'payment_method', column: 'card', path: '$.brand' },
  'card exp_month': { table: 'payment_method', column: 'card', path: '$.exp_month' },
  'card exp_year': { table: 'payment_method', column: 'card', path: '$.exp_year' },
  'card fingerprint': { table: 'payment_method', column: 'card', path: '$.fingerprint' },
  'card last4': { table: 'payment_method', column: 'card', path: '$.last4' },
} as const
type Nested = keyof typeof NESTED

/** Columns with an index of their own, by which a search finds objects without reading all of the merchant. */
const INDEXED: { readonly [K in StoredKind]?: readonly string[] } = {
  customer: ['email'],
  subscription: ['customer'],
  invoice: ['customer', 'subscription'],
  price: ['lookup_key', 'product'],
  charge: ['customer'],
  payment_intent: ['customer'],
}

type Bounds = { readonly isAbove: boolean; readonly isBelow: boolean }

/** A search as SQL, and the values of its clauses. It also takes the values `merchant`, `above`, `below` and `places`. */
export type SearchQuery = {
  readonly query: RawBuilder<object>
  readonly values: Readonly<Record<string, unknown>>
}

/** Builds the query for the seqs of a merchant's objects that a search finds, newest first. */
export function searchQuery(kind: StoredKind, search: Search, bounds: Bounds, limit: number): SearchQuery {
  const { where, values } = conditionsOf(kind, search, bounds)
  const seq = sql.ref(`${kind}.seq`)
  const query = sql<object>`select ${seq} from ${sql.table(kind)} ${joinsOf(search)} where ${where}
    order by ${seq} desc limit ${literal(limit)}`
  return { query, values }
}

/** Builds the query for the objects at the seqs `places`, newest first, up to the value `limit`, without those that are deleted. */
export function foundQuery(kind: StoredKind): RawBuilder<object> {
  const columns = Object.keys(columnsOf(kind)).map((name) => sql.ref(`${kind}.${name}`))
  return sql<object>`select ${sql.join(columns)} from ${sql.table(kind)}
    where ${sql.join([inPlaces(kind), ...present(kind)], sql` and `)}
    order by ${sql.ref(`${kind}.seq`)} desc limit ${arg('limit')}`
}

/** Builds the query that counts the objects that a search finds, up to a limit. */
export function countQuery(kind: StoredKind, search: Search, bounds: Bounds, limit: number): SearchQuery {
  const { where, values } = conditionsOf(kind, search, bounds)
  const query = sql<object>`select count(*) as count from (
    select 1 from ${sql.table(kind)} ${joinsOf(search)} where ${where} limit ${literal(limit)})`
  return { query, values }
}

/**
 * Builds the query for the seqs of the next rows that a search reads, and the sizes of what it reads in each, newest first. It takes
 * the values of the search.
 */
export function rowsQuery(kind: StoredKind, search: Search, limit: number): RawBuilder<object> {
  const seq = sql.ref(`${kind}.seq`)
  const { from, rows } = sourceOf(kind, search)
  const wheres = [rows, ...present(kind), sql`${seq} > ${arg('above')}`, sql`${seq} < ${arg('below')}`]
  const readsMethods = methodsOf(search).length > 0
  const columns = [...sizedColumns(kind, search), ...(readsMethods ? sizedColumns('payment_method') : [])]
  // Reading the length of a text does not read the text.
  const sizes = columns.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`)
  return sql<object>`select ${seq} as seq, ${sql.join(sizes, sql` + `)} as bytes
    from ${from} ${sql.join(methodsOf(search), sql` `)} where ${sql.join(wheres, sql` and `)}
    order by ${seq} desc limit ${literal(limit)}`
}

/** Lists the columns that clauses compare, and those with JSON, which SQLite reads to reach the columns behind them. */
function sizedColumns(kind: StoredKind, search?: Search): readonly string[] {
  const nested = Object.entries(columnsOf(kind)).flatMap(([name, type]) => (type === 'json' ? [name] : []))
  const compared =
    search?.clauses.flatMap(({ operand }) => ('column' in operand ? [operand.column] : [])) ?? []
  return [...new Set([...nested, ...compared])].map((name) => `${kind}.${name}`)
}

/** Returns the joins by which a search reads values in JSON, as the column `value` of a table with the name of each. */
const joinsOf = (search: Search): RawBuilder<unknown> =>
  sql.join([...methodsOf(search), ...nestedOf(search).map(joinOf)], sql` `)

function joinOf(name: Nested): RawBuilder<unknown> {
  const { table, column, path } = NESTED[name]
  return sql`left join json_each(${sql.ref(`${table}.${column}`)}, ${sql.lit(path)}) as ${sql.table(name)}`
}

/** Returns the join with the payment methods of charges, if a search reads them. */
const methodsOf = (search: Search): readonly RawBuilder<unknown>[] =>
  nestedOf(search).some((name) => NESTED[name].table === 'payment_method')
    ? [sql`left join payment_method on payment_method.id = charge.payment_method`]
    : []

const nestedOf = ({ clauses }: Search): readonly Nested[] => [
  ...new Set(clauses.flatMap(({ operand }) => ('nested' in operand ? [operand.nested] : []))),
]

/** Returns the table, with the index by which a search reads it, and the condition on the rows that it reads. */
function sourceOf(kind: StoredKind, search: Search) {
  const driving = drivingOf(kind, search)
  if (driving && isOfPlaces(driving.clause)) return { from: sql.table(kind), rows: inPlaces(kind) }
  const by = (column: string) => sql`${sql.table(kind)} indexed by ${sql.ref(`${kind}_${column}`)}`
  return driving
    ? { from: by(driving.column), rows: conditionOf(kind, driving.clause, driving.value) }
    : { from: by('merchant'), rows: sql`${sql.ref(`${kind}.merchant`)} = ${arg('merchant')}` }
}

/** A text that a search compares with a column of an index regardless of case, by the name of its value. */
export type IndexedText = { readonly column: string; readonly value: string }

/**
 * Returns the text by which a search finds its rows; undefined for other searches. The queries of such a search take the seqs of some
 * rows with the text, as the value `places`.
 */
export function indexedText(kind: StoredKind, search: Search): IndexedText | undefined {
  const driving = drivingOf(kind, search)
  return driving && isOfPlaces(driving.clause) ? driving : undefined
}

const isOfPlaces = ({ comparison }: SearchClause): boolean => 'same' in comparison

const inPlaces = (kind: StoredKind) =>
  sql`${sql.ref(`${kind}.seq`)} in (select value from json_each(${arg('places')}))`

/** Returns the condition that an object is not deleted, for a kind that can be. */
export const present = (kind: StoredKind) =>
  'deleted' in columnsOf(kind) ? [sql`${sql.ref(`${kind}.deleted`)} = 0`] : []

const named = (clauses: readonly SearchClause[]) =>
  clauses.map((clause, index) => ({ clause, value: `clause ${index}` }))

/** Returns the clause by whose index a search finds its rows; undefined if it reads the rows of the merchant. */
function drivingOf(kind: StoredKind, { joined, clauses }: Search) {
  const found = joined === 'and' ? named(clauses).find(({ clause }) => hasIndex(kind, clause)) : undefined
  return found && 'column' in found.clause.operand
    ? { ...found, column: found.clause.operand.column }
    : undefined
}

function conditionsOf(kind: StoredKind, search: Search, bounds: Bounds) {
  const { joined } = search
  const built = named(search.clauses)
  const parts = built.map(({ clause, value }) => sql`(${conditionOf(kind, clause, value)})`)
  const driving = drivingOf(kind, search)
  const seq = sql.ref(`${kind}.seq`)
  // The unary plus disables the index of all objects of the merchant where another one selects fewer.
  const merchant = sql`${driving ? sql`+` : sql``}${sql.ref(`${kind}.merchant`)} = ${arg('merchant')}`
  const wheres = [
    ...(driving && isOfPlaces(driving.clause) ? [inPlaces(kind)] : []),
    merchant,
    ...present(kind),
    sql`(${sql.join(parts, joined === 'and' ? sql` and ` : sql` or `)})`,
    ...(bounds.isAbove ? [sql`${seq} > ${arg('above')}`] : []),
    ...(bounds.isBelow ? [sql`${seq} < ${arg('below')}`] : []),
  ]
  const values = Object.fromEntries(built.flatMap(({ clause, value }) => valuesOf(clause, value)))
  return { where: sql.join(wheres, sql` and `), values }
}

const hasIndex = (kind: StoredKind, { operand, comparison, isNegated }: SearchClause): boolean =>
  !isNegated &&
  ('is' in comparison || 'same' in comparison) &&
  'column' in operand &&
  (INDEXED[kind] ?? []).includes(operand.column)

function conditionOf(
  kind: StoredKind,
  { operand, comparison, isNegated }: SearchClause,
  value: string,
): RawBuilder<unknown> {
  const met =
    'metadata' in operand
      ? metadataCondition(kind, comparison, value)
      : compared(expressionOf(kind, operand), comparison, value)
  // A comparison with null is neither true nor false.
  return isNegated ? sql`(${met}) is not true` : met
}

function expressionOf(
  kind: StoredKind,
  operand: Exclude<Operand, { metadata: string }>,
): RawBuilder<unknown> {
  if ('column' in operand) return sql.ref(`${kind}.${operand.column}`)
  return 'nested' in operand
    ? sql.ref(`${operand.nested}.value`)
    : sql`(${sql.raw(COMPUTED[operand.computed])})`
}

function compared(
  expression: RawBuilder<unknown>,
  comparison: Comparison,
  value: string,
): RawBuilder<unknown> {
  if ('isNull' in comparison) return sql`${expression} is null`
  if ('contains' in comparison) return contains(expression, arg(value))
  if ('compare' in comparison) return sql`${expression} ${sql.raw(comparison.compare)} ${arg(value)}`
  return sql`${expression} = ${arg(value)}${'same' in comparison ? sql` collate nocase` : sql``}`
}

/**
 * Compares the value of a key. The text of the metadata is searched for the value or the key first, which is quicker than to
 * parse it.
 */
function metadataCondition(kind: StoredKind, comparison: Comparison, value: string): RawBuilder<unknown> {
  const metadata = sql.ref(`${kind}.metadata`)
  const pair = (condition: RawBuilder<unknown>) =>
    sql`${contains(metadata, arg(`${value} text`))} and exists (select 1 from json_each(${metadata}) as pair
      where pair.key = ${arg(`${value} key`)} and ${condition})`
  return 'isNull' in comparison
    ? sql`not (${pair(sql`true`)})`
    : pair(compared(sql`pair.value`, comparison, value))
}

/** Returns a text that metadata which meets a comparison contains, as it is written in JSON. */
function textIn(key: string, comparison: Comparison): string {
  if ('contains' in comparison) return JSON.stringify(comparison.contains).slice(1, -1)
  return JSON.stringify('same' in comparison ? comparison.same : key)
}

/** Returns the values of a clause by the names of its arguments. */
function valuesOf({ operand, comparison }: SearchClause, name: string): [string, unknown][] {
  const key = 'metadata' in operand ? operand.metadata : undefined
  const keys: [string, unknown][] =
    key === undefined
      ? []
      : [
          [`${name} text`, textIn(key, comparison)],
          [`${name} key`, key],
        ]
  if ('isNull' in comparison) return keys
  if ('contains' in comparison) return [...keys, [name, comparison.contains]]
  if ('compare' in comparison) return [...keys, [name, comparison.to]]
  return [...keys, [name, 'is' in comparison ? comparison.is : comparison.same]]
}
