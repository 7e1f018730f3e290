import type { ScheduledTask } from 'node-cron'
import type { Logger } from './log.ts'
import type { Sandbox } from './sandbox.ts'

/** What needs no ticking comes first: the requests for which somebody has started it. */
const TICK_AFTER_MS = 1_000

/** Live clocks are kept each second, and now and then the house is. Begins a second after the start: loading takes a while. @returns what ends it */
export function tick(sandbox: Sandbox, log: Logger): () => void {
  const tasks: ScheduledTask[] = []
  let isStopped = false
  const guarded = (doing: string, work: () => Promise<void>) => () =>
    work().catch((error: unknown) => log.error({ err: error }, doing))
  const begin = async () => {
    const { schedule } = await import('node-cron')
    if (isStopped) return
    const quiet = { suppressMissedWarning: true, noOverlap: true, unref: true }
    tasks.push(
      schedule(
        '* * * * * *',
        guarded('keeping live clocks', () => sandbox.engine.settleAll()),
        quiet,
      ),
      schedule(
        '30 * * * * *',
        guarded('housekeeping', () => sandbox.keepHouse()),
        quiet,
      ),
    )
  }
  const beginning = setTimeout(guarded('beginning to tick', begin), TICK_AFTER_MS)
  return () => {
    isStopped = true
    clearTimeout(beginning)
    for (const task of tasks) void task.destroy()
  }
}
