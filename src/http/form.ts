import { parameterInvalid } from '../core/errors.ts'
import { copyOf } from '../text/beginning.ts'
import { thousands } from '../text/display.ts'

/** Parameters before conversion: nested objects, arrays and scalars. */
export type Raw = { [name: string]: unknown }

/** Names that no parameter can have, nested ones and keys of payloads included. */
export const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
/** paytwin: more than any parameter needs, and small enough for recursion. */
const MAX_DEPTH = 16
/** paytwin: the maximum length of a form of which a kept value may keep all in memory. */
const SHORT_FORM = 4_096
/** paytwin: twice the longest list that a parameter takes. */
export const MAX_PARAMETERS = 2_000

/**
 * Refuses a form, a query or a JSON body with too many parameters, nested ones included, and deeply nested JSON, before it is
 * parsed: parsing and checking a megabyte of short names takes half a second. The separators are counted.
 * @throws ApiError parameter_invalid, param null
 * See docs/contract/requests.md#limits.
 */
export function refuseTooMany(text: string, format: 'form' | 'json', limit = MAX_PARAMETERS): void {
  // A parameter and its separator have at least two characters.
  if (text.length < 2 * MAX_PARAMETERS) return
  const separators = format === 'form' ? separatorsInForm(text, limit) : separatorsInJson(text, limit)
  if (separators >= limit)
    throw parameterInvalid(null, `A request can have at most ${thousands(limit)} parameters`)
}

function separatorsInForm(text: string, limit: number): number {
  let count = 0
  for (let at = text.indexOf('&'); at !== -1 && count < limit; at = text.indexOf('&', at + 1)) count += 1
  return count
}

const [QUOTE, BACKSLASH, COMMA] = ['"', '\\', ','].map((character) => character.charCodeAt(0))
const [BRACKET, BRACKET_END, BRACE, BRACE_END] = ['[', ']', '{', '}'].map((each) => each.charCodeAt(0))

/** Counts the commas outside strings. @throws ApiError parameter_invalid if the text nests too deep */
function separatorsInJson(text: string, limit: number): number {
  let count = 0
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length && count < limit; at += 1) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) isInString = !isInString
    else if (isInString) {
      if (character === BACKSLASH) at += 1
    } else if (character === COMMA) count += 1
    else if (character === BRACKET || character === BRACE) {
      depth += 1
      if (depth > MAX_DEPTH) throw tooDeep()
    } else if (character === BRACKET_END || character === BRACE_END) depth -= 1
  }
  return count
}

/**
 * Decodes a form body or a query: `items[0][price]`, `items[][price]`, `metadata[k]`, `expand[]`. Lists become objects whose
 * keys are indexes, and all scalars stay strings; `coerce` converts both. If a parameter is repeated, the last value is used.
 * @param options.onlyOnce - whether a repeated parameter is an error instead
 * @throws ApiError parameter_invalid for names that conflict, nest too deep, or are refused
 * See docs/contract/requests.md#bodies.
 */
export function decodeForm(text: string, { onlyOnce = false }: { readonly onlyOnce?: boolean } = {}): Raw {
  const root: Raw = {}
  const counts: Counts = new WeakMap()
  const isShort = text.length <= SHORT_FORM
  for (const [name, value] of formOf(text)) {
    const path = pathOf(name)
    for (const key of path) refuseKey(key)
    if (onlyOnce && path.length === 1 && Object.hasOwn(root, name)) {
      throw parameterInvalid(name, `The parameter '${name}' is repeated`)
    }
    insert(root, counts, path, isShort ? value : copyOf(value))
  }
  return root
}

/** Parses a form of any length. */
export const formOf = (text: string): URLSearchParams =>
  new URLSearchParams(text.length <= SHORT_FORM ? text : withSpaces(text))

const PLUS = 0x2b
const SPACE = 0x20

/** Decodes each `+` in a long form. URLSearchParams takes 80 ms for a megabyte of them. */
function withSpaces(text: string): string {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === PLUS) bytes[at] = SPACE
  return bytes.toString()
}

/**
 * Decodes a JSON body, which must be an object. An empty body is `{}`.
 * @throws ApiError parameter_invalid, param null. The message does not quote the body, which can contain secrets
 */
export function decodeJson(text: string): Raw {
  if (text.trim() === '') return {}
  let body: unknown
  try {
    body = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    if (error instanceof SyntaxError) throw parameterInvalid(null, 'The body is not valid JSON')
    throw error
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw parameterInvalid(null, 'The body must be a JSON object')
  }
  return clean(body, 1) as Raw
}

/** Copies a value so that it can be stored: refused names are errors, and lone surrogates are replaced. */
function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (depth > MAX_DEPTH) throw tooDeep()
  if (Array.isArray(value)) return value.map((entry) => clean(entry, depth + 1))
  // For many names, a loop takes less than half the time of a list of entries.
  const copy: Raw = {}
  for (const key of Object.keys(value)) {
    refuseKey(key)
    copy[key.toWellFormed()] = clean(Reflect.get(value, key), depth + 1)
  }
  return copy
}

const tooDeep = () => parameterInvalid(null, `Parameters can be nested at most ${MAX_DEPTH} levels deep`)

function refuseKey(key: string): void {
  if (FORBIDDEN.has(key)) throw parameterInvalid(null, `The parameter name '${key}' is not allowed`)
}

/** Splits a name: `items[0][price]` → items, 0, price. A name with stray brackets is not split. @throws ApiError if it nests too deep */
function pathOf(name: string): string[] {
  const [, head] = /^([^[\]]+)\[/.exec(name) ?? []
  if (head === undefined) return [name]
  const path = [head]
  // Step by step, so that parsing stops at the depth limit.
  const step = /\[([^[\]]*)\]/y
  step.lastIndex = head.length
  for (let at = head.length; at < name.length; at = step.lastIndex) {
    const match = step.exec(name)
    if (!match) return [name]
    path.push(match[1] ?? '')
    if (path.length > MAX_DEPTH) throw tooDeep()
  }
  return path
}

/** The number of entries that `[]` has added to each list. */
type Counts = WeakMap<Raw, number>

function insert(root: Raw, counts: Counts, path: readonly string[], value: string): void {
  let node = root
  path.forEach((step, depth) => {
    const isLast = depth === path.length - 1
    const key = step === '' ? indexFor(node, counts, path[depth + 1]) : step
    const known = Object.hasOwn(node, key) ? node[key] : undefined
    const isNested = typeof known === 'object'
    if (known !== undefined && isLast === isNested) {
      throw parameterInvalid(null, `The parameter '${path[0]}' has values of different shapes`)
    }
    const child = isLast ? value : (known ?? {})
    node[key] = child
    node = child as Raw
  })
}

/** Returns the index for `[]`: that of the last entry if it does not have the following key yet, else a new one. */
function indexFor(list: Raw, counts: Counts, following: string | undefined): string {
  const count = counts.get(list) ?? 0
  const last = list[String(count - 1)]
  const continues =
    following !== undefined && typeof last === 'object' && last !== null && !Object.hasOwn(last, following)
  if (continues) return String(count - 1)
  counts.set(list, count + 1)
  return String(count)
}
