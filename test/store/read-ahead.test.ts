import { expect, onTestFinished, test } from 'vitest'
import type { InvoiceItem } from '../../src/core/invoice-item.ts'
import { CACHE_SIZES, type CacheSizes } from '../../src/store/cache-sizes.ts'
import { openDatabase } from '../../src/store/database.ts'
import { SnapshotsInMemory } from '../../src/store/snapshots-in-memory.ts'
import { Store } from '../../src/store/store.ts'
import { aDraft, NOW } from '../core/objects.ts'

const OWNER = 1
const CUSTOMERS = ['cus_1', 'cus_2', 'cus_3']
const SUBSCRIPTIONS = ['sub_1', 'sub_2', 'sub_3']

/** Opens a store whose queries on the tables of invoices and items are counted. */
async function openStore(sizes: CacheSizes = CACHE_SIZES) {
  const database = await openDatabase(':memory:', 'normal')
  const queries: string[] = []
  const prepare = database.prepare.bind(database)
  const watched = Object.assign(database, {
    prepare: (text: string) => {
      const statement = prepare(text)
      if (!/^select .* from (json_each|"?invoice)/s.test(text)) return statement
      const counted =
        <Result>(run: (...values: unknown[]) => Result) =>
        (...values: unknown[]): Result => {
          queries.push(text)
          return run.apply(statement, values)
        }
      return Object.assign(statement, { all: counted(statement.all), get: counted(statement.get) })
    },
  })
  const store = new Store(watched as typeof database, new SnapshotsInMemory(database), sizes)
  onTestFinished(() => store.close())
  const { objects } = store
  const outstanding = () => CUSTOMERS.map((customer) => objects.countOutstanding({ customer }, 5))
  const loose = () => CUSTOMERS.map((customer) => objects.hasLooseItems(customer))
  const items = () => SUBSCRIPTIONS.map((id) => objects.itemsReadAhead(id)?.map((item) => item.id))
  return { store, objects, queries, outstanding, loose, items }
}

const EXPECTED = { customers: CUSTOMERS, subscriptions: SUBSCRIPTIONS }
const anOpenOne = (id: string, customer: string) => aDraft({ id, customer, status: 'open' })
const anItemOf = (id: string, subscription: string, customer = 'cus_1'): InvoiceItem => ({
  id,
  created: NOW,
  customer,
  currency: 'usd',
  amount: 500,
  unit_amount: 500,
  quantity: 1,
  price: null,
  description: null,
  invoice: null,
  subscription,
  billed_with: subscription,
  proration: null,
  discountable: true,
  discounts: [],
  metadata: {},
  test_clock: null,
  deleted: false,
})
/** An item that waits for any invoice of its customer. */
const aLooseItem = (id: string, customer: string): InvoiceItem => ({
  ...anItemOf(id, '', customer),
  subscription: null,
  billed_with: null,
})

test('one statement counts the outstanding invoices of all customers without any', async () => {
  const { objects, outstanding, queries } = await openStore()
  objects.expect(EXPECTED)
  expect(outstanding()).toEqual([0, 0, 0])
  expect(queries).toHaveLength(1)
})

test('a customer with an outstanding invoice is counted by itself', async () => {
  const { objects, outstanding } = await openStore()
  objects.insert('invoice', OWNER, anOpenOne('in_1', 'cus_2'))
  objects.expect(EXPECTED)
  expect(outstanding()).toEqual([0, 1, 0])
})

test('an invoice that is written later is counted, and one that is paid is not', async () => {
  const { objects, outstanding } = await openStore()
  objects.expect(EXPECTED)
  outstanding()
  const invoice = anOpenOne('in_1', 'cus_3')
  objects.insert('invoice', OWNER, invoice)
  expect(outstanding()).toEqual([0, 0, 1])
  objects.update('invoice', OWNER, { before: invoice, after: { ...invoice, status: 'paid' } })
  expect(outstanding()).toEqual([0, 0, 0])
})

test('the pending items of each subscription are read together, oldest first', async () => {
  const { objects, items, queries } = await openStore()
  for (const [id, subscription] of [
    ['ii_2', 'sub_1'],
    ['ii_1', 'sub_3'],
    ['ii_0', 'sub_1'],
  ] as const)
    objects.insert('invoice_item', OWNER, anItemOf(id, subscription))
  objects.expect(EXPECTED)
  expect(items()).toEqual([['ii_2', 'ii_0'], [], ['ii_1']])
  // One statement counts them.
  expect(queries).toHaveLength(2)
})

test('if a large item waits, each subscription reads its own', async () => {
  const { objects, items } = await openStore()
  const large = { ...anItemOf('ii_1', 'sub_1'), metadata: { large: 'x'.repeat(2_000) } }
  objects.insert('invoice_item', OWNER, large)
  objects.insert('invoice_item', OWNER, anItemOf('ii_2', 'sub_1'))
  objects.insert('invoice_item', OWNER, anItemOf('ii_3', 'sub_3'))
  objects.expect(EXPECTED)
  expect(items()).toEqual([undefined, undefined, undefined])
})

test('an item that is written later is not missed', async () => {
  const { objects, items } = await openStore()
  objects.expect(EXPECTED)
  expect(items()).toEqual([[], [], []])
  const item = anItemOf('ii_1', 'sub_2')
  objects.insert('invoice_item', OWNER, item)
  expect(items()).toEqual([[], undefined, []])
  objects.expect(EXPECTED)
  expect(items()).toEqual([[], ['ii_1'], []])
  objects.update('invoice_item', OWNER, { before: item, after: { ...item, billed_with: 'sub_3' } })
  expect(items()).toEqual([[], undefined, undefined])
})

test('a customer with a pending item of no subscription is found out', async () => {
  const { objects, loose } = await openStore()
  objects.insert('invoice_item', OWNER, anItemOf('ii_1', 'sub_1', 'cus_1'))
  objects.insert('invoice_item', OWNER, aLooseItem('ii_2', 'cus_2'))
  objects.expect(EXPECTED)
  expect(loose()).toEqual([false, true, false])
  objects.insert('invoice_item', OWNER, aLooseItem('ii_3', 'cus_3'))
  expect(loose()).toEqual([false, true, true])
})

test('answers are dropped when writes are rolled back', async () => {
  const { store, objects, outstanding } = await openStore()
  const invoice = anOpenOne('in_1', 'cus_1')
  const fail = () =>
    store.savepoint(() => {
      objects.insert('invoice', OWNER, invoice)
      objects.expect(EXPECTED)
      expect(outstanding()).toEqual([1, 0, 0])
      objects.update('invoice', OWNER, { before: invoice, after: { ...invoice, status: 'paid' } })
      objects.expect(EXPECTED)
      expect(outstanding()).toEqual([0, 0, 0])
      throw new Error('rolled back')
    })
  objects.insert('invoice', OWNER, anOpenOne('in_0', 'cus_2'))
  expect(fail).toThrow()
  expect(outstanding()).toEqual([0, 1, 0])
})

test('many pending items are not read ahead', async () => {
  const { objects, items } = await openStore()
  for (let number = 0; number < 1_001; number += 1)
    objects.insert('invoice_item', OWNER, anItemOf(`ii_${number}`, 'sub_1'))
  objects.expect(EXPECTED)
  expect(items()).toEqual([undefined, undefined, undefined])
})

test('without caches nothing is read ahead', async () => {
  const { objects, outstanding, items } = await openStore({ objects: 0, jobs: 1 })
  objects.expect(EXPECTED)
  expect(outstanding()).toEqual([0, 0, 0])
  expect(items()).toEqual([undefined, undefined, undefined])
})
