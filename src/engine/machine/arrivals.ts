import { stopwatch } from './clock.ts'

/**
 * paytwin: the time of steps, in milliseconds, after which one connection is accepted first. A connection takes some 0.4 ms, so a flood
 * of them slows the steps down by a fifth.
 */
const MS_PER_CONNECTION = 2

// One state for the process: it has one event loop, also with several daemons.

/** The number of connections that were accepted so far. */
let arrived = 0
/** The number of those that were accepted before the last turn of the event loop. */
let settled = 0
/** The time of steps for which no connection was accepted yet, in milliseconds. */
let owed = 0
/** When the first step since the last turn of the event loop began; undefined if there was none. */
let began: number | undefined

/**
 * Records that a connection was accepted. Node accepts one in each turn of the event loop, so others may wait, and its own request is
 * read in the next turn.
 */
export function connectionArrived(): void {
  arrived += 1
  owed = Math.max(0, owed - MS_PER_CONNECTION)
  const upTo = arrived
  setImmediate(() =>
    setImmediate(() => {
      settled = upTo
    }),
  )
}

/** Records that a step begins that may take long. It counts until the next turn of the event loop, with all others until then. */
export function stepBegins(): void {
  if (began !== undefined) return
  const start = stopwatch()
  began = start
  setImmediate(() => {
    began = undefined
    // If no connection waits, the steps before are of no account.
    owed = (moreMayArrive() ? owed : 0) + stopwatch() - start
  })
}

/** Whether a connection must be accepted before the next step, for the time that others have taken. */
export const mustAcceptFirst = (): boolean =>
  moreMayArrive() && owed + (began === undefined ? 0 : stopwatch() - began) >= MS_PER_CONNECTION

/** Runs a function in a later turn of the event loop, when no connection must be accepted first. */
function onceAccepted(run: () => void): void {
  setImmediate(() => {
    if (mustAcceptFirst()) onceAccepted(run)
    else run()
  })
}

/**
 * Runs a step that may take long, such as a transaction or a page, in a later turn of the event loop, when no connection must be
 * accepted first. Otherwise each connection would wait for one step of every connection before it.
 */
export function runAfterAccepting(step: () => void): void {
  onceAccepted(() => {
    stepBegins()
    step()
  })
}

/** Resolves when a step that may take long may run: see runAfterAccepting. */
export const nextStep = (): Promise<void> => new Promise(runAfterAccepting)

/** Resolves in the next turn of the event loop in which a step may run, for a caller that need not run one. */
export const nextTurnForSteps = (): Promise<void> => new Promise(onceAccepted)

/** Whether further connections or their requests may be waiting: one arrived in this turn of the event loop or the last one. */
const moreMayArrive = (): boolean => arrived > settled
