import { parameterInvalid } from '../core/errors.ts'
import { thousands } from '../text/display.ts'
import { eachSeparator } from '../text/separators.ts'

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
 * The maximum memory of a parsed value in bytes, without the characters of texts. V8 takes 252 bytes for an object whose only name
 * is an index, such as `{"1000":1}`, if JSON.parse makes it. If the name is added later, it takes 12 kB.
 */
export const VALUE_BYTES = 256
/** The names that are added to an object at the cost of at most VALUE_BYTES have one digit, or are no index. */
const LARGE_INDEX = /^\d{2}/

/**
 * Refuses a form, a query or a JSON body with too many parameters, nested ones included, and deeply nested JSON, before it is
 * parsed: parsing and checking a megabyte of short names takes half a second. The separators are counted.
 * @returns the maximum number of values that it has, lists and objects included
 * @throws ApiError parameter_invalid, param null
 * See docs/contract/requests.md#limits.
 */
export function refuseTooMany(text: string, format: 'form' | 'json', limit = MAX_PARAMETERS): number {
  const { separators, nested } = format === 'form' ? countInForm(text, limit) : countInJson(text, limit)
  if (separators >= limit)
    throw parameterInvalid(null, `A request can have at most ${thousands(limit)} parameters`)
  // Deeper nesting is refused when the text is parsed.
  return separators + 1 + Math.min(nested, MAX_DEPTH * (separators + 1))
}

/** The separators of parameters in a text, and its lists and objects. */
type Counted = { separators: number; nested: number }

const [BRACKET, AMPERSAND, EQUALS, PERCENT] = ['[', '&', '=', '%'].map((each) => each.charCodeAt(0))

/** Counts the ampersands, and the opening brackets in names. */
function countInForm(text: string, limit: number): Counted {
  const counted = { separators: 0, nested: 0 }
  let isInName = true
  for (let at = 0; at < text.length && counted.separators < limit; at += 1) {
    const character = text.charCodeAt(at)
    if (character === AMPERSAND) {
      counted.separators += 1
      isInName = true
    } else if (character === EQUALS) isInName = false
    else if (
      isInName &&
      (character === BRACKET || (character === PERCENT && /^%5b/i.test(text.slice(at, at + 3))))
    )
      counted.nested += 1
  }
  return counted
}

/** Counts the commas and the opening brackets outside strings. @throws ApiError parameter_invalid if the text nests too deep */
function countInJson(text: string, limit: number): Counted {
  const counted = { separators: 0, nested: 0 }
  let depth = 0
  eachSeparator(text, (separator) => {
    if (separator === ',') counted.separators += 1
    else if (separator === '[' || separator === '{') {
      counted.nested += 1
      depth += 1
      if (depth > MAX_DEPTH) throw tooDeep()
    } else depth -= 1
    return counted.separators < limit
  })
  return counted
}

/**
 * Decodes a form body or a query: `items[0][price]`, `items[][price]`, `metadata[k]`, `expand[]`. Lists become objects whose
 * keys are indexes, and all scalars stay strings; `coerce` converts both. If a parameter is repeated, the last value is used.
 * @param options.onlyOnce - whether a repeated parameter is an error instead
 * @throws ApiError parameter_invalid for names that conflict, nest too deep, or are refused
 * See docs/contract/requests.md#bodies.
 */
export function decodeForm(text: string, { onlyOnce = false }: { readonly onlyOnce?: boolean } = {}): Raw {
  const root: Node = new Map()
  const counts: Counts = new WeakMap()
  let isLarge = text.length > SHORT_FORM
  for (const [name, value] of formOf(text)) {
    const path = pathOf(name)
    for (const key of path) {
      refuseKey(key)
      isLarge ||= LARGE_INDEX.test(key)
    }
    if (onlyOnce && path.length === 1 && root.has(name)) {
      throw parameterInvalid(name, `The parameter '${name}' is repeated`)
    }
    insert(root, counts, path, value)
  }
  // Parsed JSON takes less memory: see SHORT_FORM and VALUE_BYTES.
  return isLarge ? JSON.parse(toJson(root)) : toObject(root)
}

/** The parameters of a form while it is decoded. Adding a large index to an object would take time too: see VALUE_BYTES. */
type Node = Map<string, string | Node>

const toObject = (node: Node): Raw => {
  const object: Raw = {}
  for (const [key, child] of node) object[key] = typeof child === 'string' ? child : toObject(child)
  return object
}

const toJson = (node: string | Node): string =>
  typeof node === 'string'
    ? JSON.stringify(node)
    : `{${Array.from(node, ([key, child]) => `${JSON.stringify(key)}:${toJson(child)}`).join()}}`

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
  clean(body, 1)
  return body as Raw
}

/**
 * Makes a parsed value storable, in place, because a copy could take more memory (see VALUE_BYTES): refused names are errors, and
 * lone surrogates are replaced. A name that becomes equal to another one takes its place.
 * @returns the value, or a text in its place
 */
function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (depth > MAX_DEPTH) throw tooDeep()
  // For many names, a loop takes less than half the time of a list of entries.
  for (const key of Object.keys(value)) {
    refuseKey(key)
    const child: unknown = Reflect.get(value, key)
    const cleaned = clean(child, depth + 1)
    const name = key.toWellFormed()
    if (name !== key) Reflect.deleteProperty(value, key)
    if (name !== key || cleaned !== child) Reflect.set(value, name, cleaned)
  }
  return value
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
type Counts = WeakMap<Node, number>

function insert(root: Node, counts: Counts, path: readonly string[], value: string): void {
  let node = root
  path.forEach((step, depth) => {
    const isLast = depth === path.length - 1
    const key = step === '' ? indexFor(node, counts, path[depth + 1]) : step
    const known = node.get(key)
    const isNested = typeof known === 'object'
    if (known !== undefined && isLast === isNested) {
      throw parameterInvalid(null, `The parameter '${path[0]}' has values of different shapes`)
    }
    const child = isLast ? value : (known ?? new Map())
    node.set(key, child)
    node = child as Node
  })
}

/** Returns the index for `[]`: that of the last entry if it does not have the following key yet, else a new one. */
function indexFor(list: Node, counts: Counts, following: string | undefined): string {
  const count = counts.get(list) ?? 0
  const last = list.get(String(count - 1))
  const continues = following !== undefined && last instanceof Map && !last.has(following)
  if (continues) return String(count - 1)
  counts.set(list, count + 1)
  return String(count)
}
