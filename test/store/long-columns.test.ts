import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import { MIGRATIONS } from '../../src/store/migrations.ts'
import { newFolder } from '../places.ts'

/** The columns that come last, so that SQLite need not read their long values for the others. */
const LAST = {
  subscription: 'description cancellation_feedback items pending_update discounts amounts_off metadata'.split(
    ' ',
  ),
  subscription_schedule: 'default_settings phases metadata'.split(' '),
  invoice: 'description customer_details lines discounts metadata'.split(' '),
  invoice_item: 'description discounts metadata'.split(' '),
}

const namesIn = (database: Sqlite.Database, table: string): unknown[] =>
  database.prepare('select name from pragma_table_info(?)').pluck().all(table)

test.each(Object.entries(LAST))('the long columns of table %s come last', async (table, last) => {
  const database = await openDatabase(':memory:', 'normal')
  expect(namesIn(database, table).slice(-last.length)).toEqual(last)
  database.close()
})

test('a table whose columns are moved keeps its rows, and the columns and indexes that a user added', async () => {
  const path = join(newFolder(), 'paytwin.db')
  const moves = '0049-long-columns-last'
  const where = (isWanted: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => isWanted(name)))
  ;(
    await openDatabase(
      path,
      'normal',
      where((name) => name < moves),
    )
  ).close()
  const before = new Sqlite(path)
  before.exec(`alter table invoice_item add column own text;
    alter table invoice_item add column "my ""order" integer not null default 3;
    create index invoice_item_own on invoice_item (own) where own is not null`)
  const insert = before.prepare(`insert into invoice_item
    (seq, id, merchant, created, customer, currency, amount, quantity, metadata, deleted, own)
    values (?, ?, 1, 5, 'cus_1', 'usd', ?, 1, '{"a":"b"}', 0, ?)`)
  for (const seq of [7, 3]) insert.run(seq, `ii_${seq}`, seq * 100, seq === 7 ? 'x' : null)
  const rows = before.prepare('select * from invoice_item order by seq')
  const indexes = "select name, sql from sqlite_schema where type = 'index' and tbl_name = 'invoice_item'"
  const [rowsBefore, indexesBefore] = [rows.all(), before.prepare(indexes).all()]
  before.close()
  const after = await openDatabase(
    path,
    'normal',
    where((name) => name <= moves),
  )
  expect(after.prepare('select * from invoice_item order by seq').all()).toEqual(rowsBefore)
  expect(after.prepare(indexes).all()).toEqual(indexesBefore)
  expect(namesIn(after, 'invoice_item').slice(-5)).toEqual(['own', 'my "order', ...LAST.invoice_item])
  after.close()
  // The columns of the user do not count as an order of another schema.
  ;(await openDatabase(path, 'normal')).close()
})
