import { startDaemon, startFloor } from './daemon.ts'
import { databaseIn, newFolder, removeFolder } from './folders.ts'
import { formRequest, fullLoad, type Throughput, throughputOf } from './load.ts'
import { atLeast, inTurns, type Outcome, type Part, ratioAtLeast } from './result.ts'

const PATH = '/v1/payment_intents'
const FORM = { amount: '2000', currency: 'usd', description: 'Bench' }

/** Creating payment intents. The floor is a bare server of the same parts that writes one row for each. */
export const intentsPart: Part = {
  name: 'intents',
  about: 'POST /v1/payment_intents, against a bare hono, zod and SQLite server',
  isUsual: true,
  run: async ({ rounds }): Promise<Outcome> => {
    const results = await inTurns(rounds, { paytwin: ofPaytwin, floor: ofFloor })
    const goals = [atLeast(10_000), ratioAtLeast(0.8)]
    return { measurements: throughputOf('POST /v1/payment_intents', results, goals) }
  },
}

async function ofPaytwin(): Promise<Throughput> {
  const daemon = await startDaemon([])
  try {
    return await fullLoad(daemon, [formRequest(PATH, daemon.secretKey, FORM)])
  } finally {
    await daemon.stop()
  }
}

async function ofFloor(): Promise<Throughput> {
  const folder = newFolder()
  const floor = await startFloor('payments', [databaseIn(folder)])
  try {
    return await fullLoad(floor, [formRequest(PATH, 'any', FORM)])
  } finally {
    await floor.stop()
    removeFolder(folder)
  }
}
