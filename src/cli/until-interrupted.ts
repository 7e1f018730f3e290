/** Does something that has no end of its own until Ctrl-C, or whoever started it, ends it. */
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
