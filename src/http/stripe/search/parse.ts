import { parameterInvalid } from '../../../core/errors.ts'

/** A clause of a query, such as `-status:"active"`. */
export type Clause = {
  readonly field: string
  /** The key in brackets after the field, as in metadata["key"]; undefined without brackets. */
  readonly key: string | undefined
  readonly operator: Operator
  readonly value: Value
  readonly isNegated: boolean
}
export type Operator = ':' | '~' | '=' | '>' | '>=' | '<' | '<='
/** A value in quotes is a string. null finds objects without a value. */
type Value = string | number | boolean | null

export type Query = { readonly joined: 'and' | 'or'; readonly clauses: readonly Clause[] }

const MAX_CLAUSES = 10

const SPACES = /\s*/y
const JOIN = /\s+(AND|OR)\s+/iy
const GAP = /\s+/y
const FIELD = /[a-z_][\w.]*/iy
const KEY = /\[\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\]/sy
const OPERATOR = />=|<=|[:~=<>]/y
const TEXT = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/sy
const NUMBER = /-?\d+(?:\.\d+)?(?![\w.])/y
const WORD = /(?:null|true|false)(?![\w.])/iy

/**
 * Parses a query of Stripe's search language: clauses that are joined by AND or a space, or by OR.
 * @throws ApiError parameter_invalid, param query, with the place of the mistake
 */
export function parseQuery(text: string): Query {
  const reader = new Reader(text)
  reader.take(SPACES)
  const clauses = [clauseIn(reader)]
  let joined: Query['joined'] | undefined
  while (!reader.isAtEnd) {
    const at = reader.at
    const word = reader.take(JOIN)?.trim().toLowerCase() ?? (reader.take(GAP) ? 'and' : undefined)
    if (word === undefined) throw reader.expected('a space before the next clause')
    // Spaces at the end of the query.
    if (reader.isAtEnd && word === 'and') break
    const join = word === 'or' ? 'or' : 'and'
    if (joined !== undefined && join !== joined) throw refusal('AND and OR cannot be used in one query', at)
    joined = join
    clauses.push(clauseIn(reader))
    if (clauses.length > MAX_CLAUSES) throw refusal(`a query can have at most ${MAX_CLAUSES} clauses`, at)
  }
  return { joined: joined ?? 'and', clauses }
}

function clauseIn(reader: Reader): Clause {
  const isNegated = reader.take(/-/y) !== undefined
  const field = reader.take(FIELD)
  if (field === undefined) throw reader.expected('a field such as email')
  const brackets = reader.take(KEY)
  const operator = reader.take(OPERATOR) as Operator | undefined
  if (operator === undefined) throw reader.expected(`an operator such as : after ${field}`)
  const key = brackets && unquoted(brackets.slice(1, -1).trim())
  return { field, key, operator, value: valueIn(reader), isNegated }
}

function valueIn(reader: Reader): Value {
  const text = reader.take(TEXT)
  if (text !== undefined) return unquoted(text)
  const number = reader.take(NUMBER)
  if (number !== undefined) return Number(number)
  const word = reader.take(WORD)?.toLowerCase()
  if (word === undefined) throw reader.expected('a value: a text in quotes, a number or null')
  return word === 'null' ? null : word === 'true'
}

/** Removes the quotes around a text, and the backslashes before quotes within it. */
const unquoted = (text: string): string => text.slice(1, -1).replace(/\\(.)/gs, '$1')

/** Reads a query from its beginning to its end. */
class Reader {
  readonly #text: string
  at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.at === this.#text.length
  }

  /** Reads the text that a sticky pattern matches at the current position; undefined if it does not match. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const [found] = pattern.exec(this.#text) ?? []
    this.at += found?.length ?? 0
    return found
  }

  /** Creates the error for something that is missing at the current position. */
  expected(what: string) {
    const rest = this.#text.slice(this.at, this.at + 20)
    return refusal(`expected ${what}${rest === '' ? ', but the query ends' : `, not ${rest}`}`, this.at)
  }
}

const refusal = (why: string, at: number) =>
  parameterInvalid(
    'query',
    `We were unable to parse your search query. At character ${at + 1}: ${why}. Try using the format metadata["key"]:"value" to query for metadata or key:"value" to query for other fields.`,
  )
