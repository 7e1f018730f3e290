import { type ObjectType, resolveName, type Type, typesNamed } from './declared-types.ts'

type Body = Readonly<Record<string, unknown>>

/**
 * Checks a response against the types of Stripe's SDK.
 * @returns what is wrong: fields that are ill-typed, missing or not declared; empty if nothing is
 */
export function typeErrorsIn(value: unknown, path = ''): string[] {
  if (!isBody(value)) return [`${path} is no object`]
  const { object } = value
  if (object === 'list') return listErrors(value, path)
  if (object === 'event') return eventErrors(value, path)
  const types = typesNamed(String(object))
  return types.length === 0 ? [`${path} has the unknown object ${object}`] : unionErrors(value, types, path)
}

/** Checks a list. Stripe's responses also have `total_count`, which the SDK does not declare. */
function listErrors(
  { data, has_more, url, total_count = 0, object, ...others }: Body,
  path: string,
): string[] {
  const isList =
    object === 'list' &&
    typeof has_more === 'boolean' &&
    typeof url === 'string' &&
    typeof total_count === 'number' &&
    Array.isArray(data)
  if (!isList) return [`${path} is no list`]
  return [
    ...Object.keys(others).map((name) => `${path}.${name} is not declared`),
    ...data.flatMap((entry, index) => typeErrorsIn(entry, `${path}.data[${index}]`)),
  ]
}

const EVENT_FIELDS = [
  'id',
  'object',
  'api_version',
  'created',
  'data',
  'livemode',
  'pending_webhooks',
  'request',
  'type',
]

/** Checks an event. The SDK types it as a union of hundreds of events, each with its own object. */
function eventErrors({ data, ...event }: Body, path: string): string[] {
  const undeclared = Object.keys(event).filter((name) => !EVENT_FIELDS.includes(name))
  return [
    ...undeclared.map((name) => `${path}.${name} is not declared`),
    ...typeErrorsIn((data as Body).object, `${path}.data.object`),
  ]
}

function errorsOf(value: unknown, type: Type, path: string): string[] {
  const wrong = [`${path} is ${JSON.stringify(value)?.slice(0, 60)}`]
  if (type.is === 'any') return []
  if (type.is === 'literal') return value === type.value ? [] : wrong
  if (type.is === 'null') return value === null ? [] : wrong
  if (type.is === 'union') return unionErrors(value, type.of, path)
  if (type.is === 'object') return isBody(value) ? objectErrors(value, type, path) : wrong
  if (type.is !== 'name') return typeof value === type.is ? [] : wrong
  if (type.name === 'Decimal') return typeof value === 'string' ? [] : wrong
  if (type.name === 'ApiList') return isBody(value) ? listErrors(value, path) : wrong
  if (type.name !== 'Array') return errorsOf(value, resolveName(type), path)
  const [entry = { is: 'any' }] = type.args
  if (!Array.isArray(value)) return wrong
  return value.flatMap((each, index) => errorsOf(each, entry, `${path}[${index}]`))
}

/** Returns the errors of the alternative with the fewest. An object is compared with objects only. */
function unionErrors(value: unknown, types: readonly Type[], path: string): string[] {
  const objects = isBody(value) ? types.filter(isObjectType) : []
  const alternatives = (objects.length > 0 ? objects : types).map((type) => errorsOf(value, type, path))
  return alternatives.reduce((best, errors) => (errors.length < best.length ? errors : best))
}

const BUILT_IN = ['Array', 'ApiList', 'Decimal']

function isObjectType(type: Type): boolean {
  if (type.is !== 'name') return type.is === 'object'
  return BUILT_IN.includes(type.name) ? type.name === 'ApiList' : isObjectType(resolveName(type))
}

function objectErrors(value: Body, type: ObjectType, path: string): string[] {
  const { fields, rest } = withBases(type)
  const missing = [...fields].filter(([name, { optional }]) => !optional && value[name] === undefined)
  const given = Object.entries(value).flatMap(([name, each]) => {
    const field = fields.get(name)
    const known = field?.type ?? rest
    return known ? errorsOf(each, known, `${path}.${name}`) : [`${path}.${name} is not declared`]
  })
  return [...missing.map(([name]) => `${path}.${name} is missing`), ...given]
}

/** Returns an object type with the fields of the types that it extends. */
function withBases(type: ObjectType): Pick<ObjectType, 'fields' | 'rest'> {
  const bases = type.bases.map((base) => (base.is === 'name' ? resolveName(base) : base))
  const inherited = bases.flatMap((base) => (base.is === 'object' ? [...withBases(base).fields] : []))
  return { fields: new Map([...inherited, ...type.fields]), rest: type.rest }
}

const isBody = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
