import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Change } from '../../../src/core/change.ts'
import { MAX_PAGE_LENGTH } from '../../../src/core/json-text.ts'
import type { Objects } from '../../../src/core/kinds.ts'
import { apply } from '../../../src/engine/machine/apply.ts'
import { Statement } from '../../../src/store/statements.ts'
import { type Body, makePrice, startTwin, type Twin } from '../../twin.ts'
import { asOperator } from '../support.ts'

const LARGE = { large: 'x'.repeat(1_500_000) }

let twin: Twin
let customer: Body
beforeEach(async () => {
  twin = await startTwin()
  customer = await twin.post('/v1/customers')
})
afterEach(async () => {
  vi.restoreAllMocks()
  await twin.close()
})

/** Gives an object metadata that the API would refuse. */
async function enlarge(kind: 'invoice' | 'subscription', id: string): Promise<void> {
  const { engine, merchant } = twin.sandbox
  await engine.command(merchant, null, (unit) => {
    const change = new Change()
    const found: Objects[typeof kind] = unit.need(kind, id)
    change.update(kind, found, (before) => ({ ...before, metadata: LARGE }))
    apply(unit, change)
  })
}

/** Counts the characters that the store reads during some work in rows of whole objects. */
async function lengthRead<T>(work: () => Promise<T>): Promise<{ result: T; length: number }> {
  const spies = (['all', 'allWithin'] as const).map((method) => vi.spyOn(Statement.prototype, method))
  const result = await work()
  const rows = spies.flatMap(({ mock }) => mock.results.flatMap(({ value }) => value?.rows ?? value ?? []))
  return { result, length: rows.reduce((sum: number, row) => sum + (JSON.stringify(row) ?? '').length, 0) }
}

const page = () => asOperator(twin)('GET', `customers/${customer.id}`)

test('the page of a customer shows the large invoices that fit, and what is owed for all', async () => {
  for (let n = 0; n < 9; n += 1) {
    const item = { customer: customer.id, amount: 100, currency: 'usd' }
    await twin.post('/v1/invoiceitems', item)
    const invoice = await twin.post('/v1/invoices', {
      ...{ customer: customer.id, currency: 'usd', collection_method: 'send_invoice', days_until_due: 30 },
    })
    await twin.post(`/v1/invoices/${invoice.id}/finalize`)
    await enlarge('invoice', invoice.id)
  }
  twin.sandbox.engine.store.objects.forget()
  const { result, length } = await lengthRead(page)
  const { related } = result.body
  expect(related.owed).toEqual([{ amount: 900, currency: 'usd' }])
  expect(related.invoices.data.length).toBeLessThan(4)
  expect(related.invoices.data.length).toBeGreaterThan(0)
  expect(related.invoices.has_more).toBe(true)
  expect(length).toBeLessThan(3 * MAX_PAGE_LENGTH)
})

test('the page of a customer shows the large subscriptions that fit', async () => {
  const price = await makePrice(twin)
  for (let n = 0; n < 9; n += 1) {
    const { id } = await twin.post('/v1/subscriptions', {
      ...{ customer: customer.id, currency: 'usd', collection_method: 'send_invoice', days_until_due: 30 },
      items: [{ price: price.id }],
    })
    await enlarge('subscription', id)
  }
  twin.sandbox.engine.store.objects.forget()
  const { result, length } = await lengthRead(page)
  const { related, timeline } = result.body
  expect(related.subscriptions.data.length).toBeGreaterThan(0)
  expect(related.subscriptions.has_more).toBe(true)
  expect(timeline.upcoming.data.length).toBeGreaterThan(0)
  expect(length).toBeLessThan(3 * MAX_PAGE_LENGTH)
})
