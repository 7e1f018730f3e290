import type { Registered } from '../../src/http/route.ts'
import type { Body } from '../twin.ts'

/** The path of a value in the parameters of a route, such as `items`, `0`, `price`. */
export type Place = readonly (string | number)[]

/** Finds the string parameters of routes, as /openapi.json describes them. */
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

  /** A list has its first index, an object with arbitrary names the name `k`. */
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
    // A schema without a type can be a string too.
    const isText = [type].flat().includes('string') || (type === undefined && found.length === 0)
    const all = isText ? [path, ...found] : found
    return [...new Map(all.map((place) => [place.join('.'), place])).values()]
  }

  #resolved(part: Body): Body {
    const steps: string[] = part.$ref?.slice(2).split('/') ?? []
    return part.$ref ? steps.reduce((at, step) => at[step], this.#document) : part
  }
}

/** Returns the same parameters with a value at a path. */
export function put(params: unknown, [step, ...rest]: Place, value: unknown): unknown {
  if (step === undefined) return value
  const known = typeof params === 'object' && params !== null ? params : {}
  const child = put(Reflect.get(known, step), rest, value)
  if (typeof step === 'string') return { ...known, [step]: child }
  const list: unknown[] = Array.isArray(params) ? [...params] : []
  list[step] = child
  return list
}
