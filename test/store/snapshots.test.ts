import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import { type Migration, type Migrations, versionOf } from '../../src/store/migration.ts'
import { MIGRATIONS } from '../../src/store/migrations.ts'
import { foreignCodeIn } from '../../src/store/schema-check.ts'
import { SnapshotsInMemory } from '../../src/store/snapshots-in-memory.ts'
import { SnapshotsOnDisk } from '../../src/store/snapshots-on-disk.ts'
import { Store } from '../../src/store/store.ts'
import { DatabaseUnusable } from '../../src/store/unusable.ts'
import { EVERYWHERE, newFolder, PLACES } from '../places.ts'

const NOW = 1_800_000_000

/** A database with its snapshots. */
async function open(path: string, migrations: Migrations = MIGRATIONS) {
  const database = await openDatabase(path, 'normal', migrations)
  onTestFinished(() => {
    database.close()
  })
  const folder = join(path, '..', 'snapshots')
  const snapshots =
    path === ':memory:' ? new SnapshotsInMemory(database) : new SnapshotsOnDisk(database, folder, migrations)
  const store = new Store(database, snapshots)
  const restore = async (name: string) => {
    const opened = await snapshots.open(name, 'restore')
    if (!opened) throw new Error(`there is no ${name}`)
    try {
      store.restore(opened, NOW)
    } finally {
      opened.close()
    }
  }
  return { database, folder, snapshots, store, restore, close: () => database.close() }
}

type Opened = Awaited<ReturnType<typeof open>>

const tablesOf = ({ database }: Opened): string[] =>
  database.prepare("select name from sqlite_schema where type = 'table'").pluck().all() as string[]

/** Reads every row of every table. */
const rowsOf = (opened: Opened): Record<string, unknown[]> =>
  Object.fromEntries(
    tablesOf(opened).map((table) => [table, opened.database.prepare(`select * from ${table}`).all()]),
  )

/** Values that a restore checks. */
const CHECKED: Readonly<Record<string, string | number | null>> = {
  'merchant.dialect': 'paytwin',
  'merchant.dunning_final_action': 'cancel',
  'merchant.notices': '{}',
  'merchant.mails': '[]',
  'merchant.retry_schedule': '[]',
  'clock.mode': 'frozen',
  'clock.is_test': 0,
  'clock.target': null,
  'clock.advance': null,
  'api_key.type': 'secret',
}

/** Inserts a row into every table, with values of the columns' types. */
function fill({ database }: Opened, n: number): void {
  const tables = database.prepare("select name from sqlite_schema where type = 'table'")
  for (const table of tables.pluck().all()) {
    const columns = database.prepare('select name, type from pragma_table_info(?)').all(table) as {
      name: string
      type: string
    }[]
    const values = columns.map(({ name, type }) => {
      const checked = CHECKED[`${table}.${name}`]
      if (checked !== undefined) return checked
      if (name === 'merchant' || name === 'ordinal') return n
      if (type === 'BLOB') return Buffer.from(`${n}`)
      return type === 'TEXT' ? `${name} ${n}` : n
    })
    const places = columns.map(() => '?').join()
    database.prepare(`insert into ${table} values (${places})`).run(...values)
  }
}

/** Lowers the number of cells in the first page of a table, so that its last row is not read. */
function loseCell(file: string, database: Sqlite.Database, table: string): void {
  const { page } = database
    .prepare('select rootpage as page from sqlite_schema where name = ?')
    .get(table) as { page: number }
  const size = Number(database.pragma('page_size', { simple: true }))
  const content = readFileSync(file)
  // https://www.sqlite.org/fileformat.html#b_tree_pages
  const at = (page - 1) * size + 3
  content.writeUInt16BE(content.readUInt16BE(at) - 1, at)
  writeFileSync(file, content)
  // Pages in its cache would still be intact.
  database.pragma('shrink_memory')
  expect(database.prepare(`select count(*) from ${table}`).pluck().get()).toBe(2)
}

describe.each(EVERYWHERE)('%s', (place) => {
  test('a snapshot contains all tables except keys, apps, grants and settings, which stay', async () => {
    const opened = await open(PLACES[place]())
    fill(opened, 1)
    const saved = rowsOf(opened)
    opened.snapshots.save('one', NOW)
    fill(opened, 2)
    const later = rowsOf(opened)
    await opened.restore('one')
    const { api_key, oauth_app, oauth_authorization, oauth_token, setting } = later
    const apart = { api_key, oauth_app, oauth_authorization, oauth_token, setting }
    for (const rows of [api_key, oauth_app, oauth_authorization, oauth_token]) expect(rows).toHaveLength(2)
    expect(rowsOf(opened)).toEqual({ ...saved, ...apart })
  })

  test('the counters of keys, apps and grants stay, and all others are restored', async () => {
    const { store, snapshots, restore } = await open(PLACES[place]())
    const { directory } = store
    for (const [merchant, prefix] of [
      [0, 'key'],
      [0, 'app'],
      [0, 'oauthz'],
      [0, 'mer'],
      [1, 'key'],
      [1, 'cus'],
    ] as const)
      directory.setCounter(merchant, prefix, 1)
    snapshots.save('one', NOW)
    for (const [merchant, prefix] of [
      [0, 'key'],
      [0, 'app'],
      [0, 'oauthz'],
      [0, 'mer'],
      [1, 'key'],
      [1, 'cus'],
      [1, 'sub'],
    ] as const)
      directory.setCounter(merchant, prefix, 5)
    await restore('one')
    for (const prefix of ['key', 'app', 'oauthz']) expect(directory.counter(0, prefix)).toBe(5)
    for (const [merchant, prefix] of [
      [0, 'mer'],
      [1, 'key'],
      [1, 'cus'],
    ] as const)
      expect(directory.counter(merchant, prefix)).toBe(1)
    expect(directory.counter(1, 'sub')).toBe(0)
  })

  test('a restore that fails midway changes nothing', async () => {
    const opened = await open(PLACES[place]())
    fill(opened, 1)
    opened.snapshots.save('one', NOW)
    fill(opened, 2)
    const before = rowsOf(opened)
    const snapshot = await opened.snapshots.open('one', 'restore')
    const broken = {
      ...snapshot,
      read: (work: (source: (table: string) => string) => unknown) =>
        snapshot?.read((source) => work((table) => (table === 'journal' ? 'nowhere' : source(table)))),
    }
    expect(() => opened.store.restore(broken as never, NOW)).toThrow('nowhere')
    expect(rowsOf(opened)).toEqual(before)
    expect(opened.database.inTransaction).toBe(false)
    await opened.restore('one')
    expect(rowsOf(opened).customer).toHaveLength(1)
  })

  test('deleting a merchant deletes all its rows and no others', async () => {
    const opened = await open(PLACES[place]())
    fill(opened, 1)
    const { store, database } = opened
    const response = { fingerprint: '', status: 200, api_version: '', body: '', created: 0 }
    const scopes = ['mer_2', 'mer_2 public', 'MER_2', 'mer_22', 'mer_1']
    const before = rowsOf(opened)
    fill(opened, 2)
    database.exec(
      `insert into api_key select 'valid', merchant, generation, type, name, x'00', hint, created, last_used, null
        from api_key where merchant = 2`,
    )
    for (const scope of scopes) store.idempotency.put({ scope, key: 'k', ...response })
    store.transaction(() => store.deleteMerchant({ ordinal: 2, generation: 2, id: 'mer_2' }))
    const { idempotency, setting, oauth_app, block, api_key, ...rest } = rowsOf(opened)
    for (const table of ['idempotency', 'setting', 'oauth_app', 'block', 'api_key']) delete before[table]
    expect(rest).toEqual(before)
    // A revoked key stays revoked if its secret is given again.
    expect(api_key).toMatchObject([{ merchant: 1 }, { merchant: 2, id: 'id 2', revoked: 2 }])
    // With so few rows no block is full.
    expect(block).toEqual([])
    // Apps belong to no merchant.
    expect(oauth_app).toHaveLength(2)
    const kept = database
      .prepare("select scope from idempotency where key = 'k' order by scope")
      .pluck()
      .all()
    expect(kept).toEqual(['MER_2', 'mer_1', 'mer_22'])
  })

  test('a snapshot that is deleted while its restore waits is reported as missing', async () => {
    const { snapshots, store } = await open(PLACES[place]())
    snapshots.save('a', NOW)
    const opened = await snapshots.open('a', 'restore')
    snapshots.remove('a')
    expect(() => opened && store.restore(opened, NOW)).toThrow(DatabaseUnusable)
    expect(snapshots.list()).toEqual([])
  })

  test('a snapshot that is replaced while its restore waits is restored with its new content', async () => {
    const opened = await open(PLACES[place]())
    opened.snapshots.save('a', NOW)
    const snapshot = await opened.snapshots.open('a', 'restore')
    fill(opened, 1)
    opened.snapshots.save('a', NOW)
    opened.store.transaction(() => opened.store.deleteContents())
    if (snapshot) opened.store.restore(snapshot, NOW)
    expect(rowsOf(opened).customer).toHaveLength(1)
  })
})

describe('a file', () => {
  const path = () => join(newFolder(), 'paytwin.db')

  test('holds a snapshot, and only its owner may read it', async () => {
    const { snapshots, folder } = await open(path())
    expect(existsSync(folder)).toBe(false)
    const { size } = snapshots.save('a', NOW)
    expect(readdirSync(folder)).toEqual(['a.db'])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, 'a.db')).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'a.db')).size).toBe(size)
  })

  test('is a complete database', async () => {
    const opened = await open(path())
    fill(opened, 1)
    opened.snapshots.save('a', NOW)
    const copy = new Sqlite(join(opened.folder, 'a.db'), { readonly: true })
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(copy.prepare('select count(*) from journal').pluck().get()).toBe(1)
    copy.close()
  })

  test('of a killed save is removed at the next start and never listed', async () => {
    const database = path()
    const first = await open(database)
    first.snapshots.save('good', NOW)
    for (const name of ['.saving.db', '.saving.db-journal', '.restoring-1.db'])
      writeFileSync(join(first.folder, name), 'half')
    expect(first.snapshots.list().map(({ name }) => name)).toEqual(['good'])
    first.close()
    const second = await open(database)
    expect(readdirSync(second.folder)).toEqual(['good.db'])
  })

  test('with another hidden name is kept, and so is a folder', async () => {
    const database = path()
    const folder = join(database, '..', 'snapshots')
    const others = ['.git', '.gitkeep', '.notes.db', '.restoring-x.db', '.saving.db.bak', '.saving.db-wal']
    mkdirSync(join(folder, '.git'), { recursive: true })
    mkdirSync(join(folder, '.saving.db-wal'))
    for (const name of others.slice(1, -1)) writeFileSync(join(folder, name), '')
    await open(database)
    expect(readdirSync(folder).toSorted()).toEqual(others.toSorted())
  })

  test('behind a link to a folder is never touched: the link is refused', async () => {
    const database = path()
    const elsewhere = newFolder()
    for (const name of ['.profile', '.saving.db']) writeFileSync(join(elsewhere, name), '')
    symlinkSync(elsewhere, join(database, '..', 'snapshots'))
    await expect(open(database)).rejects.toThrow(
      /snapshots cannot be used: it is a symbolic link\. Remove it, or give another --data folder\.$/,
    )
    expect(readdirSync(elsewhere).toSorted()).toEqual(['.profile', '.saving.db'])
  })

  test('in another user’s folder is never touched', async () => {
    const { database, folder } = await open(path())
    mkdirSync(folder)
    writeFileSync(join(folder, '.saving.db'), '')
    const user = vi.spyOn(process, 'geteuid').mockReturnValue(statSync(folder).uid + 1)
    onTestFinished(() => user.mockRestore())
    expect(() => new SnapshotsOnDisk(database, folder)).toThrow(
      /snapshots cannot be used: it belongs to another user \(\d+; this is \d+\)/,
    )
    expect(readdirSync(folder)).toEqual(['.saving.db'])
  })

  test('that is a pipe, a folder or a broken link is not a snapshot, and is not read', async () => {
    const { snapshots, folder } = await open(path())
    mkdirSync(join(folder, 'folder.db'), { recursive: true })
    execFileSync('mkfifo', [join(folder, 'pipe.db')])
    symlinkSync('/nowhere', join(folder, 'broken.db'))
    expect(snapshots.list()).toEqual([])
    for (const name of ['folder', 'pipe', 'broken']) {
      expect(await snapshots.open(name, 'restore')).toBeUndefined()
      expect(snapshots.remove(name)).toBe(false)
    }
    expect(readdirSync(folder)).toHaveLength(3)
  })

  test.each(['-wal', '-shm', '-journal'])('is not restored while its %s is a pipe', async (end) => {
    const { snapshots, folder, restore } = await open(path())
    snapshots.save('a', NOW)
    execFileSync('mkfifo', [join(folder, `a.db${end}`)])
    await expect(restore('a')).rejects.toThrow(
      `The snapshot 'a' cannot be restored: the file a.db${end} beside it cannot be used: it is not a file`,
    )
  })

  test.each([
    ['create trigger slow after insert on journal begin select 1; end', 'its trigger slow contains code'],
    ['create virtual table words using fts5(text)', 'its table words contains code'],
    ['create table checked (a check/**/(a > 0))', 'its table checked contains code'],
    ['create table computed (a, b as/**/(a + 1))', 'its table computed contains code'],
    ['create table filled (a, b default (hex(zeroblob(9))))', 'its table filled contains code'],
    ['create index sorted on customer (hex(id))', 'its index sorted contains code'],
    ['create index part on customer (id) where id like email', 'its index part contains code'],
    [
      "create trigger hidden after insert on journal begin select 1; end; pragma writable_schema = on; update sqlite_master set type = 'TRIGGER' where name = 'hidden'",
      'its TRIGGER hidden contains code',
    ],
    [
      'drop table customer; create view customer as select 1 as id',
      `its file is damaged (schema ${versionOf(MIGRATIONS)} requires table customer, which is missing)`,
    ],
  ])('with %s is refused before anything in it runs', async (change, reason) => {
    const { snapshots, folder } = await open(path())
    snapshots.save('a', NOW)
    const file = new Sqlite(join(folder, 'a.db'))
    file.unsafeMode().exec(change)
    file.close()
    for (const use of ['restore', 'comparison'] as const)
      await expect(snapshots.open('a', use)).rejects.toThrow(reason)
    expect(readdirSync(folder)).toEqual(['a.db'])
  })

  test('with indexes and views that the user added is restored', async () => {
    const opened = await open(path())
    opened.database.exec(
      'create index own on customer (email, id desc); create view names as select name from customer',
    )
    opened.snapshots.save('a', NOW)
    await expect(opened.restore('a')).resolves.toBeUndefined()
  })

  test('of every version of the schema is accepted', () => {
    const database = new Sqlite(':memory:')
    const schemas = { migrations: MIGRATIONS, newestSchema: undefined }
    for (const [index, [name, { up }]] of Object.entries(MIGRATIONS).entries()) {
      up(database)
      expect(foreignCodeIn(database, index + 1, schemas), name).toBeUndefined()
    }
    database.close()
  })

  test('of another user is not restored', async () => {
    const { snapshots, folder, restore } = await open(path())
    snapshots.save('a', NOW)
    const user = vi.spyOn(process, 'geteuid').mockReturnValue(statSync(folder).uid + 1)
    onTestFinished(() => user.mockRestore())
    await expect(restore('a')).rejects.toThrow("'a' cannot be restored: it belongs to another user")
  })

  test('of another program is neither listed nor touched', async () => {
    const database = path()
    mkdirSync(join(database, '..', 'snapshots'))
    for (const name of ['notes.txt', 'a b.db', '-x.db'])
      writeFileSync(join(database, '..', 'snapshots', name), 'x')
    const { snapshots, folder } = await open(database)
    expect(snapshots.list()).toEqual([])
    expect(readdirSync(folder)).toHaveLength(3)
  })

  test('is unchanged when replacing it fails', async () => {
    const { snapshots, folder, database } = await open(path())
    snapshots.save('a', NOW)
    const bytes = readFileSync(join(folder, 'a.db'))
    database.exec('begin')
    // SQLite refuses it within a transaction.
    expect(() => snapshots.save('a', NOW)).toThrow()
    database.exec('rollback')
    expect(readFileSync(join(folder, 'a.db')).equals(bytes)).toBe(true)
    expect(readdirSync(folder)).toEqual(['a.db'])
  })

  test.each([
    ['with a wrong value', "update merchant set dialect = 'paytwix'"],
    ['without a table', 'drop table journal'],
  ])('is unchanged when a database %s would replace it', async (_, damage) => {
    const opened = await open(path())
    fill(opened, 1)
    opened.snapshots.save('a', NOW)
    const bytes = readFileSync(join(opened.folder, 'a.db'))
    opened.database.exec(damage)
    expect(() => opened.snapshots.save('a', NOW)).toThrow(
      "The snapshot 'a' cannot be saved: the database is damaged (",
    )
    expect(readFileSync(join(opened.folder, 'a.db')).equals(bytes)).toBe(true)
    expect(readdirSync(opened.folder)).toEqual(['a.db'])
  })

  test('is unchanged when a page of the database would lose a row in the copy', async () => {
    const file = path()
    const opened = await open(file)
    for (const n of [1, 2, 3]) fill(opened, n)
    opened.snapshots.save('a', NOW)
    const bytes = readFileSync(join(opened.folder, 'a.db'))
    opened.database.pragma('wal_checkpoint(truncate)')
    loseCell(file, opened.database, 'price_use')
    expect(() => opened.snapshots.save('a', NOW)).toThrow(
      "The snapshot 'a' cannot be saved: the database is damaged (",
    )
    expect(readFileSync(join(opened.folder, 'a.db')).equals(bytes)).toBe(true)
  })

  const DAMAGES: readonly (readonly [string, (file: string) => void])[] = [
    ['not a database', (file) => writeFileSync(file, 'x'.repeat(50_000))],
    ['empty', (file) => truncateSync(file, 0)],
    ['cut off', (file) => truncateSync(file, 400_000)],
    ['of an unknown format', (file) => writeFileSync(file, readFileSync(file).fill(0xee, 40, 56))],
    ['of another program', (file) => writeFileSync(file, new Sqlite(':memory:').serialize())],
  ]
  test.each(DAMAGES)('that is %s is not restored, and nothing changes', async (_what, damage) => {
    const opened = await open(path())
    fill(opened, 1)
    opened.snapshots.save('a', NOW)
    fill(opened, 2)
    const before = rowsOf(opened)
    damage(join(opened.folder, 'a.db'))
    const error = await opened.restore('a').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(DatabaseUnusable)
    expect((error as Error).message).toMatch(/^The snapshot 'a' cannot be restored: it/)
    expect(rowsOf(opened)).toEqual(before)
    opened.snapshots.save('a', NOW)
    await opened.restore('a')
  })

  /** A test migration after the newest one: a table and a column more. */
  const next: Migration = {
    up: (database) => {
      database.exec("alter table customer add column shoe text not null default 'none'")
      database.exec('create table hat (merchant integer not null) strict')
    },
  }
  const WITH_NEXT: Migrations = { ...MIGRATIONS, '9001-next': next }
  const newest = versionOf(MIGRATIONS)

  test('of an older schema is migrated when it is restored, on a copy', async () => {
    const database = path()
    const older = await open(database)
    fill(older, 1)
    older.snapshots.save('old', NOW)
    older.close()
    const newer = await open(database, WITH_NEXT)
    const bytes = readFileSync(join(newer.folder, 'old.db'))
    fill(newer, 2)
    await newer.restore('old')
    expect(newer.database.prepare('select id, shoe from customer').all()).toEqual([
      { id: 'id 1', shoe: 'none' },
    ])
    expect(newer.database.prepare('select * from hat').all()).toEqual([])
    expect(readFileSync(join(newer.folder, 'old.db')).equals(bytes)).toBe(true)
    expect(readdirSync(newer.folder)).toEqual(['old.db'])
    await newer.restore('old')
  })

  test('of an older schema that is replaced while its restore waits is restored with its new content', async () => {
    const database = path()
    const older = await open(database)
    older.snapshots.save('old', NOW)
    older.close()
    const newer = await open(database, WITH_NEXT)
    const opened = await newer.snapshots.open('old', 'restore')
    onTestFinished(() => opened?.close())
    fill(newer, 1)
    const saved = newer.snapshots.save('old', NOW + 60)
    newer.store.transaction(() => newer.store.deleteContents())
    if (opened) newer.store.restore(opened, NOW)
    expect(rowsOf(newer).customer).toHaveLength(1)
    expect(opened?.snapshot).toEqual(saved)
  })

  test('of a newer schema is refused with both versions', async () => {
    const database = path()
    const newer = await open(database, WITH_NEXT)
    newer.snapshots.save('new', NOW)
    newer.close()
    const folder = newer.folder
    const older = await open(join(newFolder(), 'paytwin.db'))
    mkdirSync(older.folder)
    writeFileSync(join(older.folder, 'new.db'), readFileSync(join(folder, 'new.db')))
    await expect(older.restore('new')).rejects.toMatchObject({
      reason: 'newer',
      message: expect.stringContaining(
        `by a newer paytwin (schema ${newest + 1}; this one supports ${newest})`,
      ),
    })
  })

  test('the database stays locked after a restore', async () => {
    const database = path()
    const { snapshots, restore } = await open(database)
    snapshots.save('a', NOW)
    await restore('a')
    await expect(openDatabase(database, 'normal')).rejects.toMatchObject({ reason: 'locked' })
  })
})

test('deleted snapshots in memory free their space', async () => {
  const opened = await open(':memory:')
  for (let n = 0; n < 2_000; n += 1)
    opened.store.idempotency.put({
      scope: 's',
      key: `${n}`,
      fingerprint: '',
      status: 200,
      api_version: '',
      body: 'x'.repeat(500),
      created: 0,
    })
  const sizes = []
  for (let round = 0; round < 5; round += 1) {
    sizes.push(opened.snapshots.save('a', NOW).size)
    opened.snapshots.remove('a')
  }
  expect(Math.min(...sizes)).toBeGreaterThan(1_000_000)
  expect(opened.database.pragma('snapshots.page_count', { simple: true })).toBeLessThan(
    (2 * (sizes[0] ?? 0)) / 4096,
  )
})
