import { setTimeout as delay } from 'node:timers/promises'
import { type BenchDaemon, runFloor, startDaemon } from './daemon.ts'
import { copyOf, databaseBytes, databaseIn, removeFolder } from './folders.ts'
import { peakMegabytes, processorSeconds, resetPeak, residentMegabytes } from './machine.ts'
import { known, median } from './result.ts'
import type { Sandbox } from './sandbox.ts'

const IDLE_MS = 1_000

export type Month = {
  readonly secondsPerRenewal: number
  /** The processor time of all threads of the process; null if unknown. */
  readonly processorSecondsPerRenewal: number | null
  readonly bytesPerRenewal: number
  /** Memory one second after the start, idle, and the peak during the advance; null if unknown. */
  readonly idleMegabytes: number | null
  readonly peakMegabytes: number | null
}

/** The memory of the floor is not measured. */
export type FloorMonth = Omit<Month, `${string}Megabytes`>

/**
 * The number of months with 10,000 renewals, after which the program is warm, and the number of months of a small sandbox to
 * measure. The first month of a large sandbox takes so long that the warm-up does not matter.
 */
const monthsOf = (subscriptions: number) => ({
  toWarmUp: subscriptions < 100_000 ? Math.ceil(10_000 / subscriptions) : 0,
  measured: Math.ceil(5_000 / subscriptions),
})

/**
 * Advances a copy of a sandbox by a month, and measures the wall time.
 * @param look - called with the folder after the daemon has ended
 */
export async function monthOfPaytwin<Seen>(
  sandbox: Sandbox,
  look: (folder: string) => Promise<Seen>,
): Promise<{ month: Month; seen: Seen }> {
  const { subscriptions } = sandbox
  const { toWarmUp, measured } = monthsOf(subscriptions)
  const folder = copyOf(sandbox.folder)
  try {
    const daemon = await startDaemon([], { ...sandbox, folder })
    const months: { wall: number; processor: number | null }[] = []
    let memory: Pick<Month, 'idleMegabytes' | 'peakMegabytes'>
    try {
      await delay(IDLE_MS)
      const idleMegabytes = residentMegabytes(daemon.pid)
      for (let month = 0; month < toWarmUp; month += 1) await advance(daemon, subscriptions)
      resetPeak(daemon.pid)
      for (let month = 0; month < measured; month += 1) months.push(await advance(daemon, subscriptions))
      memory = { idleMegabytes, peakMegabytes: peakMegabytes(daemon.pid) }
    } finally {
      await daemon.stop()
    }
    const grown = databaseBytes(folder) - sandbox.bytes
    const month = {
      secondsPerRenewal: median(months.map(({ wall }) => wall)) / subscriptions,
      processorSecondsPerRenewal: perRenewal(known(months.map(({ processor }) => processor)), subscriptions),
      bytesPerRenewal: grown / (subscriptions * (toWarmUp + measured)),
      ...memory,
    }
    return { month, seen: await look(folder) }
  } finally {
    removeFolder(folder)
  }
}

/** The output of the floor: the seconds of one renewal. */
type Written = { readonly renewals: number; readonly wall: number; readonly processor: number }

/** The mean is used, because a month of a small sandbox is not much longer than a tick of the kernel. */
const perRenewal = (months: readonly number[], subscriptions: number): number | null =>
  months.length === 0 ? null : months.reduce((sum, month) => sum + month, 0) / months.length / subscriptions

/**
 * Writes the same rows to a copy of the same sandbox with bare better-sqlite3.
 * @param after - a folder in which paytwin has renewed the sandbox's subscriptions
 */
export async function monthOfFloor(sandbox: Sandbox, after: string): Promise<FloorMonth> {
  const { subscriptions } = sandbox
  const folder = copyOf(sandbox.folder)
  try {
    const { renewals, wall, processor } = await runFloor<Written>('renewals', [
      databaseIn(folder),
      databaseIn(after),
      String(subscriptions * monthsOf(subscriptions).measured),
    ])
    return {
      secondsPerRenewal: wall,
      processorSecondsPerRenewal: processor,
      bytesPerRenewal: (databaseBytes(folder) - sandbox.bytes) / renewals,
    }
  } finally {
    removeFolder(folder)
  }
}

/** @returns the wall time and the processor time, in seconds */
async function advance(
  daemon: BenchDaemon,
  subscriptions: number,
): Promise<{ wall: number; processor: number | null }> {
  const [started, used] = [performance.now(), processorSeconds(daemon.pid)]
  const { summary } = await daemon.post('/v1/test_helpers/clock/advance', { by: '1mo' })
  const wall = (performance.now() - started) / 1_000
  const usedSince = processorSeconds(daemon.pid)
  const { invoices_paid } = summary as { invoices_paid: number }
  if (invoices_paid !== subscriptions) throw new Error(`${invoices_paid} of ${subscriptions} were renewed`)
  return { wall, processor: used === null || usedSince === null ? null : usedSince - used }
}
