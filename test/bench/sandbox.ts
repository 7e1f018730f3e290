import { FROZEN, type Kept, startDaemon } from './daemon.ts'
import { databaseBytes, newFolder } from './folders.ts'
import { inParallel } from './load.ts'

const AT_ONCE = 50

/** A data folder with monthly subscriptions, one for each customer, all created in the same second. */
export type Sandbox = Kept & {
  readonly subscriptions: number
  /** The time to create them with two requests each, for the customer and for the subscription. */
  readonly secondsToMake: number
  readonly bytes: number
}

const made = new Map<number, Promise<Sandbox>>()

/** Creates the folder once in a run. A part that changes it makes a copy. */
export function sandboxOf(subscriptions: number, note: (text: string) => void): Promise<Sandbox> {
  const sandbox = made.get(subscriptions) ?? make(subscriptions, note)
  made.set(subscriptions, sandbox)
  return sandbox
}

async function make(subscriptions: number, note: (text: string) => void): Promise<Sandbox> {
  note(`making ${subscriptions.toLocaleString('en-US')} subscriptions`)
  const kept = { folder: newFolder(), secretKey: 'sk_test_BenchBenchBenchBenchBench' }
  const daemon = await startDaemon([...FROZEN, '--secret-key', kept.secretKey], kept)
  let secondsToMake: number
  try {
    const started = performance.now()
    await subscribe(daemon, subscriptions)
    secondsToMake = (performance.now() - started) / 1_000
  } finally {
    await daemon.stop()
  }
  return { ...kept, subscriptions, secondsToMake, bytes: databaseBytes(kept.folder) }
}

/** Creates monthly subscriptions, one for each customer, with the concurrency of a busy application. */
export async function subscribe(
  { post }: { post(path: string, body: object): Promise<Record<string, unknown>> },
  subscriptions: number,
): Promise<void> {
  const recurring = { interval: 'month' }
  const price = await post('/v1/prices', { unit_amount: 2000, currency: 'usd', recurring })
  await inParallel({ times: subscriptions, atOnce: AT_ONCE }, async () => {
    const customer = await post('/v1/customers', { name: 'Bench' })
    await post('/v1/subscriptions', {
      customer: customer.id,
      currency: 'usd',
      default_payment_method: 'pm_card_visa',
      items: [{ price: price.id }],
    })
  })
}
