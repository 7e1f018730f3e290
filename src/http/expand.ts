import * as z from 'zod'
import { ID_PREFIXES, type Kind, type Objects } from '../core/change.ts'
import { parameterInvalid } from '../core/errors.ts'
import type { View } from '../engine/view.ts'
import type { Json } from './json.ts'
import { entriesOf } from './params.ts'
import type { Component } from './schemas/component.ts'

const MAX_LEVELS = 4
/** paytwin: no resource has as many paths. */
const MAX_EXPANDS = 20

/** Presents an object of any kind. */
export type Present = <K extends Kind>(view: View, kind: K, object: Objects[K]) => Json

/** Nested objects without an id of their own whose fields can be expanded. */
type Part = 'invoice_settings' | 'subscription_item' | 'line_item' | 'payment_error'

/**
 * The expandable fields by the `object` of a resource: fields that hold an id, and nested objects that contain such fields.
 * Events are absent, because they are never expanded.
 */
export const EXPANDABLE: Readonly<Record<Kind | Part, Readonly<Record<string, string>>>> = {
  customer: { invoice_settings: 'invoice_settings' },
  invoice_settings: { default_payment_method: 'payment_method' },
  payment_method: { customer: 'customer' },
  product: {},
  price: { product: 'product' },
  subscription: {
    customer: 'customer',
    default_payment_method: 'payment_method',
    latest_invoice: 'invoice',
    items: 'list of subscription_item',
  },
  subscription_item: { price: 'price', subscription: 'subscription' },
  invoice: {
    customer: 'customer',
    subscription: 'subscription',
    default_payment_method: 'payment_method',
    payment_intent: 'payment_intent',
    charge: 'charge',
    lines: 'list of line_item',
  },
  line_item: {
    invoice: 'invoice',
    price: 'price',
    subscription: 'subscription',
    invoice_item: 'invoice_item',
  },
  invoice_item: { customer: 'customer', invoice: 'invoice', price: 'price' },
  payment_intent: {
    customer: 'customer',
    invoice: 'invoice',
    latest_charge: 'charge',
    payment_method: 'payment_method',
    last_payment_error: 'payment_error',
  },
  payment_error: { charge: 'charge', payment_method: 'payment_method' },
  charge: {
    customer: 'customer',
    invoice: 'invoice',
    payment_intent: 'payment_intent',
    payment_method: 'payment_method',
  },
  refund: { charge: 'charge', payment_intent: 'payment_intent' },
  webhook_endpoint: {},
  webhook_delivery: { endpoint: 'webhook_endpoint' },
}

const FIELDS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(EXPANDABLE).map(([shape, fields]) => [shape, new Map(Object.entries(fields))]),
)

/**
 * Checks expand paths against the schema of a route's answer, before the route runs.
 * @throws ApiError parameter_invalid, param expand, for an unknown path or one of more than four levels
 * See docs/contract/requests.md#expansion.
 */
export function checkExpands({ schema }: Component, paths: readonly string[]): void {
  for (const path of paths) checkPath(shapeOf(schema), path.split('.'), path)
}

/** Returns the shape of a body by the `object` of its schema. */
function shapeOf(schema: z.core.$ZodType | undefined): string {
  // A union of an object and its stub is expanded as the object. A stub alone cannot be expanded.
  if (schema instanceof z.ZodUnion) return shapeOf(schema.options[0])
  if (!(schema instanceof z.ZodObject) || 'deleted' in schema.shape) return 'nothing'
  const { object, data } = schema.shape
  const name = object instanceof z.ZodLiteral ? String(object.value) : 'nothing'
  if (name === 'list' && data instanceof z.ZodArray) return `list of ${shapeOf(data.element)}`
  return name === 'invoiceitem' ? 'invoice_item' : name
}

/** Checks one path against the schema only, so that a null field hides no mistake. @throws ApiError parameter_invalid, param expand */
function checkPath(root: string, steps: readonly string[], path: string): void {
  const end = steps.reduce((shape, step) => {
    const next =
      shape.startsWith('list of ') && step === 'data'
        ? shape.slice('list of '.length)
        : fieldsOf(shape).get(step)
    if (next === undefined) throw unknownPath(path, `'${step}' is not an expandable field here`)
    return next
  }, root)
  if (!Object.hasOwn(ID_PREFIXES, end) || steps.at(-1) === 'data')
    throw unknownPath(path, 'it does not end at an object')
  const levels = steps.filter((step) => step !== 'data').length
  if (levels > MAX_LEVELS)
    throw unknownPath(path, `it has ${levels} levels; at most ${MAX_LEVELS} are allowed`)
}

const fieldsOf = (shape: string): ReadonlyMap<string, string> => FIELDS.get(shape) ?? new Map()

/** Replaces ids with objects along checked paths, such as `latest_invoice.payment_intent`, or `data.customer` on lists. */
export const expand = (view: View, body: Json, paths: readonly string[], present: Present): Json =>
  paths.reduce((expanded, path) => walk(view, expanded, path.split('.'), present) as Json, body)

function walk(view: View, value: unknown, steps: readonly string[], present: Present): unknown {
  const [step, ...rest] = steps
  if (step === undefined || value === null) return value
  if (Array.isArray(value)) return value.map((entry) => walk(view, entry, steps, present))
  const child = Reflect.get(value as object, step)
  // A deletion stub has no such fields.
  if (child === undefined) return value
  const whole = typeof child === 'string' ? objectOf(view, child, present) : child
  return { ...(value as object), [step]: walk(view, whole, rest, present) }
}

const KIND_OF_PREFIX: ReadonlyMap<string, Kind> = new Map(
  Object.entries(ID_PREFIXES).map(([kind, prefix]) => [prefix, kind as Kind]),
)

/** Returns the object with the given id; the id itself if there is none, as in a preview. */
function objectOf(view: View, id: string, present: Present): unknown {
  const kind = KIND_OF_PREFIX.get(id.slice(0, id.indexOf('_')))
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
