import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { SNAPSHOT_NAME } from '../core/snapshot.ts'
import { migrate, schemasOf } from './database.ts'
import { flush } from './flush.ts'
import { checkPages, copyInto } from './inspect.ts'
import { type Migrations, type Schemas, versionOf } from './migration.ts'
import { MIGRATIONS } from './migrations.ts'
import { reasonForeign, reasonNotOwn } from './own-files.ts'
import { foreignCodeIn, schemaFaultIn } from './schema-check.ts'
import {
  byName,
  gone,
  type OpenSnapshot,
  type Snapshot,
  type Snapshots,
  type SnapshotUse,
  unreadable,
} from './snapshots.ts'
import { openSqlite } from './sqlite.ts'
import { ValueDamaged } from './stored-values.ts'
import { DatabaseUnusable, damagedText, isOfDamage, isOfStorage, unusableError } from './unusable.ts'

const EXTENSION = '.db'
/** The suffixes of SQLite's files beside a database. */
const JOURNALS = ['-wal', '-shm', '-journal']
const SAVING = '.saving.db'
/** The temporary files of a save or a restore. No snapshot's name begins with a dot. */
const UNFINISHED = /^\.(saving|restoring-\d+)\.db(-wal|-shm|-journal)?$/

/**
 * Snapshots on disk, one database file each. A file gets its name only once it is complete and flushed. The temporary
 * file of a save that was killed is removed when the folder is opened the next time.
 * See docs/contract/snapshots.md#names.
 */
export class SnapshotsOnDisk implements Snapshots {
  readonly #database: Sqlite.Database
  readonly #folder: string
  readonly #migrations: Migrations
  #copies = 0

  /**
   * Removes the temporary files of an interrupted save or restore.
   * @param migrations - all migrations of the database
   * @throws DatabaseUnusable when the folder is a link, not a folder, or another user's; nothing is removed there
   */
  constructor(database: Sqlite.Database, folder: string, migrations = MIGRATIONS) {
    this.#database = database
    this.#folder = folder
    this.#migrations = migrations
    const reason = reasonNotOwn(folder, 'folder')
    if (reason !== undefined) throw unusableError(folder, reason)
    for (const name of this.#files().filter((each) => UNFINISHED.test(each))) {
      const file = join(folder, name)
      if (reasonNotOwn(file, 'file') === undefined) rmSync(file)
    }
  }

  list(): Snapshot[] {
    return this.#files()
      .filter((file) => file.endsWith(EXTENSION))
      .map((file) => basename(file, EXTENSION))
      .filter((name) => this.#has(name))
      .map((name) => this.#describe(name))
      .sort(byName)
  }

  save(name: string, created: number): Snapshot {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const file = join(this.#folder, SAVING)
    try {
      // SQLite writes into an existing file if it is empty, so the file has the right permissions from the beginning.
      rmSync(file, { force: true })
      writeFileSync(file, '', { mode: 0o600 })
      copyInto(file, this.#database, versionOf(this.#migrations), schemasOf(this.#migrations))
      utimesSync(file, created, created)
      flush(file)
      renameSync(file, this.#fileOf(name))
      flush(this.#folder)
    } catch (error) {
      rmSync(file, { force: true })
      throw explainedSaving(error, name)
    }
    return this.#describe(name)
  }

  async open(name: string, use: SnapshotUse): Promise<OpenSnapshot | undefined> {
    if (!this.#has(name)) return undefined
    this.#refuseForeign(name)
    return this.#opened(name, this.#versionOf(name, use) < versionOf(this.#migrations))
  }

  remove(name: string): boolean {
    if (!this.#has(name)) return false
    rmSync(this.#fileOf(name))
    flush(this.#folder)
    return true
  }

  /** @param isOlder - whether it is migrated in a copy; at the first read, because it can be saved again until then */
  #opened(name: string, isOlder: boolean): OpenSnapshot {
    let copied: { readonly snapshot: Snapshot; readonly file: string } | undefined
    const snapshot = () => copied?.snapshot ?? this.#describe(name)
    return {
      get snapshot() {
        return snapshot()
      },
      close: () => {
        if (copied) rmSync(copied.file, { force: true })
      },
      read: (work) => {
        if (isOlder) copied ??= { snapshot: this.#describe(name), file: this.#migrated(name) }
        const file = copied?.file ?? this.#fileOf(name)
        // Attaching a missing file would create an empty database.
        if (!isFile(file)) throw gone(name)
        try {
          this.#attach(file, name)
          return work((table) => `snapshot.${table}`)
        } catch (error) {
          if (isOfDamage(error)) refuseDamaged(file, name, error, schemasOf(this.#migrations))
          throw explainedCopying(error, name)
        } finally {
          if (this.#isAttached()) this.#database.exec('detach snapshot')
        }
      },
    }
  }

  #attach(file: string, name: string): void {
    try {
      this.#database.prepare('attach ? as snapshot').run(file)
    } catch (error) {
      throw explainedReading(error, name)
    }
  }

  #isAttached(): boolean {
    const attached = this.#database.pragma('database_list') as { name: string }[]
    return attached.some(({ name }) => name === 'snapshot')
  }

  /** @throws DatabaseUnusable for a version that cannot be used here */
  #versionOf(name: string, use: SnapshotUse): number {
    const newest = versionOf(this.#migrations)
    const version = schemaOf(this.#fileOf(name), name, { use, schemas: schemasOf(this.#migrations) })
    if (version <= 0) throw unreadable(name, 'it is not a paytwin database')
    if (version <= newest) return version
    throw new DatabaseUnusable(
      'newer',
      `The snapshot '${name}' was saved by a newer paytwin (schema ${version}; this one supports ${newest}). Update paytwin to restore it.`,
    )
  }

  /** Creates a copy of a snapshot and migrates it to the current schema. */
  #migrated(name: string): string {
    this.#copies += 1
    const copy = join(this.#folder, `.restoring-${this.#copies}.db`)
    try {
      copyFileSync(this.#fileOf(name), copy, constants.COPYFILE_FICLONE)
      chmodSync(copy, 0o600)
      const database = openSqlite(copy)
      try {
        migrate(database, this.#migrations)
      } finally {
        database.close()
      }
      return copy
    } catch (error) {
      rmSync(copy, { force: true })
      throw explainedMigrating(error, name)
    }
  }

  #describe(name: string): Snapshot {
    const file = this.#fileOf(name)
    if (!isFile(file)) throw gone(name)
    const { mtimeMs, size } = statSync(file)
    return { name, created: Math.round(mtimeMs / 1000), size }
  }

  #has(name: string): boolean {
    return SNAPSHOT_NAME.test(name) && isFile(this.#fileOf(name))
  }

  /**
   * Refuses a snapshot of another user, and journals beside it that SQLite must not open, such as pipes.
   * @throws DatabaseUnusable
   */
  #refuseForeign(name: string): void {
    const file = this.#fileOf(name)
    const reason = reasonForeign(statSync(file))
    if (reason !== undefined) throw unreadable(name, reason)
    for (const suffix of JOURNALS) {
      const why = reasonNotOwn(file + suffix, 'file')
      if (why !== undefined)
        throw unreadable(name, `the file ${name}${EXTENSION}${suffix} beside it cannot be used: ${why}`)
    }
  }

  #fileOf(name: string): string {
    return join(this.#folder, name + EXTENSION)
  }

  #files(): string[] {
    return existsSync(this.#folder) ? readdirSync(this.#folder) : []
  }
}

/** Reports whether a path is a file or a link to one. Anything else, such as a pipe, could block its reader forever. */
const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false

/**
 * Checks a snapshot, completely before a restore. Checks the schema before it reads any table: a view or a trigger in a file from
 * somebody else may never end.
 * @returns the version of its schema
 * @throws DatabaseUnusable for one that is damaged
 */
function schemaOf(
  file: string,
  name: string,
  { use, schemas }: { use: SnapshotUse; schemas: Schemas },
): number {
  try {
    const database = openSqlite(file, { readonly: true, fileMustExist: true })
    try {
      const version = Number(database.pragma('user_version', { simple: true }))
      if (version > versionOf(schemas.migrations)) return version
      const code = foreignCodeIn(database, version, schemas)
      if (code !== undefined)
        throw unreadable(name, `its ${code} contains code, which paytwin would not create`)
      const fault = schemaFaultIn(database, version, schemas)
      if (fault) throw damagedSnapshot(name, fault)
      if (use === 'restore') checkPages(database)
      return version
    } finally {
      database.close()
    }
  } catch (error) {
    throw explainedReading(error, name)
  }
}

/**
 * Explains an error of a damaged page: it is in the snapshot, or else in the database.
 * @throws DatabaseUnusable
 */
function refuseDamaged(file: string, name: string, { message }: Error, schemas: Schemas): never {
  schemaOf(file, name, { use: 'restore', schemas })
  throw unreadable(
    name,
    `the snapshot is intact, but the database is damaged (${message}). The database was not changed. Stop the daemon, and use a copy of the snapshot's file in place of the database`,
  )
}

const damagedSnapshot = (name: string, damage: string): DatabaseUnusable =>
  unreadable(name, `its file is damaged (${damage})`)

/** Converts an error of a damaged database while it is copied. */
const explainedSaving = (error: unknown, name: string): unknown =>
  isOfDamage(error) || error instanceof ValueDamaged
    ? new DatabaseUnusable('unreadable', damagedText(`The snapshot '${name}' cannot be saved`, error.message))
    : error

/** Converts an error of SQLite, or of a value, while a snapshot is read: any such error is damage. */
const explainedReading = (error: unknown, name: string): unknown =>
  error instanceof Sqlite.SqliteError || error instanceof ValueDamaged
    ? damagedSnapshot(name, error.message)
    : error

/** Converts an error while rows are copied: an error of the disk is not damage. */
const explainedCopying = (error: unknown, name: string): unknown =>
  isOfStorage(error) ? error : explainedReading(error, name)

/** Converts an error of a copy's migration, which can also fail because JSON in a column is invalid. */
const explainedMigrating = (error: unknown, name: string): unknown =>
  error instanceof SyntaxError ? damagedSnapshot(name, error.message) : explainedCopying(error, name)
