import type { Engine } from './engine.ts'
import type { MerchantState } from './merchant-state.ts'

/** The number of clocks that are recorded together. Merchants take turns, so a write of another waits for as many. */
const AT_ONCE = 50

/**
 * Records the time of live clocks, so that they do not go back if the wall clock is set back before the next start. Clocks
 * with due jobs are left out, because these jobs must run first, and so are suspended ones, which may have some.
 */
export async function recordLiveClocks(engine: Engine): Promise<void> {
  const running = ({ clock }: MerchantState) => clock.mode === 'live' && clock.target === null
  const record = (merchant: MerchantState) =>
    engine.record(merchant, () => {
      const { clock } = merchant
      if (running(merchant) && !engine.time.isSuspended(clock) && !engine.time.isOverdue(clock)) clock.tick()
    })
  const merchants = [...engine.merchants.values()].filter(running)
  for (let at = 0; at < merchants.length; at += AT_ONCE)
    await Promise.all(merchants.slice(at, at + AT_ONCE).map(record))
}

/**
 * Reports whether something has expired on a merchant's main clock. If so, enqueues a command that records its time: see Expiries.
 * @param expires - Unix seconds on that clock
 */
export function refusesExpired(engine: Engine, merchant: MerchantState, expires: number): boolean {
  const { now } = merchant.clock
  if (now < expires) return false
  // A command records the time, after the jobs that are due.
  engine.expiries.write(merchant, { expires, now }, () => engine.command(merchant, null, () => undefined))
  return true
}
