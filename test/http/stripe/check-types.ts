import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Declarations, declarationsOf, type ObjectType, type Type } from './declared-types.ts'

type Body = Readonly<Record<string, unknown>>

/** Checks whether bodies have the types of an SDK. */
export class TypeCheck {
  readonly #types: Declarations

  /** @param folder - the folder of the SDK's package */
  constructor(folder: string) {
    this.#types = declarationsOf(folder)
  }

  /**
   * Checks a response.
   * @returns what is wrong: fields that are ill-typed, missing or not declared; empty if nothing is
   */
  errorsIn(value: unknown, path = ''): string[] {
    if (!isBody(value)) return [`${path} is no object`]
    const { object } = value
    if (object === 'list') return this.#listErrors(value, path)
    if (object === 'search_result') return this.#searchErrors(value, path)
    if (object === 'event') return this.#eventErrors(value, path)
    const types = this.#types.typesNamed(String(object))
    return types.length === 0
      ? [`${path} has the unknown object ${object}`]
      : this.#unionErrors(value, types, path)
  }

  /** Checks a list. Stripe's responses also have `total_count`, which the SDK does not declare. */
  #listErrors({ data, has_more, url, total_count = 0, object, ...others }: Body, path: string): string[] {
    const isList =
      object === 'list' &&
      typeof has_more === 'boolean' &&
      typeof url === 'string' &&
      typeof total_count === 'number' &&
      Array.isArray(data)
    if (!isList) return [`${path} is no list`]
    return [
      ...Object.keys(others).map((name) => `${path}.${name} is not declared`),
      ...data.flatMap((entry, index) => this.errorsIn(entry, `${path}.data[${index}]`)),
    ]
  }

  /** Checks a page of a search: a list with a token of the next page. */
  #searchErrors({ object: _, next_page, ...list }: Body, path: string): string[] {
    const hasPage = list.has_more ? typeof next_page === 'string' : next_page === null
    return [
      ...(hasPage ? [] : [`${path}.next_page is ${next_page}`]),
      ...this.#listErrors({ ...list, object: 'list' }, path),
    ]
  }

  /** Checks an event. The SDK types it as a union of hundreds of events, each with its own object. */
  #eventErrors({ data, ...event }: Body, path: string): string[] {
    const undeclared = Object.keys(event).filter((name) => !EVENT_FIELDS.includes(name))
    return [
      ...undeclared.map((name) => `${path}.${name} is not declared`),
      ...this.errorsIn((data as Body).object, `${path}.data.object`),
    ]
  }

  #errorsOf(value: unknown, type: Type, path: string): string[] {
    const wrong = [`${path} is ${JSON.stringify(value)?.slice(0, 60)}`]
    if (type.is === 'any') return []
    if (type.is === 'literal') return value === type.value ? [] : wrong
    if (type.is === 'null') return value === null ? [] : wrong
    if (type.is === 'union') return this.#unionErrors(value, type.of, path)
    if (type.is === 'object') return isBody(value) ? this.#objectErrors(value, type, path) : wrong
    if (type.is !== 'name') return typeof value === type.is ? [] : wrong
    if (type.name === 'Decimal') return typeof value === 'string' ? [] : wrong
    if (type.name === 'ApiList') return isBody(value) ? this.#listErrors(value, path) : wrong
    if (type.name !== 'Array') return this.#errorsOf(value, this.#types.resolveName(type), path)
    const [entry = { is: 'any' }] = type.args
    if (!Array.isArray(value)) return wrong
    return value.flatMap((each, index) => this.#errorsOf(each, entry, `${path}[${index}]`))
  }

  /** Returns the errors of the alternative with the fewest. An object is compared with objects only. */
  #unionErrors(value: unknown, types: readonly Type[], path: string): string[] {
    const objects = isBody(value) ? types.filter((type) => this.#isObjectType(type)) : []
    const alternatives = (objects.length > 0 ? objects : types).map((type) =>
      this.#errorsOf(value, type, path),
    )
    return alternatives.reduce((best, errors) => (errors.length < best.length ? errors : best))
  }

  #isObjectType(type: Type): boolean {
    if (type.is !== 'name') return type.is === 'object'
    return BUILT_IN.includes(type.name)
      ? type.name === 'ApiList'
      : this.#isObjectType(this.#types.resolveName(type))
  }

  #objectErrors(value: Body, type: ObjectType, path: string): string[] {
    const { fields, rest } = this.#withBases(type)
    const missing = [...fields].filter(([name, { optional }]) => !optional && value[name] === undefined)
    const given = Object.entries(value).flatMap(([name, each]) => {
      const field = fields.get(name)
      const known = field?.type ?? rest
      return known ? this.#errorsOf(each, known, `${path}.${name}`) : [`${path}.${name} is not declared`]
    })
    return [...missing.map(([name]) => `${path}.${name} is missing`), ...given]
  }

  /** Returns an object type with the fields of the types that it extends. */
  #withBases(type: ObjectType): Pick<ObjectType, 'fields' | 'rest'> {
    const bases = type.bases.map((base) => (base.is === 'name' ? this.#types.resolveName(base) : base))
    const inherited = bases.flatMap((base) => (base.is === 'object' ? [...this.#withBases(base).fields] : []))
    return { fields: new Map([...inherited, ...type.fields]), rest: type.rest }
  }
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
const BUILT_IN = ['Array', 'ApiList', 'Decimal']

const isBody = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The folder of the SDK that the dialect is made with. It is resolved, because this file is also part of a script in another folder. */
export const SDK = join(dirname(createRequire(import.meta.url).resolve('stripe')), '..')

const pinned = new TypeCheck(SDK)

/** Checks a response against the types of the SDK that the dialect is made with. */
export const typeErrorsIn = (value: unknown): string[] => pinned.errorsIn(value)
