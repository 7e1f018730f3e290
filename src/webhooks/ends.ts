import { setMaxListeners } from 'node:events'

/** Lets many wait for the next end of something, such as an attempt, of an owner. */
export class Ends<Owner extends object> {
  readonly #next = new WeakMap<Owner, { readonly reached: Promise<void>; readonly reach: () => void }>()

  /** Resolves when the next one has ended. All who wait share one promise, so that nothing is kept for each. */
  next(owner: Owner): Promise<void> {
    const known = this.#next.get(owner)
    if (known) return known.reached
    let reach = () => {}
    const reached = new Promise<void>((resolve) => {
      reach = resolve
    })
    this.#next.set(owner, { reached, reach })
    return reached
  }

  announce(owner: Owner): void {
    const ended = this.#next.get(owner)
    this.#next.delete(owner)
    ended?.reach()
  }
}

/** Creates a controller of an abort for which any number may listen. */
export function abortOfMany(): AbortController {
  const ended = new AbortController()
  setMaxListeners(0, ended.signal)
  return ended
}
