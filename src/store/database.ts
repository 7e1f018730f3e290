import { chmodSync, existsSync, realpathSync, renameSync, rmSync } from 'node:fs'
import type Sqlite from 'better-sqlite3'
import { APPLICATION_ID, identify, inspectFiles, readThrough, removeLeftovers } from './inspect.ts'
import * as first from './migrations/0001-first.ts'
import * as history from './migrations/0002-history.ts'
import * as billingIndexes from './migrations/0003-billing-indexes.ts'
import * as movedIntents from './migrations/0004-moved-intents.ts'
import { NEWEST_SCHEMA } from './newest-schema.ts'
import { openSqlite } from './sqlite.ts'
import { explained } from './unusable.ts'

/** A step from one schema to the next, within a transaction. */
export type Migration = { readonly up: (database: Sqlite.Database) => void }

/** Migrations by name, in order: a database's version is how many of them it has seen. */
export type Migrations = Readonly<Record<string, Migration>>
export const MIGRATIONS: Migrations = {
  '0001-first': first,
  '0002-history': history,
  '0003-billing-indexes': billingIndexes,
  '0004-moved-intents': movedIntents,
}
export const versionOf = (migrations: Migrations): number => Object.keys(migrations).length

/** How long another process that is looking at the file, or is being refused, may still hold it, in milliseconds. */
const PATIENCE_MS = 500

export type Durability = 'normal' | 'full'

/**
 * Opens a database, alone: another process that tries the same file is refused as long as this one lives, however it
 * ends. Nothing is written to a file before it is known to be one of paytwin's, and whole. An older schema is migrated after a
 * copy was put beside it; a migration that fails changes nothing.
 * @param given - a file, or ':memory:'
 * @param migrations - all that there are; a test may add made-up ones
 * @throws DatabaseUnusable when another process has it, it comes from a newer paytwin, it is none of paytwin's or is damaged,
 * or cannot be opened or written
 */
export async function openDatabase(
  given: string,
  durability: Durability,
  migrations: Migrations = MIGRATIONS,
): Promise<Sqlite.Database> {
  const isFile = given !== ':memory:'
  // SQLite keeps the log beside the file that a link leads to.
  const path = isFile && existsSync(given) ? realpathSync(given) : given
  const newest = versionOf(migrations)
  const isRead = isFile && inspectFiles(path, newest)
  const database = connect(path)
  try {
    lock(database)
    const version = (isRead ? identify : readThrough)(database, path, newest)
    configure(database, durability)
    if (isFile) removeLeftovers(path)
    if (version < newest) {
      if (version > 0) copyBeside(database, path, version)
      migrate(database, migrations)
    }
    if (isFile) for (const file of [path, `${path}-wal`]) if (existsSync(file)) chmodSync(file, 0o600)
    return database
  } catch (error) {
    database.close()
    throw explained(error, path)
  }
}

function connect(path: string): Sqlite.Database {
  try {
    return openSqlite(path, { timeout: PATIENCE_MS })
  } catch (error) {
    throw explained(error, path)
  }
}

/** Takes the lock, which a connection in exclusive mode keeps, without writing. @throws DatabaseUnusable */
function lock(database: Sqlite.Database): void {
  database.pragma('locking_mode = EXCLUSIVE')
  database.exec('begin immediate; rollback')
}

function configure(database: Sqlite.Database, durability: Durability): void {
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

/** Brings a database into the newest schema, and sets its version, in one transaction. */
export function migrate(database: Sqlite.Database, migrations: Migrations): void {
  const version = Number(database.pragma('user_version', { simple: true }))
  database
    .transaction(() => {
      // A new database takes the schema as a whole: each change of a table costs SQLite a look at the whole schema.
      if (version === 0 && migrations === MIGRATIONS) database.exec(NEWEST_SCHEMA)
      else for (const { up } of Object.values(migrations).slice(version)) up(database)
      database.pragma(`user_version = ${versionOf(migrations)}`)
      database.pragma(`application_id = ${APPLICATION_ID}`)
    })
    .immediate()
}
