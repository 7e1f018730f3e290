import * as z from 'zod'
import { parameterInvalid } from '../core/errors.ts'
import { jsonLength } from '../core/json-text.ts'
import { KINDS, type Kind, kindOfId, type Objects } from '../core/kinds.ts'
import type { CurrentView, View } from '../engine/history/view.ts'
import { EXPAND_LESS, MAX_RESPONSE_LENGTH } from './bounded-text.ts'
import { internalIdIn } from './internal-id.ts'
import type { Json } from './json.ts'
import { entriesOf } from './params.ts'
import type { Component } from './schemas/component.ts'

const MAX_LEVELS = 4
/** paytwin: no resource has as many paths. */
const MAX_EXPANDS = 20
/** paytwin: the maximum number of steps of a path that are read. A path with that many has too many levels. */
const MAX_STEPS = 50
/** paytwin: the maximum number of objects that the paths of a request add to its response. */
const MAX_EXPANDED = 3_000

/** Presents an object of any kind. */
export type Present = <K extends Kind>(view: View, kind: K, object: Objects[K]) => Json

/** Returns the expanded value of a field; undefined if the object has no such field. */
export type ExpandField = (view: CurrentView, parent: Json, field: string) => unknown

/**
 * Checks expand paths against the schema of a route's response, before the route runs. A null field hides no mistake.
 * @throws ApiError parameter_invalid, param expand, for an unknown path or one of more than four levels
 * See docs/contract/requests.md#expansion.
 */
export function checkExpands({ schema }: Component, paths: readonly string[]): void {
  for (const path of paths) checkPath(schema, path.split('.', MAX_STEPS), path)
}

/** @throws ApiError parameter_invalid, param expand */
function checkPath(root: z.core.$ZodType, steps: readonly string[], path: string): void {
  const end = steps.reduce<z.core.$ZodType>((schema, step) => {
    const next = fieldOf(schema, step)
    if (next === undefined) throw unknownPath(path, `'${step}' is not an expandable field here`)
    return next
  }, root)
  if (!isReference(end) && !isWholeObject(end)) throw unknownPath(path, 'it does not end at an object')
  const levels = steps.filter((step) => step !== 'data').length
  if (levels > MAX_LEVELS)
    throw unknownPath(path, `it has ${levels} levels; at most ${MAX_LEVELS} are allowed`)
}

/** Returns the schema of a field that a path can go through: a reference, the data of a list, or an object with references. */
function fieldOf(schema: z.core.$ZodType, step: string): z.core.$ZodType | undefined {
  for (const { shape } of objectsIn(schema)) {
    const field = Object.hasOwn(shape, step) ? shape[step] : undefined
    if (field && (holdsReference(field) || (step === 'data' && field instanceof z.ZodArray))) return field
  }
  return undefined
}

/** Lists the objects that a value can be; a reference can be replaced with any of its objects. */
function objectsIn(schema: z.core.$ZodType): z.ZodObject[] {
  if (schema instanceof z.ZodObject) return isEvent(schema) ? [] : [schema]
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(objectsIn)
  if (schema instanceof z.ZodArray) return objectsIn(schema.element)
  const isWrapper =
    schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodLazy
  return isWrapper ? objectsIn(schema.unwrap()) : []
}

/** Reports whether a value is an id that can be replaced with an object: see `reference` in schemas/fields.ts. */
function isReference(schema: z.core.$ZodType): boolean {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return isReference(schema.unwrap())
  if (schema instanceof z.ZodArray) return isReference(schema.element)
  return schema instanceof z.ZodUnion && schema.options.some((option) => option instanceof z.ZodLazy)
}

const holdsReference = (schema: z.core.$ZodType): boolean =>
  isReference(schema) || objectsIn(schema).some(({ shape }) => Object.values(shape).some(holdsReference))

/** Reports whether a value is always shown as a whole object, such as the price of an item. */
function isWholeObject(schema: z.core.$ZodType): boolean {
  if (schema instanceof z.ZodNullable) return isWholeObject(schema.unwrap())
  return schema instanceof z.ZodObject && KINDS.some((kind) => kind === nameOf(schema))
}

/** Events are never expanded. */
const isEvent = (schema: z.ZodObject): boolean => nameOf(schema) === 'event'

const nameOf = ({ shape: { object } }: z.ZodObject): unknown =>
  object instanceof z.ZodLiteral ? object.value : undefined

/**
 * Replaces ids with objects along checked paths, such as `latest_invoice.payment_intent`, or `data.customer` on lists.
 * @throws ApiError parameter_invalid, param expand, if the response would get too many objects
 */
export function expand(
  view: CurrentView,
  body: Json,
  paths: readonly string[],
  expandField: ExpandField,
): Json {
  if (paths.length === 0) return body
  const expandOnce = oncePerObject(expandField)
  const added = { ...NOTHING }
  return paths.reduce((expanded, path) => {
    const walked = new Walk(view, path.split('.'), expandOnce, { ...added }).from(expanded)
    add(added, walked.added)
    return walked.value as Json
  }, body)
}

/** What an expansion adds to the response: the number of objects, and their length as JSON in characters. */
type Added = { objects: number; length: number }

/** A value after its expansion. */
type Walked = { readonly value: unknown; readonly added: Readonly<Added> }

const NOTHING: Readonly<Added> = { objects: 0, length: 0 }

/** Expands along one path. An object that occurs many times in a response is expanded once, and then shared. */
class Walk {
  readonly #view: CurrentView
  readonly #steps: readonly string[]
  readonly #expandField: ExpandField
  readonly #known = new Map<number, Map<object, Walked>>()
  readonly #lengths = new Map<object, number>()
  readonly #before: Readonly<Added>

  /** @param before - what earlier paths have added */
  constructor(
    view: CurrentView,
    steps: readonly string[],
    expandField: ExpandField,
    before: Readonly<Added>,
  ) {
    this.#view = view
    this.#steps = steps
    this.#expandField = expandField
    this.#before = before
  }

  /** Expands a value along the path from a step. */
  from(value: unknown, step = 0): Walked {
    if (typeof value !== 'object' || value === null || step === this.#steps.length)
      return { value, added: NOTHING }
    const known = this.#known.get(step) ?? new Map<object, Walked>()
    this.#known.set(step, known)
    const walked =
      known.get(value) ?? (Array.isArray(value) ? this.#list(value, step) : this.#field(value, step))
    known.set(value, walked)
    this.#check(walked.added)
    return walked
  }

  #list(entries: readonly unknown[], step: number): Walked {
    if (entries.length > 1) loadAlong(this.#view, entries, this.#steps.slice(step))
    const added = { ...NOTHING }
    const value = entries.map((entry) => {
      const walked = this.from(entry, step)
      add(added, walked.added)
      // The entries that follow are not read in vain.
      this.#check(added)
      return walked.value
    })
    return { value, added }
  }

  #field(parent: object, step: number): Walked {
    const field = this.#steps[step] ?? ''
    const whole = this.#expandField(this.#view, parent as Json, field)
    // A deletion stub has no such fields.
    if (whole === undefined) return { value: parent, added: NOTHING }
    const added = { ...NOTHING }
    if (whole !== (parent as Json)[field])
      add(added, { objects: objectsAt(whole), length: this.#lengthOf(whole) })
    this.#check(added)
    const walked = this.from(whole, step + 1)
    add(added, walked.added)
    return { value: { ...parent, [field]: walked.value }, added }
  }

  #lengthOf(whole: unknown): number {
    if (typeof whole !== 'object' || whole === null) return 0
    const length = this.#lengths.get(whole) ?? jsonLength(whole)
    this.#lengths.set(whole, length)
    return length
  }

  /** @throws ApiError parameter_invalid if the response would get too many objects, or too large ones */
  #check({ objects, length }: Readonly<Added>): void {
    const isTooMany = this.#before.objects + objects > MAX_EXPANDED
    if (!isTooMany && this.#before.length + length <= MAX_RESPONSE_LENGTH) return
    const what = isTooMany ? `${MAX_EXPANDED} objects` : `${MAX_RESPONSE_LENGTH / 2 ** 20} MiB`
    throw parameterInvalid('expand', `expand adds more than ${what} to the response. ${EXPAND_LESS}`)
  }
}

function add(sum: Added, { objects, length }: Readonly<Added>): void {
  sum.objects += objects
  sum.length += length
}

/** Counts the objects in an expanded field, which can be a list. */
function objectsAt(whole: unknown): number {
  if (typeof whole !== 'object' || whole === null) return 0
  const { data = whole } = whole as { data?: unknown }
  return Array.isArray(data) ? data.length : 1
}

/** Expands the same field of the same object, and the same ids, once in a response. */
function oncePerObject(expandField: ExpandField): ExpandField {
  const known = new Map<string, unknown>()
  return (view, parent, field) => {
    const source = sourceOf(parent, field)
    if (source === undefined) return expandField(view, parent, field)
    const key = `${field} ${source} ${internalIdIn(parent) ?? ''}`
    if (!known.has(key)) known.set(key, expandField(view, parent, field))
    return known.get(key)
  }
}

/** Returns the key of a field's expansion: its ids or, for a field that is only shown if it is expanded, its object. */
function sourceOf(parent: Json, field: string): string | undefined {
  const value = parent[field]
  if (typeof value === 'string') return value
  if (value === undefined && typeof parent.id === 'string') return `of ${parent.object} ${parent.id}`
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value.join() : undefined
}

/**
 * Reads the objects on a path from all entries of a list, one step after the other, except large ones, which may be too many. Objects
 * have the fields of their bodies.
 */
function loadAlong(view: View, entries: readonly unknown[], [step = '', ...rest]: readonly string[]): void {
  const ids = new Set(entries.flatMap((entry) => idIn(entry, step)))
  const kinds = new Set([...ids].flatMap((id) => kindOfId(id) ?? []))
  for (const kind of kinds) {
    const ofKind = [...ids].filter((id) => kindOfId(id) === kind)
    const loaded = view.load?.(kind, ofKind) ?? []
    if (rest.length > 0) loadAlong(view, loaded, rest)
  }
}

function idIn(entry: unknown, step: string): string[] {
  const id: unknown = typeof entry === 'object' && entry !== null ? Reflect.get(entry, step) : undefined
  return [id].flat().filter((each) => typeof each === 'string')
}

/** Creates the function that replaces an id in a field, or each id of a list, with its object. */
export const idsExpandedBy =
  (present: Present): ExpandField =>
  (view, parent, field) =>
    wholeOf(view, parent[field], present)

/**
 * Creates the function that converts the objects that `expandField` adds to a field. Existing objects are not converted again.
 */
export const expandsConverted =
  (expandField: ExpandField, convert: (object: Json) => Json): ExpandField =>
  (view, parent, field) =>
    addedConverted(expandField(view, parent, field), parent[field], convert)

function addedConverted(value: unknown, before: unknown, convert: (object: Json) => Json): unknown {
  if (value === before || typeof value !== 'object' || value === null) return value
  if (!Array.isArray(value)) return convert(value as Json)
  const known: readonly unknown[] = Array.isArray(before) ? before : []
  return value.map((entry, index) => addedConverted(entry, known[index], convert))
}

function wholeOf(view: View, child: unknown, present: Present): unknown {
  if (Array.isArray(child)) {
    const hasIds = child.some((entry) => typeof entry === 'string')
    return hasIds ? child.map((entry) => wholeOf(view, entry, present)) : child
  }
  return typeof child === 'string' ? objectOf(view, child, present) : child
}

/** Returns the object with the given id; the id itself if there is none, as in a preview. */
function objectOf(view: View, id: string, present: Present): unknown {
  const kind = kindOfId(id)
  const object = kind && view.get(kind, id)
  return kind && object ? present(view, kind, object) : id
}

const unknownPath = (path: string, why: string) =>
  parameterInvalid('expand', `'${path}' cannot be expanded: ${why}`)

/** Reads the paths of the parameter `expand`. @throws ApiError parameter_invalid, param expand */
export function expandPaths(expand: unknown): string[] {
  if (expand === undefined) return []
  const paths = entriesOf(expand)
  if (paths === undefined || paths.length > MAX_EXPANDS || !paths.every((path) => typeof path === 'string')) {
    throw parameterInvalid(
      'expand',
      `expand must be a list of at most ${MAX_EXPANDS} paths, such as expand[]=customer`,
    )
  }
  return paths
}
