import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { MAX_NESTED } from '../../src/store/codec.ts'
import { openDatabase } from '../../src/store/database.ts'
import { SnapshotsInMemory } from '../../src/store/snapshots-in-memory.ts'
import { Store } from '../../src/store/store.ts'
import { aPrice } from '../core/objects.ts'
import { charactersReadBy } from '../http/characters-read.ts'

const OWNER = 1
const SHORT = aPrice({ id: 'price_short', metadata: { tier: 'gold' } })
const LONG = aPrice({ id: 'price_long', metadata: { text: 'x'.repeat(MAX_NESTED) } })

let store: Store
beforeEach(async () => {
  const database = await openDatabase(':memory:', 'normal')
  store = new Store(database, new SnapshotsInMemory(database))
  onTestFinished(() => store.close())
  for (const price of [SHORT, LONG]) store.objects.insert('price', OWNER, price)
  store.objects.forget()
})

const read = (id: string, owner = OWNER) => store.objects.withoutMetadata('price', owner, id)
/** Counts the characters that are read to return a price. */
const lengthRead = async (id: string) => (await charactersReadBy(async () => read(id))).read

test('an object with short metadata is read whole, and then kept', async () => {
  expect(read(SHORT.id)).toEqual(SHORT)
  expect(store.objects.get('price', OWNER, SHORT.id)).toBe(read(SHORT.id))
})

test('long metadata is not read, and the rest is kept', async () => {
  const { metadata, ...others } = LONG
  expect(await lengthRead(LONG.id)).toBeLessThan(1_000)
  expect(read(LONG.id)).toMatchObject(others)
  expect(await lengthRead(LONG.id)).toBe(0)
  expect(store.objects.get('price', OWNER, LONG.id)).toEqual(LONG)
})

test('each object is kept under its own id, for its own merchant', () => {
  const other = { ...LONG, id: 'price_other', unit_amount: 99_900 }
  const foreign = { ...LONG, id: 'price_foreign', unit_amount: 7_777 }
  store.objects.insert('price', OWNER, other)
  store.objects.insert('price', OWNER + 1, foreign)
  store.objects.forget()
  for (let round = 0; round < 2; round += 1) {
    expect(read(LONG.id)?.unit_amount).toBe(LONG.unit_amount)
    expect(read(other.id)?.unit_amount).toBe(99_900)
    expect(read(foreign.id, OWNER + 1)?.unit_amount).toBe(7_777)
    expect(read(foreign.id)).toBeUndefined()
  }
})

test('only objects of the merchant are returned', () => {
  for (const id of [SHORT.id, LONG.id, 'price_missing']) {
    expect(read(id, OWNER + 1)).toBeUndefined()
    read(id)
    expect(read(id, OWNER + 1)).toBeUndefined()
  }
})

test('an update is seen, also after the whole object has left the cache', () => {
  read(LONG.id)
  const before = store.objects.get('price', OWNER, LONG.id) ?? LONG
  store.objects.update('price', OWNER, { before, after: { ...before, nickname: 'Plus' } })
  expect(read(LONG.id)?.nickname).toBe('Plus')
  for (let n = 0; n < 3_000; n += 1) store.objects.insert('price', OWNER, aPrice({ id: `price_${n}` }))
  expect(read(LONG.id)?.nickname).toBe('Plus')
})
