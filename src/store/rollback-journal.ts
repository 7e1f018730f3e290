import { existsSync } from 'node:fs'
import { bytesOf } from './bytes.ts'
import { DatabaseUnusable } from './unusable.ts'

/** The bytes with which a rollback journal begins that SQLite applies. Source: SQLite's file format, 3. */
const MAGIC = Buffer.from('d9d505f920a163d7', 'hex')
/** The position of the page size in the header of a database. Source: 1.3.2. */
const PAGE_SIZE_AT = 16

/**
 * Refuses a rollback journal beside a database with content. SQLite would apply it when the database is opened: it would overwrite
 * pages, and cut the file to the size that the journal names. Only the first start uses such a journal, before the database
 * has more than one page. All later writes are in the write-ahead log, so any other journal belongs to another database or program.
 * @param sizes.size - of the database, in bytes; 0 if there is none
 * @param sizes.logSize - of its write-ahead log, in bytes; 0 if there is none
 * @throws DatabaseUnusable
 */
export function checkRollbackJournal(
  path: string,
  { size, logSize }: { readonly size: number; readonly logSize: number },
): void {
  // Two first starts can meet: then the other one may delete its journal at any time.
  const isFirstStart = logSize === 0 && (size === 0 || size === pageSizeOf(path))
  const journal = `${path}-journal`
  if (isFirstStart || !existsSync(journal) || !bytesOf(journal, 0, MAGIC.length).equals(MAGIC)) return
  throw new DatabaseUnusable(
    'unreadable',
    `${journal} is the rollback journal of another database or program, and would overwrite ${path}. Nothing was changed. Remove ${journal} to use the database as it is, or give another --data folder.`,
  )
}

/** Returns the page size in the header of a database, in bytes; NaN without a whole header. The number 1 stands for 65,536. */
function pageSizeOf(path: string): number {
  const bytes = bytesOf(path, PAGE_SIZE_AT, 2)
  if (bytes.length < 2) return Number.NaN
  const stored = bytes.readUInt16BE(0)
  return stored === 1 ? 65_536 : stored
}
