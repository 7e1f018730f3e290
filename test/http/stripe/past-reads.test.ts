import { afterEach, describe, expect, test, vi } from 'vitest'
import { HistoryReader } from '../../../src/store/history.ts'
import { asOperator, typesOf } from '../support.ts'
import { startStripe } from './sdk.ts'

const JAN_31 = 1_769_853_600
const FEB_28 = 1_772_272_800
const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

afterEach(() => vi.restoreAllMocks())

/** Starts a sandbox with a customer with some subscriptions. Each has a pending item, and an invoice that is sent. */
async function startWith(subscriptions: number) {
  const sdk = await startStripe()
  const { stripe } = sdk
  const { id: test_clock } = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31 })
  const { id: customer } = await stripe.customers.create({ test_clock })
  const price = await stripe.prices.create({
    ...{
      product_data: { name: 'Pro' },
      currency: 'usd',
      unit_amount: 2000,
      recurring: { interval: 'month' },
    },
  })
  const ids: string[] = []
  for (let n = 0; n < subscriptions; n += 1) {
    const subscription = await stripe.subscriptions.create({
      ...{ customer, items: [{ price: price.id }], collection_method: 'send_invoice', days_until_due: 60 },
    })
    await stripe.paymentMethods.attach('pm_card_visa', { customer })
    ids.push(subscription.id)
  }
  await sdk.advance(test_clock, FEB_28 - DAY)
  for (const subscription of ids)
    await stripe.invoiceItems.create({ customer, subscription, amount: 100, currency: 'usd' })
  await sdk.advance(test_clock, FEB_28 + DAY)
  return { sdk, customer, ids }
}

/** Counts the objects that a past read reconstructs. */
async function readsOf(subscriptions: number, path: (id: string) => string, at: number): Promise<number> {
  const { sdk, ids } = await startWith(subscriptions)
  const reads = vi.spyOn(HistoryReader.prototype, 'at')
  const { status } = await asOperator(sdk.twin)('GET', `${path(ids[0] ?? '')}?at=${at}`)
  const count = reads.mock.calls.filter(([kind]) => kind !== 'payment_method').length
  vi.restoreAllMocks()
  await sdk.close()
  expect(status).toBe(200)
  return count
}

const MOMENTS = {
  'a day before the renewal': FEB_28 - HOUR,
  'when its invoice is a draft': FEB_28 + MINUTE,
  'when its invoice is open': FEB_28 + 2 * HOUR,
}
const PATHS = {
  subscription: (id: string) => `subscriptions/${id}`,
  explanation: (id: string) => `explanations/${id}`,
}

describe('a past read reconstructs no more objects when the customer has more subscriptions', () => {
  for (const [name, path] of Object.entries(PATHS))
    test.each(Object.entries(MOMENTS))(`of the ${name} %s`, async (_moment, at) => {
      expect(await readsOf(9, path, at)).toBe(await readsOf(1, path, at))
    })
})

test('a past read of a customer reconstructs each pending item once', async () => {
  const { sdk, customer, ids } = await startWith(6)
  const reads = vi.spyOn(HistoryReader.prototype, 'at')
  await asOperator(sdk.twin)('GET', `customers/${customer}?at=${FEB_28 - HOUR}`)
  expect(reads.mock.calls.filter(([kind]) => kind === 'invoice_item')).toHaveLength(ids.length)
  await sdk.close()
})

test('a past read of a customer has the drafts, open invoices, sums and pending items of its subscriptions then', async () => {
  const { sdk, customer, ids } = await startWith(3)
  const shown = async (at: number) =>
    (await asOperator(sdk.twin)('GET', `customers/${customer}?at=${at}`)).body
  const before = await shown(FEB_28 - HOUR)
  const draft = await shown(FEB_28 + MINUTE)
  const open = await shown(FEB_28 + 2 * HOUR)
  const statuses = ({ related }: typeof open) =>
    related.invoices.data.map(({ status }: { status: string }) => status)
  expect(statuses(before)).toEqual(ids.map(() => 'open'))
  expect(statuses(draft)).toEqual([...ids.map(() => 'draft'), ...ids.map(() => 'open')])
  expect(statuses(open)).toEqual(Array(6).fill('open'))
  expect([before, draft, open].map(({ related }) => related.owed)).toEqual([
    [{ amount: 6000, currency: 'usd' }],
    [{ amount: 6000, currency: 'usd' }],
    [{ amount: 12_300, currency: 'usd' }],
  ])
  const renewals = before.timeline.upcoming.data.filter(({ kind }: { kind: string }) => kind === 'renewal')
  expect(renewals.slice(0, 3).map(({ amount }: { amount: number }) => amount)).toEqual([2100, 2100, 2100])
  expect(typesOf(before.timeline.happened.data)).toContain('invoice.finalized')
  await sdk.close()
})
