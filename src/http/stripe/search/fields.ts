import { parameterInvalid } from '../../../core/errors.ts'
import type { Kind } from '../../../core/kinds.ts'
import type { Comparison, Operand, Search, SearchClause } from '../../../engine/history/view.ts'
import type { Clause, Operator, Query } from './parse.ts'

/**
 * How a field is compared. A token is an id or a fixed word, and is compared exactly. A text is compared regardless of case,
 * and can be searched for a part.
 */
type FieldType = 'token' | 'text' | 'number' | 'boolean'
type Field = { readonly type: FieldType; readonly operand: Operand }

const column = (name: string, type: FieldType): Field => ({ type, operand: { column: name } })
const computed = (value: Extract<Operand, { computed: unknown }>['computed'], type: FieldType): Field => ({
  type,
  operand: { computed: value },
})
const nested = (value: Extract<Operand, { nested: unknown }>['nested'], type: FieldType): Field => ({
  type,
  operand: { nested: value },
})
/** A field that no object of paytwin has. */
const ABSENT = computed('always null', 'text')
const CREATED = { created: column('created', 'number') }
const MONEY = {
  amount: column('amount', 'number'),
  currency: column('currency', 'token'),
  customer: column('customer', 'token'),
}

/** The fields by which each kind can be searched, in addition to its metadata. */
const SEARCH_FIELDS = {
  charge: {
    ...CREATED,
    ...MONEY,
    'billing_details.address.postal_code': nested('billing postal_code', 'text'),
    disputed: computed('charge is disputed', 'boolean'),
    'payment_method_details.card.brand': nested('card brand', 'token'),
    'payment_method_details.card.exp_month': nested('card exp_month', 'number'),
    'payment_method_details.card.exp_year': nested('card exp_year', 'number'),
    'payment_method_details.card.fingerprint': nested('card fingerprint', 'token'),
    'payment_method_details.card.last4': nested('card last4', 'token'),
    refunded: computed('charge is refunded', 'boolean'),
    status: column('status', 'token'),
  },
  customer: {
    ...CREATED,
    email: column('email', 'text'),
    name: column('name', 'text'),
    phone: nested('customer phone', 'text'),
  },
  invoice: {
    ...CREATED,
    currency: column('currency', 'token'),
    customer: column('customer', 'token'),
    last_finalization_error_code: ABSENT,
    last_finalization_error_type: ABSENT,
    number: column('number', 'text'),
    receipt_number: ABSENT,
    status: column('status', 'token'),
    subscription: column('subscription', 'token'),
    total: column('total', 'number'),
  },
  payment_intent: { ...CREATED, ...MONEY, status: computed('intent status', 'token') },
  price: {
    active: column('active', 'boolean'),
    currency: column('currency', 'token'),
    lookup_key: column('lookup_key', 'text'),
    product: column('product', 'token'),
    type: computed('price type', 'token'),
  },
  product: {
    active: column('active', 'boolean'),
    description: column('description', 'text'),
    name: column('name', 'text'),
    shippable: ABSENT,
    url: ABSENT,
  },
  subscription: {
    ...CREATED,
    canceled_at: column('canceled_at', 'number'),
    status: column('status', 'token'),
  },
} as const satisfies { readonly [K in Kind]?: Readonly<Record<string, Field>> }
export type SearchableKind = keyof typeof SEARCH_FIELDS

const OPERATORS: Readonly<Record<FieldType, readonly Operator[]>> = {
  token: [':'],
  text: [':', '~'],
  number: [':', '=', '>', '>=', '<', '<='],
  boolean: [':'],
}
/** The minimum length of a searched part of a text. */
const MIN_PART_LENGTH = 3
/** paytwin: the maximum length of a searched part. Long parts of repeated characters take long to find. */
const MAX_PART_LENGTH = 200

/**
 * Converts a query to a search of a kind.
 * @param resource - the name of the kind in paths, for messages
 * @throws ApiError parameter_invalid, param query, for an unknown field, or an operator or value that does not suit it
 */
export const asSearch = (kind: SearchableKind, resource: string, query: Query): Search => ({
  joined: query.joined,
  clauses: query.clauses.map((clause) => asClause(kind, resource, clause)),
})

function asClause(kind: SearchableKind, resource: string, clause: Clause): SearchClause {
  const { type, operand } = fieldOf(kind, resource, clause)
  const { isNegated } = clause
  if (!OPERATORS[type].includes(clause.operator))
    throw refuse(
      clause,
      `does not support the operator ${clause.operator}. It supports ${OPERATORS[type].join(' ')}`,
    )
  return { operand, isNegated, comparison: comparisonOf(clause, type) }
}

function fieldOf(kind: SearchableKind, resource: string, { field, key }: Clause): Field {
  if (field === 'metadata' && key !== undefined) return { type: 'text', operand: { metadata: key } }
  const fields: Readonly<Record<string, Field>> = SEARCH_FIELDS[kind]
  const found = key === undefined && Object.hasOwn(fields, field) ? fields[field] : undefined
  if (found) return found
  const known = [...Object.keys(fields), 'metadata["key"]'].join(', ')
  throw parameterInvalid(
    'query',
    `Field \`${field}\` is an unsupported search field for resource \`${resource}\`. Supported fields: ${known}.`,
  )
}

function comparisonOf(clause: Clause, type: FieldType): Comparison {
  const { operator, value } = clause
  if (value === null) {
    if (operator !== ':') throw refuse(clause, 'can be compared with null only by the operator :')
    return { isNull: true }
  }
  if (type === 'number') {
    const number = typeof value === 'boolean' || value === '' ? Number.NaN : Number(value)
    if (Number.isNaN(number)) throw refuse(clause, 'needs a number')
    return operator === ':' || operator === '=' || operator === '~'
      ? { is: number }
      : { compare: operator, to: number }
  }
  if (type === 'boolean') {
    const word = String(value).toLowerCase()
    if (word !== 'true' && word !== 'false') throw refuse(clause, 'needs true or false')
    return { is: word === 'true' ? 1 : 0 }
  }
  if (typeof value !== 'string') throw refuse(clause, 'needs a text in quotes, or null')
  if (operator !== '~') return type === 'token' ? { is: value } : { same: value }
  if (value.length < MIN_PART_LENGTH)
    throw refuse(clause, `needs at least ${MIN_PART_LENGTH} characters after the operator ~`)
  if (value.length > MAX_PART_LENGTH)
    throw refuse(clause, `takes at most ${MAX_PART_LENGTH} characters after the operator ~`)
  return { contains: value }
}

const refuse = ({ field }: Clause, why: string) => parameterInvalid('query', `The field \`${field}\` ${why}.`)
