import { type BenchDaemon, startDaemon } from './daemon.ts'

const PARALLEL = 50

export type AdvanceResult = {
  readonly subscriptions: number
  readonly seconds: number
  readonly renewalsPerSecond: number
  readonly microsecondsPerRenewal: number
  readonly bytesPerRenewal: number
  readonly peakMegabytes: number
}

/** One month over monthly subscriptions, each of a customer of its own: one `clock advance`, wall time. */
export async function benchAdvance(subscriptions: number): Promise<AdvanceResult> {
  const daemon = await startDaemon(['--clock', '2026-01-31T10:00:00Z', '--seed', '1'])
  try {
    await makeSubscriptions(daemon, subscriptions)
    const before = daemon.size()
    await daemon.resetPeak()
    const started = performance.now()
    const { summary } = await daemon.post('/v1/test_helpers/clock/advance', { by: '1mo' })
    const seconds = (performance.now() - started) / 1000
    const { invoices_paid } = summary as { invoices_paid: number }
    if (invoices_paid !== subscriptions) throw new Error(`${invoices_paid} of ${subscriptions} were renewed`)
    return {
      subscriptions,
      seconds,
      renewalsPerSecond: subscriptions / seconds,
      microsecondsPerRenewal: (seconds / subscriptions) * 1e6,
      bytesPerRenewal: (daemon.size() - before) / subscriptions,
      peakMegabytes: daemon.peakMemory() / 1e6,
    }
  } finally {
    await daemon.stop()
  }
}

/** Monthly subscriptions, each of a customer of its own. */
export async function makeSubscriptions(daemon: BenchDaemon, subscriptions: number): Promise<void> {
  const price = await daemon.post('/v1/prices', {
    unit_amount: 2000,
    currency: 'usd',
    recurring: { interval: 'month' },
  })
  const subscribe = async () => {
    const customer = await daemon.post('/v1/customers', { name: 'Bench' })
    await daemon.post('/v1/subscriptions', {
      customer: customer.id,
      currency: 'usd',
      default_payment_method: 'pm_card_visa',
      items: [{ price: price.id }],
    })
  }
  for (let made = 0; made < subscriptions; made += PARALLEL) {
    await Promise.all(Array.from({ length: Math.min(PARALLEL, subscriptions - made) }, subscribe))
  }
}
