import { parameterInvalid, resourceMissing } from '../../core/errors.ts'
import type { MerchantClock } from '../../engine/machine/begin-advance.ts'

/** An advance that waits or runs. */
export type NamedAdvance = {
  readonly signal: AbortSignal
  /** The clocks that it moves. */
  clocks: readonly MerchantClock[]
  /** Forgets its id. */
  readonly end: () => void
}

/** The advances that wait or run, by the ids that their requests gave them, so that each can be canceled by itself. */
export class NamedAdvances {
  readonly #advances = new Map<string, NamedAdvance & { readonly cancel: () => void }>()

  /** Adds an advance until it ends. @throws ApiError parameter_invalid for an id in use */
  add(id: string): NamedAdvance {
    if (this.#advances.has(id))
      throw parameterInvalid('advance_id', `'${id}' names another unfinished advance`)
    const controller = new AbortController()
    const advance = {
      signal: controller.signal,
      clocks: [],
      cancel: () => controller.abort(),
      end: () => {
        if (this.#advances.get(id) === advance) this.#advances.delete(id)
      },
    }
    this.#advances.set(id, advance)
    return advance
  }

  /** Cancels an advance, also while it waits. @returns its clocks. @throws ApiError resource_missing */
  cancel(id: string): readonly MerchantClock[] {
    const advance = this.#advances.get(id)
    if (!advance) throw resourceMissing('unfinished advance', id, 'advance_id')
    advance.cancel()
    return advance.clocks
  }
}
