import { type RawBuilder, sql } from 'kysely'
import type { Kind } from '../core/change.ts'
import { assert } from '../core/errors.ts'
import type { CreatedBound } from './blocks.ts'
import { COLUMNS } from './columns.ts'
import { arg, literal } from './statements.ts'

/**
 * A condition of a list on a field of its table. Numbers and the values of `isNot` and `isEither` are part of the SQL.
 */
export type Filter =
  | { readonly field: string; readonly is: string | number | null }
  | { readonly field: string; readonly isNot: string }
  | { readonly field: string; readonly isNull: boolean }
  | { readonly field: string; readonly isEither: readonly string[] }
  | { readonly field: string; readonly isIn: readonly string[] }
  | ({ readonly field: 'created' } & CreatedBound)
  | { readonly holdsPrice: string }

/** The index with which a list is read if it has a condition, and further ones if given; `*` applies to every list. */
type IndexChoice = { readonly condition: string; readonly and?: readonly string[]; readonly index: string }

/**
 * The index choices of each kind, the most selective first. The first choice whose condition a list has is taken. The
 * planner has no statistics; it would read all rows of a merchant to avoid sorting a page. Each of these indexes has
 * its rows in the order of lists.
 */
const INDEX_CHOICES: { readonly [K in Kind]: readonly IndexChoice[] } = {
  customer: [
    { condition: 'email =', index: 'customer_email' },
    { condition: 'test_clock =', index: 'customer_test_clock' },
    { condition: 'invoice_prefix =', index: 'customer_prefix' },
    { condition: 'deleted = 0', index: 'customer_merchant' },
  ],
  product: [
    { condition: 'active = 0', index: 'product_active' },
    { condition: 'active = 1', index: 'product_active' },
    { condition: '*', index: 'product_merchant' },
  ],
  price: [
    { condition: 'lookup_key =', index: 'price_lookup_key' },
    { condition: 'lookup_key in', index: 'price_lookup_key' },
    { condition: 'product =', index: 'price_product' },
    { condition: 'active = 0', index: 'price_active' },
    { condition: 'currency =', index: 'price_currency' },
    { condition: 'active = 1', index: 'price_active' },
    { condition: '*', index: 'price_merchant' },
  ],
  payment_method: [
    { condition: 'customer =', index: 'payment_method_customer' },
    { condition: 'type =', index: 'payment_method_type' },
    { condition: '*', index: 'payment_method_merchant' },
  ],
  subscription: [
    { condition: 'customer =', index: 'subscription_customer' },
    { condition: 'holds price', index: 'price_use' },
    { condition: 'status =', index: 'subscription_status' },
    { condition: 'collection_method =', index: 'subscription_collection' },
    { condition: "status either 'canceled', 'incomplete_expired'", index: 'subscription_ended' },
    { condition: "status not 'canceled'", index: 'subscription_present' },
    { condition: '*', index: 'subscription_merchant' },
  ],
  invoice: [
    { condition: 'subscription =', index: 'invoice_subscription' },
    { condition: 'customer =', index: 'invoice_customer' },
    { condition: 'status =', index: 'invoice_status' },
    { condition: 'deleted = 0', index: 'invoice_merchant' },
  ],
  payment_intent: [
    { condition: 'customer =', index: 'payment_intent_customer' },
    { condition: '*', index: 'payment_intent_merchant' },
  ],
  charge: [
    { condition: 'payment_intent =', index: 'charge_payment_intent' },
    { condition: 'customer =', index: 'charge_customer' },
    { condition: '*', index: 'charge_merchant' },
  ],
  refund: [
    { condition: 'charge =', index: 'refund_charge' },
    { condition: 'payment_intent =', index: 'refund_payment_intent' },
    { condition: '*', index: 'refund_merchant' },
  ],
  invoice_item: [
    { condition: 'invoice =', index: 'invoice_item_invoice' },
    { condition: 'invoice is null', and: ['customer =', 'currency ='], index: 'invoice_item_to_bill' },
    { condition: 'invoice is null', and: ['customer ='], index: 'invoice_item_waiting' },
    { condition: 'invoice is null', index: 'invoice_item_pending' },
    { condition: 'customer =', index: 'invoice_item_customer' },
    { condition: 'deleted = 0', index: 'invoice_item_merchant' },
  ],
  webhook_endpoint: [{ condition: 'deleted = 0', index: 'webhook_endpoint_merchant' }],
  webhook_delivery: [{ condition: 'endpoint =', index: 'webhook_delivery_endpoint' }],
}

/** The shape of a page: whether it has bounds (both exclusive), its order and its size. */
export type PageShape = {
  readonly isAbove: boolean
  readonly isBelow: boolean
  readonly order: 'newest first' | 'oldest first'
  readonly limit: number
}

/** A list as one statement, and the values of its conditions. */
export type ListQuery = {
  readonly name: string
  /** Builds the query. It is called only for a new name, which is quicker to build than the query. */
  readonly query: () => RawBuilder<object>
  readonly values: Readonly<Record<string, unknown>>
}

/** Builds the query for a page of a merchant's objects. It also takes the values `merchant`, `above` and `below`. */
export function listQuery(kind: Kind, filters: readonly Filter[], shape: PageShape): ListQuery {
  const conditions = filters.map((filter, index) => conditionOf(kind, filter, `filter ${index}`))
  const has = (condition: string) => condition === '*' || conditions.some(({ name }) => name === condition)
  const choice = INDEX_CHOICES[kind].find(({ condition, and = [] }) => [condition, ...and].every(has))
  assert(choice, `an index lists ${kind} by ${conditions.map(({ name }) => name).join(', ')}`)
  return {
    name: ['list', kind, ...conditions.map(({ name }) => name), ...Object.values(shape)].join(' '),
    query: () => queryOf(kind, conditions, choice, shape),
    values: Object.fromEntries(conditions.map(({ value, given }) => [value, given])),
  }
}

function queryOf(
  kind: Kind,
  conditions: readonly Condition[],
  choice: IndexChoice,
  shape: PageShape,
): RawBuilder<object> {
  const isByPrice = choice.index === 'price_use'
  const place = isByPrice ? sql.ref('price_use.subscription') : sql.ref(`${kind}.seq`)
  // price_use has one row for each subscription with a price.
  const source = isByPrice
    ? sql`price_use cross join subscription on subscription.seq = price_use.subscription`
    : sql`${sql.table(kind)} indexed by ${sql.ref(choice.index)}`
  const wheres = [
    sql`${sql.ref(isByPrice ? 'price_use.merchant' : `${kind}.merchant`)} = ${arg('merchant')}`,
    ...conditions.map(({ name, value, expression }) =>
      isByPrice && name === 'holds price' ? sql`price_use.price = ${arg(value)}` : expression(),
    ),
    ...(shape.isAbove ? [sql`${place} > ${arg('above')}`] : []),
    ...(shape.isBelow ? [sql`${place} < ${arg('below')}`] : []),
  ]
  const columns = Object.keys(COLUMNS[kind]).map((name) => sql.ref(`${kind}.${name}`))
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

function conditionOf(kind: Kind, filter: Filter, value: string): Condition {
  if ('holdsPrice' in filter) {
    const holds = () => sql`exists (select 1 from price_use where price_use.merchant = subscription.merchant
      and price_use.price = ${arg(value)} and price_use.subscription = subscription.seq)`
    return { name: 'holds price', value, given: filter.holdsPrice, expression: holds }
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
  if (filter.is === null) return named('is null', () => sql`${field()} is null`)
  return typeof filter.is === 'number'
    ? named(`= ${filter.is}`, () => sql`${field()} = ${sql.lit(filter.is)}`)
    : named('=', () => sql`${field()} = ${arg(value)}`, filter.is)
}
