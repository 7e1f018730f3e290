import { setTimeout as delay } from 'node:timers/promises'
import { type BenchDaemon, runFloor, startDaemon } from './daemon.ts'
import { copyOf, databaseBytes, databaseIn, removeFolder } from './folders.ts'
import { peakMegabytes, resetPeak, residentMegabytes } from './machine.ts'
import { median } from './result.ts'
import type { Sandbox } from './sandbox.ts'

const IDLE_MS = 1_000

export type Month = {
  readonly secondsPerRenewal: number
  readonly bytesPerRenewal: number
  /** A second after the start, with nothing to do, and at most while it advanced; null where unknown. */
  readonly idleMegabytes: number | null
  readonly peakMegabytes: number | null
}

/**
 * How many months make 10,000 renewals, after which the program is warm; and how many of a small sandbox it takes to have
 * something to measure. A large one is so long about its first month that the warming up is lost in it.
 */
const monthsOf = (subscriptions: number) => ({
  toWarmUp: subscriptions < 100_000 ? Math.ceil(10_000 / subscriptions) : 0,
  measured: Math.ceil(5_000 / subscriptions),
})

/**
 * Advances a copy of a sandbox by a month, wall time.
 * @param look - is given the folder afterwards, when the daemon has ended
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
    const seconds: number[] = []
    let memory: Pick<Month, 'idleMegabytes' | 'peakMegabytes'>
    try {
      await delay(IDLE_MS)
      const idleMegabytes = residentMegabytes(daemon.pid)
      for (let month = 0; month < toWarmUp; month += 1) await advance(daemon, subscriptions)
      resetPeak(daemon.pid)
      for (let month = 0; month < measured; month += 1) seconds.push(await advance(daemon, subscriptions))
      memory = { idleMegabytes, peakMegabytes: peakMegabytes(daemon.pid) }
    } finally {
      await daemon.stop()
    }
    const grown = databaseBytes(folder) - sandbox.bytes
    const month = {
      secondsPerRenewal: median(seconds) / subscriptions,
      bytesPerRenewal: grown / (subscriptions * (toWarmUp + measured)),
      ...memory,
    }
    return { month, seen: await look(folder) }
  } finally {
    removeFolder(folder)
  }
}

/**
 * The same rows in a copy of the same sandbox, written by nothing but better-sqlite3.
 * @param after - a folder in which paytwin has renewed what is in the sandbox
 */
export async function monthOfFloor(
  sandbox: Sandbox,
  after: string,
): Promise<Omit<Month, `${string}Megabytes`>> {
  const { subscriptions } = sandbox
  const folder = copyOf(sandbox.folder)
  try {
    const measured = String(subscriptions * monthsOf(subscriptions).measured)
    const { seconds, renewals } = await runFloor<{ seconds: number; renewals: number }>('renewals', [
      databaseIn(folder),
      databaseIn(after),
      measured,
    ])
    return {
      secondsPerRenewal: seconds / Number(measured),
      bytesPerRenewal: (databaseBytes(folder) - sandbox.bytes) / renewals,
    }
  } finally {
    removeFolder(folder)
  }
}

/** @returns seconds */
async function advance(daemon: BenchDaemon, subscriptions: number): Promise<number> {
  const started = performance.now()
  const { summary } = await daemon.post('/v1/test_helpers/clock/advance', { by: '1mo' })
  const seconds = (performance.now() - started) / 1_000
  const { invoices_paid } = summary as { invoices_paid: number }
  if (invoices_paid !== subscriptions) throw new Error(`${invoices_paid} of ${subscriptions} were renewed`)
  return seconds
}
