import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { MIGRATIONS } from '../../../src/store/migrations.ts'
import { newFolder } from '../../places.ts'
import { bytesOf, historyOf, openTwin, subscribe } from '../../scenarios/story.ts'
import { writeInSchema } from '../../store/older-schema.ts'
import { asOperator, expectRefusal, invalid } from '../support.ts'

const PAGE = 4_096

/** Returns a sandbox with a snapshot of a subscription, the snapshot's file, and its restore, which must fail. */
async function prepare() {
  const folder = newFolder()
  const twin = await openTwin({ database: join(folder, 'paytwin.db') })
  const operator = asOperator(twin)
  await subscribe(twin)
  await operator('POST', 'snapshots', { name: 'a' })
  const historyBytes = async () => bytesOf(await historyOf(twin))
  const before = await historyBytes()
  const restore = () => operator('POST', 'snapshots/a/restore')
  return {
    file: join(folder, 'snapshots', 'a.db'),
    restore,
    expectDamaged: async () => {
      const response = await restore()
      expectRefusal(response, invalid('id'))
      expect(response.body.error.message).toMatch(
        /^The snapshot 'a' cannot be restored: its file is damaged \(/,
      )
    },
    expectUnchanged: async () => expect(await historyBytes()).toEqual(before),
  }
}

test('a snapshot of which any page is damaged is refused, and everything stays as it is', async () => {
  const { file, restore, expectDamaged, expectUnchanged } = await prepare()
  const whole = readFileSync(file)
  expect(whole.length / PAGE).toBeGreaterThan(20)
  for (let at = 0; at < whole.length; at += PAGE) {
    writeFileSync(file, Buffer.from(whole).fill(0xee, at, at + 16))
    await expectDamaged()
  }
  await expectUnchanged()
  writeFileSync(file, whole)
  expect((await restore()).status).toBe(200)
})

test.each([
  ['lacks a table', 'drop table journal'],
  ['has another column', 'alter table customer add column shoe text'],
  [
    'holds a row twice',
    'create table c as select * from customer; drop table customer; alter table c rename to customer; insert into customer select * from customer',
  ],
  [
    'holds no value where one is needed',
    "pragma writable_schema = on; update sqlite_schema set sql = replace(sql, 'not null', '') where name = 'customer'; pragma writable_schema = reset; update customer set created = null",
  ],
])('a snapshot that %s is refused, and everything stays as it is', async (_, statements) => {
  const { file, expectDamaged, expectUnchanged } = await prepare()
  const database = new Sqlite(file)
  database.unsafeMode()
  database.exec(statements)
  database.close()
  await expectDamaged()
  await expectUnchanged()
})

test.each([
  ['a merchant with notices that are not JSON', "update merchant set notices = 'x'"],
  ['a merchant with notices of another shape', "update merchant set notices = '[3]'"],
  ['a merchant with another kind of mail', `update merchant set mails = '[{"after":0,"on":["shoe"]}]'`],
  ['a merchant with another retry schedule', `update merchant set retry_schedule = '["1"]'`],
  ['a merchant with another dialect', "update merchant set dialect = 'paytwix'"],
  ['a merchant with another final action', "update merchant set dunning_final_action = 'x'"],
  ['no default merchant', 'delete from merchant'],
  ['a merchant without a clock', 'delete from clock'],
  ['a clock with another mode', "update clock set mode = 'frozex'"],
  ['a clock at an impossible time', 'update clock set now = 9000000000000000'],
  ['a clock that advances without options', 'update clock set target = now'],
  ['a clock with options of an advance that are not JSON', "update clock set target = now, advance = '{'"],
])('a snapshot of %s is refused, and everything stays as it is', async (_, statement) => {
  const { file, expectDamaged, expectUnchanged } = await prepare()
  new Sqlite(file).exec(statement).close()
  await expectDamaged()
  await expectUnchanged()
})

/** Writes a database in the schema before the last migration. */
async function takeBackLast(file: string): Promise<void> {
  const older = `${file}.older`
  const migrations = Object.fromEntries(Object.entries(MIGRATIONS).slice(0, -1))
  await writeInSchema(migrations, { from: file, to: older })
  renameSync(older, file)
}

test.each([
  ["update merchant set notices = 'x'", 400],
  ["update merchant set name = 'x'", 200],
])('a snapshot of an older schema after: %s', async (statement, status) => {
  const { file, restore, expectDamaged, expectUnchanged } = await prepare()
  await takeBackLast(file)
  const database = new Sqlite(file)
  database.exec(statement).close()
  if (status === 200) return expect((await restore()).status).toBe(200)
  await expectDamaged()
  await expectUnchanged()
})

/** Opens a sandbox with a snapshot, whose database is damaged while it is open. */
async function openDamaged(damage: (pages: { bytes: Buffer; startOf: (name: string) => number }) => void) {
  const folder = newFolder()
  const path = join(folder, 'paytwin.db')
  const first = await openTwin({ database: path })
  // Then the tables of customers and subscriptions take several pages.
  const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`k${n}`, 'x'.repeat(500)]))
  await first.post('/v1/customers', { metadata })
  await subscribe(first, { metadata })
  await asOperator(first)('POST', 'snapshots', { name: 'a' })
  await first.close()
  const database = new Sqlite(path)
  const roots = database.prepare<[], [string, number]>('select name, rootpage from sqlite_schema').raw().all()
  database.close()
  const pages = new Map(roots)
  const twin = await openTwin({ database: path })
  const bytes = readFileSync(path)
  damage({ bytes, startOf: (name) => (Number(pages.get(name)) - 1) * PAGE })
  writeFileSync(path, bytes)
  return {
    operator: asOperator(twin),
    snapshots: join(folder, 'snapshots'),
    expectUnchanged: () => expect(readFileSync(path).equals(bytes)).toBe(true),
  }
}

type Damage = Parameters<typeof openDamaged>[0]
const UNREADABLE: Damage = ({ bytes, startOf }) =>
  bytes.fill(0xff, startOf('invoice'), startOf('invoice') + PAGE)
/** The number of entries of a page is at its third byte. Source: SQLite's file format, 1.6. */
const LACKING_ENTRY: Damage = ({ bytes, startOf }) =>
  bytes.writeUInt16BE(0, startOf('subscription_collection') + 3)
/** SQLite does not find it: the pages of customers, which are freed first, begin the list of free pages. */
const SHARED_PAGES: Damage = ({ bytes, startOf }) =>
  bytes.copy(bytes, startOf('invoice'), startOf('subscription'), startOf('subscription') + PAGE)

test.each([
  ['a page that is not readable', UNREADABLE],
  ['an index that lacks an entry', LACKING_ENTRY],
])('a database with %s is not saved, and its snapshots stay', async (_, damage) => {
  const { operator, snapshots, expectUnchanged } = await openDamaged(damage)
  const saved = readFileSync(join(snapshots, 'a.db'))
  for (const name of ['a', 'b']) {
    const response = await operator('POST', 'snapshots', { name })
    expectRefusal(response, invalid('name'))
    expect(response.body.error.message).toMatch(
      `The snapshot '${name}' cannot be saved: the database is damaged (`,
    )
  }
  expect(readdirSync(snapshots)).toEqual(['a.db'])
  expect(readFileSync(join(snapshots, 'a.db')).equals(saved)).toBe(true)
  expectUnchanged()
})

test.each([
  ['a page that is not readable', UNREADABLE],
  ['pages that two tables share', SHARED_PAGES],
])('a database with %s is not restored or reset', async (_, damage) => {
  const { operator, expectUnchanged } = await openDamaged(damage)
  const restored = await operator('POST', 'snapshots/a/restore')
  expectRefusal(restored, invalid('id'))
  expect(restored.body.error.message).toMatch(
    /^The snapshot 'a' cannot be restored: the snapshot is intact, but the database is damaged \(/,
  )
  const reset = await operator('POST', 'reset')
  expectRefusal(reset, invalid(null))
  expect(reset.body.error.message).toMatch(/^The sandbox cannot be reset: the database is damaged \(/)
  expectUnchanged()
})
