/** Notifies all who wait of the end of an owner's next attempt. */
export class AttemptEnds<Owner extends object> {
  readonly #next = new WeakMap<Owner, { readonly reached: Promise<void>; readonly reach: () => void }>()

  /** Resolves when the owner's next attempt has ended. All who wait share one promise, so that nothing is kept for each. */
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

  /** Resolves the promise of those who wait. */
  notify(owner: Owner): void {
    const ended = this.#next.get(owner)
    this.#next.delete(owner)
    ended?.reach()
  }
}
