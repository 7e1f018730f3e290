import { closeSync, copyFileSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { DataFolder } from '../../src/daemon/data-folder.ts'
import { refusalOf } from '../../src/daemon/explain-start.ts'
import { StartRefused } from '../../src/daemon/start-refused.ts'
import { storedAdvance } from '../../src/engine/machine/stored-advance.ts'
import { startListening } from '../http/raw-socket.ts'
import { newFolder } from '../places.ts'

/** Creates the data folder of a daemon that has ended. */
async function usedFolder(): Promise<string> {
  const data = newFolder()
  await (await startListening({ data, clock: 'live' })).close()
  return data
}

/** Returns a function that reads a database and its log. */
const bytesIn = (data: string) => () =>
  ['paytwin.db', 'paytwin.db-wal']
    .map((name) => join(data, name))
    .map((file) => (existsSync(file) ? readFileSync(file).toString('base64') : ''))

/** Overwrites the first page of an index with that of another one, which has other columns. */
function exchangeIndex(database: Sqlite.Database, index: string, other: string): void {
  const root = database.prepare('select rootpage from sqlite_master where name = ?').pluck()
  const size = database.pragma('page_size', { simple: true }) as number
  const [from, to] = [root.get(other) as number, root.get(index) as number]
  const page = readFileSync(database.name).subarray((from - 1) * size, from * size)
  const file = openSync(database.name, 'r+')
  writeSync(file, page, 0, size, (to - 1) * size)
  closeSync(file)
}

test('a database with the page of another index in place of one that a start reads is refused and not changed', async () => {
  const ended = await usedFolder()
  const database = new Sqlite(join(ended, 'paytwin.db'))
  exchangeIndex(database, 'clock_advancing', 'sqlite_autoindex_merchant_1')
  // The copies have the state that a kill at this moment would leave.
  const killed = newFolder()
  database.pragma('journal_mode = wal')
  database.exec("update setting set value = value where name = 'seed'")
  for (const end of ['', '-wal'])
    copyFileSync(join(ended, `paytwin.db${end}`), join(killed, `paytwin.db${end}`))
  database.close()
  for (const data of [ended, killed]) {
    const bytes = bytesIn(data)
    const before = bytes()
    const started = startListening({ data, clock: null })
    await expect(started).rejects.toThrow(StartRefused)
    await expect(started).rejects.toThrow(
      '(the index clock_advancing has wrong entries). It was not changed. Restore a copy',
    )
    expect(bytes()).toEqual(before)
  }
})

test.each(['SQLITE_CORRUPT', 'SQLITE_CORRUPT_INDEX'])(
  '%s after the inspection is explained',
  async (code) => {
    const folder = new DataFolder(newFolder())
    const refusal = await refusalOf(new Sqlite.SqliteError('database disk image is malformed', code), folder)
    expect(refusal).toBeInstanceOf(StartRefused)
    expect(String(refusal)).toContain(
      `${folder.database} is damaged (database disk image is malformed). Restore a copy`,
    )
  },
)

test('a start that fails after its database was opened changes nothing, also of an interrupted advance', async () => {
  const data = await usedFolder()
  const database = new Sqlite(join(data, 'paytwin.db'))
  database
    .prepare("update clock set mode = 'frozen', target = now + 86400, advance = ? where is_test = 0")
    .run(storedAdvance({}))
  database.close()
  // A name takes longer than an address, and the advance would go on in the meantime.
  const host = 'localhost'
  const other = await startListening({ host })
  onTestFinished(() => other.close())
  const bytes = bytesIn(data)
  const before = bytes()
  const started = startListening({ data, clock: null, host, port: Number(new URL(other.url).port) })
  await expect(started).rejects.toThrow(/^Port \d+ on localhost is in use/)
  expect(bytes()).toEqual(before)
})
