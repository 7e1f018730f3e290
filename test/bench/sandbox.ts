import { FROZEN, type Kept, startDaemon } from './daemon.ts'
import { databaseBytes, newFolder } from './folders.ts'
import { inParallel } from './load.ts'

const AT_ONCE = 50

/** A folder with monthly subscriptions in it, each of a customer of its own, all of the same second. */
export type Sandbox = Kept & {
  readonly subscriptions: number
  /** How long it took to make them by requests, one for the customer and one for the subscription. */
  readonly secondsToMake: number
  readonly bytes: number
}

const made = new Map<number, Promise<Sandbox>>()

/** Made once in a run: whoever changes it takes a copy. */
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

/** Makes monthly subscriptions, each of a customer of its own, as many at once as a busy application would. */
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
