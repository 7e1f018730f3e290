import type { Registered } from '../../src/http/route.ts'
import type { Body } from '../twin.ts'

/** A place for a value within the parameters of a route, as in `items`, `0`, `price`. */
export type Place = readonly (string | number)[]

/** The places for texts within the parameters of routes, as /openapi.json describes them. */
export class Places {
  readonly #document: Body

  constructor(document: Body) {
    this.#document = document
  }

  inBody(route: Registered): Place[] {
    const schema = this.#operation(route).requestBody?.content['application/json'].schema
    return schema ? this.#within(schema, []).filter(({ length }) => length > 0) : []
  }

  inQuery(route: Registered): Place[] {
    const parameters: Body[] = (this.#operation(route).parameters ?? []).map((one: Body) =>
      this.#resolved(one),
    )
    return parameters
      .filter((parameter) => parameter.in === 'query')
      .flatMap(({ name, schema }) => this.#within(schema, [name.replace('[]', '')]))
  }

  #operation({ method, path }: Registered): Body {
    return this.#document.paths[path.replaceAll(/:(\w+)/g, '{$1}')][method]
  }

  /** In a list it is the first place, and behind a free name that of `k`. */
  #within(part: Body, path: Place): Place[] {
    const { type, anyOf, items, properties, additionalProperties } = this.#resolved(part)
    const found = [
      ...(anyOf ?? []).flatMap((option: Body) => this.#within(option, path)),
      ...(items ? this.#within(items, [...path, 0]) : []),
      ...Object.entries<Body>(properties ?? {}).flatMap(([name, child]) =>
        this.#within(child, [...path, name]),
      ),
      ...(typeof additionalProperties === 'object' ? this.#within(additionalProperties, [...path, 'k']) : []),
    ]
    // What says nothing of its type may be a text too.
    const isText = [type].flat().includes('string') || (type === undefined && found.length === 0)
    const all = isText ? [path, ...found] : found
    return [...new Map(all.map((place) => [place.join('.'), place])).values()]
  }

  #resolved(part: Body): Body {
    const steps: string[] = part.$ref?.slice(2).split('/') ?? []
    return part.$ref ? steps.reduce((at, step) => at[step], this.#document) : part
  }
}

/** The same parameters with a value in a place of them. */
export function put(params: unknown, [step, ...rest]: Place, value: unknown): unknown {
  if (step === undefined) return value
  const known = typeof params === 'object' && params !== null ? params : {}
  const child = put(Reflect.get(known, step), rest, value)
  if (typeof step === 'string') return { ...known, [step]: child }
  const list: unknown[] = Array.isArray(params) ? [...params] : []
  list[step] = child
  return list
}
