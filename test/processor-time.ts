/** Measures the processor time that this process uses for an action, in milliseconds. */
export async function processorTime(act: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await act()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** The processor time of `fixedWork` on the machine for which the limits in the tests are chosen, in milliseconds. */
const USUAL_MS = 4
/** Beyond it, a limit would say little. */
const MOST_SLOWNESS = 4
const WORDS = JSON.stringify(
  Array.from({ length: 2_000 }, (_, id) => ({ id: `in_${id}`, lines: [id, `é${id}`, { id }] })),
)

/** Work of the kind that paytwin does: reads and writes JSON, and goes through a text. */
function fixedWork(): number {
  const text = JSON.stringify(JSON.parse(WORDS))
  let hash = 0
  for (let index = 0; index < text.length; index += 1) hash = (hash * 31 + text.charCodeAt(index)) | 0
  return hash
}

/**
 * Returns how many times as long as usual the machine takes for its work at the moment, at least 1: a shared processor can be some
 * times as slow as on another day.
 */
async function slowness(): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 5; tries += 1) least = Math.min(least, await processorTime(fixedWork))
  return Math.min(MOST_SLOWNESS, Math.max(1, least / USUAL_MS))
}

/**
 * Returns the lowest processor time of three tries, because compilation, garbage collection and other threads can slow one down.
 * @param enough - the limit in milliseconds, see `leastWithin`
 */
export async function leastProcessorTime(act: () => unknown, enough = 0): Promise<number> {
  if (enough > 0) return leastWithin(enough, () => processorTime(act))
  return Math.min(await processorTime(act), await processorTime(act), await processorTime(act))
}

/**
 * Returns the lowest result of up to ten measurements, in milliseconds. One that is within the limit needs no further try; one that
 * is not is divided by the slowness of the machine.
 */
export async function leastWithin(limit: number, measure: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 10 && least >= limit; tries += 1) {
    const taken = await measure()
    least = Math.min(least, taken < limit ? taken : taken / (await slowness()))
  }
  return least
}
