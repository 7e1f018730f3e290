/** The daemon cannot start, for a reason in one or more sentences. The exit status is 2 for wrong usage, otherwise 1. */
export class StartRefused extends Error {
  readonly exitCode: 1 | 2
  readonly others: readonly string[]
  constructor(exitCode: 1 | 2, message: string, others: readonly string[] = []) {
    super(message)
    this.exitCode = exitCode
    this.others = others
  }
}
