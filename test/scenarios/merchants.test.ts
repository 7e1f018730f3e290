import { expect, test } from 'vitest'
import { createMerchant } from '../../src/engine/resources/merchant.ts'
import { type Body, clientOf, makeCustomer, makePrice, type Twin } from '../twin.ts'
import { at, bytesOf, historyOf, nowOf, openTwin, setFinalAction, subscribe } from './story.ts'

const NOW = '2026-01-31T10:00:00Z'

/** Another merchant of the same sandbox, with its own clock. */
async function addMerchant({ sandbox }: Twin, name: string): Promise<Twin> {
  const merchant = await createMerchant(sandbox.engine, { name, clock: at(NOW) })
  const { secret } = await sandbox.keys.issue({
    merchant: merchant.settings.ordinal,
    type: 'secret',
    name: null,
  })
  return clientOf({ ...sandbox, merchant }, secret)
}

test('a merchant sees nothing of another', async () => {
  const first = await openTwin()
  const second = await addMerchant(first, 'Second')
  const { customer, method, subscription } = await subscribe(first)
  const [event] = await first.events()
  for (const path of [
    `/v1/customers/${customer.id}`,
    `/v1/payment_methods/${method.id}`,
    `/v1/subscriptions/${subscription.id}`,
    `/v1/invoices/${subscription.latest_invoice}`,
    `/v1/prices/${subscription.items.data[0].price.id}`,
    `/v1/events/${event?.id}`,
  ]) {
    expect((await first.request('GET', path)).status).toBe(200)
    const { status, body } = await second.request('GET', path)
    expect([path, status, body.error?.code, body.error?.param]).toEqual([path, 404, 'resource_missing', 'id'])
  }
  for (const objects of Object.values(await historyOf(second))) expect(objects).toEqual([])
})

test('a merchant can neither reference nor change objects of another', async () => {
  const first = await openTwin()
  const second = await addMerchant(first, 'Second')
  const { method, subscription } = await subscribe(first)
  const own = await makeCustomer(second)
  const before = bytesOf(await historyOf(first))

  const { body } = await second.request('POST', '/v1/subscriptions', {
    customer: own.customer.id,
    currency: 'usd',
    default_payment_method: method.id,
    items: [{ price: subscription.items.data[0].price.id }],
  })
  expect(body.error).toMatchObject({ code: 'resource_missing', param: 'items[0][price]' })
  for (const [verb, path] of [
    ['DELETE', `/v1/subscriptions/${subscription.id}`],
    ['POST', `/v1/invoices/${subscription.latest_invoice}/pay`],
    ['POST', `/v1/payment_methods/${method.id}/detach`],
    ['DELETE', `/v1/customers/${subscription.customer}`],
  ] as const) {
    expect((await second.request(verb, path)).status).toBe(404)
  }
  expect(bytesOf(await historyOf(first))).toEqual(before)
})

test('each clock moves independently', async () => {
  const first = await openTwin()
  const second = await addMerchant(first, 'Second')
  await subscribe(first)
  await subscribe(second)
  const before = bytesOf(await historyOf(second))
  await first.advance({ by: '1y' })
  expect(await nowOf(second)).toBe(at(NOW))
  expect(bytesOf(await historyOf(second))).toEqual(before)
  expect((await second.advance({ by: '1mo' })).summary).toMatchObject({ jobs: 1 })
  expect(await nowOf(first)).toBe(at('2027-01-31T10:00:00Z'))
})

test('requests of one merchant do not affect the ids and times of another', async () => {
  const play = async (isBusy: boolean) => {
    const first = await openTwin()
    const second = await addMerchant(first, 'Second')
    const both = [subscribe(second), ...(isBusy ? [subscribe(first), subscribe(first)] : [])]
    await Promise.all(both)
    await Promise.all([second.advance({ by: '3mo' }), ...(isBusy ? [first.advance({ by: '5mo' })] : [])])
    return bytesOf(await historyOf(second))
  }
  expect(await play(true)).toEqual(await play(false))
})

test('each merchant has its own final action', async () => {
  const first = await openTwin()
  const second = await addMerchant(first, 'Second')
  await setFinalAction(first, 'mark_unpaid')
  const statuses: string[] = []
  for (const twin of [first, second]) {
    const { subscription } = await subscribe(twin, { outcomes: ['succeed'], afterwards: 'decline:lost_card' })
    await twin.advance({ to: '2026-03-07T10:00:00Z' })
    statuses.push((await twin.get(`/v1/subscriptions/${subscription.id}`)).status)
  }
  expect(statuses).toEqual(['unpaid', 'canceled'])
})

test('the ids of two merchants never collide', async () => {
  const first = await openTwin()
  const second = await addMerchant(first, 'Second')
  for (const twin of [first, second]) {
    await subscribe(twin)
    await twin.advance({ by: '3mo' })
  }
  const idsOf = async (twin: Twin) =>
    Object.values(await historyOf(twin)).flatMap((all) => all.map(({ id }) => id))
  const ids = [...(await idsOf(first)), ...(await idsOf(second))]
  expect(new Set(ids).size).toBe(ids.length)
})

test('the advancing test clocks of one merchant do not delay the clock of another', async () => {
  const first = await openTwin({ now: NOW })
  const second = await addMerchant(first, 'Second')
  const clocks: Body[] = []
  for (let count = 0; count < 12; count += 1) {
    const clock = await first.post('/v1/test_helpers/test_clocks', { frozen_time: at(NOW) })
    await billDaily(first, { test_clock: clock.id })
    clocks.push(clock)
  }
  // Three times the work of one test clock, a quarter of that of all.
  for (let count = 0; count < 3; count += 1) await billDaily(second)
  const ended: string[] = []
  const moves = [
    ...clocks.map(({ id }) => ({ twin: first, path: `test_clocks/${id}` })),
    { twin: second, path: 'clock' },
  ]
  await Promise.all(
    moves.map(async ({ twin, path }) => {
      // Several batches each: a batch takes 20 ms, a renewal 0.1 ms.
      await twin.post(`/v1/test_helpers/${path}/advance`, { by: 'P400D' })
      ended.push(path)
    }),
  )
  // It is the first one, or nearly, on a busy machine. Without a turn of its own it would be the last one.
  expect(ended.slice(0, 6)).toContain('clock')
})

/** Creates a subscription that renews each day. */
async function billDaily(twin: Twin, params: Body = {}): Promise<void> {
  const price = await makePrice(twin, { recurring: { interval: 'day' } })
  const { id } = await twin.post('/v1/customers', params)
  const method = await twin.post('/v1/payment_methods/pm_card_visa/attach', { customer: id })
  const items = [{ price: price.id }]
  await twin.post('/v1/subscriptions', {
    customer: id,
    currency: 'usd',
    default_payment_method: method.id,
    items,
  })
}
