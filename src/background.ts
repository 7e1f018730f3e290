import type { Logger } from './log.ts'
import type { Sandbox } from './sandbox.ts'
import { SYSTEM_TIMING, WakeUps } from './wake-ups.ts'

/** The requests for which somebody has started the daemon come first: to load node-cron takes a while. */
const START_AFTER_MS = 1_000
/** Once a minute, not together with all that others do at the full minute. */
const HOUSEKEEPING = '30 * * * * *'

/** Does what nobody asks for: runs jobs that fall due on live clocks, and keeps house. @returns what ends it */
export function startBackgroundWork(sandbox: Sandbox, log: Logger): () => void {
  let isStopped = false
  let stop = () => {}
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
  return () => {
    isStopped = true
    clearTimeout(starting)
    stop()
  }
}

function wakeUpsOf(sandbox: Sandbox, log: Logger, untilHousekeeping: () => number): () => void {
  const { engine } = sandbox
  let isKeepingHouse = false
  const keepHouse = async () => {
    if (isKeepingHouse) return
    isKeepingHouse = true
    try {
      await sandbox.keepHouse()
    } catch (error) {
      log.error({ err: error }, 'housekeeping')
    } finally {
      isKeepingHouse = false
    }
  }
  const wakeUps = new WakeUps({
    nextDue: () => engine.nextDue(),
    runDue: () => void engine.settleAll(),
    untilHousekeeping,
    keepHouse: () => void keepHouse(),
  })
  const stopListening = engine.listen({
    committed: (clocks) => wakeUps.wakeBy(engine.time.nextDue(clocks)),
    replaced: () => wakeUps.wakeBy(engine.nextDue()),
    failed: () => wakeUps.retrySoon(),
  })
  wakeUps.start()
  return () => {
    stopListening()
    wakeUps.stop()
  }
}
