import { type BenchDaemon, FROZEN, startDaemon } from './daemon.ts'
import { copyOf, removeFolder } from './folders.ts'
import { atMost, type Goal, type Measurement, type Outcome, type Part } from './result.ts'
import { sandboxOf, subscribe } from './sandbox.ts'

const TIMES = 10
const USUAL = 10_000

/** Measures a save, a restore and a reset, as the caller sees them. */
export const statePart: Part = {
  name: 'state',
  about: 'saving, restoring and resetting, on disk and in memory (--size N, usually 10,000)',
  isUsual: true,
  run: async ({ size = USUAL, note }): Promise<Outcome> => {
    const goals = { save: [atMost(500)], restore: [atMost(500)], reset: [atMost(50)] }
    const ofLittle = { save: [], restore: [], reset: [atMost(5)] }
    const name = `${size.toLocaleString('en-US')} subscriptions`
    const sandbox = await sandboxOf(size, note)
    const folder = copyOf(sandbox.folder)
    try {
      return {
        measurements: [
          ...(await measure(await startDaemon([], { ...sandbox, folder }), `${name} on disk`, goals)),
          ...(await measure(await inMemory(size), `${name} in memory`, goals)),
          ...(await measure(await startDaemon(FROZEN), 'almost nothing on disk', ofLittle)),
          ...(await measure(await inMemory(1), 'almost nothing in memory', ofLittle)),
        ],
      }
    } finally {
      removeFolder(folder)
    }
  },
}

async function inMemory(subscriptions: number): Promise<BenchDaemon> {
  const daemon = await startDaemon(['--ephemeral', ...FROZEN])
  await subscribe(daemon, subscriptions)
  return daemon
}

type Doing = 'save' | 'restore' | 'reset'

/** Also ends the daemon. */
async function measure(
  daemon: BenchDaemon,
  name: string,
  goals: Readonly<Record<Doing, readonly Goal[]>>,
): Promise<Measurement[]> {
  const times: Record<Doing, number[]> = { save: [], restore: [], reset: [] }
  const time = async (doing: Doing, path: string, body?: object) => {
    const started = performance.now()
    await daemon.operate(path, body)
    times[doing].push(performance.now() - started)
  }
  try {
    for (let n = 0; n < TIMES; n += 1) await time('save', 'snapshots', { name: 'bench' })
    for (let n = 0; n < TIMES; n += 1) {
      await time('restore', 'snapshots/bench/restore')
      await time('reset', 'reset')
    }
  } finally {
    await daemon.stop()
  }
  return (['save', 'restore', 'reset'] as const).map((doing) => ({
    what: `${doing}: ${name}`,
    unit: 'ms',
    paytwin: times[doing],
    goals: goals[doing],
  }))
}
