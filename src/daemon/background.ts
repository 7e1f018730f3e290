import { Housekeeping } from './housekeeping.ts'
import type { Logger } from './log.ts'
import type { Sandbox } from './sandbox.ts'
import { SYSTEM_TIMING, WakeUps } from './wake-ups.ts'

/** A delay, so that loading node-cron does not slow down the first requests. */
const START_AFTER_MS = 1_000
/** Once a minute, at second 30, because other programs are busy at the full minute. */
const HOUSEKEEPING = '30 * * * * *'

/**
 * Starts the background work: due jobs of live clocks, and housekeeping.
 * @returns a function that stops it, and waits for housekeeping under way because that needs the database
 */
export function startBackgroundWork(sandbox: Sandbox, log: Logger): () => Promise<void> {
  let isStopped = false
  let stop = async () => {}
  const start = async () => {
    const { createTask } = await import('node-cron')
    // It only computes times. After some days of sleep, its own timer would run through every missed minute for seconds.
    const schedule = createTask(HOUSEKEEPING, () => {}, { timezone: 'UTC' })
    const untilHousekeeping = () => {
      const [next] = schedule.getNextRuns(1)
      return next ? next.getTime() - SYSTEM_TIMING.wall() : Number.POSITIVE_INFINITY
    }
    if (!isStopped) stop = wakeUpsOf(sandbox, log, untilHousekeeping)
  }
  const starting = setTimeout(() => {
    start().catch((error: unknown) => log.error({ err: error }, 'cannot start the background work'))
  }, START_AFTER_MS)
  return async () => {
    isStopped = true
    clearTimeout(starting)
    await stop()
  }
}

function wakeUpsOf(sandbox: Sandbox, log: Logger, untilHousekeeping: () => number): () => Promise<void> {
  const { engine } = sandbox
  const housekeeping = new Housekeeping(sandbox.doHousekeeping, (error) =>
    log.error({ err: error }, 'housekeeping'),
  )
  const wakeUps = new WakeUps({
    nextDue: () => engine.nextDue(),
    runDue: () => void engine.runAllDueJobs(),
    untilHousekeeping,
    doHousekeeping: () => housekeeping.begin(),
  })
  const stopListening = engine.listen({
    committed: (clocks) => wakeUps.wakeBy(engine.time.nextDue(clocks)),
    replaced: () => wakeUps.wakeBy(engine.nextDue()),
    stalled: () => wakeUps.retrySoon(),
    failed: () => wakeUps.retrySoon(),
  })
  wakeUps.start()
  return async () => {
    stopListening()
    wakeUps.stop()
    await housekeeping.ended()
  }
}
