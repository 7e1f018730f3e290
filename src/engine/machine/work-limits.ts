import { stopwatch } from './clock.ts'

/** A limit of the work that is done before other requests are received. It stops at whichever is reached first. */
export type WorkLimit = {
  /** In milliseconds. */
  readonly ms: number
  readonly steps: number
}

export type WorkLimits = {
  /** Of the reads in a turn of the event loop. */
  readonly reads: WorkLimit
  /** Of the commands in a transaction. */
  readonly commands: WorkLimit
  /** Of the jobs in a batch of an advance, which is a transaction. */
  readonly jobs: WorkLimit
  /** The duration of a step of any kind, in milliseconds, from which on it is long: see Steps. */
  readonly longMs: number
}

const within = (ms: number): WorkLimit => ({ ms, steps: Number.POSITIVE_INFINITY })
const upTo = (steps: number): WorkLimit => ({ ms: Number.POSITIVE_INFINITY, steps })

/** paytwin: the limit of a chain of callbacks in a turn of the event loop. */
export const TURN_LIMIT = within(10)

/**
 * paytwin: the limits of a daemon. If that of commands were 20 ms, the writes of 50 clients would often need two commits, which takes
 * 15 % more processor time. If that of jobs were longer, other merchants would wait longer for their turns. On a fast disk,
 * almost no batch of jobs is a long step.
 */
export const TIME_LIMITS: WorkLimits = {
  reads: TURN_LIMIT,
  commands: within(50),
  jobs: within(20),
  longMs: 30,
}

/**
 * paytwin: the limits of a sandbox in the process of a test, some 10 to 50 ms of work. If they were times, the order of concurrent requests
 * would depend on the speed of the machine.
 */
export const STEP_LIMITS: WorkLimits = {
  reads: upTo(20),
  commands: upTo(100),
  jobs: upTo(100),
  longMs: Number.POSITIVE_INFINITY,
}

/**
 * Starts a limit, when the first step begins.
 * @returns a function that counts a further step, and returns whether it may begin
 */
export function startLimit({ ms, steps }: WorkLimit): () => boolean {
  const end = stopwatch() + ms
  let left = steps
  return () => {
    left -= 1
    return left > 0 && stopwatch() < end
  }
}
