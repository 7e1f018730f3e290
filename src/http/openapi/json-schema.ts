import * as z from 'zod'
import { components } from '../schemas/component.ts'

/** The parts of a JSON Schema (draft 2020-12) that this program reads. */
export type JsonSchema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minItems?: number
  readonly maxItems?: number
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
}

/** The component schemas of the OpenAPI document, by name. */
export type Schemas = Readonly<Record<string, JsonSchema>>

const REF_PREFIX = '#/components/schemas/'

/** Resolves a reference to a component; returns other schemas unchanged. */
const resolved = (schema: JsonSchema, schemas: Schemas): JsonSchema =>
  (schema.$ref === undefined ? undefined : schemas[schema.$ref.slice(REF_PREFIX.length)]) ?? schema

export const refTo = (name: string): JsonSchema => ({ $ref: `${REF_PREFIX}${name}` })

/** Returns the name of the component that a schema refers to; undefined if it is not a reference. */
export const nameOfRef = ({ $ref }: JsonSchema): string | undefined => $ref?.slice(REF_PREFIX.length)

/** Returns whether a schema is an id that can be expanded. */
export const isReference = ({ anyOf }: JsonSchema): boolean =>
  anyOf?.some(({ $ref }) => $ref !== undefined) === true && anyOf.some(({ type }) => type === 'string')

/** Returns whether a component or a nested one has ids that can be expanded. */
export function isExpandable(name: string, schemas: Schemas): boolean {
  const holds = (schema: JsonSchema, above: readonly JsonSchema[]): boolean => {
    const known = resolved(schema, schemas)
    if (above.includes(known)) return false
    const path = [...above, known]
    if (isReference(known)) return true
    const items = known.items ? [known.items] : []
    const parts = [...Object.values(known.properties ?? {}), ...(known.anyOf ?? []), ...items]
    return parts.some((part) => holds(part, path))
  }
  // The object of an event is never expanded.
  return !name.startsWith('Event') && holds(refTo(name), [])
}

/** Makes the schemas of all components, by name. */
export function componentSchemas(): Schemas {
  const registry = z.registry<{ id?: string }>()
  for (const { name, schema } of components()) registry.add(schema, { id: name })
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `${REF_PREFIX}${id}` })
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, tidy(schema)]))
}

/** Makes the JSON Schema of parameters from the schema that checks them. */
export const requestSchema = (schema: z.ZodType): JsonSchema => tidy(z.toJSONSchema(schema, { io: 'input' }))

/**
 * Removes keywords without information for a reader, such as the bounds of safe integers. Also removes
 * `additionalProperties: false`, because later versions can add fields to responses.
 */
function tidy(schema: object): JsonSchema {
  const { $schema, $id, propertyNames, ...kept } = schema as Record<string, unknown>
  const tidied: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(kept)) {
    if (name === 'additionalProperties' && value === false) continue
    if (name === 'maximum' && value === Number.MAX_SAFE_INTEGER) continue
    if (name === 'minimum' && value === Number.MIN_SAFE_INTEGER) continue
    tidied[name] = tidyPart(name, value)
  }
  return simplerUnion(tidied)
}

function tidyPart(name: string, value: unknown): unknown {
  if (name === 'properties') {
    const properties = Object.entries(value as Record<string, object>)
    return Object.fromEntries(properties.map(([key, child]) => [key, tidy(child)]))
  }
  if (name === 'anyOf') return (value as object[]).map(tidy)
  const isSchema = name === 'items' || name === 'additionalProperties'
  return isSchema && typeof value === 'object' && value !== null ? tidy(value) : value
}

/** Flattens nested unions, and writes a nullable value as a list of types if possible. */
function simplerUnion({ anyOf, ...given }: JsonSchema): JsonSchema {
  if (!anyOf) return given
  const options = anyOf.flatMap((option) => option.anyOf ?? [option])
  const description = given.description ?? anyOf.find((option) => option.anyOf)?.description
  const rest = { ...given, ...(description !== undefined && { description }) }
  const [only, ...others] = options.filter(({ type }) => type !== 'null')
  const isNullable = others.length + 1 < options.length
  if (!only || others.length > 0 || !isNullable || typeof only.type !== 'string') {
    return { ...rest, anyOf: options }
  }
  return {
    ...rest,
    ...only,
    ...(rest.description !== undefined && { description: rest.description }),
    type: [only.type, 'null'],
    ...(only.enum && { enum: [...only.enum, null] }),
  }
}
