import type { Body } from '../twin.ts'
import { Failure } from './failure.ts'

/**
 * The ids of a merchant's objects by the model's keys such as `sub3`, one for one. An id is assigned to a key at its
 * first occurrence, and must be the same from then on.
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
    if (id === undefined) throw new Failure('no id', `nothing has emitted the id of ${key}`)
    return id
  }

  /** Reports whether the ids of all objects that a text names are known, such as `{sub3}` and `{item of sub3 price2}`. */
  hasAllOf(text: string): boolean {
    for (const [, words = ''] of text.matchAll(/\{([\w ]+)\}/g))
      for (const word of words.split(' ')) if (KEY.test(word) && !this.#ids.has(word)) return false
    return true
  }

  /** Replaces the keys in a text by ids. */
  fill(text: string): string {
    return text.replaceAll(/\{(\w+)\}/g, (_, key: string) => this.idOf(key))
  }

  /** Reports whether an id belongs to a key, and assigns it if the key has none. */
  agrees(key: string, id: unknown): boolean {
    const known = this.#ids.get(key)
    if (known !== undefined || typeof id !== 'string') return known === id
    if (this.#keys.has(id)) return false
    this.#ids.set(key, id)
    this.#keys.set(id, key)
    return true
  }
}

/** A key of the model; other words in braces are not. */
const KEY = /^[a-z]+\d+$/

const NAME = /^\{(\w+)\}$/

/**
 * Describes the first difference of an object from the expected fields, as `field: expected …, is …`; other fields may
 * have any value.
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

/**
 * Converts an object of the API to the model's fields: the running number of an invoice, price and quantity of items.
 */
export function inModelTerms(object: Body): Body {
  if (object.object === 'invoice') {
    const lines = object.lines.data.map(inShort)
    // A preview shows no id of an item that does not exist.
    const line_amounts = object.lines.data.map((line: Body) => [
      line.amount,
      line.discount_amounts.map(inPair),
    ])
    const total_discount_amounts = object.total_discount_amounts.map(inPair)
    if (object.number === null) return { ...object, lines, line_amounts, total_discount_amounts }
    return {
      ...object,
      lines,
      line_amounts,
      total_discount_amounts,
      number: Number(String(object.number).split('-').at(-1)),
    }
  }
  if (object.object === 'credit_note') {
    const number = Number(String(object.number).split('-').at(-1))
    return { ...object, number, lines: object.lines.data.map(({ amount }: Body) => amount) }
  }
  if (object.object === 'subscription') {
    const inPairs = (items: Body[]) => items.map(({ price, quantity }) => [price.id, quantity])
    const { pending_update: pending } = object
    return {
      ...object,
      items: object.items.data.map(({ price, quantity, discounts }: Body) => [price.id, quantity, discounts]),
      pending_update: pending && {
        ...pending,
        subscription_items: inPairs(pending.subscription_items),
      },
    }
  }
  if (object.object === 'subscription_schedule') {
    const phases = object.phases.map(({ items, ...phase }: Body) => ({
      ...phase,
      items: items.map(({ price, quantity }: Body) => [price, quantity]),
    }))
    return { ...object, phases }
  }
  return object
}

/** A line as the model shows it: its amount, the time of an item that it bills, and what is taken off. */
const inShort = ({ amount, subscription_item, period, proration, discount_amounts }: Body): unknown[] => [
  ...(subscription_item === null ? [amount] : [amount, period.start, period.end, proration]),
  discount_amounts.map(inPair),
]

const inPair = ({ discount, amount }: Body): unknown[] => [discount, amount]
