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

/** An object out of its columns; the row is reused. */
export function decode<K extends Kind>(kind: K, row: object): Objects[K] {
  const values = row as Record<string, unknown>
  for (const { name, type } of fieldsOf(kind)) {
    if (type === 'boolean') values[name] = values[name] === 1
    else if (type === 'json' && values[name] !== null) values[name] = JSON.parse(values[name] as string)
  }
  return values as Objects[K]
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

/** Adds some values, as their columns hold them, to others. */
export function encodeFields(
  object: object,
  fields: readonly Field[],
  values: Record<string, unknown>,
): Record<string, unknown> {
  for (const field of fields) values[field.name] = encodeField(field, asRecord(object)[field.name])
  return values
}
