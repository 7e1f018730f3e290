import { stopwatch } from './clock.ts'

/**
 * paytwin: the time of steps, in milliseconds, for which one connection passes. A connection takes some 0.4 ms, so a flood of them gets
 * a fifth of the time, and the steps keep up with it.
 */
const MS_PER_CONNECTION = 2

/** The connections that have arrived so far. */
let arrived = 0
/** Those of them that arrived before the last turn of the event loop. */
let settled = 0
/** The time of steps for which no connection has passed yet, in milliseconds. */
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

/** Whether connections come before the next step, for the time that others have taken. */
export const connectionsComeFirst = (): boolean =>
  moreMayArrive() && owed + (began === undefined ? 0 : stopwatch() - began) >= MS_PER_CONNECTION

/**
 * Runs a step that may take long, such as a transaction or a page, in a later turn of the event loop, when no connections come first.
 * Otherwise each connection would wait for one step of every connection before it.
 */
export function afterArrivals(step: () => void): void {
  const runOrWait = () => {
    if (connectionsComeFirst()) setImmediate(runOrWait)
    else {
      stepBegins()
      step()
    }
  }
  setImmediate(runOrWait)
}

/** Resolves when a step that may take long may run: see afterArrivals. */
export const nextStep = (): Promise<void> => new Promise(afterArrivals)

/** Whether further connections or their requests may be waiting: one arrived in this turn of the event loop or the last one. */
const moreMayArrive = (): boolean => arrived > settled
