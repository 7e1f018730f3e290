import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { RowDamaged } from '../../src/store/damage.ts'
import type { Store } from '../../src/store/store.ts'
import { makeCustomer, startTwin, type Twin } from '../twin.ts'

/** More than there are between two keyframes. */
const CHANGES = 80
const MERCHANT = 1
const KEYFRAME_INDEXES = ['keyframe_object']

let folder: string
let copies = 0
let customer: string
let method: string
const options = { secretKey: 'sk_test_51SecretSecretSecretSecretSe' }

/** A customer that changes in each of many hours, and its card, which is detached at last. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'paytwin-test-'))
  const twin = await startTwin({ ...options, database: join(folder, 'whole.db') })
  const made = await makeCustomer(twin)
  customer = made.customer.id
  method = made.method.id
  for (let n = 0; n < CHANGES; n += 1) {
    await twin.advance({ by: '1h' })
    await twin.post(`/v1/customers/${customer}`, { metadata: { n: String(n) } })
  }
  await twin.post(`/v1/payment_methods/${method}/detach`)
  await twin.close()
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Opens a copy of the database after some of its rows were changed, without their indexes. */
async function openDamaged(change: string, indexes: readonly string[] = []): Promise<Twin> {
  copies += 1
  const path = join(folder, `copy-${copies}.db`)
  const whole = new Sqlite(join(folder, 'whole.db'))
  await whole.backup(path)
  whole.close()
  const run = (sql: string, values: readonly unknown[] = []) => {
    const database = new Sqlite(path).unsafeMode()
    database.pragma('writable_schema = on')
    const { changes } = database.prepare(sql).run(...values)
    database.close()
    return changes
  }
  const database = new Sqlite(path)
  const kept = indexes.map((name) =>
    database.prepare('select * from sqlite_schema where name = ?').raw().get(name),
  ) as unknown[][]
  database.close()
  for (const name of indexes) run('delete from sqlite_schema where name = ?', [name])
  expect(run(change)).toBe(1)
  for (const row of kept) run('insert into sqlite_schema values (?, ?, ?, ?, ?)', row)
  const twin = await startTwin({ ...options, database: path })
  onTestFinished(() => twin.close())
  return twin
}

/** SQL: deletes the entry before the newest one of the only object of a kind. */
const withoutEntry = (kind: 'customer' | 'payment_method') =>
  `delete from journal where seq = (select previous from journal where seq = (select newest_entry from ${kind}))`

const seqOf = ({ objects }: Store, kind: 'customer' | 'payment_method', id: string) =>
  objects.seqOf(kind, MERCHANT, id) ?? 0

test.each<readonly [string, 'customer' | 'payment_method', (store: Store, now: number) => unknown]>([
  ['a timeline', 'customer', ({ past }) => past.entries({ kind: 'customer', id: customer }, { limit: 20 })],
  [
    'a timeline until an instant',
    'customer',
    ({ past }, now) => past.entries({ kind: 'customer', id: customer }, { until: now, limit: 20 }),
  ],
  [
    'the newest entry at an instant',
    'customer',
    (store, now) => store.openHistory().at('customer', seqOf(store, 'customer', customer), now - 7_200),
  ],
  [
    'the newest entry of an owner at an instant',
    'payment_method',
    (store, now) =>
      store.openHistory().at('payment_method', seqOf(store, 'payment_method', method), now - 7_200, customer),
  ],
])('%s finds a missing entry', async (_, kind, read) => {
  const { sandbox } = await openDamaged(withoutEntry(kind))
  const { store } = sandbox.engine
  const now = store.clocks.main(MERCHANT)?.now ?? 0
  expect(() => read(store, now)).toThrow(RowDamaged)
})

test('a state finds a keyframe that belongs to another object', async () => {
  const { sandbox } = await openDamaged(
    'update keyframe set object = object + 1 where entry = (select min(entry) from keyframe)',
    KEYFRAME_INDEXES,
  )
  const { store } = sandbox.engine
  const seq = seqOf(store, 'customer', customer)
  expect(() => store.openHistory().asOf('customer', seq, 1)).toThrow(
    /the keyframe \d+ belongs to another object/,
  )
})
