import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import { versionOf } from '../../src/store/migration.ts'
import { MIGRATIONS } from '../../src/store/migrations.ts'
import { DatabaseUnusable } from '../../src/store/unusable.ts'
import { temporaryFolder } from '../cli/executable.ts'

const HEADER_BYTES = 100
/** The position of the version of the schema in the header. */
const VERSION_AT = 60
const LOG_HEADER_BYTES = 32
const PAGE = 4_096
const ROWS = 60

const folder = temporaryFolder()
const path = join(folder.path, 'paytwin.db')
const FILES = [path, `${path}-wal`, `${path}-shm`] as const

/** The bytes of the database, its log and the index of the log; undefined for a file that does not exist. */
type Contents = readonly (Buffer | undefined)[]
let closed: Contents
let killed: Contents
let killedEarly: Contents
let content: unknown

const read = (): Contents => FILES.map((file) => (existsSync(file) ? readFileSync(file) : undefined))
function write(contents: Contents): void {
  for (const [index, file] of FILES.entries()) {
    const bytes = contents[index]
    if (bytes) writeFileSync(file, bytes)
    else rmSync(file, { force: true })
  }
}

const contentOf = (database: Sqlite.Database) => ({
  tables: database.prepare('select name, sql from sqlite_master order by name').all(),
  settings: database.prepare('select name, value from setting order by name').raw().all(),
})

/** Creates an index of a log as a killed program would leave it. */
const INDEX = Buffer.alloc(32_768, 0xee)

beforeAll(async () => {
  const database = await openDatabase(path, 'normal')
  const add = database.prepare('insert into setting (name, value) values (?, ?)')
  for (let n = 0; n < ROWS; n += 1) add.run(`name ${n}`, 'x'.repeat(500))
  database.pragma('wal_checkpoint(TRUNCATE)')
  // The log has one page, but not the first one, which has the header.
  database.exec("update setting set value = 'new' where name = 'name 7'")
  content = contentOf(database)
  killedEarly = [...read().slice(0, 2), INDEX]
  // The log has every page.
  database.exec('vacuum')
  killed = [...read().slice(0, 2), INDEX]
  database.close()
  closed = read()
})
afterAll(() => folder.remove())

/** Opens a damaged database: it must open with all data, or be refused with every byte unchanged. */
async function open(damaged: Contents): Promise<'opened' | 'refused'> {
  write(damaged)
  let database: Sqlite.Database
  try {
    database = await openDatabase(path, 'normal')
  } catch (error) {
    expect(error).toBeInstanceOf(DatabaseUnusable)
    expect((error as Error).message).toMatch(/^\/.*paytwin\.db(-wal)? [^\n\r]*\.$/)
    expect(read().map((bytes, index) => bytes?.equals(damaged[index] ?? Buffer.alloc(0)))).toEqual(
      damaged.map((bytes) => (bytes ? true : undefined)),
    )
    expect(readdirSync(folder.path)).toHaveLength(damaged.filter((bytes) => bytes).length)
    return 'refused'
  }
  try {
    expect(contentOf(database)).toEqual(content)
    return 'opened'
  } finally {
    database.close()
  }
}

/** Copies a state with other bytes at a place of one of the files. */
function spoiled(contents: Contents, file: number, at: number, bytes: readonly number[]): Contents {
  const copy = Buffer.from(contents[file] ?? [])
  copy.set(bytes, at)
  return contents.with(file, copy)
}
const cut = (contents: Contents, size: number): Contents => contents.with(0, contents[0]?.subarray(0, size))

describe.each([
  ['was closed', () => closed],
  ['has a log of one page', () => killedEarly],
  ['has a log of all pages', () => killed],
] as const)('a database that %s', (_, state) => {
  test('opens with all data', async () => {
    expect(await open(state())).toBe('opened')
  })

  test('opens with all data or is refused, whatever byte of its header is damaged', async () => {
    for (let at = 0; at < HEADER_BYTES; at += 1)
      await open(spoiled(state(), 0, at, [(state()[0]?.[at] ?? 0) ^ 0xff]))
  })

  test('opens with all data or is refused, whatever number of its header is damaged', async () => {
    for (let at = 16; at < HEADER_BYTES; at += 4)
      for (const number of [
        [0, 0, 0, 0],
        // As the version of the schema, larger than any.
        [0, 0, 0, 0xf7],
        [0xab, 0xcd, 0xef, 0x12],
      ])
        await open(spoiled(state(), 0, at, number))
    for (const seed of [3, 5, 7]) {
      const noise = Array.from({ length: 16 }, (_each, index) => (seed * 41 + index * 97) % 256)
      await open(spoiled(state(), 0, 40, noise))
    }
  })

  test('opens with all data or is refused, whatever older schema its version names', async () => {
    // An older version makes the opening run its migrations again, which takes most of the time.
    for (let version = 1; version < versionOf(MIGRATIONS); version += 7)
      await open(spoiled(state(), 0, VERSION_AT, [0, 0, 0, version]))
  })

  test('opens with all data or is refused, wherever it is cut off', async () => {
    const size = state()[0]?.length ?? 0
    const sizes = [...Array(HEADER_BYTES + 1).keys(), 511, 512, 513, PAGE - 1, PAGE + 1, size - 1]
    for (let pages = 1; pages * PAGE < size; pages += 10) sizes.push(pages * PAGE)
    for (const each of sizes) {
      const isNew = each === 0 && !state()[1]
      if (!isNew) await open(cut(state(), each))
    }
  })
})

test('a database of an older schema whose version names a newer one is refused', async () => {
  let older: Contents = []
  for (let version = 1; version < versionOf(MIGRATIONS); version += 1) {
    // Each is migrated from the one before, which takes less time than all of its migrations.
    write(older)
    const upTo = Object.fromEntries(Object.entries(MIGRATIONS).slice(0, version))
    const database = await openDatabase(path, 'normal', upTo)
    database.close()
    rmSync(`${path}.schema-${version - 1}.backup`, { force: true })
    older = read()
    expect(await open(spoiled(older, 0, VERSION_AT, [0, 0, 0, version + 1]))).toBe('refused')
  }
})

test('a log whose header is damaged anywhere is refused', async () => {
  for (let at = 0; at < LOG_HEADER_BYTES; at += 1)
    expect(await open(spoiled(killed, 1, at, [(killed[1]?.[at] ?? 0) ^ 0x10]))).toBe('refused')
})

test('a database of one byte is refused, with a log and without', async () => {
  for (const state of [closed, killed]) expect(await open(cut(state, 1))).toBe('refused')
})

test('a database that is not a file is refused, as is a log', async () => {
  for (const file of FILES.slice(0, 2)) {
    write(killed)
    rmSync(file)
    mkdirSync(file)
    await expect(openDatabase(path, 'normal')).rejects.toThrow(/it is not a file\. Remove it/)
    rmSync(file, { recursive: true })
    execFileSync('mkfifo', [file])
    await expect(openDatabase(path, 'normal')).rejects.toThrow(/it is not a file\. Remove it/)
    rmSync(file)
  }
})

test('a database of a newer paytwin or of another program is refused with its log', async () => {
  for (const statement of ['pragma user_version = 99', 'pragma application_id = 7; drop table setting']) {
    write(killed)
    const other = new Sqlite(path)
    other.pragma('locking_mode = EXCLUSIVE')
    other.exec(statement)
    const left = read()
    other.close()
    expect(await open([...left.slice(0, 2), INDEX])).toBe('refused')
  }
})

test('a database behind a symbolic link is opened with its log', async () => {
  const elsewhere = join(folder.path, 'elsewhere')
  mkdirSync(elsewhere)
  write(killed)
  for (const end of ['', '-wal']) renameSync(path + end, join(elsewhere, `real.db${end}`))
  symlinkSync(join(elsewhere, 'real.db'), path)
  const database = await openDatabase(path, 'normal')
  expect(contentOf(database)).toEqual(content)
  database.close()
  rmSync(path)
  rmSync(elsewhere, { recursive: true })
})

test('the files of a killed inspection are removed', async () => {
  write(killed)
  mkdirSync(join(folder.path, '.inspect-killed'))
  const database = await openDatabase(path, 'normal')
  database.close()
  expect(readdirSync(folder.path).filter((name) => name.startsWith('.'))).toEqual([])
})
