import { makeSubscriptions } from './advance.ts'
import { startDaemon } from './daemon.ts'

const TIMES = 10
/** For 10,000 subscriptions, and for an almost empty sandbox; a save or a restore may always take this long. */
const GOALS = { save: 500, restore: 500, reset: 50, resetOfLittle: 5 }

export type StateResult = {
  readonly subscriptions: number
  readonly place: 'file' | 'memory'
  /** Milliseconds as the caller sees them, the answer included: the median of some, and for a reset the best too. */
  readonly save: number
  readonly restore: number
  readonly reset: number
  readonly bestReset: number
}

/** What it costs to save, to restore and to reset. */
export async function benchState(subscriptions: number, options: readonly string[]): Promise<StateResult> {
  const daemon = await startDaemon(['--clock', '2026-01-31T10:00:00Z', '--seed', '1', ...options])
  const time = async (path: string, body?: object) => {
    const started = performance.now()
    await daemon.operate(path, body)
    return performance.now() - started
  }
  try {
    await makeSubscriptions(daemon, subscriptions)
    const [saves, restores, resets]: [number[], number[], number[]] = [[], [], []]
    for (let n = 0; n < TIMES; n += 1) saves.push(await time('snapshots', { name: 'bench' }))
    for (let n = 0; n < TIMES; n += 1) {
      restores.push(await time('snapshots/bench/restore'))
      resets.push(await time('reset'))
    }
    return {
      subscriptions,
      place: options.includes('--ephemeral') ? 'memory' : 'file',
      save: median(saves),
      restore: median(restores),
      reset: median(resets),
      bestReset: Math.min(...resets),
    }
  } finally {
    await daemon.stop()
  }
}

export function reportState(results: readonly StateResult[]): void {
  console.log(`saving, restoring and resetting: milliseconds, the median of ${TIMES}`)
  console.table(
    results.map(({ subscriptions, place, ...times }) => ({
      subscriptions,
      place,
      ...Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, Number(ms.toFixed(1))])),
    })),
  )
  console.log(
    `goals: save and restore under ${GOALS.save} ms, a reset under ${GOALS.reset} ms, of an almost empty one under ${GOALS.resetOfLittle} ms`,
  )
}

const median = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN
