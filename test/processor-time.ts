/** Milliseconds of processor time that this process spends until something is done. */
export async function processorTime(act: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await act()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/**
 * The least processor time of three tries: compiling, collecting garbage and other threads make one take longer by chance.
 * @param enough - what needs no further try, in milliseconds
 */
export async function leastProcessorTime(act: () => unknown, enough = 0): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 3 && least > enough; tries += 1)
    least = Math.min(least, await processorTime(act))
  return least
}
