import { expect, describe as group, test } from 'vitest'
import { ID_PREFIXES } from '../../src/core/change.ts'
// Loading the routes defines every component.
import '../../src/http/app.ts'
import { EXPANDABLE } from '../../src/http/expand.ts'
import { componentSchemas, isReference, type JsonSchema } from '../../src/http/openapi/json-schema.ts'

const SCHEMAS = componentSchemas()
const SHAPES: Readonly<Record<string, Readonly<Record<string, string>>>> = EXPANDABLE
/** Components without ids of other objects. */
const WITHOUT_FIELDS = ['product', 'webhook_endpoint']

/** Returns the `object` of a component, such as `payment_intent`. */
const objectOf = ({ properties }: JsonSchema): string => String(properties?.object?.const)

const componentOf = (shape: string): JsonSchema => {
  const object = shape === 'invoice_item' ? 'invoiceitem' : shape
  const found = Object.values(SCHEMAS).find((schema) => objectOf(schema) === object)
  if (!found) throw new Error(`no component is a ${shape}`)
  return found
}

/** Returns the fields that can be expanded according to the schema; `a.b` for nested ones. */
const described = (schema: JsonSchema): string[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    if (isReference(field)) return [name]
    const within = [field, ...(field.anyOf ?? [])].flatMap(described)
    return within.map((path) => `${name}.${path}`)
  })

/** Returns the fields that `expand[]` expands. */
const expanded = (shape: string): string[] =>
  Object.entries(SHAPES[shape] ?? {}).flatMap(([name, leads]) => {
    // The price of an item is always an object. It is in the table for the fields behind it.
    if (shape === 'subscription_item' && leads === 'price') return []
    if (Object.hasOwn(ID_PREFIXES, leads)) return [name]
    return leads.startsWith('list of ') ? [] : expanded(leads).map((path) => `${name}.${path}`)
  })

group('what can be expanded', () => {
  // The other shapes are parts of these.
  const shapes = Object.keys(SHAPES).filter((shape) => !['invoice_settings', 'payment_error'].includes(shape))

  test.each(shapes)('of a %s is described so, and nothing else', (shape) => {
    expect(expanded(shape).toSorted()).toEqual(described(componentOf(shape)).toSorted())
    expect(expanded(shape).length === 0).toBe(WITHOUT_FIELDS.includes(shape))
  })
})
