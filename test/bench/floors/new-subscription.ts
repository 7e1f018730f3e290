import type Sqlite from 'better-sqlite3'
import { KINDS } from '../../../src/store/columns.ts'

type Row = Readonly<Record<string, string | number | null>>

/** Tables in which a new subscription has a row, in the order in which they are written. */
const TABLES = ['payment_method', 'subscription', 'invoice', 'payment_intent', 'charge'] as const

/**
 * Writes what paytwin writes for a new subscription: its five objects, the journal entries that tell of them, its next
 * renewal, and the customer's invoice number. The pattern is the newest subscription in the database, so that the rows are
 * those of paytwin as it is today; ids are new ones of the same length.
 * @returns the writer; given a customer, it returns the new subscription's row
 */
export function newSubscriptionWriter(database: Sqlite.Database): (customer: string) => Row {
  const newest = (table: string): Row =>
    (database.prepare(`select * from ${table} order by seq desc limit 1`).get() ?? {}) as Row
  const patterns = TABLES.map((table) => ({ table, row: newest(table) }))
  const { id: subscription, customer: itsCustomer } = newest('subscription')
  const ids = patterns.map(({ row }) => String(row.id))
  const request = newest('journal').request ?? null
  const entries = database
    .prepare('select * from journal where request = ? order by seq')
    .all(request) as Row[]
  const jobs = database.prepare('select * from job where subscription = ?').all(subscription ?? null) as Row[]

  const objects = patterns.map(({ table, row }) => ({ table, write: writer(database, table, row) }))
  const journal = entries.map((row) => ({ kind: Number(row.kind), write: writer(database, 'journal', row) }))
  const queue = jobs.map((row) => writer(database, 'job', row))
  const bill = database.prepare(
    'update customer set next_invoice_number = next_invoice_number + 1 where id = ?',
  )
  let made = 0

  return (customer) => {
    made += 1
    const end = String(made).padStart(8, '0')
    const renamed = new Map([
      ...ids.map((id) => [id, `${id.slice(0, -8)}${end}`] as const),
      [String(itsCustomer), customer] as const,
    ])
    const seqs = new Map<string, number>()
    for (const { table, write } of objects)
      seqs.set(
        table,
        write((value) => renamed.get(value) ?? value),
      )
    bill.run(customer)
    for (const { kind, write } of journal) write((value) => value, seqs.get(KINDS[kind] ?? '') ?? null)
    for (const write of queue) write((value) => renamed.get(value) ?? value)
    return { ...patterns[1]?.row, id: renamed.get(String(subscription)) ?? null, customer }
  }
}

/** Inserts a row like another, but for what is renamed in it, and, in the journal, the object that it is about. */
function writer(database: Sqlite.Database, table: string, { seq: _, ...pattern }: Row) {
  const columns = Object.keys(pattern)
  const insert = database.prepare(
    `insert into ${table} (${columns.map((name) => `"${name}"`).join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  )
  const values = Object.values(pattern)
  const objectAt = table === 'journal' ? columns.indexOf('object') : -1
  return (rename: (value: string) => string, object: number | null = null): number => {
    const row = values.map((value) => (typeof value === 'string' ? rename(value) : value))
    if (objectAt !== -1) row[objectAt] = object
    return Number(insert.run(row).lastInsertRowid)
  }
}
