import { expect, describe as group, test } from 'vitest'
// Loading the routes defines every component.
import '../../src/http/app.ts'
import type { CurrentView } from '../../src/engine/history/view.ts'
import { checkExpands, expand } from '../../src/http/expand.ts'
import type { Json } from '../../src/http/json.ts'
import { componentSchemas, isReference, type JsonSchema } from '../../src/http/openapi/json-schema.ts'
import { componentNamed } from '../../src/http/schemas/component.ts'

const SCHEMAS = componentSchemas()

/** Returns the fields that can be expanded according to the description; `a.b` for nested ones. */
const described = (schema: JsonSchema): string[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    if (isReference(field) || isReference(field.items ?? {})) return [name]
    const within = [field, ...(field.anyOf ?? [])].flatMap(described)
    return within.map((path) => `${name}.${path}`)
  })

/** Returns all fields, `a.b` for nested ones. What is always an object is left out, such as the price of an item. */
const all = (schema: JsonSchema): string[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    ...(field.anyOf?.some(({ $ref }) => /\/(?:Price|Discount)$/.test($ref ?? '')) && !isReference(field)
      ? []
      : [name]),
    ...[field, ...(field.anyOf ?? [])].flatMap(all).map((path) => `${name}.${path}`),
  ])

const isAccepted = (component: string, path: string): boolean => {
  try {
    checkExpands(componentNamed(component), [path])
    return true
  } catch {
    return false
  }
}

const EXPANDABLE = Object.keys(SCHEMAS).filter(
  (name) => !name.startsWith('Event') && described(SCHEMAS[name] ?? {}).length > 0,
)

group('what can be expanded', () => {
  test('is in these objects', () => {
    expect(EXPANDABLE).toEqual(
      expect.arrayContaining(['Customer', 'Invoice', 'LineItem', 'PaymentIntent', 'SubscriptionItem']),
    )
  })

  test.each(EXPANDABLE)('of %s is described so, and nothing else', (name) => {
    const schema = SCHEMAS[name] ?? {}
    expect(
      all(schema)
        .filter((path) => isAccepted(name, path))
        .toSorted(),
    ).toEqual(described(schema).toSorted())
  })

  test.each([
    ['Subscription', 'items.data.price', true],
    ['Subscription', 'items.data.price.product', true],
    ['Subscription', 'latest_invoice.lines.data.invoice_item.customer', true],
    ['Subscription', 'items', false],
    ['Subscription', 'items.data', false],
    ['SubscriptionList', 'data', false],
    ['SubscriptionList', 'data.customer', true],
    ['PaymentIntent', 'last_payment_error', false],
    ['PaymentIntent', 'last_payment_error.charge.customer', true],
    ['CustomerOrStub', 'invoice_settings.default_payment_method', true],
    ['DeletedCustomer', 'id', false],
    ['EventList', 'data.data.object.customer', false],
    ['Charge', 'payment_intent.latest_charge.payment_intent.latest_charge', true],
    ['Charge', 'payment_intent.latest_charge.payment_intent.latest_charge.customer', false],
  ])('of %s: %s is accepted: %s', (name, path, accepted) => {
    expect(isAccepted(name, path)).toBe(accepted)
  })
})

test('a path is read only up to 50 steps', () => {
  const path = `${'payment_intent.latest_charge.'.repeat(30)}zebra`
  expect(() => checkExpands(componentNamed('Charge'), [path])).toThrow('at most 4 are allowed')
})

group('the objects that are added', () => {
  const view = {} as CurrentView
  /** Lists of objects that all belong to one customer with a list of ten. */
  const body = (length: number) => ({
    data: Array.from({ length }, (_, n) => ({ id: `a_${n}`, customer: 'c' })),
  })
  const made: string[] = []
  const expandField = (_: CurrentView, parent: Json, field: string): unknown => {
    if (typeof parent[field] === 'object') return parent[field]
    made.push(field)
    if (field === 'customer') return { id: 'c', object: 'customer' }
    return { object: 'list', ...body(10) }
  }

  test('are made once each, however often they occur in the response', () => {
    made.length = 0
    const paths = ['data.customer.list.data.customer', 'data.customer.list.data.customer.list']
    const expanded = expand(view, body(20), paths, expandField)
    expect(made).toEqual(['customer', 'list'])
    const customer = { id: 'c', object: 'customer', list: { object: 'list', ...body(10) } }
    const within = { ...customer.list, data: customer.list.data.map((each) => ({ ...each, customer })) }
    const { data } = body(20)
    expect(expanded).toEqual({
      data: data.map((each) => ({ ...each, customer: { ...customer, list: within } })),
    })
  })

  test.each([
    { length: 142, paths: ['data.customer.list.data.customer'], isRefused: false },
    { length: 143, paths: ['data.customer.list.data.customer'], isRefused: true },
    {
      length: 120,
      paths: ['data.customer.list.data.customer', 'data.customer.list.data.x'],
      isRefused: true,
    },
    { length: 3_000, paths: ['data.customer', 'data.customer'], isRefused: false },
    { length: 3_001, paths: ['data.customer'], isRefused: true },
  ])('are at most 3,000 in all: $paths of $length', ({ length, paths, isRefused }) => {
    const act = () => expand(view, body(length), paths, expandField)
    if (isRefused) expect(act).toThrow('expand adds more than 3000 objects to the response')
    else expect(act).not.toThrow()
  })
})
