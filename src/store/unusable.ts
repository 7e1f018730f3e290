import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'

/** With less room than this SQLite cannot open a database that has a log: its index of the log takes 32 KiB. In bytes. */
const LEAST_ROOM = 65_536

/** Why a database cannot be used, in a sentence for the person who started the daemon. */
export class DatabaseUnusable extends Error {
  readonly reason: 'locked' | 'newer' | 'unreadable'
  constructor(reason: 'locked' | 'newer' | 'unreadable', message: string) {
    super(message)
    this.reason = reason
  }
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
  if (code === 'SQLITE_FULL' || (code.startsWith('SQLITE_IOERR') && !hasRoom(path))) {
    return diskFull(path, message)
  }
  if (isOfStorage(error)) {
    return new DatabaseUnusable('unreadable', `${path} cannot be opened and written (${message}).`)
  }
  return error
}

const diskFull = (path: string, trouble: string) =>
  new DatabaseUnusable(
    'unreadable',
    `${path} cannot be opened and written because the disk is full (${trouble}). Free some space, or give another --data folder.`,
  )

/** Whether the disk has room left for the files beside a database. */
function hasRoom(path: string): boolean {
  const { bavail, bsize } = statfsSync(dirname(path))
  return bavail * bsize >= LEAST_ROOM
}

export const damaged = (path: string, trouble: string) =>
  new DatabaseUnusable(
    'unreadable',
    `${path} is not a paytwin database, or is damaged (${trouble}). Nothing was changed in it: put back a copy, such as one of snapshots/, or give another --data folder.`,
  )

/** For a file or folder that paytwin cannot use as its own. */
export const unusable = (path: string, trouble: string) =>
  new DatabaseUnusable(
    'unreadable',
    `${path} cannot be used: ${trouble}. Remove it, or give another --data folder.`,
  )

export const newer = (path: string, version: number, newest: number) =>
  new DatabaseUnusable(
    'newer',
    `${path} was written by a newer paytwin (schema ${version}; this one knows ${newest}). Update paytwin, or give another --data folder.`,
  )
