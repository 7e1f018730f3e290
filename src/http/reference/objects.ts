import { asMarkdown } from '../../text/markdown.ts'
import { isReference, type JsonSchema, nameOfRef, type Schemas } from '../openapi/json-schema.ts'
import { type Document, entryOf, type Route, responsesOf, routesOf } from './document.ts'
import { type Around, fieldLines, headingOfObject, MARK_FIELD } from './fields.ts'

/** The errors: they are explained together, and not where they are answered. */
export const ERROR_OBJECTS = [
  'Error',
  'PaymentFailure',
  'AuthenticationError',
  'OAuthError',
  'OAuthFlatError',
] as const

/** An object: what it is, and its fields. */
export const objectSection = (name: string, around: Around, level: string): string =>
  [
    `${level} ${headingOfObject(name)}`,
    asMarkdown(around.schemas[name]?.description ?? ''),
    fieldLines(around.schemas[name] ?? {}, around, MARK_FIELD).join('\n'),
  ].join('\n\n')

/**
 * The objects that are explained with each resource, by its tag: what most of its routes answer, what else they answer, and what
 * these are made of. Each is explained once, with the resource of its own before any other that shows it.
 */
export function objectsByTag(document: Document): ReadonlyMap<string, readonly string[]> {
  const { schemas } = document.components
  const routes = routesOf(document)
  const answered = new Map(
    document.tags.map(({ name }) => {
      const own = routes.filter(({ operation }) => operation.tags.includes(name))
      return [name, own.flatMap((route) => answeredBy(route, document))] as const
    }),
  )
  const taken = new Set<string>(ERROR_OBJECTS)
  const placed = new Map([...answered].map(([tag, names]) => [tag, take(mostFrequent(names), taken)]))
  return new Map(
    [...answered].map(([tag, names]) => {
      const made = [...(placed.get(tag) ?? []), ...names].flatMap((name) => partsOf(name, schemas))
      return [tag, [...(placed.get(tag) ?? []), ...take(made, taken)]]
    }),
  )
}

/** The objects that a route answers when all goes well. */
const answeredBy = (route: Route, document: Document): string[] =>
  responsesOf(route, document)
    .filter(([status]) => status < 300)
    .flatMap(([, { content }]) => objectsIn(content['application/json']?.schema, document.components.schemas))

/** The objects that a schema names: those that a list lists, and each of those that may be chosen. */
function objectsIn(schema: JsonSchema | undefined, schemas: Schemas): string[] {
  if (!schema || isReference(schema)) return []
  const name = nameOfRef(schema)
  if (name !== undefined) {
    const entry = entryOf(name, schemas) ?? name
    return schemas[entry]?.properties
      ? [entry]
      : (schemas[entry]?.anyOf ?? []).flatMap((option) => objectsIn(option, schemas))
  }
  const { anyOf = [], items, properties = {} } = schema
  return [...anyOf, ...(items ? [items] : []), ...Object.values(properties)].flatMap((part) =>
    objectsIn(part, schemas),
  )
}

/** An object and all that it is made of, those within them too. */
function partsOf(name: string, schemas: Schemas, known = new Set<string>()): string[] {
  if (known.has(name)) return []
  known.add(name)
  const parts = Object.values(schemas[name]?.properties ?? {}).flatMap((part) => objectsIn(part, schemas))
  return [name, ...parts.flatMap((part) => partsOf(part, schemas, known))]
}

/** Those that nobody has taken before. */
function take(names: readonly string[], taken: Set<string>): string[] {
  const free = [...new Set(names)].filter((name) => !taken.has(name))
  for (const name of free) taken.add(name)
  return free
}

function mostFrequent(names: readonly string[]): string[] {
  const count = (name: string) => names.filter((other) => other === name).length
  const [first, ...others] = names
  if (first === undefined) return []
  return [others.reduce((best, name) => (count(name) > count(best) ? name : best), first)]
}
