import { asCode, asMarkdown, linkTo } from '../../text/markdown.ts'
import { isReference, type JsonSchema, nameOfRef, type Schemas } from '../openapi/json-schema.ts'
import { entryOf, type Parameter } from './document.ts'

/** Lists of words that many fields have, and the heading under which they stand. */
export type Words = readonly (readonly [heading: string, words: readonly unknown[], text: string])[]

/** What has to be known to say what a field or a parameter is. */
export type Around = {
  readonly schemas: Schemas
  readonly words: Words
  /** The parameters that are explained with all lists. */
  readonly shared: readonly Parameter[]
}

/** What is said of a field in a word: of a parameter that it is required, of an object's that it can be absent. */
export type Mark = (isRequired: boolean) => string

export const MARK_PARAMETER: Mark = (isRequired) => (isRequired ? ', required' : '')
export const MARK_FIELD: Mark = (isRequired) => (isRequired ? '' : ', not always there')

export const headingOfObject = (name: string): string => `The ${name} object`

/** The fields of an object or of a body, one a line, those within fields below them. */
export const fieldLines = (schema: JsonSchema, around: Around, mark: Mark, depth = 0): string[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    fieldLine(name, field, around, { mark, depth, isRequired: schema.required?.includes(name) ?? false }),
  )

/** A field, and what is within it. */
export function fieldLine(
  name: string,
  field: JsonSchema,
  around: Around,
  { mark, depth = 0, isRequired }: { mark: Mark; depth?: number; isRequired: boolean },
): string[] {
  const type = `${typeOf(field, around)}${mark(isRequired)}${defaultOf(field)}`
  const text = field.description === undefined ? '' : `: ${asMarkdown(field.description)}`
  const own = `${'  '.repeat(depth)}- ${asCode(name)} (${type})${text}`
  const within = objectIn(field)
  return [own, ...(within ? fieldLines(within, around, mark, depth + 1) : [])]
}

const defaultOf = ({ default: given }: JsonSchema): string =>
  given === undefined || given === null ? '' : `, default ${asCode(String(given))}`

/** What has fields: the value itself, one of what it may be, an entry of a list, or a value of pairs. */
function objectIn(schema: JsonSchema): JsonSchema | undefined {
  if (schema.properties) return schema
  const { anyOf = [], items, additionalProperties } = schema
  const pairs = typeof additionalProperties === 'object' ? [additionalProperties] : []
  return [...anyOf, ...(items ? [items] : []), ...pairs].map(objectIn).find((found) => found !== undefined)
}

/** What a value may be, in words: with links to objects, and with the bounds that are checked. */
export function typeOf(schema: JsonSchema, around: Around): string {
  if (isReference(schema)) return referenceType(schema, around)
  if (schema.anyOf) return either(inReadingOrder(schema.anyOf).map((option) => typeOf(option, around)))
  const name = nameOfRef(schema)
  if (name !== undefined) return componentType(name, around)
  if ('const' in schema) return schema.const === '' ? 'empty text' : literal(schema.const)
  if (schema.enum) return wordsOf(schema.enum, around)
  if (schema.items) return `list of ${severalOf(typeOf(schema.items, around))}${countOf(schema)}`
  if (typeof schema.additionalProperties === 'object') return pairsOf(schema.additionalProperties, around)
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['anything'])
  const [bounded = '', ...others] = types
  return either([bounded + boundsOf(schema), ...others])
}

/** `string of 1 to 9 characters` → strings of 1 to 9 characters; what is linked keeps its name. */
const severalOf = (type: string): string => type.replace(/^[a-z]+/, (word) => `${word}s`)

/** What unsets a value is said last. */
const inReadingOrder = (options: readonly JsonSchema[]): JsonSchema[] =>
  options.toSorted((left, right) => Number(left.const === '') - Number(right.const === ''))

/** An id, and what can be shown in its place. */
function referenceType({ anyOf = [] }: JsonSchema, { schemas }: Around): string {
  const names = anyOf.flatMap((option) => nameOfRef(option) ?? [])
  const isNullable = anyOf.some(({ type }) => type === 'null')
  const links = names.filter((name) => schemas[name]).map((name) => linkTo(headingOfObject(name), name))
  return `id of ${either(links)}, can be expanded${isNullable ? ', or null' : ''}`
}

/** A component, linked to where it is explained. A list is called by what it lists, a choice by what may be chosen. */
function componentType(name: string, around: Around): string {
  const entry = entryOf(name, around.schemas)
  if (entry !== undefined) return `list of ${componentType(entry, around)}`
  const schema = around.schemas[name]
  if (schema?.anyOf) return either(schema.anyOf.map((option) => typeOf(option, around)))
  return schema?.properties ? linkTo(headingOfObject(name), name) : (schema?.description ?? name)
}

/** One of some words; a list of them that stands elsewhere is only named. */
function wordsOf(words: readonly unknown[], { words: known }: Around): string {
  const given = words.filter((word) => word !== null)
  const found = known.find(
    ([, all]) => all.length === given.length && all.every((word) => words.includes(word)),
  )
  if (!found) return either(words.map(literal))
  const [heading, , text] = found
  return `one of the ${linkTo(heading, text)}${given.length < words.length ? ', or null' : ''}`
}

const literal = (value: unknown): string =>
  value === null ? 'null' : asCode(typeof value === 'string' ? value : String(value))

/** An object whose names are free. */
function pairsOf(values: JsonSchema, around: Around): string {
  if (values.properties) return 'object of objects'
  return Object.keys(values).length === 0 ? 'object' : `object of ${typeOf(values, around)} values`
}

const countOf = ({ minItems, maxItems }: JsonSchema): string =>
  minItems === undefined && maxItems === undefined
    ? ''
    : `, ${range(minItems, maxItems)} ${(maxItems ?? minItems) === 1 ? 'entry' : 'entries'}`

/** What a number or a text is held to. */
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
