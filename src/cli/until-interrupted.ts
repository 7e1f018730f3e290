/** Runs endless work until SIGINT (Ctrl-C) or SIGTERM aborts its signal. */
export async function untilInterrupted(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const ended = new AbortController()
  const end = () => ended.abort()
  process.once('SIGINT', end).once('SIGTERM', end)
  try {
    await work(ended.signal)
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end)
  }
}
