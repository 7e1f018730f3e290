import { objectsIn, partsOf } from '../../http/openapi/parts.ts'
import { asBlock, asMarkdown } from '../../text/markdown.ts'
import { type Document, type Route, responsesOf, routesOf } from './document.ts'
import { type Context, fieldLines, headingOfObject, MARK_FIELD } from './fields.ts'

/** The error objects, which are explained together in the chapter on errors. */
export const ERROR_OBJECTS = [
  'Error',
  'PaymentFailure',
  'AuthenticationError',
  'OAuthError',
  'OAuthFlatError',
] as const

/** Describes an object and its fields. */
export const objectSection = (name: string, context: Context, level: string): string =>
  [
    `${level} ${headingOfObject(name)}`,
    asMarkdown(context.schemas[name]?.description ?? ''),
    fieldLines(context.schemas[name] ?? {}, context, MARK_FIELD).join('\n'),
    ...(name === 'AuthenticationError'
      ? errorExamples(['401_invalid_key', '401_keys_unavailable'], context)
      : []),
  ].join('\n\n')

/** Shows recorded errors, by the names of their examples. */
export const errorExamples = (names: readonly string[], { examples }: Context): string[] =>
  names.flatMap((name) => {
    const error = examples?.errors.get(name)
    return error ? [asBlock(JSON.stringify(error, null, 2), 'json Example')] : []
  })

/**
 * Assigns each object to the tag that documents it. A tag documents the objects that its routes return, and their nested objects. Each
 * object is documented once. The object that a tag's routes return most often comes first.
 */
export function objectsByTag(document: Document): ReadonlyMap<string, readonly string[]> {
  const { schemas } = document.components
  const routes = routesOf(document)
  const returned = new Map(
    document.tags.map(({ name }) => {
      const own = routes.filter(({ operation }) => operation.tags.includes(name))
      return [name, own.flatMap((route) => returnedBy(route, document))] as const
    }),
  )
  const taken = new Set<string>(ERROR_OBJECTS)
  const placed = new Map([...returned].map(([tag, names]) => [tag, take(mostFrequent(names), taken)]))
  return new Map(
    [...returned].map(([tag, names]) => {
      const made = [...(placed.get(tag) ?? []), ...names].flatMap((name) => partsOf(name, schemas))
      return [tag, [...(placed.get(tag) ?? []), ...take(made, taken)]]
    }),
  )
}

/** Returns the objects in the successful responses of a route. */
const returnedBy = (route: Route, document: Document): string[] =>
  responsesOf(route, document)
    .filter(([status]) => status < 300)
    .flatMap(([, { content }]) => objectsIn(content['application/json']?.schema, document.components.schemas))

/** Returns the names that are not in `taken` yet, and adds them to it. */
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
