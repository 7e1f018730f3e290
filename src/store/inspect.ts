import { existsSync, linkSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { bytesOf } from './bytes.ts'
import { whyNotOwn } from './own-files.ts'
import { openSqlite } from './sqlite.ts'
import { DatabaseUnusable, damaged, explained, newer, unusable } from './unusable.ts'
import { checkLog, pagesInLog } from './write-ahead-log.ts'

/**
 * The largest database that is read through before it is used, in bytes. paytwin: this bounds what a start may take to some
 * 0.4 s. In larger ones damage is found when a request comes upon it.
 */
const LARGEST_CHECKED = 256 * 1_048_576
/** Marks a file as one of paytwin's: "payt". */
export const APPLICATION_ID = 0x70617974
/** The smallest page, and so the smallest database. Source: SQLite's file format, 1.2. */
const SMALLEST_PAGE = 512
/** Where the header says which version of the format writers have to know, and the last one that SQLite knows. Source: 1.3. */
const WRITE_VERSION = { at: 18, last: 2 }
/** Folders of other names, for as long as an inspection opens them. */
const FOLDER_PREFIX = '.inspect-'
/** The names that mkdtemp makes of the prefix. */
export const INSPECTION_FOLDER = /^\.inspect-[A-Za-z0-9]{6}$/
/** What the names of SQLite's files for a database end in. */
const ENDS = ['', '-wal', '-shm', '-journal']

/**
 * Refuses a database whose files show that something is wrong, without changing a byte of them; one that has a log is read through. A
 * file that does not exist or is empty is a new database.
 * @param newest - the newest schema version that this paytwin knows
 * @returns whether the database was read through
 * @throws DatabaseUnusable
 */
export function inspectFiles(path: string, newest: number): boolean {
  for (const end of ENDS) refuseOthers(path + end)
  const size = sizeOfFile(path)
  const logSize = sizeOfFile(`${path}-wal`)
  if (logSize > 0) checkLog(path, size)
  // SQLite takes a file of one byte for an empty one, and deletes the log beside it.
  if (size > 0 && size < SMALLEST_PAGE) throw damaged(path, `it has ${size} bytes`)
  if (size === 0 || logSize === 0) return false
  readFilesThrough(path, newest)
  return true
}

/**
 * Checks that a database is one of paytwin's and undamaged.
 * @returns the version of its schema; 0 for a new one
 * @throws DatabaseUnusable
 */
export function readThrough(database: Sqlite.Database, path: string, newest: number): number {
  try {
    const version = identify(database, path, newest)
    const pragma = (name: string) => Number(database.pragma(name, { simple: true }))
    const [pages, pageSize] = [pragma('page_count'), pragma('page_size')]
    checkEnd(path, { pages, pageSize, free: pragma('freelist_count') })
    const trouble = pages * pageSize <= LARGEST_CHECKED ? troubleIn(database) : undefined
    if (trouble !== undefined) throw damaged(path, trouble)
    // All of it has been read, and little of that is needed.
    database.pragma('shrink_memory')
    return version
  } catch (error) {
    throw explainedReading(error, path)
  }
}

/** Reads all pages of a database. @returns the first damage that is found, as SQLite describes it */
export function troubleIn(database: Sqlite.Database): string | undefined {
  const trouble = String(database.pragma('quick_check(1)', { simple: true }))
  return trouble === 'ok' ? undefined : trouble.split('\n').at(-1)
}

/**
 * Refuses a database whose end is missing: SQLite takes what is missing for zeros. After a kill the log may still hold the pages
 * that are to come there, except for free ones, which may be written nowhere.
 * @throws DatabaseUnusable
 */
function checkEnd(
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
  if (isCutOff || missing.length > free) throw damaged(path, 'its end is missing')
}

/**
 * Reads who made a database.
 * @returns the version of its schema; 0 for a new one
 * @throws DatabaseUnusable for one that is not paytwin's, or of a newer paytwin
 */
export function identify(database: Sqlite.Database, path: string, newest: number): number {
  const version = Number(database.pragma('user_version', { simple: true }))
  const tables = database.prepare("select name from sqlite_master where type = 'table'").pluck().all()
  // The first databases were not marked yet.
  const isOurs =
    database.pragma('application_id', { simple: true }) === APPLICATION_ID || tables.includes('setting')
  if (version < 0 || (version === 0 ? tables.length > 0 : !isOurs)) {
    throw new DatabaseUnusable(
      'unreadable',
      `${path} is a database of something else than paytwin. Give another --data folder.`,
    )
  }
  if (version > newest) throw newer(path, version, newest)
  return version
}

/**
 * Removes the folders that interrupted inspections left behind, if they hold nothing but the files of an inspection. Only for the
 * process that holds the database.
 */
export function removeLeftovers(path: string): void {
  const parent = dirname(path)
  for (const name of readdirSync(parent).filter((each) => INSPECTION_FOLDER.test(each))) {
    const folder = join(parent, name)
    if (isLeftover(folder, basename(path))) rmSync(folder, { recursive: true, force: true })
  }
}

/** Whether a folder is one that an inspection of a database made. */
const isLeftover = (folder: string, database: string): boolean =>
  whyNotOwn(folder, 'folder') === undefined &&
  readdirSync(folder).every(
    (name) =>
      ENDS.some((end) => name === database + end) && whyNotOwn(join(folder, name), 'file') === undefined,
  )

/**
 * Reads a database and its log through a connection that cannot write. One that can would move the log into the database when it
 * is closed, and delete it.
 */
function readFilesThrough(path: string, newest: number): void {
  const database = openByOtherNames(path)
  try {
    readThrough(database, path, newest)
    // A connection that writes would refuse it, and be closed.
    const [writeVersion = 0] = bytesOf(path, WRITE_VERSION.at, 1)
    if (writeVersion > WRITE_VERSION.last) throw damaged(path, `its write version is ${writeVersion}`)
  } finally {
    database.close()
  }
}

/**
 * Opens a database for reading by hard links in a folder of their own. SQLite keeps its index of the log beside the name by which
 * the database was opened: so nothing is written beside the database itself. The links go as soon as the files are open.
 */
function openByOtherNames(path: string): Sqlite.Database {
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

/** @returns the database's name in the folder; its own where a file can have no other, as on FAT */
function linked(path: string, folder: string): string {
  // Windows removes no name of an open file.
  if (process.platform === 'win32') return path
  const other = join(folder, basename(path))
  try {
    for (const end of ['', '-wal']) if (existsSync(path + end)) linkSync(path + end, other + end)
    return other
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) return path
    throw error
  }
}

/**
 * Refuses what is not a file, since reading a pipe would wait forever, and what another user may have planted.
 * @throws DatabaseUnusable
 */
function refuseOthers(path: string): void {
  const trouble = whyNotOwn(path, 'file')
  if (trouble !== undefined) throw unusable(path, trouble)
}

const sizeOfFile = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Whatever SQLite finds wrong while it reads is damage: the statements are right. */
function explainedReading(error: unknown, path: string): unknown {
  const reason = explained(error, path)
  return reason instanceof Sqlite.SqliteError ? damaged(path, reason.message) : reason
}
