import { expect, onTestFinished, test } from 'vitest'
import { makeCustomer, makePrice, startTwin, type Twin } from '../../twin.ts'
import { anotherMerchant, asOperator, expectRefusal, missing } from '../support.ts'

const at = (text: string) => Date.parse(text) / 1_000

async function start(): Promise<Twin> {
  const twin = await startTwin()
  onTestFinished(() => twin.close())
  return twin
}

async function subscribe(twin: Twin, outcomes: string[], currency = 'usd') {
  const { customer, method } = await makeCustomer(twin, { outcomes })
  const price = await makePrice(twin, { currency })
  const params = { customer: customer.id, currency, items: [{ price: price.id }] }
  return twin.post('/v1/subscriptions', { ...params, default_payment_method: method.id })
}

const overview = async (twin: Twin, query = '') => (await asOperator(twin)('GET', `overview${query}`)).body

test('a merchant without objects has empty counts', async () => {
  const twin = await start()
  expect(await overview(twin)).toEqual({
    object: 'overview',
    customers: 0,
    subscriptions: {},
    invoices: {},
    payments: { since: at('2026-01-02T00:00:00Z'), has_more: false, days: [] },
    livemode: false,
    merchant_id: twin.sandbox.merchant.settings.id,
  })
})

test('objects are counted by status, and charges summed by day and currency', async () => {
  const twin = await start()
  await subscribe(twin, ['succeed', 'decline:insufficient_funds'])
  await subscribe(twin, ['succeed'])
  await subscribe(twin, ['succeed'], 'eur')
  // The first renewals are at 28 February; the first retry of the failed one is a day later.
  await twin.advance({ to: '2026-02-28T12:00:00Z' })
  const { customers, subscriptions, invoices, payments } = await overview(twin)
  expect({ customers, subscriptions, invoices }).toEqual({
    customers: 3,
    subscriptions: { active: 2, past_due: 1 },
    invoices: { open: 1, paid: 5 },
  })
  const none = { succeeded: 0, succeeded_count: 0, failed: 0, failed_count: 0 }
  expect(payments).toEqual({
    since: at('2026-01-30T00:00:00Z'),
    has_more: false,
    days: [
      { ...none, start: at('2026-01-31T00:00:00Z'), currency: 'eur', succeeded: 2_000, succeeded_count: 1 },
      { ...none, start: at('2026-01-31T00:00:00Z'), currency: 'usd', succeeded: 4_000, succeeded_count: 2 },
      { ...none, start: at('2026-02-28T00:00:00Z'), currency: 'eur', succeeded: 2_000, succeeded_count: 1 },
      {
        start: at('2026-02-28T00:00:00Z'),
        currency: 'usd',
        succeeded: 2_000,
        succeeded_count: 1,
        failed: 2_000,
        failed_count: 1,
      },
    ],
  })
})

test('charges older than 30 days are left out', async () => {
  const twin = await start()
  await subscribe(twin, ['succeed'])
  await twin.advance({ to: '2026-03-01T23:59:59Z' })
  expect((await overview(twin)).payments.days.map(({ start }: { start: number }) => start)).toEqual([
    at('2026-01-31T00:00:00Z'),
    at('2026-02-28T00:00:00Z'),
  ])
  await twin.advance({ by: '1s' })
  expect((await overview(twin)).payments.days.map(({ start }: { start: number }) => start)).toEqual([
    at('2026-02-28T00:00:00Z'),
  ])
})

test('a merchant is counted without the others, and must be named if there are several', async () => {
  const twin = await start()
  const { merchant } = await anotherMerchant(twin)
  await subscribe(twin, ['succeed'])
  expect(await overview(twin, `?merchant=${merchant.id}`)).toMatchObject({ customers: 0, subscriptions: {} })
  expectRefusal(await asOperator(twin)('GET', 'overview'), missing('merchant'))
})
