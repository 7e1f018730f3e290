import { StateReplaced } from '../engine/merchant.ts'

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
