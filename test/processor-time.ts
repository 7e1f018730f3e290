/** Measures the processor time that this process uses for an action, in milliseconds. */
export async function processorTime(act: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await act()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/**
 * Returns the lowest processor time of three tries, because compilation, garbage collection and other threads can slow one down.
 * @param enough - a result in milliseconds that needs no further try; there are up to ten tries then
 */
export async function leastProcessorTime(act: () => unknown, enough = 0): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  const most = enough > 0 ? 10 : 3
  for (let tries = 0; tries < most && least > enough; tries += 1)
    least = Math.min(least, await processorTime(act))
  return least
}
