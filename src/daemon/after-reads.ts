/**
 * Calls a function after the next reads. Timers run before them: after a stall of the process, what has arrived in the meantime is
 * not read yet.
 */
export const afterReads = (then: () => void): void => void setImmediate(then)
