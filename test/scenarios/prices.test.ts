import { describe, expect, test } from 'vitest'
import { asOperator } from '../http/support.ts'
import { type Body, makePrice, type Twin } from '../twin.ts'
import { bytesOf, historyOf, listAll, openTwin, subscribe } from './story.ts'

/** A month of 30 days, so that 16 April is its middle. */
const START = '2026-04-01T00:00:00Z'
const MIDDLE = '2026-04-16T00:00:00Z'
const END = '2026-05-01T00:00:00Z'

/** 7.00 USD for each of the first five seats, 6.00 USD for each further one. */
const SEATS = {
  nickname: 'Seats',
  billing_scheme: 'tiered',
  tiers_mode: 'graduated',
  tiers: [
    { up_to: 5, unit_amount: 700 },
    { up_to: 'inf', unit_amount: 600 },
  ],
  unit_amount: undefined,
}

const linesOf = ({ lines }: Body): string[] =>
  lines.data.map(({ amount, unit_amount, description }: Body) => `${amount} ${unit_amount} ${description}`)

const newestInvoice = async (twin: Twin): Promise<Body> => (await twin.get('/v1/invoices?limit=1')).data[0]

/** A subscription to a quantity of one price. */
async function begin(price: Body, quantity: number) {
  const twin = await openTwin({ now: START })
  const { id } = await makePrice(twin, price)
  const { subscription, customer } = await subscribe(twin, { items: [{ price: id, quantity }] })
  const [item] = subscription.items.data
  const path = `/v1/subscriptions/${subscription.id}`
  const change = (params: Body) =>
    twin.post(path, { proration_behavior: 'create_prorations', items: [{ id: item.id, ...params }] })
  return { twin, subscription, customer, path, change }
}

describe('a subscription bills', () => {
  test.each<[string, Body, number, string]>([
    ['a fixed amount', { unit_amount: 650 }, 5, '3250 650 5 × 6.50 USD'],
    ['tiers', SEATS, 7, '4700 null 7 × Seats'],
    ['a volume', { ...SEATS, tiers_mode: 'volume' }, 7, '4200 null 7 × Seats'],
    [
      'a decimal',
      { unit_amount: undefined, unit_amount_decimal: '0.5', nickname: 'Calls' },
      1001,
      '501 null 1001 × Calls',
    ],
    [
      'packages',
      { unit_amount: 1000, transform_quantity: { divide_by: 10, round: 'up' }, nickname: 'Tens' },
      11,
      '2000 null 11 × Tens',
    ],
  ])('%s', async (_, price, quantity, line) => {
    const { twin } = await begin(price, quantity)
    expect(linesOf(await newestInvoice(twin))).toEqual([line])

    await twin.advance({ to: END })
    const renewal = await newestInvoice(twin)
    expect(linesOf(renewal)).toEqual([line])
    expect(renewal).toMatchObject({ status: 'paid', billing_reason: 'subscription_cycle' })
  })

  test('a price without a name by its id', async () => {
    const { twin, subscription } = await begin({ ...SEATS, nickname: undefined }, 1)
    const { price } = subscription.items.data[0]
    expect(linesOf(await newestInvoice(twin))).toEqual([`700 null 1 × ${price.id}`])
  })

  test('the flat amount of the first tier for no units', async () => {
    const tiers = [
      { up_to: 10, flat_amount: 900 },
      { up_to: 'inf', unit_amount: 50 },
    ]
    const { twin } = await begin({ ...SEATS, tiers }, 0)
    expect(linesOf(await newestInvoice(twin))).toEqual(['900 null 0 × Seats'])
  })

  test('the same in one advance and in many', async () => {
    const play = async (steps: readonly string[]) => {
      const { twin, change } = await begin(SEATS, 4)
      await twin.advance({ to: MIDDLE })
      await change({ quantity: 7 })
      for (const to of steps) await twin.advance({ to })
      return bytesOf(await historyOf(twin))
    }
    expect(await play(['2026-07-15T00:00:00Z'])).toEqual(
      await play([END, '2026-06-01T00:00:00Z', '2026-06-20T00:00:00Z', '2026-07-15T00:00:00Z']),
    )
  })
})

describe('a change within the period', () => {
  test('of a tiered quantity prorates the amounts of both quantities', async () => {
    const { twin, change } = await begin(SEATS, 4)
    await twin.advance({ to: MIDDLE })
    await change({ quantity: 7 })
    // Half of 4 × 700, and half of 5 × 700 + 2 × 600.
    const items = await listAll(twin, '/v1/invoiceitems?pending=true')
    expect(items.map(({ amount, unit_amount, quantity }) => [amount, unit_amount, quantity])).toEqual([
      [-1400, null, 4],
      [2350, null, 7],
    ])
    await twin.advance({ to: END })
    expect(linesOf(await newestInvoice(twin))).toEqual([
      '-1400 null Unused time on 4 × Seats after 2026-04-16',
      '2350 null Remaining time on 7 × Seats after 2026-04-16',
      '4700 null 7 × Seats',
    ])
  })

  test('to a decimal price rounds once', async () => {
    const { twin, change } = await begin({ unit_amount: 100 }, 1)
    const { id: price } = await twin.post('/v1/prices', {
      unit_amount_decimal: '0.5',
      currency: 'usd',
      recurring: { interval: 'month' },
    })
    await twin.advance({ to: MIDDLE })
    await change({ price, quantity: 3 })
    // Half of 1.5 is 0.75. Half of 2, which 1.5 is rounded to, would be 1 too; half of 0.5 would be 0.25.
    const amounts = (await listAll(twin, '/v1/invoiceitems?pending=true')).map(({ amount }) => amount)
    expect(amounts).toEqual([-50, 1])
    await change({ quantity: 1 })
    // The credit is for what was charged; the charge of 0.25 is rounded to nothing and left out.
    const after = (await listAll(twin, '/v1/invoiceitems?pending=true')).map(({ amount }) => amount)
    expect(after).toEqual([-50, 1, -1])
  })

  test('that is too expensive is refused', async () => {
    const { twin, path, subscription } = await begin(SEATS, 1)
    const { id } = subscription.items.data[0]
    const quantity = 166_668
    const response = await twin.request('POST', path, { items: [{ id, quantity }] })
    // 5 × 700 + 166663 × 600 = 100001300
    expect(response.body.error).toMatchObject({ code: 'amount_too_large', param: 'amount' })
    await twin.post(path, { items: [{ id, quantity: quantity - 5 }] })
  })
})

test('timelines show the amounts of tiers', async () => {
  const { twin, change, subscription } = await begin(SEATS, 4)
  await change({ quantity: 7 })
  const { body } = await asOperator(twin)('GET', `subscriptions/${subscription.id}`)
  const amounts = body.timeline.happened.data
    .filter(({ type }: Body) => type.startsWith('subscription.'))
    .map(({ amount }: Body) => amount)
  expect(amounts).toEqual([2800, 4700])
  // The next renewal has the credit and the charge of the change too.
  expect(body.timeline.upcoming.data).toMatchObject([
    { kind: 'renewal', amount: -2800 + 4700 + 4700 },
    { kind: 'renewal', amount: 4700 },
    { kind: 'renewal', amount: 4700 },
    { kind: 'renewal', amount: 4700 },
  ])
})

describe('an invoice item', () => {
  test('bills a quantity of a price, and another after an update', async () => {
    const { twin, customer } = await begin({ unit_amount: 100 }, 1)
    const price = await twin.post('/v1/prices', { ...SEATS, currency: 'usd' })
    const item = await twin.post('/v1/invoiceitems', { customer: customer.id, price: price.id, quantity: 5 })
    expect(item).toMatchObject({ amount: 3500, unit_amount: null, quantity: 5, description: 'Seats' })
    const updated = await twin.post(`/v1/invoiceitems/${item.id}`, { quantity: 6 })
    expect(updated).toMatchObject({ amount: 4100, unit_amount: null, quantity: 6, description: 'Seats' })
    const unnamed = await twin.post(`/v1/invoiceitems/${item.id}`, { description: null })
    expect(unnamed).toMatchObject({ amount: 4100, description: null })
    const invoice = await twin.post('/v1/invoices', { customer: customer.id })
    expect(linesOf(invoice)).toEqual([`4100 null 6 × ${price.id}`])
  })
})
