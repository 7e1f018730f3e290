import { expect, onTestFinished, test } from 'vitest'
import type { Customer } from '../../src/core/customer.ts'
import { openDatabase } from '../../src/store/database.ts'
import { SnapshotsInMemory } from '../../src/store/snapshots-in-memory.ts'
import { Store } from '../../src/store/store.ts'
import { aCustomer, aSubscription } from '../core/objects.ts'

const OWNER = 1

async function openStore() {
  const database = await openDatabase(':memory:', 'normal')
  const store = new Store(database, new SnapshotsInMemory(database))
  onTestFinished(() => store.close())
  return store
}

const TEXTS = [
  '',
  'null',
  '"quoted" \\ and \\u0041',
  'a\nnew line, a\ttab, a \0 and \u001f',
  'é, 漢字 and 🎉',
  '[]',
  '{"id":"other"}',
  '\u2028',
]

test.each(TEXTS)('objects with the text %j are loaded as they are read one by one', async (text) => {
  const { objects } = await openStore()
  const customers: Customer[] = ['cus_1', 'cus_2'].map((id) =>
    aCustomer({ id, name: text, description: null, metadata: { [text]: text }, balances: { usd: -5 } }),
  )
  for (const customer of customers) objects.insert('customer', OWNER, customer)
  const read = (load: boolean) => {
    objects.forget()
    if (load) objects.load('customer', OWNER, ['cus_1', 'cus_2'])
    return customers.map(({ id }) => objects.get('customer', OWNER, id))
  }
  expect(read(true)).toEqual(read(false))
  expect(read(true)).toEqual(customers)
})

test('large numbers, booleans and lists are loaded as they were written', async () => {
  const { objects } = await openStore()
  const subscriptions = ['sub_1', 'sub_2'].map((id) =>
    aSubscription({
      id,
      current_period_end: Number.MAX_SAFE_INTEGER,
      cancel_at_period_end: true,
      discounts: ['di_1'],
    }),
  )
  for (const subscription of subscriptions) objects.insert('subscription', OWNER, subscription)
  objects.forget()
  objects.load('subscription', OWNER, ['sub_1', 'sub_2'])
  expect(subscriptions.map(({ id }) => objects.get('subscription', OWNER, id))).toEqual(subscriptions)
})

test('only objects of the merchant are loaded', async () => {
  const { objects } = await openStore()
  objects.insert('customer', OWNER, aCustomer({ id: 'cus_1' }))
  objects.insert('customer', OWNER + 1, aCustomer({ id: 'cus_2' }))
  objects.forget()
  objects.load('customer', OWNER, ['cus_1', 'cus_2', 'cus_3'])
  expect(['cus_1', 'cus_2', 'cus_3'].map((id) => objects.get('customer', OWNER, id) !== undefined)).toEqual([
    true,
    false,
    false,
  ])
})

test('objects that may be asked for are read together with the first question, and not without one', async () => {
  const { objects, statements } = await openStore()
  for (const id of ['cus_1', 'cus_2', 'cus_3']) objects.insert('customer', OWNER, aCustomer({ id }))
  objects.forget()
  objects.loadWhenAsked('customer', OWNER, ['cus_1', 'cus_2'])
  expect([...statements.texts.keys()]).not.toContain('load customer')
  expect(objects.get('customer', OWNER, 'cus_2')?.id).toBe('cus_2')
  expect([...statements.texts.keys()]).toContain('load customer')
  expect(objects.get('customer', OWNER, 'cus_1')?.id).toBe('cus_1')
  expect([...statements.texts.keys()]).not.toContain('get customer')
  expect(objects.get('customer', OWNER, 'cus_3')?.id).toBe('cus_3')
})
