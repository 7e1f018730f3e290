import Sqlite from 'better-sqlite3'
import { openDatabase } from '../../../src/store/database.ts'

/**
 * Writes with bare better-sqlite3 the rows that paytwin wrote: the difference between two databases, in the same order, to
 * the same tables and indexes, 1,000 renewals per transaction. It reads nothing, decides nothing and creates no ids, so it
 * shows the cost of the writes alone.
 *
 * Arguments: the database before, which is written to; the database after; the number of last renewals to time.
 * Prints the number of renewals, and the wall time and processor time of one timed renewal, in seconds.
 */
const [before = '', after = '', timed = ''] = process.argv.slice(2)
const target = await openDatabase(before, 'normal')
const source = new Sqlite(after, { readonly: true })
const A_TRANSACTION = 1_000

type Values = readonly unknown[]
type Renewal = {
  readonly inserts: readonly Values[]
  readonly entries: readonly Values[]
  readonly customer: Values
  readonly subscription: Values
  readonly jobs: { readonly old: Values; readonly new: Values }
}

/** The tables in which each renewal creates one row. */
const OBJECTS = ['invoice', 'payment_intent', 'charge'] as const
const JOB_KEY = ['clock', 'due', 'subscription', 'position', 'object']
const PERIOD = [
  ...['latest_invoice', 'newest_invoice', 'current_period_start', 'current_period_end'],
  ...['newest_entry', 'entry_count'],
]

const objects = OBJECTS.map((table) => newRows(table))
const journal = newRows('journal')
const renewals = objects[0]?.count ?? 0
const entriesEach = journal.count / renewals
if (!objects.every(({ count }) => count === renewals) || !Number.isInteger(entriesEach)) {
  throw new Error('the databases differ by something else than renewals')
}
const customerAfter = source.prepare('select next_invoice_number, id from customer where id = ?').raw()
const subscriptionAfter = source
  .prepare(`select ${PERIOD.join(', ')}, id from subscription where id = ?`)
  .raw()
const jobs = { old: jobsIn(target), new: jobsIn(source) }

const updateCustomer = target.prepare('update customer set next_invoice_number = ? where id = ?')
const updateSubscription = target.prepare(
  `update subscription set ${PERIOD.map((name) => `${name} = ?`).join(', ')} where id = ?`,
)
const deleteJob = target.prepare(
  `delete from job where ${JOB_KEY.map((name) => `${name} = ?`).join(' and ')}`,
)
const insertJob = target.prepare('insert into job values (?, ?, ?, ?, ?, ?, ?)')

const took = { renewals: 0, wall: 0, processor: 0 }
for (let done = 0; done < renewals; done += A_TRANSACTION) {
  const read = readRenewals(Math.min(A_TRANSACTION, renewals - done))
  const [started, used] = [performance.now(), process.cpuUsage()]
  target.exec('begin immediate')
  for (const renewal of read) write(renewal)
  target.exec('commit')
  if (done < renewals - Number(timed)) continue
  const { user, system } = process.cpuUsage(used)
  took.renewals += read.length
  took.wall += (performance.now() - started) / 1_000
  took.processor += (user + system) / 1e6
}
target.close()
console.log(
  JSON.stringify({ renewals, wall: took.wall / took.renewals, processor: took.processor / took.renewals }),
)

function write({ inserts, entries, customer, subscription, jobs: { old, new: next } }: Renewal): void {
  for (const [index, values] of inserts.entries()) objects[index]?.insert.run(values)
  updateCustomer.run(customer)
  updateSubscription.run(subscription)
  for (const values of entries) journal.insert.run(values)
  deleteJob.run(old)
  insertJob.run(next)
}

function readRenewals(count: number): Renewal[] {
  const rows = objects.map((table) => table.next(count))
  const entries = journal.next(count * entriesEach)
  const [customerAt, subscriptionAt] = ['customer', 'subscription'].map((name) =>
    objects[0]?.columns.indexOf(name),
  )
  return Array.from({ length: count }, (_, index) => {
    const inserts = rows.map((ofTable) => ofTable[index] ?? [])
    const customer = inserts[0]?.[customerAt ?? -1]
    const subscription = String(inserts[0]?.[subscriptionAt ?? -1])
    const [old = [], next = []] = [jobs.old.get(subscription), jobs.new.get(subscription)]
    // Only the last job of each subscription is known, so the earlier jobs are written with the same values.
    jobs.old.set(subscription, next)
    return {
      inserts,
      entries: entries.slice(index * entriesEach, (index + 1) * entriesEach),
      customer: customerAfter.get(customer) as Values,
      subscription: subscriptionAfter.get(subscription) as Values,
      jobs: { old: old.slice(0, JOB_KEY.length), new: next },
    }
  })
}

/** The new rows of a table in order, and the statement that inserts one. SQLite numbers the rows, as it does for paytwin. */
function newRows(table: string) {
  const columns = (source.pragma(`table_info(${table})`) as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => name !== 'seq')
  const names = columns.map((name) => `"${name}"`).join(', ')
  const last = (database: Sqlite.Database) =>
    Number(database.prepare(`select coalesce(max(seq), 0) from ${table}`).pluck().get())
  const select = source.prepare(`select ${names} from ${table} where seq > ? order by seq limit ?`).raw()
  let place = last(target)
  return {
    columns,
    count: last(source) - place,
    insert: target.prepare(`insert into ${table} (${names}) values (${columns.map(() => '?').join(', ')})`),
    next: (limit: number): Values[] => {
      const rows = select.all(place, limit) as Values[]
      place += limit
      return rows
    },
  }
}

/** The one job of each subscription. */
function jobsIn(database: Sqlite.Database): Map<string, Values> {
  const rows = database.prepare('select * from job').raw().all() as Values[]
  return new Map(rows.map((row) => [String(row[2]), row]))
}
