import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { CACHE_SIZES } from '../../src/store/cache-sizes.ts'
import { openDatabase } from '../../src/store/database.ts'
import { JobWindow } from '../../src/store/job-window.ts'
import { SnapshotsInMemory } from '../../src/store/snapshots-in-memory.ts'
import { Store } from '../../src/store/store.ts'
import type { JobRow } from '../../src/store/tables.ts'

const CLOCK = 1

const row: fc.Arbitrary<JobRow> = fc.record({
  clock: fc.constant(CLOCK),
  merchant: fc.constant(1),
  due: fc.nat(5),
  subscription: fc.constantFrom('', 'sub_A', 'sub_B', 'sub_a'),
  position: fc.nat(3),
  object: fc.constantFrom('in_1', 'in_2', 'sub_A', 'sub_a'),
  kind: fc.nat(2),
})

const keyOf = ({ due, subscription, position, object }: JobRow) =>
  [due, subscription, position, object].map((part) => String(part).padEnd(8)).join()
/** Identifies the job to remove from a window. */
const jobOf = ({ due, kind, subscription, object }: JobRow) =>
  JSON.stringify([due, kind, subscription, object])

/** The queue as the database has it: rows in the order of the primary key. */
class Queue {
  rows: JobRow[] = []

  add(added: JobRow): boolean {
    if (this.rows.some((known) => keyOf(known) === keyOf(added) || jobOf(known) === jobOf(added)))
      return false
    this.rows.push(added)
    this.rows.sort((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1))
    return true
  }

  read = () => new JobWindow(CLOCK, this.rows.slice(0, CACHE_SIZES.jobs), CACHE_SIZES.jobs)
}

const steps = fc.array(
  fc.oneof(fc.record({ add: row }), fc.record({ remove: fc.nat(200) }), fc.constant('run' as const)),
  {
    minLength: 50,
    maxLength: 400,
  },
)

test('a window equals the beginning of the queue, whatever is added, removed and run', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 150 }), steps, (first, changes) => {
      const queue = new Queue()
      for (const each of first) queue.add(each)
      let window = queue.read()
      for (const change of changes) {
        if (change !== 'run' && 'add' in change) {
          if (queue.add(change.add)) window.add(change.add)
        } else {
          const place = change === 'run' ? 0 : change.remove
          const [removed] = queue.rows.splice(place, 1)
          if (removed) window.remove(removed)
        }
        if (window.isExhausted) window = queue.read()
        expect(window.rows).toEqual(queue.rows.slice(0, window.rows.length))
        if (queue.rows.length > 0) expect(window.rows.length).toBeGreaterThan(0)
      }
    }),
    { numRuns: 200 },
  )
})

test('a window does not grow with the queue', () => {
  const window = new JobWindow(CLOCK, [], CACHE_SIZES.jobs)
  for (let due = 0; due < 5_000; due += 1) {
    window.add({ clock: CLOCK, merchant: 1, due, subscription: 'sub', position: 0, object: 'sub', kind: 0 })
  }
  expect(window.rows.length).toBeLessThan(300)
  expect(window.rows[0]?.due).toBe(0)
})

test('a savepoint that is rolled back leaves no change of the queue in memory', async () => {
  const database = await openDatabase(':memory:', 'normal')
  const store = new Store(database, new SnapshotsInMemory(database))
  onTestFinished(() => store.close())
  const { jobs } = store
  const job = (due: number) => ({ due, kind: 'webhook_retry', subscription: null, object: 'whd_1' }) as const
  const dues = () => jobs.firstFew(CLOCK).map(({ due }) => due)
  const fail = (change: () => void) => () =>
    store.savepoint(() => {
      change()
      throw new Error('refused')
    })
  store.transaction(() => {
    jobs.add(CLOCK, 1, job(5), 1)
    for (const change of [
      () => jobs.add(CLOCK, 1, job(6), 2),
      () => jobs.remove(CLOCK, job(5)),
      () => expect([jobs.removeOf(CLOCK, 'webhook_retry', ['whd_1']), dues()]).toEqual([undefined, []]),
      () => expect([jobs.removeKind('webhook_retry'), dues()]).toEqual([undefined, []]),
    ]) {
      expect(dues()).toEqual([5])
      expect(fail(change)).toThrow('refused')
    }
    expect(dues()).toEqual([5])
  })
})
