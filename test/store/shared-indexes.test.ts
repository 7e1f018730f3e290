import { expect, test } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'

/** Columns with ids, each of which only one merchant has. */
const ID =
  /\.(customer|subscription|invoice|payment_intent|setup_intent|payment_method|charge|price|product|coupon|test_clock|billed_with|event|endpoint|object|app|authorization)$/

/** Indexes for the work of the daemon, which belongs to no merchant. */
const OF_ALL = [
  'clock_event.place_in_all',
  'idempotency.created',
  'keyframe.kind',
  'oauth_authorization.expires',
]

test('an index by a value that several merchants can choose begins with the merchant', async () => {
  const database = await openDatabase(':memory:', 'normal')
  const columns = database
    .prepare(
      `select master.tbl_name || '.' || info.name from sqlite_master as master, pragma_index_info(master.name) as info
       where master.type = 'index' and master.sql is not null and info.seqno = 0 and info.name is not null`,
    )
    .pluck()
    .all() as string[]
  database.close()
  expect(columns.length).toBeGreaterThan(50)
  const others = columns.filter(
    (column) => !/\.(merchant|generation|clock)$/.test(column) && !ID.test(column),
  )
  expect([...new Set(others)].sort()).toEqual(OF_ALL)
})
