import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CACHE_SIZES } from '../../src/store/cache-sizes.ts'
import { JobWindow } from '../../src/store/job-window.ts'
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
