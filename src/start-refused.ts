/** Why the daemon does not start, in a sentence or several; the exit status is 2 for wrong usage, else 1. */
export class StartRefused extends Error {
  readonly exitCode: 1 | 2
  readonly others: readonly string[]
  constructor(exitCode: 1 | 2, message: string, others: readonly string[] = []) {
    super(message)
    this.exitCode = exitCode
    this.others = others
  }
}
