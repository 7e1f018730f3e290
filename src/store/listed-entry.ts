import { type Selectable, sql } from 'kysely'
import { assertIntact } from './damage.ts'
import { arg, type Statements } from './statements.ts'
import type { JournalRow } from './tables.ts'

/** The maximum size of the replaced values that a list reads together with their entries, in bytes. */
const MAX_LISTED = 8 * 1024

const COLUMNS = [
  'seq',
  'merchant',
  'number',
  'type',
  'kind',
  'object',
  'created',
  'api_version',
  'request',
  'idempotency_key',
  'previous',
] as const

/** A row of the journal in a list. Large replaced values are left out: a page of them could have hundreds of megabytes. */
export type ListedEntry = Selectable<JournalRow> & {
  /** The size of large replaced values, in bytes; 0 for others. */
  readonly left_out: number
}

/** SQL: the columns of a `ListedEntry`. Reading the length of a text does not read the text. */
export const listedColumns = () => [
  ...COLUMNS.map((name) => sql<never>`journal.${sql.ref(name)}`.as(name)),
  sql<string | null>`iif(octet_length(journal.replaced) > ${sql.lit(MAX_LISTED)}, null, journal.replaced)`.as(
    'replaced',
  ),
  sql<number>`iif(octet_length(journal.replaced) > ${sql.lit(MAX_LISTED)}, octet_length(journal.replaced), 0)`.as(
    'left_out',
  ),
]

/** SQL: the same, for queries that are written as text. */
export const LISTED = sql.join(listedColumns())

/** The row of an outer join for an entry that is missing. */
export type Missing = { readonly seq: null }

/** Checks that no entry is missing. @param owner - of the entries @throws RowDamaged */
export const allPresent = (rows: readonly (ListedEntry | Missing)[], owner: string): ListedEntry[] =>
  rows.map((row) => {
    assertIntact(row.seq !== null, `a journal entry of ${owner} is missing`)
    return row
  })

/** Adds the replaced values of a listed row to its entry. Large ones are read whenever they are asked for, and not kept. */
export function withReplaced<Entry extends { readonly replaced: unknown }>(
  statements: Statements,
  { seq, left_out }: ListedEntry,
  entry: Entry,
): Entry {
  if (left_out === 0) return entry
  return Object.defineProperty(entry, 'replaced', {
    enumerable: true,
    get: () => replacedBy(statements, seq),
  })
}

function replacedBy(statements: Statements, seq: number): unknown {
  const row = statements
    .named<{ replaced: string | null }>('replaced values', (db) =>
      db.selectFrom('journal').select('replaced').where('seq', '=', arg<number>('seq')),
    )
    .get({ seq })
  assertIntact(row?.replaced != null, `the journal entry ${seq} has no replaced values`)
  return JSON.parse(row.replaced)
}
