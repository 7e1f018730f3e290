import { expect, onTestFinished, test } from 'vitest'
import { isDefaulted } from '../../src/core/billing/account.ts'
import { COLLECTION_METHODS } from '../../src/core/collection-method.ts'
import { type Invoice, isOutstanding } from '../../src/core/invoice.ts'
import { INVOICE_STATUSES } from '../../src/core/invoice-status.ts'
import { openDatabase } from '../../src/store/database.ts'
import { SnapshotsInMemory } from '../../src/store/snapshots-in-memory.ts'
import { Store } from '../../src/store/store.ts'
import { aDraft, NOW } from '../core/objects.ts'

const OWNER = 1

async function openStore(): Promise<Store> {
  const database = await openDatabase(':memory:', 'normal')
  const store = new Store(database, new SnapshotsInMemory(database))
  onTestFinished(() => store.close())
  return store
}

const KINDS_OF_INVOICES = INVOICE_STATUSES.flatMap((status) =>
  COLLECTION_METHODS.flatMap((collection_method) =>
    [false, true].map((overdue) => ({ status, collection_method, overdue })),
  ),
)

test.each(KINDS_OF_INVOICES)(
  '$status, $collection_method, overdue $overdue counts as in core',
  async (kind) => {
    const store = await openStore()
    const invoice = aDraft(kind)
    store.objects.insert('invoice', OWNER, invoice)
    const expected = isOutstanding(invoice) ? 1 : 0
    const { customer } = invoice
    expect(store.objects.countOutstanding({ customer }, 2)).toBe(expected)
    expect(store.objects.countOutstanding({ customer, subscription: 'sub_1' }, 2)).toBe(expected)
    expect(store.objects.countOutstanding({ customer, subscription: 'sub_2' }, 2)).toBe(0)
    expect(store.objects.countOutstanding({ customer: 'cus_2' }, 2)).toBe(0)
  },
)

test.each(KINDS_OF_INVOICES.flatMap((kind) => [false, true].map((attempted) => ({ ...kind, attempted }))))(
  '$status, $collection_method, overdue $overdue, attempted $attempted has defaulted as in core',
  async (kind) => {
    const store = await openStore()
    const invoice = aDraft(kind)
    store.objects.insert('invoice', OWNER, invoice)
    expect(store.objects.countDefaulted(invoice.customer, 2)).toBe(isDefaulted(invoice) ? 1 : 0)
    expect(store.objects.countOutstanding({ customer: invoice.customer, subscription: 'sub_1' }, 2)).toBe(
      isOutstanding(invoice) ? 1 : 0,
    )
    expect(store.objects.countDefaulted('cus_2', 2)).toBe(0)
  },
)

test('counting stops at the limit', async () => {
  const store = await openStore()
  for (const id of ['in_1', 'in_2', 'in_3'])
    store.objects.insert('invoice', OWNER, aDraft({ id, status: 'open' }))
  expect([1, 2, 5].map((limit) => store.objects.countOutstanding({ customer: 'cus_1' }, limit))).toEqual([
    1, 2, 3,
  ])
})

test('the invoice plans are those of the invoices of a subscription with a planned attempt, oldest first', async () => {
  const store = await openStore()
  const retried = (id: string, given: Partial<Invoice> = {}) =>
    store.objects.insert('invoice', OWNER, aDraft({ id, next_payment_attempt: NOW, ...given }))
  retried('in_2')
  retried('in_1')
  retried('in_3', { next_payment_attempt: null })
  retried('in_4', { subscription: 'sub_2' })
  expect(store.objects.invoicePlans('sub_1').map(({ id }) => id)).toEqual(['in_2', 'in_1'])
})

test('the next finalization is that of the draft of a subscription with the earliest date', async () => {
  const store = await openStore()
  const wait = (id: string, given: Partial<Invoice> = {}) =>
    store.objects.insert('invoice', OWNER, aDraft({ id, next_payment_attempt: NOW, ...given }))
  wait('in_1', { next_payment_attempt: null })
  wait('in_2', { subscription: 'sub_2' })
  wait('in_3', { status: 'open' })
  wait('in_4', { deleted: true })
  expect(store.objects.nextFinalization('sub_1')).toBeUndefined()
  wait('in_5', { next_payment_attempt: NOW + 1 })
  wait('in_7')
  wait('in_6')
  const job = { object: 'in_6', due: NOW, kind: 'invoice_finalization', subscription: 'sub_1' }
  expect(store.objects.nextFinalization('sub_1')).toEqual(job)
})
