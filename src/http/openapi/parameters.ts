import { KINDS, type Kind, nounOf } from '../../core/kinds.ts'
import type { Json } from '../json.ts'
import type { Resource } from '../resource.ts'
import { RESOURCES } from '../resources.ts'
import type { Registered } from '../route.ts'
import { isMerchants, storesResponses, streamsEvents } from './audience.ts'
import type { Example } from './examples.ts'
import { isExpandable, type JsonSchema, requestSchema, type Schemas } from './json-schema.ts'
import { PARAM_TEXTS, QUERY_TEXTS } from './param-texts.ts'
import { resourceOf, type Tag } from './tags.ts'

/** The context in which a route is described. */
export type Context = { readonly tag: Tag; readonly schemas: Schemas; readonly example: Example | undefined }

const EXPAND: JsonSchema = {
  type: 'array',
  items: { type: 'string' },
  description: 'Paths of ids to replace with their objects, at most four levels deep.',
}

/** Describes the parameters of a route in its path, query and headers. */
export function parametersOf(route: Registered, context: Context): Json[] {
  return [
    ...[...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => pathParameter(name, route, context)),
    ...(route.method === 'get' ? queryParameters(paramsSchema(route, context), context) : []),
    ...(storesResponses(route) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(isMerchants(route) || route.audience === 'app'
      ? [{ $ref: '#/components/parameters/ApiVersion' }]
      : []),
    ...(route.streams ? [{ $ref: '#/components/parameters/LastEventId' }] : []),
    ...(streamsEvents(route) ? [{ $ref: '#/components/parameters/State' }] : []),
  ]
}

/** Describes the body of a route; undefined if it has no parameters. */
export function requestBodyOf(route: Registered, context: Context): Json | undefined {
  const schema = route.method === 'get' ? undefined : paramsSchema(route, context)
  if (!schema?.properties || Object.keys(schema.properties).length === 0) return undefined
  const nested = Object.entries(schema.properties).filter(([, child]) => isNested(child))
  const encoding = Object.fromEntries(nested.map(([name]) => [name, { style: 'deepObject', explode: true }]))
  const body = context.example?.request.body
  const example = body && { example: body }
  return {
    required: (schema.required ?? []).length > 0,
    content: {
      'application/json': { schema, ...example },
      'application/x-www-form-urlencoded': { schema, ...(nested.length > 0 && { encoding }), ...example },
    },
  }
}

/** Returns the schema of all parameters of a route, with descriptions. */
function paramsSchema(route: Registered, { tag, schemas }: Context): JsonSchema {
  const returned = schemas[tag.component]
  const given: JsonSchema = route.params ? requestSchema(route.params()) : { type: 'object', properties: {} }
  const described = describeParams(given, returned, route)
  const canExpand = route.path.startsWith('/v1/') && isExpandable(route.returns.name, schemas)
  return canExpand ? { ...described, properties: { ...described.properties, expand: EXPAND } } : described
}

type Route = Pick<Registered, 'method' | 'path'>
type Place = { readonly route: Route; readonly path: readonly string[] }

/** Adds descriptions to the parameters of a route. @param answered - the object that the route creates or changes */
export const describeParams = (
  schema: JsonSchema,
  returned: JsonSchema | undefined,
  route: Route,
): JsonSchema => describe(schema, returned, { route, path: [] })

/** Adds descriptions to parameters at any depth. */
function describe(schema: JsonSchema, returned: JsonSchema | undefined, place: Place): JsonSchema {
  if (schema.anyOf)
    return { ...schema, anyOf: schema.anyOf.map((option) => describe(option, returned, place)) }
  const inItems = schema.items && { items: describe(schema.items, returned?.items, place) }
  if (!schema.properties) return { ...schema, ...inItems }
  const properties = Object.entries(schema.properties).map(([name, child]) => {
    const within = returned?.properties?.[name]
    const at = { ...place, path: [...place.path, name] }
    const description = child.description ?? textOf(at, within)
    return [name, { ...describe(child, within, at), ...(description !== undefined && { description }) }]
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}

const RESOURCE_OF_COLLECTION: ReadonlyMap<string, Pick<Resource<Kind>, 'params' | 'queryParams'>> = new Map(
  Object.values(RESOURCES).map((resource) => [resource.collection, resource]),
)

/** Returns the description of a parameter. In a body, the response's field with the same name can supply it. */
function textOf({ route, path }: Place, returned: JsonSchema | undefined): string | undefined {
  const name = path.join('.')
  const collection = resourceOf(route.path)
  const ofResource = `${collection}.${name}`
  const resource = RESOURCE_OF_COLLECTION.get(collection)
  const ofBody = resource?.params?.[name] ?? PARAM_TEXTS[ofResource]
  if (route.method !== 'get') return ofBody ?? returned?.description ?? PARAM_TEXTS[name]
  const ofQuery = resource?.queryParams?.[name] ?? QUERY_TEXTS[ofResource]
  return ofQuery ?? ofBody ?? QUERY_TEXTS[name] ?? PARAM_TEXTS[name] ?? `Only entries with this ${name}.`
}

function pathParameter(name: string, { path }: Route, { example }: Context): Json {
  const given = example?.request.ids[name]
  return {
    name,
    in: 'path',
    required: true,
    description: `The identifier of the ${nameOfOne(resourceOf(path))}.`,
    schema: { type: 'string' },
    ...(given !== undefined && { example: given }),
  }
}

/** Converts a resource in a path to a noun: `payment_methods` → payment method. */
function nameOfOne(resource: string): string {
  const kind = KINDS.find((known) => RESOURCES[known].collection === resource)
  return NAMES[resource] ?? nounOf(kind ?? resource.replace(/s$/, ''))
}

/** Nouns of resources that are no kind of object, if different from the name in the path. */
const NAMES: Readonly<Record<string, string>> = {
  oauth: 'authorization',
  webhooks: 'webhook endpoint',
}

function queryParameters(schema: JsonSchema, { example }: Context): Json[] {
  return Object.entries(schema.properties ?? {}).map(([name, child]) => {
    const { description, ...rest } = child
    const given = example?.request.query[name]
    return {
      // A list is encoded as types[]=…&types[]=…
      name: child.items ? `${name}[]` : name,
      in: 'query',
      required: schema.required?.includes(name) ?? false,
      description,
      schema: rest,
      ...(child.items && { style: 'form', explode: true }),
      ...(hasFields(child) && { style: 'deepObject', explode: true }),
      ...(given !== undefined && { example: given }),
    }
  })
}

/** Returns whether a value is or can be an object with fields. */
const hasFields = ({ properties, anyOf }: JsonSchema): boolean =>
  properties !== undefined || (anyOf?.some(hasFields) ?? false)

const isNested = (schema: JsonSchema): boolean =>
  schema.items !== undefined ||
  schema.properties !== undefined ||
  typeof schema.additionalProperties === 'object' ||
  (schema.anyOf?.some(isNested) ?? false)
