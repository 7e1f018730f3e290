import { mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import { DiskRoom, freeBytes, LOG_PAGES, RESERVED } from '../../src/store/disk-room.ts'

const MIB = 1_048_576

let folder: string
let database: Sqlite.Database
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'paytwin-room-'))
  database = await openDatabase(join(folder, 'paytwin.db'), 'normal')
  database.pragma('wal_checkpoint(TRUNCATE)')
})
afterEach(() => {
  database.close()
  rmSync(folder, { recursive: true, force: true })
})

const pragma = (name: string) => Number(database.pragma(name, { simple: true }))
const limits = () => ({
  logPages: pragma('wal_autocheckpoint'),
  logBytes: pragma('journal_size_limit'),
  growth: pragma('max_page_count') - pragma('page_count'),
})

test('a disk with plenty of room limits nothing', () => {
  new DiskRoom(database, () => 256 * MIB)
  expect(limits()).toMatchObject({ logPages: LOG_PAGES, logBytes: -1 })
  expect(limits().growth).toBeGreaterThan(1_000_000_000)
})

test.each([
  [100, LOG_PAGES, 11_291],
  [8, 254, 896],
  [1, 31, 112],
])(
  'with %i MiB beyond the reserve the log has %i pages, and the database grows by %i',
  (mib, logPages, growth) => {
    new DiskRoom(database, () => RESERVED + mib * MIB)
    expect(limits()).toEqual({ logPages, logBytes: logPages * (4_096 + 24), growth })
  },
)

test('without room beyond the reserve, each transaction is checkpointed and the database does not grow', () => {
  new DiskRoom(database, () => RESERVED)
  expect(limits()).toEqual({ logPages: 1, logBytes: 4_120, growth: 0 })
  database.exec('update setting set value = value')
  expect(() =>
    database.exec('create table large (text text); insert into large values (zeroblob(100000))'),
  ).toThrow('database or disk is full')
})

test('short room is measured after each transaction, plenty of it now and then', () => {
  let free = MIB
  let measured = 0
  const room = new DiskRoom(database, () => {
    measured += 1
    return free
  })
  room.committed()
  free = 1_000 * MIB
  room.committed()
  expect([measured, limits().logPages]).toEqual([3, LOG_PAGES])
  for (let commits = 0; commits < 32; commits += 1) room.committed()
  expect(measured).toBe(5)
})

test('a large write needs room beyond the reserve', () => {
  const room = new DiskRoom(database, () => RESERVED + MIB)
  room.require(MIB)
  expect(() => room.require(MIB + 1)).toThrow(
    expect.objectContaining({ code: 'SQLITE_FULL', message: 'database or disk is full' }),
  )
})

test('the room of a folder that was deleted is unknown, and limits nothing', () => {
  rmSync(folder, { recursive: true })
  expect(freeBytes(join(folder, 'paytwin.db'))).toBe(Number.POSITIVE_INFINITY)
  new DiskRoom(database).measure()
  expect(limits()).toMatchObject({ logPages: LOG_PAGES, logBytes: -1 })
})

test('a disk that cannot be measured after a transaction keeps its limits', () => {
  let free = MIB
  let isKnown = true
  const room = new DiskRoom(database, () => (isKnown ? free : Number.POSITIVE_INFINITY))
  const measured = limits()
  isKnown = false
  room.committed()
  expect(limits()).toEqual(measured)

  isKnown = true
  free = 0
  // No file in the folder is found any more: its name is a link to itself.
  renameSync(folder, `${folder}-moved`)
  symlinkSync(folder, folder)
  room.committed()
  rmSync(folder)
  renameSync(`${folder}-moved`, folder)
  expect(limits()).toEqual(measured)

  const failing = vi.spyOn(database, 'pragma').mockImplementation(() => {
    throw new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR_READ')
  })
  room.committed()
  failing.mockRestore()
  expect(limits()).toEqual(measured)
  room.committed()
  expect(limits().logPages).toBe(1)
})

test('limits of which only some could be set are removed when there is plenty of room', () => {
  let free = 1_000 * MIB
  const room = new DiskRoom(database, () => free)
  const pragma = database.pragma.bind(database)
  const failing = vi.spyOn(database, 'pragma').mockImplementation((text, options) => {
    if (text.startsWith('max_page_count')) throw new Sqlite.SqliteError('database is locked', 'SQLITE_BUSY')
    return pragma(text, options)
  })
  free = MIB
  room.measure()
  failing.mockRestore()
  expect(limits()).not.toMatchObject({ logPages: LOG_PAGES })
  free = 1_000 * MIB
  room.measure()
  expect(limits()).toMatchObject({ logPages: LOG_PAGES, logBytes: -1 })
})

test('a mistake in measuring is not hidden', () => {
  let free = () => MIB
  const room = new DiskRoom(database, () => free())
  free = () => {
    throw new TypeError('a mistake')
  }
  expect(() => room.measure()).toThrow('a mistake')
})
