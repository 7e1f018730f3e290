/** The length of the texts of the values of an object that were deferred, in characters. */
const DEFERRED = Symbol('deferred')

/**
 * Gives an object a value that is parsed when it is first needed. Most decisions need no metadata, and an item may have 150 kB of it.
 * Copies of the object have the value itself.
 */
export function deferValue(
  object: object,
  name: string,
  text: string,
  parse: (text: string) => unknown,
): void {
  const shape = { enumerable: true, configurable: true }
  const get = () => {
    const value = parse(text)
    Object.defineProperty(object, name, { ...shape, writable: true, value })
    return value
  }
  Object.defineProperty(object, name, { ...shape, get })
  const length = text.length + (deferredLength(object) ?? 0)
  Object.defineProperty(object, DEFERRED, { configurable: true, value: length })
}

/** Returns the length of the values of an object that were deferred, parsed or not, in characters; undefined if none were. */
export const deferredLength = (object: object): number | undefined =>
  DEFERRED in object ? Number(object[DEFERRED]) : undefined
