import { FROZEN, type Kept, startDaemon, startFloor } from './daemon.ts'
import { copyOf, databaseIn, newFolder, removeFolder } from './folders.ts'
import { formRequest, fullLoad, inParallel, type Throughput, throughputOf } from './load.ts'
import { atLeast, inTurns, type Outcome, type Part } from './result.ts'

const PATH = '/v1/subscriptions'
/** The number of customers that share the subscriptions, because real customers do not have thousands each. */
const CUSTOMERS = 2_000

/**
 * Measures the creation of subscriptions with a payment method, an invoice, an intent, a charge and events. The floor is the
 * bare server: it reads the customer and writes the same rows as paytwin.
 */
export const subscriptionsPart: Part = {
  name: 'subscriptions',
  about: 'POST /v1/subscriptions, against the same bare server writing the same rows',
  isUsual: true,
  run: async ({ rounds }): Promise<Outcome> => {
    const sandbox = await makeCustomers()
    const results = await inTurns(rounds, {
      paytwin: () => ofPaytwin(sandbox),
      floor: () => ofFloor(sandbox),
    })
    removeFolder(sandbox.folder)
    return { measurements: throughputOf('POST /v1/subscriptions', results, [atLeast(4_000)]) }
  },
}

type Sandbox = Kept & { readonly customers: readonly string[]; readonly price: string }

/** Creates customers, a price, and one subscription, which the floor copies. */
async function makeCustomers(): Promise<Sandbox> {
  const folder = newFolder()
  const given = { folder, secretKey: 'sk_test_BenchBenchBenchBenchBench' }
  const daemon = await startDaemon([...FROZEN, '--secret-key', given.secretKey], given)
  try {
    const recurring = { interval: 'month' }
    const price = String(
      (await daemon.post('/v1/prices', { unit_amount: 2000, currency: 'usd', recurring })).id,
    )
    const customers = await inParallel({ times: CUSTOMERS, atOnce: 10 }, async () =>
      String((await daemon.post('/v1/customers', { name: 'Bench' })).id),
    )
    await daemon.post(PATH, {
      customer: customers[0],
      currency: 'usd',
      default_payment_method: 'pm_card_visa',
      items: [{ price }],
    })
    return { ...given, customers, price }
  } finally {
    await daemon.stop()
  }
}

const subscribing = ({ customers, price }: Sandbox, token: string) =>
  customers.map((customer) =>
    formRequest(PATH, token, {
      customer,
      currency: 'usd',
      default_payment_method: 'pm_card_visa',
      'items[0][price]': price,
    }),
  )

async function ofPaytwin(sandbox: Sandbox): Promise<Throughput> {
  const folder = copyOf(sandbox.folder)
  const daemon = await startDaemon([], { ...sandbox, folder })
  try {
    return await fullLoad(daemon, subscribing(sandbox, sandbox.secretKey))
  } finally {
    await daemon.stop()
    removeFolder(folder)
  }
}

async function ofFloor(sandbox: Sandbox): Promise<Throughput> {
  const folder = copyOf(sandbox.folder)
  const floor = await startFloor('payments', [databaseIn(folder)])
  try {
    return await fullLoad(floor, subscribing(sandbox, 'any'))
  } finally {
    await floor.stop()
    removeFolder(folder)
  }
}
