import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
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

async function open(path: string): Promise<Store> {
  const database = await openDatabase(path, 'normal')
  return new Store(database, new SnapshotsInMemory(database))
}

/** Opens a store with five products and keys, after an entry of an index was changed to lead to the next row. */
async function openDamaged(index: string, value: Buffer): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'paytwin-test-'))
  const path = join(folder, 'paytwin.db')
  const whole = await open(path)
  whole.transaction(() => {
    for (let n = 1; n <= 5; n += 1) {
      whole.objects.insert('product', MERCHANT, { ...PRODUCT, id: textOf(n) }, new Place())
      const secret = { hash: hashOf(n), hint: '', created: 0, last_used: null, revoked: null }
      whole.directory.addKey({
        id: `key_${n}`,
        merchant: n,
        generation: 1,
        type: 'secret',
        name: null,
        ...secret,
      })
    }
  })
  whole.close()
  const database = await openDatabase(path, 'normal')
  const pages = database.prepare('select pageno from dbstat where name = ?').pluck().all(index)
  const size = Number(database.pragma('page_size', { simple: true }))
  database.close()
  const bytes = readFileSync(path)
  const [page] = pages as number[]
  // The rowid follows the value.
  const at = bytes.indexOf(value, ((page ?? 0) - 1) * size) + value.length
  bytes.writeUInt8(bytes.readUInt8(at) + 1, at)
  writeFileSync(path, bytes)
  const store = await open(path)
  onTestFinished(() => {
    store.close()
    rmSync(folder, { recursive: true })
  })
  return store
}

const damagedId = () => openDamaged('sqlite_autoindex_product_1', Buffer.from(textOf(3)))

test.each<[string, (store: Store, id: string) => unknown]>([
  ['get', ({ objects }, id) => objects.get('product', MERCHANT, id)],
  ['withoutMetadata', ({ objects }, id) => objects.withoutMetadata('product', MERCHANT, id)],
  ['placeOf', ({ objects }, id) => objects.placeOf('product', MERCHANT, id)],
])('%s finds an index of ids that leads to another row', async (_, read) => {
  const store = await damagedId()
  expect(() => read(store, textOf(3))).toThrow(RowDamaged)
  expect(() => read(store, textOf(2))).not.toThrow()
  expect(() => read(store, textOf(4))).not.toThrow()
})

test('objects that are read together are those of their ids, even if the index leads to another row', async () => {
  const { objects } = await damagedId()
  const found = objects.load('product', MERCHANT, [textOf(2), textOf(3)])
  expect(found.map(({ id }) => id)).toEqual([textOf(2)])
  expect(objects.get('product', MERCHANT, textOf(4))?.id).toBe(textOf(4))
})

test('a secret key does not authenticate as another one, even if the index of hashes leads to its row', async () => {
  const { directory } = await openDamaged('sqlite_autoindex_api_key_2', hashOf(3))
  expect(() => directory.keyOfHash(hashOf(3))).toThrow(RowDamaged)
  expect(directory.keyOfHash(hashOf(4))?.id).toBe('key_4')
})
