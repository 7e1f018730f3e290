import { startDaemon, startFloor } from './daemon.ts'
import { databaseIn, newFolder, removeFolder } from './folders.ts'
import { formRequest, fullLoad, rateBeside, type Throughput, throughputOf } from './load.ts'
import { atLeast, inTurns, type Outcome, type Part, ratioAtLeast } from './result.ts'

const PATH = '/v1/payment_intents'
const FORM = { amount: '2000', currency: 'usd', description: 'Bench' }

/**
 * Measures the creation of payment intents. The floor is a bare server with the same parts that writes one row for each. The
 * mock keeps one object in a Map for each, and does nothing else.
 */
export const intentsPart: Part = {
  name: 'intents',
  about: 'POST /v1/payment_intents, against a bare hono, zod and SQLite server',
  isUsual: true,
  run: async ({ rounds }): Promise<Outcome> => {
    const { mock, ephemeral, ...results } = await inTurns(rounds, {
      paytwin: () => ofPaytwin([]),
      floor: ofFloor,
      mock: ofMock,
      ephemeral: () => ofPaytwin(['--ephemeral']),
    })
    return {
      measurements: [
        ...throughputOf('POST /v1/payment_intents', results, [atLeast(10_000), ratioAtLeast(0.8)]),
        rateBeside('to a mock in memory', results.paytwin, mock, [ratioAtLeast(1.1)]),
        rateBeside('--ephemeral, to on disk', ephemeral, results.paytwin, [ratioAtLeast(1)]),
      ],
    }
  },
}

async function ofPaytwin(options: readonly string[]): Promise<Throughput> {
  const daemon = await startDaemon(options)
  try {
    return await fullLoad(daemon, [formRequest(PATH, daemon.secretKey, FORM)])
  } finally {
    await daemon.stop()
  }
}

async function ofMock(): Promise<Throughput> {
  const mock = await startFloor('mock')
  try {
    return await fullLoad(mock, [formRequest(PATH, 'any', FORM)])
  } finally {
    await mock.stop()
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
