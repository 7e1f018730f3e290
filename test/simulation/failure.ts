/** Something that does not hold. Its kind is what a shorter sequence has to break too, to count as the same failure. */
export class Failure extends Error {
  readonly kind: string

  constructor(kind: string, message: string) {
    super(`${kind}: ${message}`)
    this.kind = kind
  }
}
