import { parameterInvalid } from '../core/errors.ts'

/** Parameters as they came: nested objects, arrays and scalars. */
export type Raw = { [name: string]: unknown }

const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
/** paytwin: far more than any parameter needs, and little enough to walk through. */
const MAX_DEPTH = 16

/**
 * Decodes a form body or a query: `items[0][price]`, `items[][price]`, `metadata[k]`, `expand[]`. Lists are objects whose
 * keys are places, and all scalars are strings: the schema says what they mean. Of a parameter given twice the last one
 * counts.
 * @param options.onlyOnce - whether that is refused instead
 * @throws ApiError parameter_invalid for names that contradict each other, nest too deep, or are refused
 * See docs/contract/requests.md#bodies.
 */
export function decodeForm(text: string, { onlyOnce = false }: { readonly onlyOnce?: boolean } = {}): Raw {
  const root: Raw = {}
  const places: Places = new WeakMap()
  for (const [name, value] of new URLSearchParams(text)) {
    const path = pathOf(name)
    for (const key of path) refuseKey(key)
    if (onlyOnce && path.length === 1 && Object.hasOwn(root, name)) {
      throw parameterInvalid(name, `The parameter '${name}' is given twice`)
    }
    place(root, places, path, value)
  }
  return root
}

/**
 * Decodes a JSON body, which must be an object; an empty one is `{}`.
 * @throws ApiError parameter_invalid, param null; its message quotes nothing of the body, which may hold secrets
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

/** The same value without what cannot be stored: refused names are errors, halves of Unicode characters are replaced. */
function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (depth > MAX_DEPTH) throw tooDeep()
  if (Array.isArray(value)) return value.map((entry) => clean(entry, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => {
      refuseKey(key)
      return [key.toWellFormed(), clean(child, depth + 1)]
    }),
  )
}

const tooDeep = () => parameterInvalid(null, `Parameters nest at most ${MAX_DEPTH} deep`)

function refuseKey(key: string): void {
  if (FORBIDDEN.has(key)) throw parameterInvalid(null, `The parameter name '${key}' is not allowed`)
}

/** `items[0][price]` → items, 0, price. A name with stray brackets is taken as it is. @throws ApiError for one that nests too deep */
function pathOf(name: string): string[] {
  const [, head] = /^([^[\]]+)\[/.exec(name) ?? []
  if (head === undefined) return [name]
  const path = [head]
  // Step by step: what nests too deep is not read to its end.
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

/** How many entries `[]` has put into each list. */
type Places = WeakMap<Raw, number>

function place(root: Raw, places: Places, path: readonly string[], value: string): void {
  let node = root
  path.forEach((step, depth) => {
    const isLast = depth === path.length - 1
    const key = step === '' ? nextPlace(node, places, path[depth + 1]) : step
    const known = Object.hasOwn(node, key) ? node[key] : undefined
    const isNested = typeof known === 'object'
    if (known !== undefined && isLast === isNested) {
      throw parameterInvalid(null, `The parameter '${path[0]}' is given in two shapes`)
    }
    const child = isLast ? value : (known ?? {})
    node[key] = child
    node = child as Raw
  })
}

/** Where `[]` goes: into the last entry while that lacks the key that follows, else into a new one. */
function nextPlace(list: Raw, places: Places, following: string | undefined): string {
  const count = places.get(list) ?? 0
  const last = list[String(count - 1)]
  const continues =
    following !== undefined && typeof last === 'object' && last !== null && !Object.hasOwn(last, following)
  if (continues) return String(count - 1)
  places.set(list, count + 1)
  return String(count)
}
