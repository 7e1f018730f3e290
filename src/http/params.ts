import type * as z from 'zod'
import {
  type ApiError,
  amountInvalid,
  amountTooLarge,
  parameterInvalid,
  parameterMissing,
} from '../core/errors.ts'
import { MAX_AMOUNT } from '../core/money.ts'
import { shortened, thousands } from '../text/display.ts'
import type { Raw } from './form.ts'

export type Schema<Params> = z.ZodType<Params> & { readonly shape?: Readonly<Record<string, unknown>> }

/** Returns the name of a missing parameter that is required only with others. */
export type Requires = (raw: Raw) => string | undefined

/**
 * Checks parameters against a schema: first that all required ones are present, then types and ranges.
 * @param isForm - whether scalars are strings, to be converted to the types of the schema
 * @throws ApiError parameter_missing, parameter_invalid, amount_invalid, amount_too_large
 * See docs/contract/requests.md#parameter-errors.
 */
export function checkParams<Params>(
  schema: Schema<Params>,
  raw: Raw,
  { isForm, requires }: { isForm: boolean; requires?: Requires | undefined },
): Params {
  const given = isForm ? (coerce(schema, raw) as Raw) : raw
  const parsed = schema.safeParse(given, { error: messageOfType })
  const missing = parsed.success
    ? []
    : parsed.error.issues.filter((issue) => valueAt(given, issue.path) === undefined)
  const names = missing.map(({ path }) => nameOf(path))
  const conditional = requires?.(given)
  if (conditional) names.push(conditional)
  const [first] = inTableOrder(names, schema)
  if (first !== undefined) throw parameterMissing(first)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw issue ? refusal(issue, given) : parameterInvalid(null, 'The parameters are not valid')
}

/** Formats a path as a parameter name: `['items', 0, 'price']` → `items[0][price]`. */
export const nameOf = (path: readonly PropertyKey[]): string =>
  path.map((step, index) => (index === 0 ? String(step) : `[${String(step)}]`)).join('')

function inTableOrder(names: readonly string[], schema: Schema<unknown>): string[] {
  const order = Object.keys(schema.shape ?? {})
  const rank = (name: string) => order.indexOf(name.replace(/\[.*$/, ''))
  return names.toSorted((left, right) => rank(left) - rank(right))
}

function refusal(found: z.core.$ZodIssue, given: Raw): ApiError {
  const issue = innermost(found)
  // Every mistake within metadata has `param: "metadata"`.
  const cut = issue.path.indexOf('metadata')
  const path = cut === -1 ? issue.path : issue.path.slice(0, cut + 1)
  if (nameOf(path) === 'amount') {
    const value = valueAt(given, path)
    return issue.code === 'too_big' && typeof value === 'number' && Number.isInteger(value)
      ? amountTooLarge(`Amount must be at most ${MAX_AMOUNT}`)
      : amountInvalid()
  }
  const name = path.length === 0 ? null : nameOf(path)
  return parameterInvalid(name, `Invalid value for ${name ?? 'the parameters'}: ${messageOf(issue)}`)
}

/** Finds the most specific issue. For a union, that is the mistake within the option that has the type of the value, if any. */
export function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue
  const within = issue.errors.flatMap(([first]) => first ?? []).find((mistake) => !isOtherType(mistake))
  return within ? innermost({ ...within, path: [...issue.path, ...within.path] }) : issue
}

/** Whether an issue means that the value has another type than the option, rather than a mistake at a deeper path. */
const isOtherType = ({ code, path }: z.core.$ZodIssue): boolean =>
  path.length === 0 && (code === 'invalid_type' || code === 'invalid_value' || code === 'invalid_union')

/**
 * The message of a schema about a number or a boolean, for both encodings; undefined for other mistakes. In a form every value is a string,
 * so the type of the given one says nothing.
 */
export const messageOfType: z.core.$ZodErrorMap = ({ code, expected, inst }) => {
  if (code !== 'invalid_type') return undefined
  if (expected === 'boolean') return 'expected true or false'
  if (expected === 'int') return 'expected a whole number'
  if (expected !== 'number') return undefined
  const definition = inst?._zod.def as Definition | undefined
  return definition?.format ? 'expected a whole number' : 'expected a number'
}

/** Formats the message of a schema as the end of a sentence. */
export function messageOf(issue: z.core.$ZodIssue): string {
  const message = issue.message
    .replace(/^Invalid (input|option): /, '')
    .replace(/^Invalid input$/, 'not one of the allowed forms')
    .replace(/^expected one of .+$/, unquoted)
    .replace(BOUND, bounded)
  return message.charAt(0).toLowerCase() + message.slice(1)
}

/** The message of zod for a value beyond a bound, such as `Too small: expected array to have >=1 items`. */
const BOUND = /^Too (?:small|big): expected \w+ to (?:be|have) (<|>)=(-?\d+)(?: (character|item)s)?$/

/** Formats a bound: `expected at least 1 item`. */
const bounded = (_message: string, sign: string, bound: string, unit?: string): string =>
  `expected at ${sign === '<' ? 'most' : 'least'} ${bound}${unit === undefined ? '' : ` ${unit}${bound === '1' ? '' : 's'}`}`

/** Lists the values of an enum without quotes: `expected one of "day"|"week"` → expected one of day, week. */
const unquoted = (message: string): string => message.replace(/"(\w+)"/g, '$1').replaceAll('|', ', ')

/** Returns the value at a path; undefined if there is none. */
export function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, step) => (typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined),
    raw,
  )
}

/**
 * Returns the names of unknown parameters, nested ones as `items[0][zebra]`.
 * See docs/contract/requests.md#unknown-parameters.
 */
export function unknownParams(raw: unknown, parsed: unknown, path: readonly PropertyKey[] = []): string[] {
  // A value of any shape, such as the content of fixtures, is not copied. It has checks of its own.
  if (raw === parsed) return []
  if (typeof raw !== 'object' || raw === null || typeof parsed !== 'object' || parsed === null) return []
  return Object.keys(raw).flatMap((key) => {
    const at = [...path, key]
    return Object.hasOwn(parsed, key)
      ? unknownParams(Reflect.get(raw, key), Reflect.get(parsed, key), at)
      : [nameOf(at)]
  })
}

/** Limits for names in a header and in the log, in characters. A request can have a megabyte of names. */
const MAX_NAMES_LENGTH = 1_024
const MAX_NAME_LENGTH = 100

/** Formats names as a header value. Names that do not fit are left out. See docs/contract/requests.md#unknown-parameters. */
export const namesAsHeader = (names: readonly string[]): string =>
  firstOf(names, encodeURIComponent).join(',')

/** Formats names for the log: the first ones, and the number of others. */
export function namesForLog(names: readonly string[]): string[] {
  const first = firstOf(names, (name) => shortened(name, MAX_NAME_LENGTH))
  return first.length === names.length
    ? first
    : [...first, `… and ${thousands(names.length - first.length)} more`]
}

/** Returns the first names, formatted, that fit into MAX_NAMES_LENGTH characters. */
function firstOf(names: readonly string[], format: (name: string) => string): string[] {
  const first: string[] = []
  let length = 0
  for (const name of names) {
    const text = format(name)
    length += text.length + (first.length === 0 ? 0 : 1)
    if (length > MAX_NAMES_LENGTH) break
    first.push(text)
  }
  return first
}

type Definition = {
  readonly type: string
  /** For a number: the format of integers; absent for any number. */
  readonly format?: string
  readonly shape?: Record<string, z.core.$ZodType>
  readonly element?: z.core.$ZodType
  readonly innerType?: z.core.$ZodType
  readonly in?: z.core.$ZodType
  readonly options?: readonly z.core.$ZodType[]
  readonly valueType?: z.core.$ZodType
}

/**
 * Converts the strings of a form to the types of a schema. Integers are `-?[0-9]+`, booleans `true` and `false`. An empty
 * value is null if the parameter is nullable. Other values stay strings, which the schema then refuses.
 * See docs/contract/requests.md#bodies.
 */
export function coerce(schema: z.core.$ZodType, value: unknown): unknown {
  const definition = schema._zod.def as unknown as Definition
  const { type, shape, element, innerType, options } = definition
  if (type === 'nullable' && value === '') return null
  if (innerType) return coerce(innerType, value)
  if (type === 'pipe' && definition.in) return coerce(definition.in, value)
  if (type === 'union' && options) {
    const forms = options.map((option) => ({ option, coerced: coerce(option, value) }))
    const fitting = forms.find(({ option, coerced }) => accepts(option, coerced))
    // If no option accepts the value, the first one that converts it is used, for a precise error.
    return (fitting ?? forms.find(({ coerced }) => coerced !== value))?.coerced ?? value
  }
  if (shape && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const list = entriesOf(value)
    // A list in place of an object stays a list, which the schema refuses.
    if (list && list.length > 0) return list
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => {
        const field = Object.hasOwn(shape, key) ? shape[key] : undefined
        return [key, field ? coerce(field, child) : child]
      }),
    )
  }
  if (element) return entriesOf(value)?.map((child) => coerce(element, child)) ?? value
  if (typeof value !== 'string') return value
  if (type === 'number' && (definition.format ? /^-?[0-9]+$/ : /^-?[0-9]+(\.[0-9]+)?$/).test(value))
    return Number(value)
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

/** Returns the entries of a list. A list in a form is an object with indexes as keys. undefined for any other value. */
export function entriesOf(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value
  if (typeof value !== 'object' || value === null) return undefined
  const indexes = Object.keys(value)
  if (!indexes.every((index) => /^\d{1,6}$/.test(index))) return undefined
  return indexes.sort((left, right) => Number(left) - Number(right)).map((index) => Reflect.get(value, index))
}

const accepts = (schema: z.core.$ZodType, value: unknown): boolean =>
  (schema as z.ZodType).safeParse(value).success
