import { getHeapStatistics } from 'node:v8'

/** The heap from which the limits on memory have their full values, in bytes. */
const FULL_HEAP = 2 ** 31

/** Returns the maximum size of this process's heap, in bytes. Node derives it from the memory of the computer or the container. */
export const heapLimit = (): number => getHeapStatistics().heap_size_limit

/**
 * Returns a limit on memory for a heap, in bytes. All limits can be reached at the same time, so each shrinks in proportion with a heap
 * of less than 2 GiB.
 * @param heapBytes - the maximum size of the heap
 * @param limit.most - the limit in a large heap
 * @param limit.least - the minimum
 */
export const memoryWithin = (
  heapBytes: number,
  { most, least = 0 }: { readonly most: number; readonly least?: number },
): number => Math.max(least, Math.floor(most * Math.min(1, heapBytes / FULL_HEAP)))
