import { chmodSync, existsSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type Sqlite from 'better-sqlite3'
import { LOG_PAGES } from './disk-room.ts'
import { APPLICATION_ID, copyInto, identify, inspectFiles, readThrough, removeLeftovers } from './inspect.ts'
import { type Migrations, type Schemas, versionOf } from './migration.ts'
import { MIGRATIONS } from './migrations.ts'
import { NEWEST_SCHEMA } from './newest-schema.ts'
import { openSqlite } from './sqlite.ts'
import { checkValues } from './stored-values.ts'
import { addTextSearch } from './text-search.ts'
import { isBusy, isOfStorage, migrationError, toDatabaseUnusable } from './unusable.ts'

/**
 * The time to wait for another process that holds the file briefly, such as one that is being refused, in milliseconds.
 */
const LOCK_TIMEOUT_MS = 500
/** The number of attempts to get the lock in this time, and the times between them. */
const LOCK_ATTEMPTS = 20
const LOCK_INTERVAL_MS = LOCK_TIMEOUT_MS / LOCK_ATTEMPTS

export type Durability = 'normal' | 'full'

/**
 * Opens a database exclusively: until this process ends, every other process is refused. The file is written only after
 * it was found to be an undamaged database of paytwin. An older schema is migrated after a backup was made beside it; a
 * migration that fails changes nothing.
 * @param given - a file, or ':memory:'
 * @param migrations - all migrations; tests may add some
 * @throws DatabaseUnusable when another process has the file, it comes from a newer paytwin, is not a paytwin database,
 *   is damaged, or cannot be opened or written
 */
export async function openDatabase(
  given: string,
  durability: Durability,
  migrations: Migrations = MIGRATIONS,
): Promise<Sqlite.Database> {
  const isFile = given !== ':memory:'
  // SQLite keeps the log beside the target of a link.
  const path = isFile && existsSync(given) ? realpathSync(given) : given
  const newest = versionOf(migrations)
  const schemas = schemasOf(migrations)
  const isRead = isFile && inspectFiles(path, schemas)
  const database = await connectAlone(path)
  try {
    const version = (isRead ? identify : readThrough)(database, path, schemas)
    configure(database, durability, version)
    if (isFile) removeLeftovers(path)
    if (version < newest) {
      if (version === 0) migrate(database, migrations)
      else migrateWithBackup(database, path, version, migrations)
    }
    if (isFile) for (const file of [path, `${path}-wal`]) if (existsSync(file)) chmodSync(file, 0o600)
    return database
  } catch (error) {
    database.close()
    throw toDatabaseUnusable(error, path)
  }
}

/**
 * Connects to a database, and takes its lock. A connection that waits for the lock would itself hold a shared one, and so
 * stop the one that has it: each attempt has a connection of its own.
 * @throws DatabaseUnusable
 */
async function connectAlone(path: string): Promise<Sqlite.Database> {
  for (let attempt = 1; ; attempt += 1) {
    const database = connect(path)
    try {
      lock(database)
      return database
    } catch (error) {
      database.close()
      if (attempt === LOCK_ATTEMPTS || !isBusy(error)) throw toDatabaseUnusable(error, path)
    }
    // Two that try in the same microsecond may both be refused. They will not meet again.
    await delay(LOCK_INTERVAL_MS)
  }
}

function connect(path: string): Sqlite.Database {
  try {
    return openSqlite(path, { timeout: 0 })
  } catch (error) {
    throw toDatabaseUnusable(error, path)
  }
}

/** Takes the lock without a write; a connection in exclusive mode keeps it. @throws Sqlite.SqliteError if another has it */
function lock(database: Sqlite.Database): void {
  database.pragma('locking_mode = EXCLUSIVE')
  database.exec('begin immediate; rollback')
  // The next step excludes readers too, which end soon.
  database.pragma(`busy_timeout = ${LOCK_TIMEOUT_MS}`)
}

function configure(database: Sqlite.Database, durability: Durability, version: number): void {
  // A copy, such as a snapshot, has no log yet. The switch changes a single sector, and a kill must leave no rollback journal.
  const isCopy = version > 0 && database.pragma('journal_mode', { simple: true }) === 'delete'
  if (isCopy) database.pragma('journal_mode = MEMORY')
  database.pragma('journal_mode = WAL')
  database.pragma('busy_timeout = 0')
  database.pragma(`synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
  database.pragma(`wal_autocheckpoint = ${LOG_PAGES}`)
  database.pragma('cache_size = -65536')
  database.pragma('temp_store = MEMORY')
  addTextSearch(database)
  // In exclusive mode the first write transaction takes the lock and keeps it.
  database.exec('begin immediate; commit')
}

/**
 * Migrates a database after it was backed up beside it. The backup is removed if the disk is too full to migrate, because the
 * next try needs its room.
 * @throws DatabaseUnusable when a migration fails, which changes nothing
 */
function migrateWithBackup(
  database: Sqlite.Database,
  path: string,
  version: number,
  migrations: Migrations,
): void {
  const copy = backUp(database, path, version, schemasOf(migrations))
  try {
    migrate(database, migrations)
  } catch (error) {
    if (isOfStorage(error)) rmSync(copy, { force: true })
    throw isOfStorage(error) ? error : migrationError(path, version, error)
  }
  // The file can grow while it gets what the log has. Without room for that, the backup of a finished migration gives way.
  const moveLog = () => database.pragma('wal_checkpoint(truncate)')
  try {
    moveLog()
  } catch (error) {
    if (!isOfStorage(error)) throw error
    rmSync(copy, { force: true })
    moveLog()
  }
}

/**
 * Makes a backup with SQLite: opening and closing the file in another way would release the lock on it.
 * @returns its path
 */
function backUp(database: Sqlite.Database, path: string, version: number, schemas: Schemas): string {
  const copy = `${path}.schema-${version}.backup`
  const unfinished = `${copy}.unfinished`
  rmSync(unfinished, { force: true })
  try {
    copyInto(unfinished, database, version, schemas)
    chmodSync(unfinished, 0o600)
    renameSync(unfinished, copy)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
  return copy
}

/** Returns the schemas of a list of migrations. */
export const schemasOf = (migrations: Migrations): Schemas => ({
  migrations,
  newestSchema: migrations === MIGRATIONS ? NEWEST_SCHEMA : undefined,
})

/**
 * Migrates a database to the newest schema: all migrations and the new version in one transaction.
 * @throws ValueDamaged when the daemon could not start with the migrated values
 */
export function migrate(database: Sqlite.Database, migrations: Migrations): void {
  const version = Number(database.pragma('user_version', { simple: true }))
  database
    .transaction(() => {
      // A new database gets the whole schema at once: SQLite parses the whole schema for each change of a table.
      if (version === 0 && migrations === MIGRATIONS) database.exec(NEWEST_SCHEMA)
      else for (const { up } of Object.values(migrations).slice(version)) up(database)
      if (version > 0 && migrations === MIGRATIONS) checkValues(database)
      database.pragma(`user_version = ${versionOf(migrations)}`)
      database.pragma(`application_id = ${APPLICATION_ID}`)
    })
    .immediate()
}
