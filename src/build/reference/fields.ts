import type { Examples } from '../../http/openapi/examples.ts'
import { isReference, type JsonSchema, nameOfRef, type Schemas } from '../../http/openapi/json-schema.ts'
import { entryOf } from '../../http/openapi/parts.ts'
import { asCode, asMarkdown, linkTo } from '../../text/markdown.ts'
import type { Parameter } from './document.ts'

/** Enums that are listed under a heading, and the text of links to it. */
export type LongEnums = readonly (readonly [heading: string, values: readonly unknown[], text: string])[]

/** The context in which fields and parameters are described. */
export type Context = {
  readonly schemas: Schemas
  readonly longEnums: LongEnums
  /** The parameters that are explained once for all lists. */
  readonly shared: readonly Parameter[]
  /** Recorded requests and responses, which the pages show with the daemon's URL. docs/api.md has no responses. */
  readonly examples?: Examples & { readonly url: string }
}

/** Marks a parameter as required, or a field of an object as optional. */
export type Mark = (isRequired: boolean) => string

export const MARK_PARAMETER: Mark = (isRequired) => (isRequired ? ', required' : '')
export const MARK_FIELD: Mark = (isRequired) => (isRequired ? '' : ', optional')

export const headingOfObject = (name: string): string => `The ${name} object`

/** Lists the fields of an object or a body, with nested fields below them. */
export const fieldLines = (schema: JsonSchema, context: Context, mark: Mark, depth = 0): string[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    fieldLine(name, field, context, { mark, depth, isRequired: schema.required?.includes(name) ?? false }),
  )

/** Formats a field with its nested fields. */
export function fieldLine(
  name: string,
  field: JsonSchema,
  context: Context,
  { mark, depth = 0, isRequired }: { mark: Mark; depth?: number; isRequired: boolean },
): string[] {
  const type = `${typeOf(field, context)}${mark(isRequired)}${defaultOf(field)}`
  const text = field.description === undefined ? '' : `: ${asMarkdown(field.description)}`
  const own = `${'  '.repeat(depth)}- ${asCode(name)} (${type})${text}`
  const within = objectIn(field)
  return [own, ...(within ? fieldLines(within, context, mark, depth + 1) : [])]
}

const defaultOf = ({ default: given }: JsonSchema): string =>
  given === undefined || given === null ? '' : `, default ${asCode(String(given))}`

/** Finds the object with fields in a schema: itself, an option, the entry of a list, or the value of a record. */
function objectIn(schema: JsonSchema): JsonSchema | undefined {
  if (schema.properties) return schema
  const { anyOf = [], items, additionalProperties } = schema
  const pairs = typeof additionalProperties === 'object' ? [additionalProperties] : []
  return [...anyOf, ...(items ? [items] : []), ...pairs].map(objectIn).find((found) => found !== undefined)
}

/** Describes the type of a value in words, with links to objects and with its bounds. */
export function typeOf(schema: JsonSchema, context: Context): string {
  if (isReference(schema)) return referenceType(schema, context)
  if (schema.anyOf) return either(inReadingOrder(schema.anyOf).map((option) => typeOf(option, context)))
  const name = nameOfRef(schema)
  if (name !== undefined) return componentType(name, context)
  if ('const' in schema) return schema.const === '' ? 'empty string' : literal(schema.const)
  if (schema.enum) return enumText(schema.enum, context)
  if (schema.items) return `list of ${pluralOf(typeOf(schema.items, context))}${countOf(schema)}`
  if (typeof schema.additionalProperties === 'object') return pairsOf(schema.additionalProperties, context)
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['anything'])
  const [bounded = '', ...others] = types
  return either([bounded + boundsOf(schema), ...others])
}

/** Makes a plural: `string of 1 to 9 characters` → strings of 1 to 9 characters. Links stay unchanged. */
const pluralOf = (type: string): string => type.replace(/^[a-z]+/, (word) => `${word}s`)

/** Moves the empty string, which unsets a value, to the end. */
const inReadingOrder = (options: readonly JsonSchema[]): JsonSchema[] =>
  options.toSorted((left, right) => Number(left.const === '') - Number(right.const === ''))

/** Describes an id that can be expanded. */
function referenceType({ anyOf = [] }: JsonSchema, { schemas }: Context): string {
  const names = anyOf.flatMap((option) => nameOfRef(option) ?? [])
  const isNullable = anyOf.some(({ type }) => type === 'null')
  const links = names.filter((name) => schemas[name]).map((name) => linkTo(headingOfObject(name), name))
  return `id of ${either(links)}, can be expanded${isNullable ? ', or null' : ''}`
}

/** Names a component, with a link. A list is named after its entries, a union after its options. */
function componentType(name: string, context: Context): string {
  const entry = entryOf(name, context.schemas)
  if (entry !== undefined) return `list of ${componentType(entry, context)}`
  const schema = context.schemas[name]
  if (schema?.anyOf) return either(schema.anyOf.map((option) => typeOf(option, context)))
  return schema?.properties ? linkTo(headingOfObject(name), name) : (schema?.description ?? name)
}

/** Describes an enum by its values, or by a link if they are listed elsewhere. */
function enumText(values: readonly unknown[], { longEnums }: Context): string {
  const given = values.filter((value) => value !== null)
  const found = longEnums.find(
    ([, all]) => all.length === given.length && all.every((value) => values.includes(value)),
  )
  if (!found) return either(values.map(literal))
  const [heading, , text] = found
  return `one of the ${linkTo(heading, text)}${given.length < values.length ? ', or null' : ''}`
}

const literal = (value: unknown): string =>
  value === null ? 'null' : asCode(typeof value === 'string' ? value : String(value))

/** Describes an object with arbitrary property names. */
function pairsOf(values: JsonSchema, context: Context): string {
  if (values.properties) return 'object of objects'
  return Object.keys(values).length === 0 ? 'object' : `object of ${typeOf(values, context)} values`
}

const countOf = ({ minItems, maxItems }: JsonSchema): string =>
  minItems === undefined && maxItems === undefined
    ? ''
    : `, ${range(minItems, maxItems)} ${(maxItems ?? minItems) === 1 ? 'entry' : 'entries'}`

/** Describes the bounds of a number or a string. */
function boundsOf({ minimum, maximum, minLength, maxLength, pattern }: JsonSchema): string {
  const isAnySize = minimum === undefined && maximum === undefined
  const isAnyLength = minLength === undefined && maxLength === undefined
  const isWithin = minimum !== undefined && maximum !== undefined
  const size = isAnySize ? '' : ` ${isWithin ? 'from' : 'of'} ${range(minimum, maximum)}`
  const characters = (maxLength ?? minLength) === 1 ? 'character' : 'characters'
  const length = isAnyLength ? '' : ` of ${range(minLength, maxLength)} ${characters}`
  return size + length + (pattern === undefined ? '' : ` like ${asCode(pattern)}`)
}

function range(from: number | undefined, to: number | undefined): string {
  if (to === undefined) return `at least ${from}`
  if (from === to) return String(to)
  return from === undefined ? `at most ${to}` : `${from} to ${to}`
}

const either = (options: readonly string[]): string => {
  const distinct = [...new Set(options)]
  const last = distinct.at(-1) ?? ''
  if (distinct.length < 2) return last
  const separator = distinct.some((option) => option.includes(' or ')) ? ', or ' : ' or '
  return distinct.slice(0, -1).join(', ') + separator + last
}
