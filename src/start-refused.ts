/** Why the daemon does not start, in a sentence; the exit status is 2 for wrong usage, else 1. */
export class StartRefused extends Error {
  readonly exitCode: 1 | 2
  constructor(exitCode: 1 | 2, message: string) {
    super(message)
    this.exitCode = exitCode
  }
}
