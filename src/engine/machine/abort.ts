/** Calls a function when the signal is aborted, at once if it already is. */
export function whenAborted(signal: AbortSignal, call: () => void): void {
  if (signal.aborted) call()
  else signal.addEventListener('abort', call, { once: true })
}

/** Resolves to the result of the work, or to undefined once the signal is aborted, even if the work ignores the signal. */
export const unlessAborted = <T>(work: Promise<T>, ended: AbortSignal): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    const abort = () => resolve(undefined)
    whenAborted(ended, abort)
    work.then(resolve, reject).finally(() => ended.removeEventListener('abort', abort))
  })
