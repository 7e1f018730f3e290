import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { atMost, median, type Outcome, type Part } from './result.ts'

type Library = typeof import('../../src/index.ts')

/** How many instances and resets make a round. */
const TIMES = 100

/** What a test waits for: a sandbox of its own, or the one it shares as it was at first. The round's number is the median of its loop. */
export const libraryPart: Part = {
  name: 'library',
  about: 'createPaytwin in this process: an instance after the first, and a reset, in a loop of 100',
  isUsual: true,
  run: async ({ rounds }): Promise<Outcome> => {
    const { createPaytwin }: Library = createRequire(resolve('package.json'))('paytwin')
    await (await createPaytwin()).close()
    const created: number[] = []
    const reset: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const times = { created: [] as number[], reset: [] as number[] }
      for (let time = 0; time < TIMES; time += 1) {
        const started = performance.now()
        const twin = await createPaytwin()
        times.created.push(performance.now() - started)
        await twin.post('/v1/customers')
        const made = performance.now()
        await twin.reset()
        times.reset.push(performance.now() - made)
        await twin.close()
      }
      created.push(median(times.created))
      reset.push(median(times.reset))
    }
    return {
      measurements: [
        { what: 'an instance after the first', unit: 'ms', paytwin: created, goals: [atMost(30)] },
        { what: 'reset of an instance', unit: 'ms', paytwin: reset, goals: [atMost(5)] },
      ],
    }
  },
}
