import { chmodSync, closeSync, existsSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import * as first from './migrations/0001-first.ts'
import * as billingIndexes from './migrations/0003-billing-indexes.ts'
import { openSqlite } from './sqlite.ts'

/** A step from one schema to the next, within a transaction. */
export type Migration = { readonly up: (database: Sqlite.Database) => void }

/** Migrations by name, in order: a database's version is how many of them it has seen. */
export type Migrations = Readonly<Record<string, Migration>>
export const MIGRATIONS: Migrations = {
  '0001-first': first,
  '0003-billing-indexes': billingIndexes,
}
export const versionOf = (migrations: Migrations): number => Object.keys(migrations).length

/** Why a database cannot be used, in a sentence for the person who started the daemon. */
export class DatabaseUnusable extends Error {
  readonly reason: 'locked' | 'newer' | 'unreadable'
  constructor(reason: 'locked' | 'newer' | 'unreadable', message: string) {
    super(message)
    this.reason = reason
  }
}

/**
 * The largest database that is looked through before it is used, in bytes. paytwin: what a start may take, some 0.4 s. Of
 * larger ones damage is found where a request comes upon it.
 */
const LARGEST_CHECKED = 256 * 1_048_576
/** By which a file is known for one of paytwin's: "payt". */
const APPLICATION_ID = 0x70617974
/** Source: SQLite's file format, 4.1. */
const WAL_HEADER_BYTES = 32
const WAL_MAGIC = [0x377f0682, 0x377f0683]
/** How long another process that is being refused may still hold the file, in milliseconds. */
const PATIENCE_MS = 500

export type Durability = 'normal' | 'full'

/**
 * Opens a database, alone: another process that tries the same file is refused as long as this one lives, however it
 * ends. Nothing is written to a file before it is known to be one of paytwin's, and whole. An older schema is migrated after a
 * copy was put beside it; a migration that fails changes nothing.
 * @param path - a file, or ':memory:'
 * @param migrations - all that there are; a test may add made-up ones
 * @throws DatabaseUnusable when another process has it, it comes from a newer paytwin, it is none of paytwin's or is damaged,
 * or cannot be opened or written
 */
export async function openDatabase(
  path: string,
  durability: Durability,
  migrations: Migrations = MIGRATIONS,
): Promise<Sqlite.Database> {
  const newest = versionOf(migrations)
  if (path !== ':memory:') checkLog(path)
  const database = connect(path)
  try {
    const version = lookThrough(database, path)
    if (version > newest) {
      throw new DatabaseUnusable(
        'newer',
        `${path} was written by a newer paytwin (schema ${version}; this one knows ${newest}). Update paytwin, or give another --data folder.`,
      )
    }
    configure(database, durability)
    if (version < newest) {
      if (version > 0) copyBeside(database, path, version)
      migrate(database, migrations)
    }
    if (path !== ':memory:')
      for (const file of [path, `${path}-wal`]) if (existsSync(file)) chmodSync(file, 0o600)
    return database
  } catch (error) {
    database.close()
    throw explained(error, path)
  }
}

function connect(path: string): Sqlite.Database {
  try {
    return openSqlite(path, { timeout: 0 })
  } catch (error) {
    throw explained(error, path)
  }
}

/**
 * What a database says of itself, read while nobody else can write to it, and without writing to it.
 * @returns the version of its schema; 0 for one that is new
 * @throws DatabaseUnusable
 */
function lookThrough(database: Sqlite.Database, path: string): number {
  database.pragma('locking_mode = EXCLUSIVE')
  database.exec('begin immediate')
  try {
    const version = Number(database.pragma('user_version', { simple: true }))
    const tables = database.prepare("select name from sqlite_master where type = 'table'").pluck().all()
    // The first databases were not marked yet.
    const isOurs =
      database.pragma('application_id', { simple: true }) === APPLICATION_ID || tables.includes('setting')
    if (version === 0 ? tables.length > 0 : !isOurs) {
      throw new DatabaseUnusable(
        'unreadable',
        `${path} is a database of something else than paytwin. Give another --data folder.`,
      )
    }
    const pages = Number(database.pragma('page_count', { simple: true }))
    const size = pages * Number(database.pragma('page_size', { simple: true }))
    const trouble = size <= LARGEST_CHECKED ? database.pragma('quick_check(1)', { simple: true }) : 'ok'
    if (trouble !== 'ok') throw damaged(path, String(trouble).split('\n').at(-1) ?? '')
    // All of it has been read, and little of that is needed.
    database.pragma('shrink_memory')
    return version
  } finally {
    // Some errors have ended it already.
    if (database.inTransaction) database.exec('rollback')
  }
}

/**
 * A write-ahead log that nothing can be read from is passed over by SQLite, and one whose database is gone is deleted: but
 * it holds what was written last. Of a log that breaks off somewhere what comes before is used, as after a power cut.
 * @throws DatabaseUnusable
 */
function checkLog(path: string): void {
  const log = `${path}-wal`
  const head = readHead(log)
  if (head.length < WAL_HEADER_BYTES || head.every((byte) => byte === 0)) return
  const put = 'Put back what belongs there, or delete it to go on without'
  if (sizeOf(path) === 0) {
    throw new DatabaseUnusable(
      'unreadable',
      `${log} holds what was written last to a database that is gone. ${put}.`,
    )
  }
  if (!WAL_MAGIC.includes(head.readUInt32BE())) {
    throw new DatabaseUnusable(
      'unreadable',
      `${log} is damaged: it is no write-ahead log, and whatever was written last to ${path} is in it. ${put}.`,
    )
  }
}

/** The beginning of a file that is nobody's lock; nothing of one that is not there. */
function readHead(file: string): Buffer {
  if (!existsSync(file)) return Buffer.alloc(0)
  const head = Buffer.alloc(WAL_HEADER_BYTES)
  const opened = openSync(file, 'r')
  try {
    return head.subarray(0, readSync(opened, head))
  } finally {
    closeSync(opened)
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

function configure(database: Sqlite.Database, durability: Durability): void {
  database.pragma(`busy_timeout = ${PATIENCE_MS}`)
  database.pragma('journal_mode = WAL')
  database.pragma('busy_timeout = 0')
  database.pragma(`synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
  // 12 MB: enough for a page that many commands write to be copied into the database once for all of them, and little enough
  // for nobody to wait long for it. During an advance the timekeeper is there first, mostly.
  database.pragma('wal_autocheckpoint = 3000')
  database.pragma('cache_size = -65536')
  database.pragma('temp_store = MEMORY')
  // In exclusive mode the first write takes the lock, and keeps it.
  database.exec('begin immediate; commit')
}

/** The copy is SQLite's: to open and close the file by other means would give up the lock on it. */
function copyBeside(database: Sqlite.Database, path: string, version: number): void {
  const copy = `${path}.schema-${version}.backup`
  const unfinished = `${copy}.unfinished`
  rmSync(unfinished, { force: true })
  database.prepare('vacuum into ?').run(unfinished)
  chmodSync(unfinished, 0o600)
  renameSync(unfinished, copy)
}

/** Brings a database into the newest schema: all migrations, and the version that they make, in one transaction. */
export function migrate(database: Sqlite.Database, migrations: Migrations): void {
  const version = Number(database.pragma('user_version', { simple: true }))
  database
    .transaction(() => {
      for (const { up } of Object.values(migrations).slice(version)) up(database)
      database.pragma(`user_version = ${versionOf(migrations)}`)
      database.pragma(`application_id = ${APPLICATION_ID}`)
    })
    .immediate()
}

/** Whether an error says that the disk takes no more, or fails: nothing of ours, and it may pass. */
export const isOfStorage = (error: unknown): boolean =>
  error instanceof Sqlite.SqliteError && /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|PERM)/.test(error.code)

/** Why a database cannot be used, for an error of SQLite's that says so; any other error as it is. */
export function explained(error: unknown, path: string): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error
  const { code, message } = error
  if (code === 'SQLITE_BUSY') return new DatabaseUnusable('locked', `${path} is in use by another process.`)
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) return damaged(path, message)
  if (isOfStorage(error)) {
    return new DatabaseUnusable('unreadable', `${path} cannot be opened and written (${message}).`)
  }
  return error
}

const damaged = (path: string, trouble: string) =>
  new DatabaseUnusable(
    'unreadable',
    `${path} is not a paytwin database, or is damaged (${trouble}). Nothing was changed in it: put back a copy, such as one of snapshots/, or give another --data folder.`,
  )
