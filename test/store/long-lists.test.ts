import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import type { Filter, Page } from '../../src/store/list-query.ts'
import { SnapshotsInMemory } from '../../src/store/snapshots-in-memory.ts'
import { Store } from '../../src/store/store.ts'
import { aCustomer, anOpenInvoice } from '../core/objects.ts'

const OWNER = 1
const NUMBER = 3_500
const SHOWN: Filter = { field: 'deleted', is: 0 }

/** Stores customers with an invoice each. Every 500th customer is rare, and every 7th deleted. */
async function openStore(): Promise<Store> {
  const database = await openDatabase(':memory:', 'normal')
  const store = new Store(database, new SnapshotsInMemory(database))
  onTestFinished(() => store.close())
  for (let n = 0; n < NUMBER; n += 1) {
    const [id, name] = [`cus_${n}`, n % 500 === 0 ? 'Rare' : 'Common']
    store.objects.insert('customer', OWNER, aCustomer({ id, name, deleted: n % 7 === 1 }))
    store.objects.insert('invoice', OWNER, anOpenInvoice({ id: `in_${n}`, customer: id }))
  }
  return store
}

/** Runs a list in steps, and counts them. */
function idsOf(store: Store, kind: 'customer' | 'invoice', text: string, page: Page) {
  const words = text.split(' ').map((word): Filter => ({ text: word }))
  const steps = store.objects.idsInSteps(kind, OWNER, [SHOWN, ...words], page)
  for (let count = 1; ; count += 1) {
    const step = steps.next()
    if (step.done) return { count, ids: step.value }
  }
}

test('a list in steps has the same objects as at once', async () => {
  const store = await openStore()
  const seqOf = (id: string) => store.objects.seqOf('customer', OWNER, id)
  const pages: Page[] = [
    { limit: 100 },
    { limit: 3 },
    { limit: 3, after: seqOf('cus_2500') },
    { limit: 100, before: seqOf('cus_500') },
    { limit: 2, before: seqOf('cus_500') },
    { limit: 2, after: seqOf('cus_0') },
  ]
  for (const kind of ['customer', 'invoice'] as const)
    for (const page of pages)
      for (const text of ['rare', 'common', 'none'])
        expect(idsOf(store, kind, text, page).ids, JSON.stringify({ kind, page, text })).toEqual(
          store.objects.ids(kind, OWNER, [SHOWN, { text }], page),
        )
})

test('a step of a list reads a part of the objects, and no further one follows a full page', async () => {
  const store = await openStore()
  expect(idsOf(store, 'customer', 'none', { limit: 10 }).count).toBeGreaterThanOrEqual(3)
  expect(idsOf(store, 'invoice', 'none', { limit: 10 }).count).toBeGreaterThanOrEqual(3)
  expect(idsOf(store, 'customer', 'common', { limit: 10 }).count).toBe(1)
})

test('a step of a list reads no more than 500 kB of texts for each word, but at least one row', async () => {
  const store = await openStore()
  const countsOf = (text: string) =>
    (['customer', 'invoice'] as const).map((kind) => idsOf(store, kind, text, { limit: 10 }).count)
  const before = countsOf('none none none none none')
  expect(before).toEqual(countsOf('none'))
  const sizes = Array.from({ length: 500 }, (_, n) => (n === 250 ? 600_000 : 5_000))
  for (const [n, size] of sizes.entries()) {
    const id = `cus_long_${n}`
    store.objects.insert('customer', OWNER, aCustomer({ id, name: 'é'.repeat(size / 2) }))
    store.objects.insert('invoice', OWNER, anOpenInvoice({ id: `in_long_${n}`, customer: id }))
  }
  const total = sizes.reduce<number>((sum, size) => sum + size, 0)
  for (const words of [1, 5]) {
    const least = Math.ceil((total * words) / 500_000)
    for (const count of countsOf(Array(words).fill('none').join(' '))) {
      expect(count).toBeGreaterThan(least)
      expect(count).toBeLessThan(2.5 * least + (before[0] ?? 0))
    }
  }
})
