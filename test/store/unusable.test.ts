import { tmpdir } from 'node:os'
import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { toDatabaseUnusable } from '../../src/store/unusable.ts'

/** A file system on which no block is free, and one on which there are some. */
const FULL = '/proc/paytwin.db'
const ROOMY = `${tmpdir()}/paytwin.db`

test.each<[string, string, boolean]>([
  ['SQLITE_FULL', ROOMY, true],
  ['SQLITE_IOERR_SHMSIZE', FULL, true],
  ['SQLITE_IOERR_WRITE', FULL, true],
  ['SQLITE_IOERR_WRITE', ROOMY, false],
  ['SQLITE_READONLY', FULL, false],
])('%s of %s: the disk is full: %s', (code, path, isFull) => {
  const { message } = toDatabaseUnusable(new Sqlite.SqliteError('it failed', code), path) as Error
  expect(message.startsWith(`${path} cannot be opened or written`)).toBe(true)
  expect(message.includes('because the disk is full (it failed). Free some space')).toBe(isFull)
})
