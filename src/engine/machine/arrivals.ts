import { stopwatch } from './clock.ts'

/**
 * paytwin: the part of a step's time for which connections are accepted before the next step, while they arrive. So a flood of them
 * slows long steps by a quarter, whatever a connection costs.
 */
const SHARE = 1 / 3

/** paytwin: the limit of that time, in milliseconds: some twenty connections. */
const MOST_MS = 20

/**
 * paytwin: the time of steps for which no connection is accepted before the next one, in milliseconds. If it were shorter, the many short
 * steps of webhooks would wait for each connection of a flood.
 */
const SHORT_MS = 10

// One state for the process: it has one event loop, also with several daemons.

/** The number of connections that were accepted so far. */
let arrived = 0
/** The number of those that were accepted before the last turn of the event loop. */
let settled = 0
/** Until when connections are accepted before the next step, in milliseconds: see stopwatch. */
let acceptsUntil = 0
/** When the first step since the last turn of the event loop began; undefined if there was none. */
let began: number | undefined

/**
 * What waits until no connection must be accepted first. In one queue, so that a kind of steps that always has more does not come
 * before all others each time.
 */
const waiting: (() => void)[] = []

/**
 * Records that a connection was accepted. Node accepts one in each turn of the event loop, so others may wait, and its own request is
 * read in the next turn.
 */
export function connectionArrived(): void {
  arrived += 1
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
    const now = stopwatch()
    const ms = now - start
    if (ms >= SHORT_MS) acceptsUntil = now + Math.min(ms * SHARE, MOST_MS)
  })
}

/** Whether connections must be accepted before the next step, for some of the time that others have taken. */
export const mustAcceptFirst = (): boolean =>
  moreMayArrive() && (began === undefined ? stopwatch() < acceptsUntil : stopwatch() - began >= SHORT_MS)

/**
 * Runs a step that may take long, such as a transaction or a page, in a later turn of the event loop, when no connection must be
 * accepted first, and after those that wait already. Otherwise each connection would wait for one step of every connection before it.
 */
export function runAfterAccepting(step: () => void): void {
  waiting.push(step)
  setImmediate(runFirst)
}

/** Runs the first step that waits. Each has a call of its own: what it has resolved continues before the next one. */
function runFirst(): void {
  if (mustAcceptFirst()) {
    setImmediate(runFirst)
    return
  }
  stepBegins()
  waiting.shift()?.()
}

/** Resolves when a step that may take long may run: see runAfterAccepting. */
export const nextStep = (): Promise<void> => new Promise(runAfterAccepting)

/** Whether further connections or their requests may be waiting: one arrived in this turn of the event loop or the last one. */
const moreMayArrive = (): boolean => arrived > settled
