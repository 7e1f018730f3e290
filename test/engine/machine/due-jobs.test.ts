import { expect, onTestFinished, test } from 'vitest'
import type { Job } from '../../../src/core/jobs.ts'
import type { Clock } from '../../../src/engine/machine/clock.ts'
import { DueJobs } from '../../../src/engine/machine/due-jobs.ts'
import { CACHE_SIZES } from '../../../src/store/cache-sizes.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { SnapshotsInMemory } from '../../../src/store/snapshots-in-memory.ts'
import { Store } from '../../../src/store/store.ts'
import { NOW } from '../../core/objects.ts'

const OWNER = 1
const CLOCK = { seq: 7 } as Clock

test('the queue is read once for many jobs, also when objects have several jobs', async () => {
  const database = await openDatabase(':memory:', 'normal')
  let reads = 0
  const prepare = database.prepare.bind(database)
  database.prepare = ((text: string) => {
    const statement = prepare(text)
    if (!text.startsWith('select * from "job"')) return statement
    const { all } = statement
    return Object.assign(statement, {
      all: (...values: unknown[]) => {
        reads += 1
        return all.apply(statement, values)
      },
    })
  }) as typeof database.prepare
  const store = new Store(database, new SnapshotsInMemory(database))
  onTestFinished(() => store.close())

  const subscriptions = Array.from({ length: CACHE_SIZES.jobs }, (_, number) => `sub_${100 + number}`)
  const expected: Job[] = [NOW, NOW + 60, NOW + 120].flatMap((due) =>
    subscriptions.map((id): Job => ({ due, kind: 'renewal', subscription: id, object: id })),
  )
  for (const [number, job] of expected.entries()) store.jobs.add(CLOCK.seq, OWNER, job, number)

  const jobs = new DueJobs(store, CLOCK, NOW + 120)
  const run: Job[] = []
  for (let job = jobs.next(); job; job = jobs.next()) {
    run.push({ due: job.due, kind: job.kind, subscription: job.subscription, object: job.object })
    store.jobs.remove(CLOCK.seq, job)
  }
  expect(run).toEqual(expected)
  // One read finds the next job, one fills the window; the last read finds an empty queue.
  expect(reads).toBeLessThanOrEqual(8)
})
