import { StateReplaced } from '../engine/merchant-state.ts'

/**
 * Serves a request, and serves it again from the beginning if a restore or a reset replaced the state in the meantime. So a
 * request never reads one state and writes another.
 */
export async function retryIfReplaced<T>(serve: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await serve()
    } catch (error) {
      if (!(error instanceof StateReplaced)) throw error
    }
  }
}

/** Wraps work so that it runs once and later calls share its result, such as reading the body of a request. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined
  return () => (done ??= work())
}
