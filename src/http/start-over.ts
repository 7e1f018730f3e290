import { StateReplaced } from '../engine/merchant-state.ts'

/**
 * Serves a request in one state: where a restore or a reset came between its looking and its acting, it begins anew and comes
 * after that as a whole.
 */
export async function inOneState<T>(serve: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await serve()
    } catch (error) {
      if (!(error instanceof StateReplaced)) throw error
    }
  }
}

/** What is to be done once only, however often a request begins: reading its body. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined
  return () => (done ??= work())
}
