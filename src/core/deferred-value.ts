/** The length of the texts of the values of an object that were deferred, in characters. */
const DEFERRED = Symbol('deferred')

/**
 * Gives an object a value that is parsed when it is first needed. Most decisions need no metadata, and an item may have 150 kB of it.
 * A spread of the object has the value itself.
 */
export function deferValue(
  object: object,
  name: string,
  text: string,
  parse: (text: string) => unknown,
): void {
  let parsed: { readonly value: unknown } | undefined
  const get = () => {
    parsed ??= { value: parse(text) }
    return parsed.value
  }
  Object.defineProperty(object, name, { enumerable: true, configurable: true, get })
  const length = text.length + (deferredLength(object) ?? 0)
  Object.defineProperty(object, DEFERRED, { configurable: true, value: length })
}

/** Returns the length of the values of an object that were deferred, parsed or not, in characters; undefined if none were. */
export const deferredLength = (object: object): number | undefined =>
  DEFERRED in object ? Number(object[DEFERRED]) : undefined

/** Copies an object with some other values, none of which were deferred. Those that were are not parsed. */
export function copyWith<T extends object>(object: T, values: Partial<T>): T {
  if (deferredLength(object) === undefined) return { ...object, ...values }
  return Object.assign(Object.create(Object.prototype, Object.getOwnPropertyDescriptors(object)), values)
}

/** Whether an object has a deferred value from another one, of which it is a copy. */
export function hasSameDeferred(one: object, other: object, name: string): boolean {
  const deferred = Object.getOwnPropertyDescriptor(one, name)?.get
  return deferred !== undefined && deferred === Object.getOwnPropertyDescriptor(other, name)?.get
}
