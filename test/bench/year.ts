import { setTimeout as delay } from 'node:timers/promises'
import { type BenchDaemon, type ResponseBody, startDaemon } from './daemon.ts'
import { copyOf, databaseBytes, removeFolder } from './folders.ts'
import { peakMegabytes, resetPeak } from './machine.ts'
import { atLeast, atMost, known, type Outcome, type Part, quantile } from './result.ts'
import { type Sandbox, sandboxOf } from './sandbox.ts'

const USUAL = 100_000
const MONTHS = 12
const EVERY_MS = 50
/** The number of polls of the clock, one per second, between two progress messages. */
const NOTE_EVERY = 10

/** Measures an advance of twelve months with 1.2 million renewals, while the API is read. It has no rounds. */
export const yearPart: Part = {
  name: 'year',
  about: '12 months in one advance, reading meanwhile (--size N, usually 100,000; some 3 GB of disk)',
  isUsual: false,
  run: async ({ size = USUAL, note }): Promise<Outcome> => {
    const sandbox = await sandboxOf(size, note)
    const folder = copyOf(sandbox.folder)
    try {
      const daemon = await startDaemon([], { ...sandbox, folder })
      let seen: Seen
      try {
        seen = await watchYear(daemon, sandbox, note)
      } finally {
        await daemon.stop()
      }
      return outcomeOf(seen, sandbox, (databaseBytes(folder) - sandbox.bytes) / (size * MONTHS))
    } finally {
      removeFolder(folder)
    }
  },
}

/** The progress of the advance at a moment, as the clock reports it. */
type Progress = { readonly atSeconds: number; readonly renewals: number }

type Seen = {
  readonly seconds: number
  readonly intentMs: readonly number[]
  readonly listMs: readonly number[]
  readonly progress: readonly Progress[]
  readonly peakMegabytes: number | null
}

async function watchYear(
  daemon: BenchDaemon,
  { subscriptions }: Sandbox,
  note: (text: string) => void,
): Promise<Seen> {
  const intents = await daemon.get('/v1/payment_intents?limit=100')
  const ids = (intents.data as { id: string }[]).map(({ id }) => id)
  resetPeak(daemon.pid)
  const started = performance.now()
  const elapsed = () => (performance.now() - started) / 1_000
  let isOver = false
  const advancing = daemon.post('/v1/test_helpers/clock/advance', { by: `${MONTHS}mo` }).finally(() => {
    isOver = true
  })
  /** Sends requests until the advance has ended. @returns the latency of each, in milliseconds */
  const asking = async (
    path: () => string,
    everyMs: number,
    look: (response: ResponseBody) => void = () => {},
  ) => {
    const times: number[] = []
    while (!isOver) {
      const asked = performance.now()
      const response = await daemon.get(path())
      // A request that ended after the advance may not have waited for it.
      if (!isOver) {
        times.push(performance.now() - asked)
        look(response)
      }
      await delay(everyMs)
    }
    return times
  }
  const progress: Progress[] = []
  let round = 0
  const [{ summary }, intentMs, listMs] = await Promise.all([
    advancing,
    asking(() => `/v1/payment_intents/${ids[round++ % ids.length]}`, EVERY_MS),
    asking(() => '/v1/subscriptions?limit=10', EVERY_MS),
    asking(
      () => '/v1/test_helpers/clock',
      1_000,
      (clock) => {
        const { invoices_paid = 0 } = (clock.progress ?? {}) as { invoices_paid?: number }
        progress.push({ atSeconds: elapsed(), renewals: invoices_paid })
        if (progress.length % NOTE_EVERY !== 0) return
        note(`${invoices_paid.toLocaleString('en-US')} renewals after ${elapsed().toFixed(0)} s`)
      },
    ),
  ])
  const seconds = elapsed()
  const { invoices_paid } = summary as { invoices_paid: number }
  if (invoices_paid !== subscriptions * MONTHS)
    throw new Error(`${invoices_paid} renewals were reported at the end`)
  return { seconds, intentMs, listMs, progress, peakMegabytes: peakMegabytes(daemon.pid) }
}

function outcomeOf(seen: Seen, { subscriptions }: Sandbox, bytesPerRenewal: number): Outcome {
  const renewals = subscriptions * MONTHS
  const reads = (what: string, times: readonly number[]) =>
    [0.99, 1].map((share) => ({
      what: `${what} meanwhile, ${share === 1 ? 'at most' : 'p99'}`,
      unit: 'ms' as const,
      paytwin: times.length === 0 ? [] : [quantile(times, share)],
      goals: [atMost(50)],
    }))
  return {
    measurements: [
      {
        what: `renewals, ${subscriptions.toLocaleString('en-US')} subscriptions`,
        unit: '/s',
        paytwin: [renewals / seen.seconds],
        goals: [atLeast(8_000)],
      },
      { what: 'disk per renewal', unit: 'bytes', paytwin: [bytesPerRenewal], goals: [atMost(3_000)] },
      {
        what: 'resident set, at most',
        unit: 'MB',
        paytwin: known([seen.peakMegabytes]),
        goals: [atMost(300)],
      },
      ...reads('GET /v1/payment_intents/{id}', seen.intentMs),
      ...reads('GET /v1/subscriptions', seen.listMs),
      ...thirdsOf(seen, renewals),
    ],
  }
}

/** Computes the rate of the reported progress in each third of the time. A falling rate shows work that grows with the database. */
function thirdsOf({ progress, seconds }: Seen, renewals: number) {
  const all = [{ atSeconds: 0, renewals: 0 }, ...progress, { atSeconds: seconds, renewals }]
  const back = all.findIndex(({ renewals: count }, index) => count < (all[index - 1]?.renewals ?? 0))
  if (back !== -1) throw new Error(`the progress went back to ${all[back]?.renewals}`)
  const nearest = (wanted: number) =>
    all.reduce((best, each) =>
      Math.abs(each.atSeconds - wanted) < Math.abs(best.atSeconds - wanted) ? each : best,
    )
  return ['first', 'second', 'last'].map((name, third) => {
    const [from, to] = [nearest((seconds * third) / 3), nearest((seconds * (third + 1)) / 3)]
    return {
      what: `reported progress in the ${name} third`,
      unit: '/s' as const,
      paytwin: to === from ? [] : [(to.renewals - from.renewals) / (to.atSeconds - from.atSeconds)],
      goals: [],
    }
  })
}
