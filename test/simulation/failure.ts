/** A violated invariant. A shorter sequence has the same failure if it violates an invariant of the same kind. */
export class Failure extends Error {
  readonly kind: string

  constructor(kind: string, message: string) {
    super(`${kind}: ${message}`)
    this.kind = kind
  }
}
