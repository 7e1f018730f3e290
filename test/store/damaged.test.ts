import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import { MIGRATIONS } from '../../src/store/migrations.ts'
import { DatabaseUnusable } from '../../src/store/unusable.ts'

const PAGE = 16_384
/** Enough rows to fill more than two pages. */
const ROWS = 400

const folder = mkdtempSync(join(tmpdir(), 'paytwin-test-'))
/** A database that was closed, and one with the log of a killed process. */
const whole = join(folder, 'whole.db')
const killed = join(folder, 'killed.db')
const path = join(folder, 'paytwin.db')
const wal = `${path}-wal`
const journal = `${path}-journal`

beforeAll(async () => {
  const database = await openDatabase(whole, 'normal')
  const add = database.prepare('insert into setting (name, value) values (?, ?)')
  const fill = (from: number) => {
    for (let n = from; n < from + ROWS; n += 1) add.run(`name ${n}`, 'x'.repeat(500))
  }
  fill(0)
  database.pragma('wal_checkpoint(TRUNCATE)')
  fill(ROWS)
  // The copies have the state that a kill at this moment would leave.
  copyFileSync(whole, killed)
  copyFileSync(`${whole}-wal`, `${killed}-wal`)
  database.close()
})
afterAll(() => rmSync(folder, { recursive: true }))
beforeEach(() => {
  for (const file of readdirSync(folder).filter((name) => name.startsWith('paytwin.db')))
    rmSync(join(folder, file), { recursive: true })
})

const put = (from: string) => {
  for (const end of ['', '-wal']) if (existsSync(from + end)) copyFileSync(from + end, path + end)
}
/** Overwrites a part of a file. */
function spoil(file: string, at: number, bytes: Buffer): void {
  const content = readFileSync(file)
  bytes.copy(content, at)
  writeFileSync(file, content)
}
/** Puts a rollback journal beside the database, as a change that was interrupted when it had `pages` pages. */
function putJournal(pages: number): void {
  const header = Buffer.alloc(512)
  Buffer.from('d9d505f920a163d7', 'hex').copy(header)
  header.writeUInt32BE(pages, 16)
  header.writeUInt32BE(512, 20)
  header.writeUInt32BE(4_096, 24)
  writeFileSync(journal, header)
}
const noise = (length: number) => Buffer.alloc(length, 0xee)
const sizeOf = (file: string) => statSync(file).size
/** Reads every file of the database. */
const bytes = () =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name.startsWith('paytwin.db') && statSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name)).toString('base64')]),
  )

function foreign(version: number, mode: string): void {
  rmSync(path)
  const diary = new Sqlite(path)
  diary.pragma(`journal_mode = ${mode}`)
  diary.exec("create table diary (text); insert into diary values ('Dear diary')")
  diary.pragma(`user_version = ${version}`)
  diary.close()
}

function aFolder(): void {
  rmSync(path)
  mkdirSync(path)
}

const JOURNAL =
  /-journal is the rollback journal of another .* Nothing was changed\. Remove .*-journal to use/

test.each<[string, () => void, RegExp]>([
  ['a damaged header', () => spoil(path, 0, noise(100)), /is damaged or not a paytwin database/],
  ['a header with another page size', () => spoil(path, 16, Buffer.from([0, 7])), /damaged/],
  ['a damaged schema', () => spoil(path, 100, noise(PAGE - 100)), /damaged/],
  ['a damaged page in the middle', () => spoil(path, PAGE * 6, noise(PAGE)), /damaged/],
  ['an emptied page at the end', () => spoil(path, sizeOf(path) - PAGE, Buffer.alloc(PAGE)), /damaged/],
  ['an end that is missing', () => truncateSync(path, sizeOf(path) - 1_000), /damaged/],
  ['a half that is missing', () => truncateSync(path, PAGE * Math.floor(sizeOf(path) / PAGE / 2)), /damaged/],
  ['only a beginning', () => truncateSync(path, 50), /damaged/],
  ['a text', () => writeFileSync(path, 'Dear diary,\n'.repeat(200)), /not a paytwin database/],
  ['a short text', () => writeFileSync(path, 'Dear diary'), /not a paytwin database/],
  ['the database of another program', () => foreign(0, 'delete'), /is a database of another program/],
  [
    'the database of another program, with a version',
    () => foreign(1, 'delete'),
    /is a database of another program/,
  ],
  [
    'the database of another program, with a log',
    () => foreign(0, 'wal'),
    /is a database of another program/,
  ],
  ['a folder', aFolder, /cannot be used: it is not a file/],
  [
    'the log of a deleted database',
    () => {
      put(killed)
      rmSync(path)
    },
    /-wal holds the latest writes to a database that does not exist/,
  ],
  [
    'the log of an emptied database',
    () => {
      put(killed)
      truncateSync(path, 0)
    },
    /-wal holds the latest writes/,
  ],
  [
    'a file that is not a log',
    () => {
      put(killed)
      spoil(wal, 0, noise(5_000))
    },
    /-wal is damaged/,
  ],
  ['the rollback journal of a new database', () => putJournal(0), JOURNAL],
  ['the rollback journal of a database of this size', () => putJournal(sizeOf(path) / 4_096), JOURNAL],
  [
    'a rollback journal beside a log',
    () => {
      put(killed)
      putJournal(0)
    },
    JOURNAL,
  ],
  [
    'a rollback journal beside a database of one page whose log has the rest',
    () => {
      put(killed)
      truncateSync(path, 4_096)
      putJournal(0)
    },
    JOURNAL,
  ],
  [
    'a rollback journal beside a copy without a log',
    () => {
      rmSync(path)
      new Sqlite(whole, { readonly: true }).exec(`vacuum into '${path}'`).close()
      putJournal(0)
    },
    JOURNAL,
  ],
  [
    'a rollback journal beside a text',
    () => {
      writeFileSync(path, 'Dear diary,\n'.repeat(200))
      putJournal(0)
    },
    JOURNAL,
  ],
])('%s is refused and not changed', async (_, damage, message) => {
  put(whole)
  damage()
  const before = bytes()
  const error = await openDatabase(path, 'normal').catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(DatabaseUnusable)
  expect(error).toMatchObject({ reason: 'unreadable', message: expect.stringMatching(message) })
  expect((error as Error).message).not.toMatch(/[\n\r]/)
  expect(bytes()).toEqual(before)
})

test('a database of a newer schema is refused and not changed', async () => {
  put(whole)
  const newer = new Sqlite(path)
  newer.pragma(`user_version = ${Object.keys(MIGRATIONS).length + 1}`)
  newer.close()
  const before = bytes()
  await expect(openDatabase(path, 'normal')).rejects.toMatchObject({ reason: 'newer' })
  expect(bytes()).toEqual(before)
})

/** Counts the rows of the database. */
async function rows(): Promise<number> {
  const database = await openDatabase(path, 'normal')
  const count = database.prepare("select count(*) from setting where name like 'name %'").pluck().get()
  database.close()
  return Number(count)
}

test.each<[string, () => void, (rows: number) => boolean]>([
  ['a log as a kill leaves it', () => undefined, (found) => found === 2 * ROWS],
  [
    'a log that is cut off, as by a power failure',
    () => truncateSync(wal, Math.floor(sizeOf(wal) / 2)),
    (found) => found > ROWS && found < 2 * ROWS,
  ],
  ['a log that was never written', () => writeFileSync(wal, Buffer.alloc(4_096)), (found) => found === ROWS],
  ['a log with only a part of its header', () => truncateSync(wal, 20), (found) => found === ROWS],
])('%s is used up to its last valid frame', async (_, cut, expected) => {
  put(killed)
  cut()
  expect(await rows()).toSatisfy(expected)
})

test.each<[string, () => void, number]>([
  ['a database that a killed first start left with one page', () => writeFileSync(path, firstPage()), 0],
  ['an empty file', () => writeFileSync(path, ''), 0],
])('a rollback journal beside %s is applied', async (_, make, expected) => {
  make()
  putJournal(0)
  expect(await rows()).toBe(expected)
  expect(existsSync(journal)).toBe(false)
})

test('a file that is no rollback journal does not stop a start', async () => {
  put(whole)
  writeFileSync(journal, Buffer.alloc(512))
  expect(await rows()).toBe(2 * ROWS)
})

/** Returns the database that the first start writes before it has a log. */
function firstPage(): Buffer {
  const other = join(folder, 'first.db')
  const database = new Sqlite(other)
  database.pragma('journal_mode = WAL')
  database.close()
  return readFileSync(other)
}
