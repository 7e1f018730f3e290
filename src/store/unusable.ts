import Sqlite from 'better-sqlite3'
import { RowDamaged } from './damage.ts'
import { freeBytes } from './disk-room.ts'

/** The free bytes below which SQLite cannot open a database with a write-ahead log: the log's index takes 32 KiB. */
const LEAST_ROOM = 65_536

/** An error that explains to the operator why a database cannot be used. */
export class DatabaseUnusable extends Error {
  readonly reason: 'locked' | 'newer' | 'unreadable'
  constructor(reason: 'locked' | 'newer' | 'unreadable', message: string) {
    super(message)
    this.reason = reason
  }
}

/** Reports whether an error comes from the disk: it is full or fails. That is no defect of paytwin, and may pass. */
export const isOfStorage = (error: unknown): error is Error =>
  error instanceof Sqlite.SqliteError && /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|PERM)/.test(error.code)

/** Reports whether a page could not be read: it is damaged, or the disk fails to read. SQLite reports both with the same code. */
export const isUnreadable = (error: unknown): error is Error =>
  error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_CORRUPT')

/** Reports whether an error comes from the disk, or from a damaged page, which cannot be told apart from a disk that fails to read. */
export const mayBeOfStorage = (error: unknown): boolean => isOfStorage(error) || isUnreadable(error)

/** Reports whether an error comes from a damaged page, or from a row that is missing or wrong. */
export const isOfDamage = (error: unknown): error is Error =>
  error instanceof RowDamaged || isUnreadable(error)

/** Reports whether another connection holds a lock on the database. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')

/**
 * Converts an error of SQLite to a DatabaseUnusable if it makes the database unusable; returns other errors unchanged.
 */
export function toDatabaseUnusable(error: unknown, path: string): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error
  const { code, message } = error
  if (isBusy(error)) return new DatabaseUnusable('locked', `${path} is in use by another process.`)
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) return damagedError(path, message)
  if (code === 'SQLITE_FULL' || (code.startsWith('SQLITE_IOERR') && !hasRoom(path))) {
    return diskFull(path, message)
  }
  if (isOfStorage(error)) {
    return new DatabaseUnusable('unreadable', `${path} cannot be opened or written (${message}).`)
  }
  return error
}

const diskFull = (path: string, reason: string) =>
  new DatabaseUnusable(
    'unreadable',
    `${path} cannot be opened or written because the disk is full (${reason}). Free some space, for example by deleting daemon.log, snapshots or the backup of an older schema in its folder, or give another --data folder.`,
  )

/** Reports whether the disk has room for the files beside a database, as far as is known. */
const hasRoom = (path: string): boolean => freeBytes(path) >= LEAST_ROOM

/** Creates the error for a damaged or foreign file. */
export const damagedError = (path: string, damage: string) =>
  new DatabaseUnusable(
    'unreadable',
    `${path} is damaged or not a paytwin database (${damage}). It was not changed. Restore a copy, such as one in snapshots/, or give another --data folder.`,
  )

/** Creates the error for damage that is found once a database is open, and may have been migrated. */
export const laterDamageError = (path: string, damage: string) =>
  new DatabaseUnusable(
    'unreadable',
    `${path} is damaged (${damage}). Restore a copy, such as one in snapshots/, or give another --data folder.`,
  )

/** Returns why a damaged database cannot be saved or reset while the daemon runs. @param refused - what cannot be done */
export const damagedText = (refused: string, damage: string): string =>
  `${refused}: the database is damaged (${damage}). The database and all snapshots stay as they were. Stop the daemon, and use a copy of a snapshot's file in place of the database, or give another --data folder.`

/** Creates the error for a database that cannot be migrated, because of its data or a defect of paytwin. */
export const migrationError = (path: string, version: number, error: unknown) =>
  new DatabaseUnusable(
    'unreadable',
    `${path} cannot be migrated from schema ${version} (${error instanceof Error ? error.message : error}). It was not changed. Use the paytwin that wrote it, restore a copy, or give another --data folder.`,
  )

/** Creates the error for a file or folder that paytwin cannot use as its own. */
export const unusableError = (path: string, reason: string) =>
  new DatabaseUnusable(
    'unreadable',
    `${path} cannot be used: ${reason}. Remove it, or give another --data folder.`,
  )

/** Creates the error for a database of a newer paytwin. */
export const newerError = (path: string, version: number, newest: number) =>
  new DatabaseUnusable(
    'newer',
    `${path} was written by a newer paytwin (schema ${version}; this one supports ${newest}). Update paytwin, or give another --data folder.`,
  )
