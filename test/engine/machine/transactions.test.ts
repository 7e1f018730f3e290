import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Ids } from '../../../src/engine/machine/ids.ts'
import { Listeners } from '../../../src/engine/machine/listeners.ts'
import { TransactionLog } from '../../../src/engine/machine/transaction-log.ts'
import { Transactions } from '../../../src/engine/machine/transactions.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { SnapshotsInMemory } from '../../../src/store/snapshots-in-memory.ts'
import { Store } from '../../../src/store/store.ts'

let store: Store
let transactions: Transactions
let log: TransactionLog
/** From now on the database may grow by so many pages. */
let limit: (pages: number) => void

beforeEach(async () => {
  const database = await openDatabase(':memory:', 'normal')
  store = new Store(database, new SnapshotsInMemory(database))
  log = new TransactionLog()
  transactions = new Transactions({
    store,
    ids: new Ids(store.directory, '1'),
    log,
    listeners: new Listeners(),
  })
  limit = (pages) => {
    const count = Number(database.pragma('page_count', { simple: true }))
    database.pragma(`max_page_count = ${count + pages}`)
  }
})
afterEach(() => store.close())

const put = (key: string, size = 1) =>
  store.idempotency.put({
    scope: 'test',
    key,
    fingerprint: '',
    status: 200,
    api_version: '',
    body: 'x'.repeat(size),
    created: 0,
  })
const has = (key: string) => store.idempotency.get('test', key) !== undefined

describe('a transaction that SQLite rolls back because the disk is full', () => {
  test('fails completely: neither earlier nor later commands are written', () => {
    limit(10)
    const run = () =>
      transactions.run([], () => {
        transactions.inSavepoint(() => put('before'))
        transactions.inSavepoint(() => put('too large', 10_000_000))
        transactions.inSavepoint(() => put('after'))
      })
    expect(run).toThrow('database or disk is full')
    expect(['before', 'too large', 'after'].filter(has)).toEqual([])
    transactions.run([], () => transactions.inSavepoint(() => put('later')))
    expect(has('later')).toBe(true)
  })
})

describe('a callback for the commit', () => {
  test('runs once, after the commit', () => {
    const done: string[] = []
    transactions.run([], () => {
      log.onCommit(() => done.push(`committed: ${has('a')}, ${store.isInTransaction}`))
      transactions.inSavepoint(() => put('a'))
      expect(done).toEqual([])
    })
    transactions.run([], () => undefined)
    expect(done).toEqual(['committed: true, false'])
  })

  test('does not run after a rollback, which undoes the changes in memory', () => {
    const done: string[] = []
    const plan = (name: string) => {
      log.onCommit(() => done.push(name))
      log.onRollback((reason) => done.push(`undo ${name}: ${(reason as Error).message}`))
    }
    transactions.run([], () => {
      transactions.inSavepoint(() => plan('first'))
      transactions.inSavepoint(() => {
        plan('second')
        throw new Error('refused')
      })
    })
    expect(done.splice(0)).toEqual(['undo second: refused', 'first'])
    const fail = () =>
      transactions.run([], () => {
        transactions.inSavepoint(() => plan('third'))
        throw new Error('disk full')
      })
    expect(fail).toThrow('disk full')
    transactions.run([], () => undefined)
    expect(done).toEqual(['undo third: disk full'])
  })
})
