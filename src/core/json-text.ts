/**
 * The maximum length of the entries of a page as JSON, in characters. One entry is always shown. Presenting and writing a page takes
 * one step of the daemon, in which it answers no other request. See docs/contract/requests.md#lists.
 */
export const MAX_PAGE_LENGTH = 4 * 1024 * 1024

/** Estimates the length of a value as JSON, in characters, without writing it. Escape sequences are not counted. */
export function jsonLength(value: unknown): number {
  if (typeof value === 'string') return value.length + 3
  if (typeof value !== 'object' || value === null) return 8
  let length = 2
  if (Array.isArray(value)) {
    for (const entry of value) length += jsonLength(entry)
    return length
  }
  for (const name in value) length += name.length + 3 + jsonLength((value as Record<string, unknown>)[name])
  return length
}

/** Whether two values have the same JSON. Large values that are equal are not written. */
export const isSameJson = (left: unknown, right: unknown): boolean =>
  isSame(left, right) || JSON.stringify(left) === JSON.stringify(right)

/** Whether two values are equal, with their fields in the same order. False for some other values with the same JSON. */
function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const [fields, others] = [Object.entries(left), Object.entries(right)]
  return (
    fields.length === others.length &&
    fields.every(([name, value], at) => name === others[at]?.[0] && isSame(value, others[at]?.[1]))
  )
}
