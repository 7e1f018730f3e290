import type { Raw } from '../form.ts'
import { entriesOf } from '../params.ts'

export const isRecord = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Converts each entry of a parameter that is a list, before its check. Other values are left to the check of the route. */
export function inEntries(params: Raw, name: string, convert: (entry: Raw) => Raw): Raw {
  const list = entriesOf(params[name])
  if (!list) return params
  return { ...params, [name]: list.map((entry) => (isRecord(entry) ? convert(entry) : entry)) }
}
