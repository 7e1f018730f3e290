/**
 * The maximum length of the entries of a page as JSON, in characters. One entry is always shown. Presenting and writing a page takes
 * one step of the daemon, in which it answers no other request. See docs/contract/requests.md#lists.
 */
export const MAX_PAGE_LENGTH = 4 * 1024 * 1024

/** Values with fewer characters are small: even a page of them as escape sequences is hardly longer than a page may be. */
const SMALL_LENGTH = 8_192

/** Characters that JSON writes as escape sequences. */
const ESCAPED = /["\\\p{Cc}\p{Cs}]/u

/** Estimates the length of a value as JSON, in characters, without writing it. Escape sequences count only in values that are not small. */
export function jsonLength(value: unknown): number {
  const length = lengthOf(value, unescapedLength)
  return length < SMALL_LENGTH ? length : lengthOf(value, escapedLength)
}

const unescapedLength = (text: string): number => text.length + 3

/** Control characters take six characters. */
const escapedLength = (text: string): number =>
  ESCAPED.test(text) ? JSON.stringify(text).length + 1 : unescapedLength(text)

function lengthOf(value: unknown, textLength: (text: string) => number): number {
  if (typeof value === 'string') return textLength(value)
  if (typeof value !== 'object' || value === null) return 8
  let length = 2
  if (Array.isArray(value)) {
    for (const entry of value) length += lengthOf(entry, textLength)
    return length
  }
  for (const name in value)
    length += textLength(name) + lengthOf((value as Record<string, unknown>)[name], textLength)
  return length
}

/**
 * Whether two values that JSON can express have the same JSON, their fields in the same order. Nothing is written, and what both
 * share is not looked at, because an object may have a megabyte of which an update changes a few characters.
 */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (!isNested(left) || !isNested(right) || Array.isArray(left) !== Array.isArray(right)) return false
  const [names, others] = [namesIn(left), namesIn(right)]
  return (
    names.length === others.length &&
    names.every((name, at) => name === others[at] && isSameJson(left[name], right[name]))
  )
}

type Nested = Readonly<Record<string, unknown>>

const isNested = (value: unknown): value is Nested => typeof value === 'object' && value !== null

/** Lists the names of the fields in the JSON of an object, or the indexes of a list. A field that is undefined is not in it. */
function namesIn(value: Nested): string[] {
  const names = Object.keys(value)
  return names.every((name) => value[name] !== undefined)
    ? names
    : names.filter((name) => value[name] !== undefined)
}
