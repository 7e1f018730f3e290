import { existsSync, linkSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { bytesOf } from './bytes.ts'
import { type Schemas, versionOf } from './migration.ts'
import { reasonNotOwn } from './own-files.ts'
import { checkRollbackJournal } from './rollback-journal.ts'
import { schemaFaultIn } from './schema-check.ts'
import { openSqlite } from './sqlite.ts'
import { checkValues, ValueDamaged } from './stored-values.ts'
import { DatabaseUnusable, damagedError, newerError, toDatabaseUnusable, unusableError } from './unusable.ts'
import { checkLog, pagesInLog } from './write-ahead-log.ts'

/**
 * The largest database in bytes that is checked completely before it is used. paytwin: this bounds the check to some
 * 0.4 s of a start. In larger databases damage is found when a request reads it.
 */
const MAX_CHECKED_BYTES = 256 * 1_048_576
/** The application id of paytwin's databases: "payt". */
export const APPLICATION_ID = 0x70617974
/** The smallest page size, and so the size of the smallest database. Source: SQLite's file format, 1.2. */
const SMALLEST_PAGE = 512
/** The position of the write version in the header, and the highest version that SQLite supports. Source: 1.3. */
const WRITE_VERSION = { at: 18, last: 2 }
/** The prefix of the temporary folders of an inspection. */
const FOLDER_PREFIX = '.inspect-'
/** The names that mkdtemp makes from the prefix. */
export const INSPECTION_FOLDER = /^\.inspect-[A-Za-z0-9]{6}$/
/** The suffixes of SQLite's files of a database. */
const SUFFIXES = ['', '-wal', '-shm', '-journal']

/**
 * Refuses a database whose files show a problem, without changing a byte of them. A database with a log is checked
 * completely. A file that does not exist or is empty is a new database.
 * @param schemas - the schemas that this paytwin supports
 * @returns whether the database was checked completely
 * @throws DatabaseUnusable
 */
export function inspectFiles(path: string, schemas: Schemas): boolean {
  for (const suffix of SUFFIXES) refuseForeign(path + suffix)
  const size = sizeOfFile(path)
  const logSize = sizeOfFile(`${path}-wal`)
  if (logSize > 0) checkLog(path, size)
  checkRollbackJournal(path, { size, logSize })
  // SQLite treats a file of one byte as empty, and deletes the log beside it.
  if (size > 0 && size < SMALLEST_PAGE) throw damagedError(path, `it has ${size} bytes`)
  if (size === 0 || logSize === 0) return false
  readFilesThrough(path, schemas)
  return true
}

/**
 * Checks that a database is one of paytwin's, is undamaged, has the schema of its version, and values with which the daemon
 * can start.
 * @returns the version of its schema; 0 for a new one
 * @throws DatabaseUnusable
 */
export function readThrough(database: Sqlite.Database, path: string, schemas: Schemas): number {
  try {
    const version = identify(database, path, schemas)
    const pragma = (name: string) => Number(database.pragma(name, { simple: true }))
    const [pages, pageSize] = [pragma('page_count'), pragma('page_size')]
    checkNotTruncated(path, { pages, pageSize, free: pragma('freelist_count') })
    const isChecked = pages * pageSize <= MAX_CHECKED_BYTES
    if (isChecked) checkPages(database)
    checkContent(database, version, schemas)
    // The check has filled the cache with pages, few of which are needed.
    database.pragma('shrink_memory')
    return version
  } catch (error) {
    throw explainedReading(error, path)
  }
}

/** Reads all pages of a database that are in use. @throws SqliteError SQLITE_CORRUPT with SQLite's description of the first damage */
export function checkPages(database: Sqlite.Database): void {
  const result = String(database.pragma('main.quick_check(1)', { simple: true }))
  if (result !== 'ok') throw corruptError(result.split('\n').at(-1) ?? result)
}

/**
 * Checks that a database has the schema of its version, and values with which the daemon can start.
 * @throws SqliteError SQLITE_CORRUPT, ValueDamaged
 */
function checkContent(database: Sqlite.Database, version: number, schemas: Schemas): void {
  const fault = schemaFaultIn(database, version, schemas)
  if (fault) throw corruptError(fault)
  // Values of an older schema are checked when they are migrated.
  if (schemas.newestSchema !== undefined && version === versionOf(schemas.migrations)) checkValues(database)
}

/**
 * Checks a database, and copies it into a file that is empty or does not exist. From damaged pages SQLite can make a damaged copy, or a
 * sound one without some rows, and report no error.
 * @param version - of the database's schema
 * @throws SqliteError SQLITE_CORRUPT, or ValueDamaged, for a damaged database. The file may exist, and must not be used.
 */
export function copyInto(file: string, database: Sqlite.Database, version: number, schemas: Schemas): void {
  checkPages(database)
  checkContent(database, version, schemas)
  database.prepare('vacuum into ?').run(file)
}

const corruptError = (damage: string) => new Sqlite.SqliteError(damage, 'SQLITE_CORRUPT')

/**
 * Refuses a database whose end is missing; SQLite would read zeros there. After a kill the log may hold the pages that
 * belong there, except for free pages, which may be written nowhere.
 * @throws DatabaseUnusable
 */
function checkNotTruncated(
  path: string,
  { pages, pageSize, free }: { pages: number; pageSize: number; free: number },
): void {
  const size = sizeOfFile(path)
  const whole = Math.floor(size / pageSize)
  if (size === 0 || whole >= pages) return
  const inLog = pagesInLog(path, pageSize)
  const missing = Array.from({ length: pages - whole }, (_, index) => whole + 1 + index).filter(
    (page) => !inLog.has(page),
  )
  const isCutOff = size % pageSize > 0 && missing[0] === whole + 1
  if (isCutOff || missing.length > free) throw damagedError(path, 'its end is missing')
}

/**
 * Checks that a database belongs to this paytwin.
 * @returns the version of its schema; 0 for a new one
 * @throws DatabaseUnusable for one that is not paytwin's, or is from a newer paytwin
 */
export function identify(database: Sqlite.Database, path: string, { migrations }: Schemas): number {
  const newest = versionOf(migrations)
  const version = Number(database.pragma('user_version', { simple: true }))
  const tables = database.prepare("select name from sqlite_master where type = 'table'").pluck().all()
  // The first databases had no application id.
  const isOurs =
    database.pragma('application_id', { simple: true }) === APPLICATION_ID || tables.includes('setting')
  if (version < 0 || (version === 0 ? tables.length > 0 : !isOurs)) {
    throw new DatabaseUnusable(
      'unreadable',
      `${path} is a database of another program. Give another --data folder.`,
    )
  }
  if (version > newest) throw newerError(path, version, newest)
  return version
}

/**
 * Removes the folders of interrupted inspections if they contain nothing but an inspection's files. Only the process
 * that holds the database may call this.
 */
export function removeLeftovers(path: string): void {
  const parent = dirname(path)
  for (const name of readdirSync(parent).filter((each) => INSPECTION_FOLDER.test(each))) {
    const folder = join(parent, name)
    if (isLeftover(folder, basename(path))) rmSync(folder, { recursive: true, force: true })
  }
}

/** Reports whether a folder was made by an inspection of a database. */
const isLeftover = (folder: string, database: string): boolean =>
  reasonNotOwn(folder, 'folder') === undefined &&
  readdirSync(folder).every(
    (name) =>
      SUFFIXES.some((suffix) => name === database + suffix) &&
      reasonNotOwn(join(folder, name), 'file') === undefined,
  )

/**
 * Checks a database and its log through a read-only connection. A connection that can write would move the log into the
 * database when it is closed, and delete it.
 */
function readFilesThrough(path: string, schemas: Schemas): void {
  const database = openThroughLinks(path)
  try {
    readThrough(database, path, schemas)
    // SQLite could not write to such a database.
    const [writeVersion = 0] = bytesOf(path, WRITE_VERSION.at, 1)
    if (writeVersion > WRITE_VERSION.last) throw damagedError(path, `its write version is ${writeVersion}`)
  } finally {
    database.close()
  }
}

/**
 * Opens a database for reading through hard links in a temporary folder. SQLite keeps its index of the log beside the
 * name by which the database was opened, so nothing is written beside the database itself. The links are removed once
 * it is open.
 */
function openThroughLinks(path: string): Sqlite.Database {
  const folder = mkdtempSync(join(dirname(path), FOLDER_PREFIX))
  try {
    const database = openSqlite(linked(path, folder), { readonly: true, fileMustExist: true, timeout: 0 })
    try {
      database.exec('begin; select name from sqlite_master')
    } catch (error) {
      database.close()
      throw error
    }
    return database
  } catch (error) {
    throw explainedReading(error, path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @returns the database's name in the folder; the original name where the file system has no hard links, as on FAT */
function linked(path: string, folder: string): string {
  // Windows cannot unlink an open file.
  if (process.platform === 'win32') return path
  const other = join(folder, basename(path))
  try {
    for (const suffix of ['', '-wal']) if (existsSync(path + suffix)) linkSync(path + suffix, other + suffix)
    return other
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) return path
    throw error
  }
}

/**
 * Refuses anything that is not a file, since reading a pipe would block forever, and files of other users.
 * @throws DatabaseUnusable
 */
function refuseForeign(path: string): void {
  const reason = reasonNotOwn(path, 'file')
  if (reason !== undefined) throw unusableError(path, reason)
}

const sizeOfFile = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Converts an error of SQLite during the check to damage: the statements themselves are correct. */
function explainedReading(error: unknown, path: string): unknown {
  if (error instanceof ValueDamaged) return damagedError(path, error.message)
  const reason = toDatabaseUnusable(error, path)
  return reason instanceof Sqlite.SqliteError ? damagedError(path, reason.message) : reason
}
