import { ID_PREFIXES, type Kind, type Objects } from '../core/change.ts'
import { parameterInvalid } from '../core/errors.ts'
import type { View } from '../engine/view.ts'
import type { Json } from './json.ts'

const MAX_LEVELS = 4

/** Shows an object of any kind. */
export type Present = <K extends Kind>(view: View, kind: K, object: Objects[K]) => Json

/**
 * What can be expanded, by the `object` that a resource says it is: fields that hold the id of a kind, and fields on the way
 * to such. Events are not here: what they tell is never expanded.
 */
const SHAPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  customer: { invoice_settings: 'invoice_settings' },
  invoice_settings: { default_payment_method: 'payment_method' },
  payment_method: { customer: 'customer' },
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
  webhook_delivery: { endpoint: 'webhook_endpoint' },
}

const FIELDS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(SHAPES).map(([shape, fields]) => [shape, new Map(Object.entries(fields))]),
)

/** The shape of a list's entries, by the last word of its url. */
const ENTRIES: Readonly<Record<string, string>> = {
  customers: 'customer',
  payment_methods: 'payment_method',
  prices: 'price',
  subscriptions: 'subscription',
  invoices: 'invoice',
  lines: 'line_item',
  invoiceitems: 'invoice_item',
  payment_intents: 'payment_intent',
  charges: 'charge',
  refunds: 'refund',
  deliveries: 'webhook_delivery',
}

/**
 * Puts whole objects in place of the ids that paths name: `latest_invoice.payment_intent`, `data.customer` on lists.
 * @throws ApiError parameter_invalid, param expand, for a path that leads nowhere or through more than four levels
 * Source: decisions.md 1, "expand[]".
 */
export function expand(view: View, body: Json, paths: readonly string[], present: Present): Json {
  return paths.reduce((expanded, path) => {
    const steps = path.split('.')
    checkPath(shapeOf(body), steps, path)
    return walk(view, expanded, steps, present) as Json
  }, body)
}

function shapeOf({ object, url }: Json): string {
  if (object === 'list') return `list of ${ENTRIES[String(url).split('/').at(-1) ?? ''] ?? 'nothing'}`
  return object === 'invoiceitem' ? 'invoice_item' : String(object)
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

function walk(view: View, value: unknown, steps: readonly string[], present: Present): unknown {
  const [step, ...rest] = steps
  if (step === undefined || value === null) return value
  if (Array.isArray(value)) return value.map((entry) => walk(view, entry, steps, present))
  const child = Reflect.get(value as object, step)
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
