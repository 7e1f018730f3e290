/** The time for which requests are processed before other requests are received, in milliseconds. */
export type TimeLimits = {
  /** The time that reads, or a chain of callbacks, work. */
  readonly turnMs: number
  /** The time that a transaction of commands runs. */
  readonly transactionMs: number
}

/**
 * paytwin: the limits of a daemon. If `transactionMs` were 20, the writes of 50 clients would often need two commits, which takes 15 %
 * more processor time.
 */
export const TIME_LIMITS: TimeLimits = { turnMs: 10, transactionMs: 50 }

/**
 * paytwin: no limits, for a sandbox in the process of a test. With limits, the order of concurrent requests would depend on the speed of
 * the machine.
 */
export const NO_TIME_LIMITS: TimeLimits = {
  turnMs: Number.POSITIVE_INFINITY,
  transactionMs: Number.POSITIVE_INFINITY,
}
