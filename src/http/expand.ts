import { ID_PREFIXES, type Kind } from '../core/change.ts'
import { parameterInvalid } from '../core/errors.ts'
import type { View } from '../engine/view.ts'
import type { Json } from './json.ts'
import { present } from './present.ts'

const MAX_LEVELS = 4

const KIND_OF_PREFIX: ReadonlyMap<string, Kind> = new Map(
  Object.entries(ID_PREFIXES).map(([kind, prefix]) => [prefix, kind as Kind]),
)

/**
 * Puts whole objects in place of the ids that paths name: `latest_invoice.payment_intent`, `data.customer` on lists.
 * @throws ApiError parameter_invalid, param expand, for a path that leads nowhere or through more than four levels
 * Source: decisions.md 1, "expand[]".
 */
export function expand(view: View, body: Json, paths: readonly string[]): Json {
  return paths.reduce((expanded, path) => expandPath(view, expanded, path) as Json, body)
}

function expandPath(view: View, body: Json, path: string): unknown {
  const steps = path.split('.')
  const levels = steps.filter((step) => step !== 'data').length
  if (levels === 0 || levels > MAX_LEVELS)
    throw unknownPath(path, `it has ${levels} levels; at most ${MAX_LEVELS} can be expanded`)
  return walk(view, body, steps, path)
}

function walk(view: View, value: unknown, steps: readonly string[], path: string): unknown {
  const [step, ...rest] = steps
  if (step === undefined) return value
  if (Array.isArray(value)) return value.map((entry) => walk(view, entry, steps, path))
  if (value === null) return null
  if (typeof value !== 'object' || !(step in value)) throw unknownPath(path, `there is no '${step}' here`)
  const child = (value as Json)[step]
  return { ...value, [step]: walk(view, expanded(view, child, rest, path), rest, path) }
}

/** The object that an id stands for; what is no id must be on the way to one. */
function expanded(view: View, child: unknown, rest: readonly string[], path: string): unknown {
  if (child === null || typeof child === 'object') return child
  const kind = typeof child === 'string' ? KIND_OF_PREFIX.get(child.slice(0, child.indexOf('_'))) : undefined
  const object = kind && view.get(kind, String(child))
  if (!kind || !object)
    throw unknownPath(path, rest.length > 0 ? 'it leads through what is no object' : 'it names no object')
  return present(view, kind, object)
}

const unknownPath = (path: string, why: string) =>
  parameterInvalid('expand', `'${path}' cannot be expanded: ${why}`)
