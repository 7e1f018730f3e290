import { Housekeeping } from './housekeeping.ts'
import type { Logger } from './log.ts'
import type { Sandbox } from './sandbox.ts'
import { SYSTEM_TIMING, WakeUps } from './wake-ups.ts'

/** The requests for which somebody has started the daemon come first: to load node-cron takes a while. */
const START_AFTER_MS = 1_000
/** Once a minute, not together with all that others do at the full minute. */
const HOUSEKEEPING = '30 * * * * *'

/**
 * Runs jobs that fall due on live clocks, and keeps house once a minute.
 * @returns what ends it, and resolves when no housekeeping is under way: that needs the database
 */
export function startBackgroundWork(sandbox: Sandbox, log: Logger): () => Promise<void> {
  let isStopped = false
  let stop = async () => {}
  const start = async () => {
    const { createTask } = await import('node-cron')
    // It only says when. Its own timer would walk through every minute that was slept: seconds of work after some days.
    const schedule = createTask(HOUSEKEEPING, () => {}, { timezone: 'UTC' })
    const untilHousekeeping = () => {
      const [next] = schedule.getNextRuns(1)
      return next ? next.getTime() - SYSTEM_TIMING.wall() : Number.POSITIVE_INFINITY
    }
    if (!isStopped) stop = wakeUpsOf(sandbox, log, untilHousekeeping)
  }
  const starting = setTimeout(() => {
    start().catch((error: unknown) => log.error({ err: error }, 'starting the background work'))
  }, START_AFTER_MS)
  return async () => {
    isStopped = true
    clearTimeout(starting)
    await stop()
  }
}

function wakeUpsOf(sandbox: Sandbox, log: Logger, untilHousekeeping: () => number): () => Promise<void> {
  const { engine } = sandbox
  const housekeeping = new Housekeeping(sandbox.keepHouse, (error) =>
    log.error({ err: error }, 'housekeeping'),
  )
  const wakeUps = new WakeUps({
    nextDue: () => engine.nextDue(),
    runDue: () => void engine.settleAll(),
    untilHousekeeping,
    keepHouse: () => housekeeping.begin(),
  })
  const stopListening = engine.listen({
    committed: (clocks) => wakeUps.wakeBy(engine.time.nextDue(clocks)),
    replaced: () => wakeUps.wakeBy(engine.nextDue()),
    failed: () => wakeUps.retrySoon(),
  })
  wakeUps.start()
  return async () => {
    stopListening()
    wakeUps.stop()
    await housekeeping.ended()
  }
}
