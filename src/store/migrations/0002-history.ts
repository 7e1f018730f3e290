import type Sqlite from 'better-sqlite3'

/**
 * Makes the history of an object readable from its end. Each journal entry names the previous one, which replaces an
 * index on the journal. Each row names its newest entry. Every 64th entry of an object has a keyframe, the public state
 * right after it.
 */

/** The object tables; the index of each is its number in the journal. */
const TABLES = [
  ...['customer', 'product', 'price', 'payment_method', 'subscription', 'invoice', 'payment_intent'],
  ...['charge', 'refund', 'invoice_item', 'webhook_endpoint', 'webhook_delivery'],
] as const
type Table = (typeof TABLES)[number]

const KEYFRAME_ENTRIES = 64

/** Columns that are in a row but not in a keyframe: those of the store, constant fields, and private fields. */
const OMITTED: readonly string[] = ['seq', 'merchant', 'id', 'created', 'newest_entry', 'entry_count']
const PRIVATE: { readonly [T in Table]?: readonly string[] } = {
  customer: ['next_invoice_number'],
  payment_method: ['script'],
  subscription: ['newest_invoice'],
  invoice: ['overdue'],
  refund: ['settles_at'],
  webhook_delivery: ['attempt_count', 'is_ready'],
}
/** The columns of any table that hold JSON text, and those that hold a boolean as 0 or 1. */
const JSON_COLUMNS: readonly string[] = [
  ...['metadata', 'recurring', 'card', 'script', 'items', 'pause_collection', 'lines'],
  ...['last_payment_error', 'enabled_events', 'attempts'],
]
const BOOLEAN_COLUMNS: readonly string[] = [
  ...['delinquent', 'deleted', 'active', 'cancel_at_period_end', 'attempted', 'overdue', 'is_ready'],
]

type Row = Readonly<Record<string, unknown>>
type Entry = { readonly seq: number; readonly created: number; readonly replaced: string | null }

export function up(database: Sqlite.Database): void {
  database.exec(`
    alter table journal add column previous integer;
    update journal set previous = (
      select seq from journal earlier
      where earlier.kind = journal.kind and earlier.object = journal.object and earlier.seq < journal.seq
      order by seq desc limit 1);
    create table keyframe (
      entry integer primary key, merchant integer not null, kind integer not null, object integer not null,
      created integer not null, state text not null) strict;
    create index keyframe_object on keyframe (kind, object);
    create index keyframe_created on keyframe (kind, object, created);`)
  for (const [kind, table] of TABLES.entries()) {
    database.exec(`
      alter table ${table} add column newest_entry integer;
      alter table ${table} add column entry_count integer not null default 0;
      update ${table} set newest_entry = entries.newest, entry_count = entries.number
      from (select object, max(seq) newest, count(*) number from journal where kind = ${kind} group by object) entries
      where entries.object = ${table}.seq`)
    addKeyframes(database, kind, table)
  }
  database.exec('drop index journal_object')
}

/** Adds the keyframes of all objects of a table that have enough entries. */
function addKeyframes(database: Sqlite.Database, kind: number, table: Table): void {
  const rows = database
    .prepare(`select * from ${table} where entry_count >= ${KEYFRAME_ENTRIES}`)
    .all() as Row[]
  const entries = database.prepare(
    'select seq, created, replaced from journal where kind = ? and object = ? order by seq desc',
  )
  const add = database.prepare('insert into keyframe values (?, ?, ?, ?, ?, ?)')
  for (const row of rows) {
    let state = publicState(table, row)
    let number = Number(row.entry_count)
    // No other statement may write while one is read from.
    const all = entries.all(kind, row.seq) as Entry[]
    for (const { seq, created, replaced } of all) {
      if (number % KEYFRAME_ENTRIES === 0)
        add.run(seq, row.merchant, kind, row.seq, created, JSON.stringify(state))
      if (replaced !== null) state = { ...state, ...JSON.parse(replaced) }
      number -= 1
    }
  }
}

/** The public fields of an object that may change. */
function publicState(table: Table, row: Row): Row {
  const omitted = [...OMITTED, ...(PRIVATE[table] ?? [])]
  return Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => !omitted.includes(name))
      .map(([name, value]) => [name, decoded(name, value)]),
  )
}

function decoded(name: string, value: unknown): unknown {
  if (BOOLEAN_COLUMNS.includes(name)) return value === 1
  return JSON_COLUMNS.includes(name) && value !== null ? JSON.parse(String(value)) : value
}
