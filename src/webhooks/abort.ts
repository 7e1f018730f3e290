import { setMaxListeners } from 'node:events'

/** Creates an AbortController whose signal may have any number of listeners. Beyond ten, Node would print a warning. */
export function abortOfMany(): AbortController {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}

/** Resolves to the result of the work, or to undefined once the signal is aborted, even if the work ignores the signal. */
export const unlessAborted = <T>(work: Promise<T>, ended: AbortSignal): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    const abort = () => resolve(undefined)
    if (ended.aborted) abort()
    ended.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => ended.removeEventListener('abort', abort))
  })
