/** Waits for a number of milliseconds, or until the signal is aborted. */
export function delay(ms: number, until: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      until.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, until.aborted ? 0 : ms)
    until.addEventListener('abort', done)
  })
}
