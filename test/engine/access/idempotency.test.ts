import { expect, onTestFinished, test, vi } from 'vitest'
import { IdempotencyKeys } from '../../../src/engine/access/idempotency.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { SnapshotsInMemory } from '../../../src/store/snapshots-in-memory.ts'
import { Store } from '../../../src/store/store.ts'

/** The merchant whose turn it takes to read responses. */
const owner = {}

const COUNT = 50_000
const A_WEEK = 7 * 86_400

/** Opens the keys of a store of their own. @param now - in Unix seconds */
async function openKeys(now: number) {
  const database = await openDatabase(':memory:', 'normal')
  const store = new Store(database, new SnapshotsInMemory(database))
  onTestFinished(() => store.close())
  return { database, store, keys: new IdempotencyKeys(store, () => now * 1_000) }
}

test('stored responses that are asked for in one instant are read in turns', async () => {
  const { store, keys } = await openKeys(A_WEEK)
  const response = { fingerprint: '', status: 200, api_version: '', body: '{}' }
  for (const key of ['one', 'two']) store.idempotency.put({ ...response, scope: 'a', key, created: A_WEEK })
  const order: string[] = []
  const get = store.idempotency.get.bind(store.idempotency)
  vi.spyOn(store.idempotency, 'get').mockImplementation((scope, key) => {
    order.push('read')
    const end = performance.now() + 12
    while (performance.now() < end);
    return get(scope, key)
  })
  setImmediate(() => order.push('others'))
  const replay = async (key: string) => {
    const { stored, release } = await keys.acquire({ scope: 'a', key, owner })
    expect(stored).toMatchObject(response)
    release()
  }
  await Promise.all([
    replay('one'),
    replay('two'),
    keys.acquire({ scope: 'a', key: 'new', owner }).then(() => order.push('new')),
  ])
  expect(order).toEqual(['read', 'new', 'others', 'read'])
})

test('a key whose stored response cannot be read is released for the next request', async () => {
  const { store, keys } = await openKeys(A_WEEK)
  const response = { fingerprint: '', status: 200, api_version: '', body: '{}' }
  store.idempotency.put({ ...response, scope: 'a', key: 'known', created: A_WEEK })
  vi.spyOn(store.idempotency, 'get').mockImplementationOnce(() => {
    throw new Error('disk I/O error')
  })
  const first = keys.acquire({ scope: 'a', key: 'known', owner })
  const second = keys.acquire({ scope: 'a', key: 'known', owner })
  await expect(first).rejects.toThrow('disk I/O error')
  expect((await second).stored).toMatchObject(response)
})

test('expired responses are deleted some at a time', async () => {
  const { database, store, keys } = await openKeys(A_WEEK)
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
  const left = () => database.prepare('select count(*) from idempotency').pluck().get()
  // Deleting all of them takes several times as long as one turn.
  expect(store.transaction(() => keys.deleteExpired())).toBe(true)
  expect(left()).toBeGreaterThan(COUNT / 2)
  while (store.transaction(() => keys.deleteExpired()));
  expect(left()).toBe(COUNT / 2)
})
