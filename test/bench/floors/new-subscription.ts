import type Sqlite from 'better-sqlite3'
import { KINDS } from '../../../src/core/kinds.ts'

type Row = Readonly<Record<string, string | number | null>>

/** The tables in which a new subscription has rows, in the order of the writes. */
const TABLES = ['payment_method', 'subscription', 'invoice', 'payment_intent', 'charge'] as const

/**
 * Writes the rows that paytwin writes for a new subscription: its five objects, their journal entries, its next renewal,
 * and the customer's invoice number. It copies the rows of the newest subscription in the database, so that they match the
 * current version of paytwin, with new ids of the same length.
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

/** Inserts a copy of a row with replaced ids. A copy in the journal also refers to the new object. */
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
