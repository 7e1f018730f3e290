import type { Place } from './place.ts'
import { Recent } from './recent.ts'

/** A cached object with its position and owner, and the approximate length of its values in characters. */
export type Cached<T> = {
  readonly merchant: number
  readonly place: Place
  readonly object: T
  readonly length: number
}

/** The maximum total length of a generation of cached objects of a kind, in characters. */
const MAX_LENGTH = 8 * 1024 * 1024

/** Creates a cache of the objects of a kind. @param size - the number of objects of a generation */
export const recentObjects = <Entry extends Pick<Cached<unknown>, 'length'>>(size: number): Recent<Entry> =>
  new Recent(size, { maxLength: MAX_LENGTH, lengthOf: ({ length }) => length })

/** Returns the length of the texts among the values of columns. */
export const lengthOf = (values: readonly unknown[]): number =>
  values.reduce<number>((sum, value) => (typeof value === 'string' ? sum + value.length : sum), 0)
