import { beforeEach, expect, test, vi } from 'vitest'
import { Ids } from '../../../src/engine/machine/ids.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { SnapshotsInMemory } from '../../../src/store/snapshots-in-memory.ts'
import { Store } from '../../../src/store/store.ts'
import { leastProcessorTime } from '../../processor-time.ts'

let ids: Ids
let written: unknown[]
beforeEach(async () => {
  const database = await openDatabase(':memory:', 'normal')
  const { directory } = new Store(database, new SnapshotsInMemory(database))
  written = []
  vi.spyOn(directory, 'setCounter').mockImplementation((...counter) => {
    written.push(counter)
  })
  ids = new Ids(directory, '1')
})

/** Writes the changed counters. @returns those that were written */
function flush(): unknown[] {
  ids.flush()
  return written.splice(0)
}

test('a counter is written once for each transaction that changes it', () => {
  ids.mark()
  ids.next(1, 'cus')
  ids.next(1, 'cus')
  ids.next(2, 'sub')
  ids.of(3, 'in', 7)
  expect(flush()).toEqual([
    [1, 'cus', 2],
    [2, 'sub', 1],
  ])
  expect(flush()).toEqual([])
  ids.mark()
  ids.next(1, 'cus')
  expect(flush()).toEqual([[1, 'cus', 3]])
})

test('a counter is not written if all its changes are rolled back, and else without them', () => {
  ids.mark()
  ids.next(1, 'cus')
  ids.mark()
  ids.next(1, 'cus')
  ids.next(1, 'sub')
  ids.rollback()
  expect(flush()).toEqual([[1, 'cus', 1]])
  ids.mark()
  const resetIds = ids.nest()
  ids.next(1, 'cus')
  resetIds()
  expect(flush()).toEqual([])
})

test('the time to write the counters of a transaction does not grow with those of other merchants', async () => {
  const write = () => {
    for (let n = 0; n < 2_000; n += 1) {
      ids.mark()
      ids.next(1, 'cus')
      ids.flush()
    }
  }
  const few = await leastProcessorTime(write)
  for (let merchant = 1; merchant <= 20_000; merchant += 1) ids.of(merchant, 'cus', 1)
  // To visit the counters of all of them would take hundreds of times as long.
  expect(await leastProcessorTime(write)).toBeLessThan(20 * Math.max(few, 1))
})
