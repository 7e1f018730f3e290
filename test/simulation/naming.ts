import type { Body } from '../twin.ts'
import { Failure } from './failure.ts'

/**
 * Which id paytwin gave to what the model calls `sub3`, for one merchant: one name for one id. An id is learned where
 * it is seen for the first time, and has to be the same ever after.
 */
export class Naming {
  readonly #ids: Map<string, string>
  readonly #keys: Map<string, string>

  constructor(ids: ReadonlyMap<string, string> = new Map()) {
    this.#ids = new Map(ids)
    this.#keys = new Map([...ids].map(([key, id]) => [id, key]))
  }

  copy(): Naming {
    return new Naming(this.#ids)
  }

  get ids(): ReadonlyMap<string, string> {
    return this.#ids
  }

  keyOf(id: string): string | undefined {
    return this.#keys.get(id)
  }

  idOf(key: string): string {
    const id = this.#ids.get(key)
    if (id === undefined) throw new Failure('no id', `nothing has told the id of ${key}`)
    return id
  }

  /** A text with ids in the place of names. */
  fill(text: string): string {
    return text.replaceAll(/\{(\w+)\}/g, (_, key: string) => this.idOf(key))
  }

  /** Whether an id is that of a key, which is learned from it when nobody has told. */
  agrees(key: string, id: unknown): boolean {
    const known = this.#ids.get(key)
    if (known !== undefined || typeof id !== 'string') return known === id
    if (this.#keys.has(id)) return false
    this.#ids.set(key, id)
    this.#keys.set(id, key)
    return true
  }
}

const NAME = /^\{(\w+)\}$/

/**
 * Where an object differs from what is expected of it, as `field: expected …, is …`; fields not expected may be
 * anything.
 */
export function differences(naming: Naming, expected: unknown, real: unknown, at = ''): string[] {
  if (typeof expected === 'string') {
    const key = NAME.exec(expected)?.[1]
    if (key !== undefined && naming.agrees(key, real)) return []
  } else if (Array.isArray(expected) && Array.isArray(real) && expected.length === real.length) {
    return expected.flatMap((each, index) => differences(naming, each, real[index], `${at}[${index}]`))
  } else if (isObject(expected) && isObject(real)) {
    return Object.entries(expected).flatMap(([name, value]) =>
      differences(naming, value, real[name], at === '' ? name : `${at}.${name}`),
    )
  }
  if (expected === real) return []
  return [`${at}: expected ${JSON.stringify(expected)}, is ${JSON.stringify(real)}`]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An object of the API in the terms of the model: the running number of an invoice, price and quantity of items. */
export function inModelTerms(object: Body): Body {
  if (object.object === 'invoice' && object.number !== null) {
    return { ...object, number: Number(String(object.number).split('-').at(-1)) }
  }
  if (object.object === 'subscription') {
    return { ...object, items: object.items.data.map(({ price, quantity }: Body) => [price.id, quantity]) }
  }
  return object
}
