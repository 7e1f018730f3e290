import { parameterInvalid } from '../core/errors.ts'

/** Parameters as they came: nested objects, arrays and scalars. */
export type Raw = { [name: string]: unknown }

const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
const MAX_DEPTH = 8

/**
 * Decodes a form body or a query: `items[0][price]`, `items[][price]`, `metadata[k]`, `expand[]`. All scalars are
 * strings; the schema says what they mean.
 * @throws ApiError parameter_invalid for names that contradict each other, nest too deep, or are refused
 * Source: decisions.md 1, "Bodies".
 */
export function decodeForm(text: string): Raw {
  const root: Raw = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const path = pathOf(name)
    if (path.length > MAX_DEPTH) throw parameterInvalid(null, `The parameter '${name}' is nested too deep`)
    for (const key of path) refuseKey(key)
    place(root, path, value, name)
  }
  return withArrays(root) as Raw
}

/**
 * Decodes a JSON body, which must be an object; an empty one is `{}`.
 * @throws ApiError parameter_invalid, param null
 */
export function decodeJson(text: string): Raw {
  if (text.trim() === '') return {}
  let body: unknown
  try {
    body = JSON.parse(text, (key, value) => {
      refuseKey(key)
      return value
    })
  } catch (error) {
    if (error instanceof SyntaxError)
      throw parameterInvalid(null, `The body is not valid JSON: ${error.message}`)
    throw error
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw parameterInvalid(null, 'The body must be a JSON object')
  }
  return body as Raw
}

function refuseKey(key: string): void {
  if (FORBIDDEN.has(key)) throw parameterInvalid(null, `The parameter name '${key}' is not allowed`)
}

/** `items[0][price]` → items, 0, price. A name with stray brackets is taken as it is. */
function pathOf(name: string): string[] {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name)
  if (!match) return [name]
  const [, head = '', rest = ''] = match
  return [head, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map(([, key = '']) => key)]
}

/** Lists under construction: an object whose keys are places, marked so that `[]` can go on with it. */
function place(root: Raw, path: readonly string[], value: string, name: string): void {
  let node = root
  path.forEach((step, depth) => {
    const isLast = depth === path.length - 1
    const key = step === '' ? nextPlace(node, path[depth + 1]) : step
    if (isLast) {
      if (typeof node[key] === 'object')
        throw parameterInvalid(null, `The parameter '${name}' is given in two shapes`)
      node[key] = value
      return
    }
    const child = node[key] ?? {}
    if (typeof child !== 'object')
      throw parameterInvalid(null, `The parameter '${name}' is given in two shapes`)
    node[key] = child
    node = child as Raw
  })
}

/** Where `[]` goes: into the last entry while that lacks the key that follows, else into a new one. */
function nextPlace(list: Raw, following: string | undefined): string {
  const count = Object.keys(list).length
  const last = list[String(count - 1)]
  const continues =
    following !== undefined && typeof last === 'object' && last !== null && !(following in last)
  return String(continues ? count - 1 : count)
}

/** Turns every object whose keys are all numbers into an array in their order. */
function withArrays(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, child]) => [key, withArrays(child)] as const)
  const isList = entries.length > 0 && entries.every(([key]) => /^\d{1,6}$/.test(key))
  if (!isList) return Object.fromEntries(entries)
  return entries.sort(([left], [right]) => Number(left) - Number(right)).map(([, child]) => child)
}
