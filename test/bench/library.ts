import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { atMost, median, type Outcome, type Part } from './result.ts'

type Library = typeof import('../../src/index.ts')

/** The number of instances and resets in a round. */
const TIMES = 100

/** Measures the setup of a test: a new sandbox, or the reset of a shared one. The result of a round is the median of its loop. */
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
