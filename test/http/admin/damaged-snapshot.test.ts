import { readFileSync, renameSync, writeFileSync } from 'node:fs'
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

test('a damaged database is not taken for a damaged snapshot', async () => {
  const folder = newFolder()
  const database = join(folder, 'paytwin.db')
  const first = await openTwin({ database })
  await subscribe(first)
  await asOperator(first)('POST', 'snapshots', { name: 'a' })
  await first.close()
  const file = new Sqlite(database)
  const page = file
    .prepare("select rootpage from sqlite_schema where name = 'invoice'")
    .pluck()
    .get() as number
  file.close()

  const twin = await openTwin({ database })
  const bytes = readFileSync(database)
  writeFileSync(database, bytes.fill(0xff, (page - 1) * PAGE, page * PAGE))
  const response = await asOperator(twin)('POST', 'snapshots/a/restore')
  expectRefusal(response, invalid('id'))
  expect(response.body.error.message).toMatch(
    /^The snapshot 'a' cannot be restored: the snapshot is intact, but the database is damaged \(/,
  )
})
