import type { Kind, Objects } from '../core/change.ts'
import { COLUMNS } from './columns.ts'

type Field = { readonly name: string; readonly type: 'integer' | 'text' | 'boolean' | 'json' }

const FIELDS: Readonly<Record<string, readonly Field[]>> = Object.fromEntries(
  Object.entries(COLUMNS).map(([kind, columns]) => [
    kind,
    Object.entries(columns).map(([name, type]) => ({ name, type })),
  ]),
)

/** The fields of a kind, which are its columns. */
export const fieldsOf = (kind: Kind): readonly Field[] => FIELDS[kind] ?? []

const asRecord = (object: object) => object as Readonly<Record<string, unknown>>

function encodeField({ type }: Field, value: unknown): unknown {
  if (value === null) return null
  if (type === 'boolean') return value ? 1 : 0
  return type === 'json' ? JSON.stringify(value) : value
}

function decodeField({ type }: Field, value: unknown): unknown {
  if (type === 'boolean') return value === 1
  return type === 'json' && value !== null ? JSON.parse(value as string) : value
}

/** Objects without values, by kind. Copies of one all have one shape, which is what makes it fast to read and write them. */
const BLANKS: Readonly<Record<string, object>> = Object.fromEntries(
  Object.entries(FIELDS).map(([kind, fields]) => [
    kind,
    Object.fromEntries(fields.map(({ name }) => [name, null])),
  ]),
)

/** An object out of the values of its columns, in the order of its fields; what comes after them is left alone. */
export function decode<K extends Kind>(kind: K, values: readonly unknown[]): Objects[K] {
  const object: Record<string, unknown> = { ...BLANKS[kind] }
  fieldsOf(kind).forEach((field, place) => {
    object[field.name] = decodeField(field, values[place])
  })
  return object as Objects[K]
}

/** The fields in which two states of an object differ, nested values compared by content. */
export function changedFields<K extends Kind>(kind: K, before: Objects[K], after: Objects[K]): Field[] {
  return fieldsOf(kind).filter((field) => {
    const old = asRecord(before)[field.name]
    const now = asRecord(after)[field.name]
    if (old === now) return false
    return field.type !== 'json' || JSON.stringify(old) !== JSON.stringify(now)
  })
}

/** The values of some fields. */
export function pick(object: object, fields: readonly Field[]): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const { name } of fields) values[name] = asRecord(object)[name]
  return values
}

/** The values of some fields as their columns hold them, in the order of the fields. */
export const encoded = (object: object, fields: readonly Field[]): unknown[] =>
  fields.map((field) => encodeField(field, asRecord(object)[field.name]))
