import { EVENTS } from '../core/kinds.ts'
import type { JsonSchema, Schemas } from '../http/openapi/json-schema.ts'

/** Components whose names would hide a global type of `fetch`, with their names in the library. */
const RENAMED: Readonly<Record<string, string>> = { Request: 'LoggedRequest' }

const typeNamed = (component: string): string => RENAMED[component] ?? component

/** Whether a component is a list. All lists have one generic type. */
const isList = (name: string): boolean => name.endsWith('List')

/**
 * Writes the API's response types as TypeScript, with the descriptions of the OpenAPI document.
 * @param schemas - the components of the OpenAPI document, by name
 */
export function resourceTypes(schemas: Schemas): string {
  const named = Object.entries(schemas).filter(([name]) => !isList(name) && name !== 'Event')
  return [
    ...named.map(
      ([name, schema]) => `${doc(schema, '')}export type ${typeNamed(name)} = ${typeOf(schema, '')}`,
    ),
    listType(schemas),
    eventType(schemas),
  ].join('\n\n')
}

function listType(schemas: Schemas): string {
  const { data, ...rest } = schemas.CustomerList?.properties ?? {}
  const fields = fieldsOf({ properties: rest, required: Object.keys(rest) }, '')
  return `/** A page of a list. */\nexport type List<Entry> = {\n${fields}  ${doc(data ?? {}, '  ').trimStart()}  readonly data: readonly Entry[]\n}`
}

/** Writes the type of events: an event's type determines the type of its object. */
function eventType({ Event }: Schemas): string {
  const { type, data, ...rest } = Event?.properties ?? {}
  const names = (type?.enum ?? []).map(String)
  const fields = fieldsOf({ properties: rest, required: Object.keys(rest) }, '')
  const previous = data?.properties?.previous_attributes
  return [
    '/** The object of each event type. */',
    'export type EventObjects = {',
    ...names.map((name) => `  readonly '${name}': ${componentOf(name)}`),
    '}',
    '',
    '/** The type of an event. */',
    'export type EventType = keyof EventObjects',
    '',
    `/** ${Event?.description} Its type determines the type of its object: \`if (event.type === 'invoice.paid')\`. */`,
    'export type Event<Type extends EventType = EventType> = { [Name in Type]: EventOf<Name> }[Type]',
    '',
    '/** An event of one type. */',
    'export type EventOf<Type extends EventType> = {',
    `${fields}${doc(type ?? {}, '  ')}  readonly type: Type`,
    `${doc(data ?? {}, '  ')}  readonly data: {`,
    `    /** ${data?.properties?.object?.description} */`,
    '    readonly object: EventObjects[Type]',
    `    /** ${previous?.description} */`,
    '    readonly previous_attributes?: Partial<EventObjects[Type]>',
    '  }',
    '}',
    '',
  ].join('\n')
}

/** Returns the component of an event type: `payment_method.attached` → `PaymentMethod`. */
function componentOf(eventType: string): string {
  const kind = EVENTS.find(({ type }) => type === eventType)?.kind ?? ''
  return kind.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** Whether a type describes parameters. Their optional fields may also be undefined. */
type Direction = { readonly isInput?: boolean }

function typeOf(schema: JsonSchema, indent: string, direction: Direction = {}): string {
  const { $ref, anyOf, const: constant, enum: values, type } = schema
  if ($ref !== undefined) return referredType($ref)
  if (anyOf) return [...new Set(anyOf.map((option) => typeOf(option, indent, direction)))].join(' | ')
  if (constant !== undefined) return JSON.stringify(constant)
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ')
  return [type ?? 'any']
    .flat()
    .map((name) => plainType(name, schema, indent, direction))
    .join(' | ')
}

/** Returns the type of a component, given its name or a reference to it. */
export function referredType(ref: string): string {
  const name = ref.slice(ref.lastIndexOf('/') + 1)
  return isList(name) ? `List<${typeNamed(name.slice(0, -'List'.length))}>` : typeNamed(name)
}

function plainType(type: string, schema: JsonSchema, indent: string, direction: Direction): string {
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'string' || type === 'boolean' || type === 'null') return type
  if (type === 'array') return `readonly (${typeOf(schema.items ?? {}, indent, direction)})[]`
  if (type !== 'object') return 'unknown'
  if (schema.properties) return `{\n${fieldsOf(schema, indent, direction)}${indent}}`
  const { additionalProperties } = schema
  const value =
    typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent, direction) : 'unknown'
  return `{ readonly [name: string]: ${value} }`
}

/** Writes the fields of an object. */
export function fieldsOf(
  { properties = {}, required = [] }: JsonSchema,
  indent: string,
  direction: Direction = {},
): string {
  const inner = `${indent}  `
  return Object.entries(properties)
    .map(([name, schema]) => {
      const isOptional = !required.includes(name)
      const type = typeOf(schema, inner, direction) + (isOptional && direction.isInput ? ' | undefined' : '')
      return `${doc(schema, inner)}${inner}readonly ${name}${isOptional ? '?' : ''}: ${type}\n`
    })
    .join('')
}

const doc = ({ description }: JsonSchema, indent: string): string =>
  description === undefined ? '' : docOf(description, indent)

/** Writes a docstring. */
export const docOf = (text: string, indent: string): string =>
  `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`
