import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Objects } from '../../src/core/kinds.ts'
import { RowDamaged } from '../../src/store/damage.ts'
import { openDatabase } from '../../src/store/database.ts'
import { Place } from '../../src/store/place.ts'
import { SnapshotsInMemory } from '../../src/store/snapshots-in-memory.ts'
import { Store } from '../../src/store/store.ts'

const PRODUCT: Objects['product'] = {
  id: '',
  created: 0,
  name: 'new',
  active: true,
  description: null,
  default_price: null,
  metadata: {},
  details: null,
}
/** Unique, so that a lookup in an index has to compare the row. */
const textOf = (n: number) => `prod_0123456789${n}`
const hashOf = (n: number) => Buffer.from(`hash of the ${n}th secret`)
const MERCHANT = 1
const ANOTHER = 2
/** The row that belongs to another merchant. */
const OF_ANOTHER = 4

async function open(path: string): Promise<Store> {
  const database = await openDatabase(path, 'normal')
  return new Store(database, new SnapshotsInMemory(database))
}

/** Adds a row to each table of the lookups. Its seq is n. */
function addRows({ objects, directory, clocks, meterEvents, oauth }: Store, n: number): void {
  const merchant = n === OF_ANOTHER ? ANOTHER : MERCHANT
  const id = textOf(n)
  const hash = hashOf(n)
  objects.insert('product', merchant, { ...PRODUCT, id }, new Place())
  const secret = { hash, hint: '', created: 0, last_used: null, revoked: null }
  directory.addKey({ id, merchant: n, generation: 1, type: 'secret', name: null, ...secret })
  clocks.add({
    ...{ id, merchant, created: 0, is_test: 1, name: null, deleted: 0 },
    ...{ mode: 'frozen', now: 0, offset: 0, target: null, advance: null },
  })
  meterEvents.add({
    ...{ merchant: MERCHANT, customer: '', meter: '', timestamp: 0, created: 0 },
    ...{ whole: 1, fraction: 0, identifier: id },
  })
  oauth.addApp({ id, name: '', redirect_uris: '[]', secret: hash, created: 0 })
  oauth.addAuthorization({
    ...{ id, app: id, merchant, generation: 1, redirect_uri: '', scope: 'read_write', state: null },
    ...{ code_challenge: null, status: 'approved', created: 0, expires: 0, revoked: null },
    ...{ nonce: hash, cookie: null, code: hash, code_status: 'issued', code_expires: 0 },
  })
  oauth.addToken({
    ...{ hash, kind: 'access', authorization: n, app: id, merchant, generation: 1 },
    ...{ scope: 'read_write', status: 'active', expires: 0 },
  })
}

let folder: string
/** The bytes of an undamaged database with five rows in each table. */
let whole: Buffer
let pageSize: number
/** For each column with a unique index of its values, the pages of this index. */
const pagesOf = new Map<string, readonly number[]>()

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'paytwin-test-'))
  const path = join(folder, 'paytwin.db')
  const store = await open(path)
  store.transaction(() => {
    for (let n = 1; n <= 5; n += 1) addRows(store, n)
  })
  store.close()
  const database = await openDatabase(path, 'normal')
  pageSize = Number(database.pragma('page_size', { simple: true }))
  const indexes = database
    .prepare(
      `select t.name || '.' || (select name from pragma_index_info(i.name) order by seqno desc limit 1), i.name
      from sqlite_schema t, pragma_index_list(t.name) i where t.type = 'table' and i."unique"`,
    )
    .raw()
    .all() as [string, string][]
  const pages = database.prepare('select pageno from dbstat where name = ?').pluck()
  for (const [column, index] of indexes) pagesOf.set(column, pages.all(index) as number[])
  database.close()
  whole = readFileSync(path)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Opens a copy of the database in which the entry of a value in an index leads to a row with another rowid. */
async function openDamaged(column: string, value: string | Buffer, rowid: number): Promise<Store> {
  const [page = 0] = pagesOf.get(column) ?? []
  const bytes = Buffer.from(whole)
  // The rowid follows the value.
  const at = bytes.indexOf(value, (page - 1) * pageSize) + Buffer.byteLength(value)
  expect(Math.ceil(at / pageSize)).toBe(page)
  bytes.writeUInt8(rowid, at)
  const copy = mkdtempSync(join(folder, 'damaged-'))
  const path = join(copy, 'paytwin.db')
  writeFileSync(path, bytes)
  const store = await open(path)
  onTestFinished(() => store.close())
  return store
}

type Lookup = readonly [
  name: string,
  column: string,
  keyOf: (n: number) => string | Buffer,
  find: (store: Store, n: number) => unknown,
]
const LOOKUPS: readonly Lookup[] = [
  ['get', 'product.id', textOf, ({ objects }, n) => objects.get('product', MERCHANT, textOf(n))],
  [
    'withoutMetadata',
    'product.id',
    textOf,
    ({ objects }, n) => objects.withoutMetadata('product', MERCHANT, textOf(n)),
  ],
  ['placeOf', 'product.id', textOf, ({ objects }, n) => objects.placeOf('product', MERCHANT, textOf(n))],
  ['a key', 'api_key.id', textOf, ({ directory }, n) => directory.key(textOf(n))],
  ['a hash of a key', 'api_key.hash', hashOf, ({ directory }, n) => directory.keyOfHash(hashOf(n))],
  ['a test clock', 'clock.id', textOf, ({ clocks }, n) => clocks.test(MERCHANT, textOf(n))],
  [
    'a meter event',
    'meter_event.identifier',
    textOf,
    ({ meterEvents }, n) => meterEvents.find(MERCHANT, textOf(n)),
  ],
  ['an app', 'oauth_app.id', textOf, ({ oauth }, n) => oauth.app(textOf(n))],
  ['an authorization', 'oauth_authorization.id', textOf, ({ oauth }, n) => oauth.authorization(textOf(n))],
  ['a nonce', 'oauth_authorization.nonce', hashOf, ({ oauth }, n) => oauth.authorizationOfNonce(hashOf(n))],
  ['a code', 'oauth_authorization.code', hashOf, ({ oauth }, n) => oauth.authorizationOfCode(hashOf(n))],
  ['a token', 'oauth_token.hash', hashOf, ({ oauth }, n) => oauth.token(hashOf(n))],
]

describe.each(LOOKUPS)('a lookup of %s', (_, column, keyOf, find) => {
  test.each([
    ['another row', 2, 3],
    ['a row of another merchant', 3, OF_ANOTHER],
    ['a missing row', 3, 100],
  ])('finds that its index leads to %s', async (_row, damaged, rowid) => {
    const store = await openDamaged(column, keyOf(damaged), rowid)
    expect(() => find(store, damaged)).toThrow(RowDamaged)
    expect(find(store, 5)).toBeDefined()
    expect(find(store, 1)).toBeDefined()
  })
})

test('objects that are read together are those of their ids, even if the index leads to another row', async () => {
  const { objects } = await openDamaged('product.id', textOf(2), 3)
  const found = objects.load('product', MERCHANT, [textOf(1), textOf(2)])
  expect(found.map(({ id }) => id)).toEqual([textOf(1)])
  expect(objects.get('product', MERCHANT, textOf(3))?.id).toBe(textOf(3))
})
