import type { KeyRow } from '../../store/tables.ts'

/** Returns the index of the first key whose id is not below an id, of keys in the order of their ids. */
export function placeOf(keys: readonly KeyRow[], id: string): number {
  let [low, high] = [0, keys.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((keys[middle]?.id ?? '') < id) low = middle + 1
    else high = middle
  }
  return low
}
