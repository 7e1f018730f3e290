/** The sizes of the store's caches. Results do not depend on them. */
export type CacheSizes = {
  /** The number of objects of each kind to keep. Up to twice as many are kept. 0 keeps none. */
  readonly objects: number
  /** The number of jobs that are read from a queue at a time, at least 1. */
  readonly jobs: number
}

export const CACHE_SIZES: CacheSizes = { objects: 1_024, jobs: 64 }
