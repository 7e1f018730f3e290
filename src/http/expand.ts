import { z } from 'zod'
import { ID_PREFIXES, type Kind, type Objects } from '../core/change.ts'
import { parameterInvalid } from '../core/errors.ts'
import type { View } from '../engine/view.ts'
import type { Json } from './json.ts'
import type { Component } from './schemas/component.ts'

const MAX_LEVELS = 4

/** Shows an object of any kind. */
export type Present = <K extends Kind>(view: View, kind: K, object: Objects[K]) => Json

/** What has no id of its own and yet holds some. */
type Part = 'invoice_settings' | 'subscription_item' | 'line_item' | 'payment_error'

/**
 * What can be expanded, by the `object` that a resource says it is: fields that hold the id of a kind, and fields on the way
 * to such. Events are not here: what they tell is never expanded.
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
 * Whether paths lead to objects within what a route answers, before it does anything.
 * @throws ApiError parameter_invalid, param expand, for a path that leads nowhere or through more than four levels
 * See docs/contract/requests.md#expansion.
 */
export function checkExpands({ schema }: Component, paths: readonly string[]): void {
  for (const path of paths) checkPath(shapeOf(schema), path.split('.'), path)
}

/** What a body is, by what its schema says of its `object`. */
function shapeOf(schema: z.core.$ZodType | undefined): string {
  // What may be a stub is expanded as what it was; what is one always, not at all.
  if (schema instanceof z.ZodUnion) return shapeOf(schema.options[0])
  if (!(schema instanceof z.ZodObject) || 'deleted' in schema.shape) return 'nothing'
  const { object, data } = schema.shape
  const name = object instanceof z.ZodLiteral ? String(object.value) : 'nothing'
  if (name === 'list' && data instanceof z.ZodArray) return `list of ${shapeOf(data.element)}`
  return name === 'invoiceitem' ? 'invoice_item' : name
}

/** @throws ApiError parameter_invalid, param expand. What the objects at hand hold does not matter: nulls hide no mistake. */
function checkPath(root: string, steps: readonly string[], path: string): void {
  const end = steps.reduce((shape, step) => {
    const next =
      shape.startsWith('list of ') && step === 'data'
        ? shape.slice('list of '.length)
        : fieldsOf(shape).get(step)
    if (next === undefined) throw unknownPath(path, `there is no '${step}' to expand here`)
    return next
  }, root)
  if (!Object.hasOwn(ID_PREFIXES, end) || steps.at(-1) === 'data')
    throw unknownPath(path, 'it names no object')
  const levels = steps.filter((step) => step !== 'data').length
  if (levels > MAX_LEVELS)
    throw unknownPath(path, `it has ${levels} levels; at most ${MAX_LEVELS} can be expanded`)
}

const fieldsOf = (shape: string): ReadonlyMap<string, string> => FIELDS.get(shape) ?? new Map()

/** Puts whole objects in place of the ids that checked paths name: `latest_invoice.payment_intent`, `data.customer` on lists. */
export const expand = (view: View, body: Json, paths: readonly string[], present: Present): Json =>
  paths.reduce((expanded, path) => walk(view, expanded, path.split('.'), present) as Json, body)

function walk(view: View, value: unknown, steps: readonly string[], present: Present): unknown {
  const [step, ...rest] = steps
  if (step === undefined || value === null) return value
  if (Array.isArray(value)) return value.map((entry) => walk(view, entry, steps, present))
  const child = Reflect.get(value as object, step)
  // A stub has nothing left to expand.
  if (child === undefined) return value
  const whole = typeof child === 'string' ? objectOf(view, child, present) : child
  return { ...(value as object), [step]: walk(view, whole, rest, present) }
}

const KIND_OF_PREFIX: ReadonlyMap<string, Kind> = new Map(
  Object.entries(ID_PREFIXES).map(([kind, prefix]) => [prefix, kind as Kind]),
)

/** The object that an id stands for; the id itself where there is none (a preview's). */
function objectOf(view: View, id: string, present: Present): unknown {
  const kind = KIND_OF_PREFIX.get(id.slice(0, id.indexOf('_')))
  const object = kind && view.get(kind, id)
  return kind && object ? present(view, kind, object) : id
}

const unknownPath = (path: string, why: string) =>
  parameterInvalid('expand', `'${path}' cannot be expanded: ${why}`)
