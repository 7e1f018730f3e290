import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import type { Migrations } from '../../src/store/migration.ts'
import { DatabaseUnusable } from '../../src/store/unusable.ts'

let folder: string
let path: string
let open: Sqlite.Database[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paytwin-test-'))
  path = join(folder, 'paytwin.db')
})
afterEach(() => {
  for (const database of open) database.close()
  open = []
  rmSync(folder, { recursive: true, force: true })
})

/** Test migrations: a table of notes, and a further column of it. */
const run = (statement: string) => ({
  up: (database: Sqlite.Database) => void database.exec(statement),
})
const OLD: Migrations = { '0001-notes': run('create table note (text text not null) strict') }
const NEW: Migrations = {
  ...OLD,
  '0002-stars': run('alter table note add column stars integer not null default 1'),
}
/** Fails for the data: the text of a note is not a number. */
const BROKEN: Migrations = {
  ...OLD,
  '0002-stars': run('alter table note add column stars integer'),
  '0003-numbers': run('create table number (n integer) strict; insert into number select text from note'),
}

async function opened(migrations: Migrations): Promise<Sqlite.Database> {
  const database = await openDatabase(path, 'normal', migrations)
  open.push(database)
  return database
}

/** Creates a database of the old schema with one note, as an earlier process left it. */
async function oldDatabase(): Promise<void> {
  const database = await openDatabase(path, 'normal', OLD)
  database.exec("insert into note values ('kept')")
  database.close()
}

const refusal = async (migrations: Migrations): Promise<DatabaseUnusable> => {
  const error = await openDatabase(path, 'normal', migrations).catch((thrown: unknown) => thrown)
  if (error instanceof DatabaseUnusable) return error
  throw new Error('the database was not refused')
}

const versionOf = (database: Sqlite.Database) => database.pragma('user_version', { simple: true })
const backup = () => `${path}.schema-1.backup`

/** Tries to write to the file from another process, because the lock works between processes. */
function fromAnotherProcess(): string {
  const script = `
    const database = new (require('better-sqlite3'))(process.argv[1], { timeout: 0 })
    try { database.exec('begin immediate; commit'); console.log('free') } catch (error) { console.log(error.code) }`
  const { stdout } = spawnSync(process.execPath, ['-e', script, path], { encoding: 'utf8' })
  return stdout.trim()
}

test('an older database is migrated with its data, after a backup was made', async () => {
  await oldDatabase()
  const database = await opened(NEW)
  expect(database.prepare('select * from note').all()).toEqual([{ text: 'kept', stars: 1 }])
  expect(versionOf(database)).toBe(2)

  const copy = new Sqlite(backup(), { readonly: true })
  open.push(copy)
  expect(copy.prepare('select * from note').all()).toEqual([{ text: 'kept' }])
  expect(versionOf(copy)).toBe(1)
  expect(copy.pragma('integrity_check', { simple: true })).toBe('ok')
})

test('the backup can be restored and is migrated again', async () => {
  await oldDatabase()
  ;(await opened(NEW)).exec("insert into note values ('later', 5)")
  for (const database of open.splice(0)) database.close()
  rmSync(path)
  new Sqlite(backup()).exec(`vacuum into '${path}'`)
  expect((await opened(NEW)).prepare('select text from note').pluck().all()).toEqual(['kept'])
})

test('a migrated database stays locked', async () => {
  await oldDatabase()
  await opened(NEW)
  expect(fromAnotherProcess()).toBe('SQLITE_BUSY')
})

test('a database of the newest schema is not backed up', async () => {
  await oldDatabase()
  await opened(OLD)
  expect(readdirSync(folder).filter((name) => name.includes('backup'))).toEqual([])
})

test('a migration that fails changes nothing and keeps the backup', async () => {
  await oldDatabase()
  const { reason, message } = await refusal(BROKEN)
  expect(reason).toBe('unreadable')
  expect(message).toContain(
    `${path} cannot be migrated from schema 1 (cannot store TEXT value in INTEGER column number.n)`,
  )
  const database = await opened(OLD)
  expect(versionOf(database)).toBe(1)
  expect(database.prepare('select * from note').all()).toEqual([{ text: 'kept' }])
  expect(existsSync(backup())).toBe(true)
})

test('an unfinished backup is replaced', async () => {
  await oldDatabase()
  new Sqlite(`${backup()}.unfinished`).exec('create table half (x)')
  await opened(NEW)
  expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).toEqual([])
})

test('a database of a newer paytwin is refused and left alone', async () => {
  const newer = await openDatabase(path, 'normal', NEW)
  newer.close()
  const { reason, message } = await refusal(OLD)
  expect(reason).toBe('newer')
  expect(message).toContain(`${path} was written by a newer paytwin (schema 2; this one supports 1)`)
  expect(versionOf(await opened(NEW))).toBe(2)
})

test('a file that is not a database is refused', async () => {
  writeFileSync(path, 'no database at all, but long enough to be looked at'.repeat(20))
  expect(await refusal(NEW)).toMatchObject({ reason: 'unreadable' })
})

test('a database that another connection has open is refused', async () => {
  await opened(NEW)
  expect(await refusal(NEW)).toMatchObject({ reason: 'locked' })
})

test('one that waits for the lock does not stop the one that has it', async () => {
  const holder = new Sqlite(path, { timeout: 0 })
  holder.exec('begin immediate')
  const waiting = opened(NEW)
  holder.exec('create table passing (x); drop table passing; commit')
  holder.close()
  expect(versionOf(await waiting)).toBe(2)
})

test('only the owner may access the database, its log and its backup', async () => {
  const before = process.umask(0)
  try {
    await oldDatabase()
    ;(await opened(NEW)).exec("insert into note values ('later', 5)")
  } finally {
    process.umask(before)
  }
  const modes = readdirSync(folder).map((name) => [
    name,
    (statSync(join(folder, name)).mode & 0o777).toString(8),
  ])
  expect(Object.fromEntries(modes)).toEqual({
    'paytwin.db': '600',
    'paytwin.db-wal': '600',
    'paytwin.db.schema-1.backup': '600',
  })
})
