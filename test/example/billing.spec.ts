import { beforeAll, expect, test } from 'vitest'
import { call, hasAccess, type Subscription, signUp } from './billing.ts'

// Run by `paytwin run --clock 2026-01-31T10:00:00Z -- npx vitest run`.

type List<Item> = { data: Item[] }
type Event = { type: string; created: number; data: { object: { id: string; status: string } } }
type Advance = { now: number; summary: { stopped_on: string | null } }

let plan: string
beforeAll(async () => {
  const price = { unit_amount: 2000, currency: 'usd', recurring: { interval: 'month' } }
  plan = (await call<{ id: string }>('POST', '/v1/prices', price)).id
})

const advance = (params: { by?: string; stop_on?: string[] }) =>
  call<Advance>('POST', '/v1/test_helpers/clock/advance', params)
const statusOf = async (subscription: string) =>
  (await call<Subscription>('GET', `/v1/subscriptions/${subscription}`)).status
const script = (card: string, outcomes: string[], then = 'succeed') =>
  call('POST', `/v1/test_helpers/payment_methods/${card}/outcomes`, { outcomes, then })

/** What has happened to invoices and subscriptions, oldest first: the day and the type. */
async function history(): Promise<string[]> {
  const { data } = await call<List<Event>>(
    'GET',
    '/v1/events?limit=100&types[]=invoice.paid&types[]=invoice.payment_failed&types[]=subscription.*',
  )
  return data
    .reverse()
    .map(({ type, created }) => `${new Date(created * 1000).toISOString().slice(0, 10)} ${type}`)
}

test('a subscription is active again when its card fails for three days only', async () => {
  const { card, subscription } = await signUp('ada@example.com', plan, 'pm_card_visa')
  expect(await statusOf(subscription)).toBe('active')

  await script(card, ['succeed', 'decline:insufficient_funds', 'decline:insufficient_funds'])
  await advance({ by: '1mo' })
  expect(await statusOf(subscription)).toBe('active')

  const failed = await advance({ by: '2mo', stop_on: ['invoice.payment_failed'] })
  expect(failed.summary.stopped_on).toBe('invoice.payment_failed')
  expect(await statusOf(subscription)).toBe('past_due')
  expect(await hasAccess(subscription)).toBe(true)

  await advance({ by: '1w' })
  expect(await statusOf(subscription)).toBe('active')
  expect(await history()).toEqual([
    '2026-01-31 subscription.created',
    '2026-01-31 invoice.paid',
    '2026-02-28 invoice.paid',
    '2026-02-28 subscription.updated',
    '2026-03-31 invoice.payment_failed',
    '2026-03-31 subscription.updated',
    '2026-04-01 invoice.payment_failed',
    '2026-04-03 invoice.paid',
    '2026-04-03 subscription.updated',
  ])
})

test('a card that never recovers ends the subscription after the last retry', async () => {
  const { card, subscription } = await signUp('bob@example.com', plan, 'pm_card_visa')
  await script(card, [], 'decline:lost_card')
  await advance({ by: '1mo', stop_on: ['invoice.payment_failed'] })
  for (const [days, status] of [
    [1, 'past_due'],
    [2, 'past_due'],
    [2, 'past_due'],
    [2, 'canceled'],
  ] as const) {
    await advance({ by: `${days}d` })
    expect(await statusOf(subscription)).toBe(status)
  }
  expect(await hasAccess(subscription)).toBe(false)
})
