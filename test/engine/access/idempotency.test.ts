import { expect, onTestFinished, test } from 'vitest'
import { IdempotencyKeys } from '../../../src/engine/access/idempotency.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { SnapshotsInMemory } from '../../../src/store/snapshots-in-memory.ts'
import { Store } from '../../../src/store/store.ts'

const COUNT = 50_000
const A_WEEK = 7 * 86_400

test('expired responses are deleted some at a time', async () => {
  const database = await openDatabase(':memory:', 'normal')
  const store = new Store(database, new SnapshotsInMemory(database))
  onTestFinished(() => store.close())
  const response = { fingerprint: '', status: 200, api_version: '', body: '{}' }
  store.transaction(() => {
    for (let number = 0; number < COUNT; number += 1)
      store.idempotency.put({
        ...response,
        scope: 'a',
        key: String(number),
        created: number % 2 ? 0 : A_WEEK,
      })
  })
  const keys = new IdempotencyKeys(store, () => A_WEEK * 1_000)
  const left = () => database.prepare('select count(*) from idempotency').pluck().get()
  // Deleting all of them takes several times as long as one turn.
  expect(store.transaction(() => keys.deleteExpired())).toBe(true)
  expect(left()).toBeGreaterThan(COUNT / 2)
  while (store.transaction(() => keys.deleteExpired()));
  expect(left()).toBe(COUNT / 2)
})
