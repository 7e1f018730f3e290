import { type Server, startDaemon, startFloor } from './daemon.ts'
import { databaseIn, newFolder, removeFolder } from './folders.ts'
import { fullLoad, getRequest, inParallel, rateBeside, type Throughput, throughputOf } from './load.ts'
import { atLeast, inTurns, type Outcome, type Part, ratioAtLeast } from './result.ts'

const PATH = '/v1/payment_intents'
const INTENTS = 1_000

/** Measures reads of payment intents. Each connection reads a hundred of them in turn. The floor reads one row and returns it. */
export const readsPart: Part = {
  name: 'reads',
  about: 'GET /v1/payment_intents/{id}, against the same bare server',
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
        ...throughputOf('GET /v1/payment_intents/{id}', results, [atLeast(20_000)]),
        rateBeside('to a mock in memory', results.paytwin, mock, [ratioAtLeast(1.3)]),
        rateBeside('--ephemeral, to on disk', ephemeral, results.paytwin, [ratioAtLeast(1)]),
      ],
    }
  },
}

async function ofPaytwin(options: readonly string[]): Promise<Throughput> {
  const daemon = await startDaemon(options)
  try {
    return await reading(daemon, daemon.secretKey, () =>
      daemon.post(PATH, { amount: 2000, currency: 'usd', description: 'Bench' }),
    )
  } finally {
    await daemon.stop()
  }
}

async function ofFloor(): Promise<Throughput> {
  const folder = newFolder()
  const floor = await startFloor('payments', [databaseIn(folder)])
  try {
    return await readingOf(floor)
  } finally {
    await floor.stop()
    removeFolder(folder)
  }
}

async function ofMock(): Promise<Throughput> {
  const mock = await startFloor('mock')
  try {
    return await readingOf(mock)
  } finally {
    await mock.stop()
  }
}

/** Reads the created objects from a server without keys. */
function readingOf(server: Server): Promise<Throughput> {
  const body = new URLSearchParams({ amount: '2000', currency: 'usd', description: 'Bench' })
  return reading(server, 'any', async () => {
    const response = await fetch(server.url + PATH, { method: 'POST', body })
    return (await response.json()) as { id: string }
  })
}

async function reading(
  server: Server,
  token: string,
  make: () => Promise<{ id?: unknown }>,
): Promise<Throughput> {
  const intents = await inParallel({ times: INTENTS, atOnce: 10 }, make)
  return fullLoad(
    server,
    intents.map(({ id }) => getRequest(`${PATH}/${id}`, token)),
  )
}
