import { expect, test } from 'vitest'
import { nextJobs } from '../../src/dashboard/next-jobs.ts'

const RENEWAL = { id: 'renewal-sub_1-1000', kind: 'renewal' }

/** Serves retries of webhooks, a hundred a page, and then a renewal. */
const after = (retries: number) => ({
  async get<Body>(_path: string, { starting_after }: { starting_after?: unknown } = {}): Promise<Body> {
    const all = [
      ...Array.from({ length: retries }, (_, n) => ({ id: `${n}`, kind: 'webhook_retry' })),
      RENEWAL,
    ]
    const from = all.findIndex(({ id }) => id === starting_after) + 1
    return { data: all.slice(from, from + 100), has_more: from + 100 < all.length } as Body
  },
})

test.each([0, 1, 250, 999])('the next job is found behind %d retries of webhooks', async (retries) => {
  expect(await nextJobs(after(retries), {}, 8)).toEqual({ jobs: [RENEWAL], isCut: false })
})

test('behind very many retries of webhooks, no job is found, and the list is cut', async () => {
  expect(await nextJobs(after(5_000), {}, 8)).toEqual({ jobs: [], isCut: true })
})
