import { expect, describe as group, test } from 'vitest'
// Loading the routes defines every component.
import '../../src/http/app.ts'
import { checkExpands } from '../../src/http/expand.ts'
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
