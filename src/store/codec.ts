import { deferredLength, deferValue, hasSameDeferred } from '../core/deferred-value.ts'
import { assert } from '../core/errors.ts'
import { isSameJson } from '../core/json-text.ts'
import { columnsOf, privateFieldsOf } from './columns.ts'
import { Recent } from './recent.ts'
import type { StoredKind, StoredObjects } from './stored-kind.ts'

type Field = { readonly name: string; readonly type: 'integer' | 'text' | 'boolean' | 'json' }

/** The maximum size of a nested value that is read together with those of many objects, in bytes. */
export const MAX_NESTED = 8 * 1024

/** What a larger nested value is read as, if it is left out. Others are texts or null. */
export const LEFT_OUT = 0

/** The set of fields in which two states of an object differ. */
export type FieldSet = {
  readonly fields: readonly Field[]
  /** The names of the fields, separated by spaces. */
  readonly name: string
  /** Encodes the values of the fields for their columns, in the order of the fields. */
  readonly encode: (object: object) => unknown[]
  /** Formats the public fields of the set as JSON; null when it has none. */
  readonly publicText: ((object: object) => string) | null
}

/** Reads, writes and compares the objects of one kind. */
export type Codec<T> = {
  /** The fields of the kind, which are its columns. */
  readonly fields: readonly Field[]
  /** Creates an object from the values of its columns, in the order of `fields`. Further values are ignored. */
  readonly decode: (values: readonly unknown[]) => T
  /** Does the same if nested values are parsed already. */
  readonly decodeParsed: (values: readonly unknown[]) => T
  /** Whether a large nested value was left out of the values of the columns: see `LEFT_OUT`. */
  readonly hasLeftOut: (values: readonly unknown[]) => boolean
  /** Returns the length of the nested values of an object as JSON, from the values of its columns. */
  readonly nestedLength: (values: readonly unknown[]) => number
  /** Encodes the values of all columns, in the order of `fields`. */
  readonly encode: (object: T) => unknown[]
  /** Compares two states, or some fields of them; nested values are compared by content. */
  readonly changes: (before: Partial<T>, after: Partial<T>) => FieldSet
  /** Formats the public fields that can change as JSON. */
  readonly publicState: (object: T) => string
}

const codecs: { [K in StoredKind]?: Codec<StoredObjects[K]> } = {}

/** Returns the codec of a kind. It is compiled at its first use, because a start needs few of them. */
export function codecOf<K extends StoredKind>(kind: K): Codec<StoredObjects[K]> {
  const cached: Codec<StoredObjects[K]> | undefined = codecs[kind]
  if (cached) return cached
  const made = makeCodec(kind)
  Object.assign(codecs, { [kind]: made })
  return made
}

/** Returns the names of the fields whose values are stored as JSON. */
export const nestedOf = (kind: StoredKind): readonly string[] =>
  codecOf(kind).fields.flatMap(({ name, type }) => (type === 'json' ? [name] : []))

const PLAIN_NAME = /^[a-z_]+$/

/**
 * The sets of changed fields of a kind that are kept: the last used ones, and at most twice as many. A set takes some 20 kB with
 * the statement that writes it, and clients can change thousands of different sets. Random histories of billing change some 100
 * sets of a subscription, and fewer of other kinds.
 */
const SETS_KEPT = 128

/** Fields that never change. */
const CONSTANT_FIELDS: readonly string[] = ['id', 'created']

/**
 * Compiles the codec of a kind from source text that names each field. A loop over field names is ten times slower,
 * because V8 cannot infer the shape of its objects. All names come from `columns/`.
 */
function makeCodec<K extends StoredKind>(kind: K): Codec<StoredObjects[K]> {
  const fields = Object.entries(columnsOf(kind)).map(([name, type]): Field => {
    assert(PLAIN_NAME.test(name), `${name} is safe in source text`)
    return { name, type }
  })
  const differing = compile<(before: object, after: object) => number>(
    '{ isSame, deferredLength, hasSameDeferred }',
    `return (before, after) => {
      const isDeferred = deferredLength(after) !== undefined
      let set = 0; ${fields.map(compareSource).join(' ')} return set
    }`,
    { isSame: isSameJson, deferredLength, hasSameDeferred },
  )
  const isPublic = ({ name }: Field) => !privateFieldsOf(kind).includes(name)
  const variable = fields.filter(({ name }) => !CONSTANT_FIELDS.includes(name))
  const sets = new Recent<FieldSet, number>(SETS_KEPT)
  return {
    fields,
    decode: decoderOf(fields),
    decodeParsed: decoderOf(
      fields.map((field) => (field.type === 'json' ? { ...field, type: 'text' } : field)),
    ),
    hasLeftOut: leftOutOf(fields),
    nestedLength: nestedLengthOf(fields),
    encode: encoderOf(fields),
    publicState: publicTextOf(variable.filter(isPublic)),
    changes: (before, after) => {
      const number = differing(before, after)
      let set = sets.get(number)
      if (!set) {
        set = fieldSetOf(
          fields.filter((_, place) => Math.floor(number / 2 ** place) % 2 === 1),
          isPublic,
        )
        sets.set(number, set)
      }
      return set
    },
  }
}

function fieldSetOf(fields: readonly Field[], isPublic: (field: Field) => boolean): FieldSet {
  const shown = fields.filter(isPublic)
  return {
    fields,
    name: fields.map(({ name }) => name).join(' '),
    encode: encoderOf(fields),
    publicText: shown.length === 0 ? null : publicTextOf(shown),
  }
}

function publicTextOf(fields: readonly Field[]): (object: object) => string {
  const source = fields.map(({ name }) => `${name}: object.${name}`).join(', ')
  return compile('write', `return (object) => write({ ${source} })`, JSON.stringify)
}

const decoderOf = <T>(fields: readonly Field[]): ((values: readonly unknown[]) => T) => {
  const deferred = nestedNames(fields).map(
    ([name, place]) =>
      `if (values[${place}]?.length > ${MAX_NESTED}) defer(object, '${name}', values[${place}], parse)`,
  )
  const made = `const object = { ${fields.map(decodeSource).join(', ')} }`
  return compile(
    '{ parse, defer }',
    `return (values) => { ${made}; ${deferred.join('; ')}; return object }`,
    {
      parse,
      defer: deferValue,
    },
  )
}

const leftOutOf = (fields: readonly Field[]): ((values: readonly unknown[]) => boolean) =>
  compile(
    'mark',
    `return (values) => ${['false', ...nestedSource(fields, ' === mark')].join(' || ')}`,
    LEFT_OUT,
  )

const nestedLengthOf = (fields: readonly Field[]): ((values: readonly unknown[]) => number) =>
  compile('absent', `return (values) => ${['0', ...nestedSource(fields, '?.length ?? 0')].join(' + ')}`, null)

/** Writes an expression for the value of each nested field. */
const nestedSource = (fields: readonly Field[], operation: string): string[] =>
  nestedNames(fields).map(([, place]) => `(values[${place}]${operation})`)

/** Lists the nested fields with their places. */
const nestedNames = (fields: readonly Field[]): (readonly [name: string, place: number])[] =>
  fields.flatMap(({ name, type }, place) => (type === 'json' ? [[name, place] as const] : []))

const encoderOf = (fields: readonly Field[]): ((object: object) => unknown[]) =>
  compile('write', `return (object) => [${fields.map(encodeSource).join(', ')}]`, JSON.stringify)

/** Compiles source text that returns a function; the text can use one value by its name. */
const compile = <F>(name: string, source: string, value: unknown): F => new Function(name, source)(value) as F

const decodeSource = ({ name, type }: Field, place: number): string => {
  const value = `values[${place}]`
  if (type === 'boolean') return `${name}: ${value} === 1`
  return `${name}: ${type === 'json' ? `${value} === null || ${value}.length > ${MAX_NESTED} ? null : parse(${value})` : value}`
}

const encodeSource = ({ name, type }: Field): string => {
  const value = `object.${name}`
  if (type === 'boolean') return `${value} === null ? null : ${value} ? 1 : 0`
  return type === 'json' ? `${value} === null ? null : write(${value})` : value
}

/**
 * Adds a power of two for a field that differs. A number holds 53 of them exactly, an integer for bit operations only
 * 31.
 */
const compareSource = ({ name, type }: Field, place: number): string => {
  const [before, after] = [`before.${name}`, `after.${name}`]
  const isCopied = `isDeferred && hasSameDeferred(before, after, '${name}')`
  const isDifferent = `${before} !== ${after}`
  const condition =
    type === 'json' ? `!(${isCopied}) && ${isDifferent} && !isSame(${before}, ${after})` : isDifferent
  return `if (${condition}) set += ${2 ** place};`
}

/** Decodes the value of one column. */
export const decodeValue = (type: Field['type'], value: unknown): unknown => {
  if (type === 'boolean') return value === 1
  return type === 'json' && value !== null ? parse(String(value)) : value
}

/** Parses JSON; empty metadata and empty lists, the most common values, need no parser. */
const parse = (text: string): unknown => (text === '{}' ? {} : text === '[]' ? [] : JSON.parse(text))
