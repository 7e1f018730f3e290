import { expect, onTestFinished, test, vi } from 'vitest'
import type { Job } from '../../../src/core/jobs.ts'
import type { Clock } from '../../../src/engine/machine/clock.ts'
import { DueJobs } from '../../../src/engine/machine/due-jobs.ts'
import { CACHE_SIZES } from '../../../src/store/cache-sizes.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { Place } from '../../../src/store/place.ts'
import { SnapshotsInMemory } from '../../../src/store/snapshots-in-memory.ts'
import { Store } from '../../../src/store/store.ts'
import { aSubscription, NOW } from '../../core/objects.ts'

const OWNER = 1
const CLOCK = { seq: 7 } as Clock

/** Creates a store, and counts the runs of statements whose text begins with `start`. */
async function storeCounting(start: string, method: 'all' | 'get') {
  const database = await openDatabase(':memory:', 'normal')
  const counted = { runs: 0 }
  const prepare = database.prepare.bind(database)
  database.prepare = ((text: string) => {
    const statement = prepare(text)
    if (!text.startsWith(start)) return statement
    const run = statement[method]
    return Object.assign(statement, {
      [method]: (...values: unknown[]) => {
        counted.runs += 1
        return run.apply(statement, values)
      },
    })
  }) as typeof database.prepare
  const store = new Store(database, new SnapshotsInMemory(database))
  onTestFinished(() => store.close())
  return { store, counted }
}

const SUBSCRIPTIONS = Array.from({ length: CACHE_SIZES.jobs }, (_, number) => `sub_${100 + number}`)

/** Enqueues a renewal of each subscription at each instant. */
function enqueueAt(store: Store, instants: readonly number[]): Job[] {
  const jobs = instants.flatMap((due) =>
    SUBSCRIPTIONS.map((id): Job => ({ due, kind: 'renewal', subscription: id, object: id })),
  )
  for (const [number, job] of jobs.entries()) store.jobs.add(CLOCK.seq, OWNER, job, number)
  return jobs
}

test('the queue is read once for many jobs, also when objects have several jobs', async () => {
  const { store, counted } = await storeCounting('select * from "job"', 'all')
  const expected = enqueueAt(store, [NOW, NOW + 60, NOW + 120])
  const jobs = new DueJobs(store, CLOCK)
  const run: Job[] = []
  for (let job = jobs.next(NOW + 120); job; job = jobs.next(NOW + 120)) {
    run.push({ due: job.due, kind: job.kind, subscription: job.subscription, object: job.object })
    store.jobs.remove(CLOCK.seq, job)
  }
  expect(run).toEqual(expected)
  // One read finds the next job, one fills the window; the last read finds an empty queue.
  expect(counted.runs).toBeLessThanOrEqual(8)
})

test('objects are read once for many jobs, also when batches end in between, and are then dropped', async () => {
  const { store, counted } = await storeCounting('select json_group_array', 'get')
  const forget = vi.spyOn(store.objects, 'forget')
  const queued = enqueueAt(store, [NOW, NOW + 60])
  const jobs = new DueJobs(store, CLOCK)
  for (const _ of queued.slice(0, CACHE_SIZES.jobs)) {
    store.jobs.remove(CLOCK.seq, jobs.next(NOW + 60) as Job)
    jobs.endBatch()
  }
  expect(counted.runs).toBe(1)
  expect(forget).not.toHaveBeenCalled()

  jobs.next(NOW + 60)
  expect(counted.runs).toBe(2)
  expect(forget).toHaveBeenCalledOnce()
})

test('objects are read again after a batch was rolled back', async () => {
  const { store, counted } = await storeCounting('select json_group_array', 'get')
  enqueueAt(store, [NOW])
  const jobs = new DueJobs(store, CLOCK)
  jobs.next(NOW)
  expect(counted.runs).toBe(1)
  const fail = () => {
    throw new Error('failed')
  }
  expect(() => store.transaction(fail)).toThrow('failed')
  jobs.next(NOW)
  expect(counted.runs).toBe(2)
})

test.each([
  [10, CACHE_SIZES.jobs * 10],
  [20, 0],
])('with %i discounts each, %i are read ahead', async (each, read) => {
  const { store } = await storeCounting('', 'get')
  for (const id of SUBSCRIPTIONS) {
    const discounts = Array.from({ length: each }, (_, number) => `di_${id}_${number}`)
    store.objects.insert('subscription', OWNER, { ...aSubscription({ id }), discounts }, new Place())
  }
  enqueueAt(store, [NOW])
  const load = vi.spyOn(store.objects, 'load')
  new DueJobs(store, CLOCK).next(NOW)
  const ids = load.mock.calls.flatMap(([kind, , asked]) => (kind === 'discount' ? asked : []))
  expect(ids).toHaveLength(read)
})
