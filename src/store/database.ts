import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import * as first from './migrations/0001-first.ts'
import { openSqlite } from './sqlite.ts'

/** A step from one schema to the next, within a transaction. */
export type Migration = { readonly up: (database: Sqlite.Database) => void }

/** Migrations by name, in order: a database's version is how many of them it has seen. */
export type Migrations = Readonly<Record<string, Migration>>
export const MIGRATIONS: Migrations = { '0001-first': first }
export const versionOf = (migrations: Migrations): number => Object.keys(migrations).length

/** Why a database cannot be used, in a sentence for the person who started the daemon. */
export class DatabaseUnusable extends Error {
  readonly reason: 'locked' | 'newer' | 'unreadable'
  constructor(reason: 'locked' | 'newer' | 'unreadable', message: string) {
    super(message)
    this.reason = reason
  }
}

export type Durability = 'normal' | 'full'

/**
 * Opens a database, alone: another process that tries the same file is refused as long as this one lives, however it
 * ends. An older schema is migrated after a copy was put beside it; a migration that fails changes nothing.
 * @param path - a file, or ':memory:'
 * @param migrations - all that there are; a test may add made-up ones
 * @throws DatabaseUnusable when another process has it, it comes from a newer paytwin, or it is no database
 */
export async function openDatabase(
  path: string,
  durability: Durability,
  migrations: Migrations = MIGRATIONS,
): Promise<Sqlite.Database> {
  const newest = versionOf(migrations)
  const database = openSqlite(path, { timeout: 0 })
  try {
    configure(database, durability)
    const version = Number(database.pragma('user_version', { simple: true }))
    if (version > newest) {
      throw new DatabaseUnusable(
        'newer',
        `${path} was written by a newer paytwin (schema ${version}; this one knows ${newest}). Update paytwin, or give another --data folder.`,
      )
    }
    if (version < newest) {
      if (version > 0) copyBeside(database, path, version)
      migrate(database, migrations)
    }
    if (path !== ':memory:')
      for (const file of [path, `${path}-wal`]) if (existsSync(file)) chmodSync(file, 0o600)
    return database
  } catch (error) {
    database.close()
    throw explain(error, path)
  }
}

function configure(database: Sqlite.Database, durability: Durability): void {
  database.pragma('locking_mode = EXCLUSIVE')
  database.pragma('journal_mode = WAL')
  database.pragma(`synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
  // 32 MB: a page that many renewals write is copied into the database once for all of them.
  database.pragma('wal_autocheckpoint = 8000')
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
    })
    .immediate()
}

function explain(error: unknown, path: string): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error
  if (error.code === 'SQLITE_BUSY')
    return new DatabaseUnusable('locked', `${path} is in use by another process.`)
  if (error.code === 'SQLITE_NOTADB' || error.code.startsWith('SQLITE_CORRUPT')) {
    return new DatabaseUnusable(
      'unreadable',
      `${path} is not a paytwin database, or is damaged (${error.message}).`,
    )
  }
  return error
}
