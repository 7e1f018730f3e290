import { EVENT_TYPES } from '../../src/core/kinds.ts'
import type { JsonSchema } from '../../src/http/openapi/json-schema.ts'
import type { OpenApi } from '../../src/http/openapi.ts'
import type { Body } from '../twin.ts'

/** An operation of the description. */
export type Operation = {
  readonly method: string
  readonly path: string
  readonly security: readonly string[]
  readonly query: readonly {
    readonly name: string
    readonly schema: JsonSchema
    readonly example?: unknown
  }[]
  readonly body: JsonSchema | undefined
  /** A body that was accepted once. */
  readonly example: Body
}

/** Chooses one of some values, as the test decides. */
export type Choose = <T>(values: readonly T[]) => T

/** All operations of a description. */
export const operationsOf = ({ paths }: OpenApi): Operation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => {
      const { security, parameters = [], requestBody } = described as Body
      const json = requestBody?.content['application/json']
      return {
        method: method.toUpperCase(),
        path,
        security: security.flatMap((way: Body) => Object.keys(way)),
        query: parameters.filter((one: Body) => one.in === 'query'),
        body: json?.schema,
        example: json?.example ?? {},
      }
    }),
  )

/** Ids of earlier responses, by the kind of their objects. */
export class Pool {
  readonly #ids = new Map<string, string[]>()

  note(value: unknown): void {
    if (typeof value !== 'object' || value === null) return
    const { object, id } = value as Body
    if (typeof object === 'string' && typeof id === 'string') {
      const ids = this.#ids.get(object) ?? []
      if (!ids.includes(id)) this.#ids.set(object, [id, ...ids].slice(0, 20))
    }
    for (const child of Object.values(value)) this.note(child)
  }

  /** Returns the id of an object of a kind; of any kind when there is none. */
  id(kind: string, choose: Choose): string {
    const ids = this.#ids.get(kind) ?? [...this.#ids.values()].flat()
    return ids.length === 0 ? 'unknown' : choose(ids)
  }

  has(kind: string): boolean {
    return this.#ids.has(kind)
  }
}

/** The time of the clocks of a test, in Unix seconds. */
export const NOW = 1_769_853_600
const DAY = 86_400

/** Values that make requests useful, by parameter name. */
const TELLING: Readonly<Record<string, readonly unknown[]>> = {
  by: ['1d', '3d', '1mo', '60s'],
  cancel_at: [NOW + 3 * DAY, NOW + 40 * DAY],
  clock: [NOW, NOW + DAY, '2026-02-01T00:00:00Z'],
  currency: ['usd', 'usd', 'usd', 'EUR'],
  default_payment_method: ['pm_card_visa', 'pm_card_visa', 'pm_card_chargeDeclined', 'pm_pix'],
  enabled_events: [['*'], ['invoice.*', 'customer.created']],
  event: EVENT_TYPES,
  expand: [['customer'], ['latest_invoice.payment_intent'], ['data.customer'], ['data.charge']],
  frozen_time: [NOW, NOW + DAY, NOW + 40 * DAY],
  invoice_prefix: ['ABCD2345', 'WXYZ6789'],
  nonce: ['0123456789abcdef0123456789abcdef'],
  outcomes: [['succeed', 'decline:lost_card'], ['decline:expired_card']],
  payment_method: ['pm_card_visa', 'pm_card_authenticationRequired', 'pm_card_chargeDeclined'],
  resumes_at: [NOW + 5 * DAY, NOW + 50 * DAY],
  stop_on: [['invoice.paid'], ['subscription.*']],
  // biome-ignore lint/suspicious/noThenProperty: the parameter's name
  then: ['succeed', 'decline:lost_card'],
  to: [NOW + DAY, NOW + 40 * DAY, '2026-03-01'],
  trial_end: ['now', NOW + 2 * DAY, NOW + 20 * DAY],
  trial_period_days: [1, 14],
  type: [...EVENT_TYPES, 'invoice.*', 'card', 'recurring', 'one_time', 'pix'],
  types: [['invoice.*'], [...EVENT_TYPES.slice(0, 3)]],
}

/** Values that are nearly valid, or invalid. */
const ODD: readonly unknown[] = [
  null,
  '',
  ' ',
  [],
  {},
  [null],
  -1,
  0,
  1.5,
  2 ** 31,
  2 ** 53,
  1e300,
  true,
  '0',
  'x',
  '\0',
  '\ud800',
  '🦓'.repeat(300),
  'x'.repeat(6_000),
  'constructor',
  '__proto__',
  { a: { b: 1 } },
  Array(120).fill('x'),
]

type Given = { readonly pool: Pool; readonly choose: Choose; readonly spoils: boolean }

/** A value for a parameter: one that its schema allows, mostly one that makes sense. */
export function valueFor(name: string, schema: JsonSchema, example: unknown, given: Given): unknown {
  const { pool, choose, spoils } = given
  if (spoils && choose(CENT) < 6) return choose([...ODD, ...boundsOf(schema)])
  const kind = name.replace(/^default_/, '')
  if (schema.type !== 'object' && pool.has(kind) && choose(CENT) < 70) return pool.id(kind, choose)
  const emitted = TELLING[name]
  if (emitted && !schema.enum) return choose(emitted)
  if (schema.anyOf) return valueFor(name, choose(schema.anyOf), example, given)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return choose(schema.enum)
  if (schema.properties) return objectOf(schema, (example ?? {}) as Body, given)
  if (schema.type === 'array') {
    const [one] = Array.isArray(example) ? example : []
    return Array.from({ length: choose([1, 1, 2]) }, () => valueFor(name, schema.items ?? {}, one, given))
  }
  if (example !== undefined && choose(CENT) < 60) return example
  return plainOf(name, schema, choose)
}

const CENT = Array.from({ length: 100 }, (_, index) => index)

function plainOf(name: string, schema: JsonSchema, choose: Choose): unknown {
  const { type, minimum = 0, maximum = 1_000 } = schema as JsonSchema & { minimum?: number; maximum?: number }
  const [first] = [type].flat()
  if (first === 'boolean') return choose([true, false])
  if (first === 'integer' || first === 'number') return choose([minimum, Math.min(minimum + 1, maximum), 500])
  if (first === 'object') return choose([{}, { a: 'b' }, { a: '' }])
  return choose([`some ${name}`, 'a@example.com', 'https://app.example/callback'])
}

/** Values just within a schema's bounds, and just beyond. */
function boundsOf(schema: JsonSchema): unknown[] {
  const { minimum, maximum, maxLength, maxItems } = schema as Record<string, number | undefined>
  return [
    ...(minimum === undefined ? [] : [minimum, minimum - 1]),
    ...(maximum === undefined ? [] : [maximum, maximum + 1]),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength), 'x'.repeat(maxLength + 1)]),
    ...(maxItems === undefined || maxItems > 200 ? [] : [Array(maxItems + 1).fill('x')]),
  ]
}

/** The parameters of an operation: those that it requires, and some of the others. */
export function objectOf(schema: JsonSchema, example: Body, given: Given): Body {
  const { choose, spoils } = given
  const required = new Set(schema.required ?? [])
  const body: Body = {}
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const isIn = required.has(name)
      ? !(spoils && choose(CENT) < 2)
      : choose(CENT) < (name in example ? 60 : 15)
    if (isIn) body[name] = valueFor(name, child, example[name], given)
  }
  return body
}

const SINGULAR: Readonly<Record<string, string>> = { webhooks: 'webhook_endpoint' }

/** The path of an operation, with the id of something that exists. */
export function targetOf({ path }: Operation, { pool, choose, spoils }: Given): string {
  return path.replace(/(\w+)\/\{id\}/, (_, list: string) => {
    const kind = SINGULAR[list] ?? list.replace(/s$/, '')
    const id =
      spoils && choose(CENT) < 4 ? choose(['unknown', '%00', '%zz', 'é', '..']) : pool.id(kind, choose)
    return `${list}/${id}`
  })
}
