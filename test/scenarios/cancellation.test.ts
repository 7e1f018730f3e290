import { describe, expect, test } from 'vitest'
import { linesOf, table } from '../table.ts'
import { type Body, makePrice, type Twin } from '../twin.ts'
import {
  at,
  bytesOf,
  historyOf,
  listAll,
  openTwin,
  play,
  setFinalAction,
  subscribe,
  timelineOf,
} from './story.ts'

const FAILED = 'decline:insufficient_funds'
const WEEKLY = { recurring: { interval: 'week' } }

/** How a weekly subscription of 1 June gets each status by 10 June. */
const INTO: Readonly<Record<string, (twin: Twin) => Promise<Body>>> = {
  active: (twin) => subscribe(twin, { price: WEEKLY }),
  trialing: (twin) => subscribe(twin, { trial_period_days: 30 }),
  past_due: (twin) => subscribe(twin, { price: WEEKLY, outcomes: ['succeed'], afterwards: FAILED }),
  incomplete: (twin) => subscribe(twin, { outcomes: [], afterwards: FAILED }),
  unpaid: async (twin) => {
    await setFinalAction(twin, 'mark_unpaid')
    return subscribe(twin, {
      price: { recurring: { interval: 'day' } },
      outcomes: ['succeed'],
      afterwards: FAILED,
    })
  },
  paused: async (twin) => {
    const customer = await twin.post('/v1/customers')
    const price = await makePrice(twin)
    const subscription = await twin.post('/v1/subscriptions', {
      customer: customer.id,
      currency: 'usd',
      items: [{ price: price.id }],
      trial_period_days: 5,
      trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
    })
    return { subscription }
  },
  canceled: (twin) => subscribe(twin),
  incomplete_expired: (twin) =>
    subscribe(twin, { price: { recurring: { interval: 'day' } }, outcomes: [], afterwards: FAILED }),
}

async function bringTo(status: string) {
  const twin = await openTwin({ now: '2026-06-01T09:00:00Z' })
  const { subscription } = (await INTO[status]?.(twin)) ?? {}
  const path = `/v1/subscriptions/${subscription.id}`
  if (status === 'canceled') await twin.delete(path)
  // The incomplete one is canceled before its last retry.
  await twin.advance({ to: status === 'incomplete' ? '2026-06-05T09:00:00Z' : '2026-06-10T12:00:00Z' })
  expect((await twin.get(path)).status).toBe(status)
  const before = await twin.events()
  const emitted = async () => timelineOf((await twin.events()).slice(before.length))
  return { twin, path, emitted }
}

describe('DELETE in every status', () => {
  test.each(
    table(
      ['status', 'body', 'next', 'events'],
      `
      active      -                                canceled  subscription.deleted
      active      {}                               canceled  subscription.deleted
      active      {"cancel_at_period_end": false}  canceled  subscription.deleted
      trialing    -                                canceled  subscription.deleted
      past_due    -                                canceled  subscription.deleted
      unpaid      -                                canceled  subscription.deleted
      paused      -                                canceled  subscription.deleted
      incomplete  -                                canceled  invoice.voided subscription.deleted
      active      {"cancel_at_period_end": true}   active    subscription.updated
      trialing    {"cancel_at_period_end": true}   trialing  subscription.updated
      past_due    {"cancel_at_period_end": true}   past_due  subscription.updated
      unpaid      {"cancel_at_period_end": true}   unpaid    subscription.updated
      `,
    ),
  )('$status with body $body: $next, $events', async ({ status, body, next, events }) => {
    const { twin, path, emitted } = await bringTo(status)
    const now = (await twin.get('/v1/test_helpers/clock')).now
    const after = await twin.delete(path, body === '-' ? undefined : JSON.parse(body))
    const isNow = next === 'canceled'
    expect(after.status).toBe(next)
    expect(after).toMatchObject({ canceled_at: now, ended_at: isNow ? now : null })
    expect(after.cancel_at).toBe(isNow ? null : after.current_period_end)
    expect(after.cancel_at_period_end).toBe(!isNow)
    expect(after.cancellation_details.reason).toBe(isNow ? 'cancellation_requested' : null)
    expect((await emitted()).map((line) => line.split(' ')[1]).join(' ')).toBe(events)
  })

  test.each(
    table(
      ['status', 'body'],
      `
      canceled            -
      canceled            {"cancel_at_period_end": true}
      incomplete_expired  -
      incomplete_expired  {"cancel_at_period_end": true}
      paused              {"cancel_at_period_end": true}
      incomplete          {"cancel_at_period_end": true}
      `,
    ),
  )('$status with body $body is refused and writes nothing', async ({ status, body }) => {
    const { twin, path } = await bringTo(status)
    const before = await historyOf(twin)
    const response = await twin.request('DELETE', path, body === '-' ? undefined : JSON.parse(body))
    expect([response.status, response.body.error.code, response.body.error.param]).toEqual([
      400,
      'invalid_state_transition',
      'status',
    ])
    expect(bytesOf(await historyOf(twin))).toEqual(bytesOf(before))
  })

  test.each(['yes', 1, null])('with cancel_at_period_end %j is refused', async (cancel_at_period_end) => {
    const { twin, path, emitted } = await bringTo('active')
    const { status, body } = await twin.request('DELETE', path, { cancel_at_period_end })
    expect([status, body.error.code, body.error.param]).toEqual([
      400,
      'parameter_invalid',
      'cancel_at_period_end',
    ])
    expect(await emitted()).toEqual([])
  })

  test('of a past due subscription leaves its invoice open and removes the retries', async () => {
    const { twin, path } = await bringTo('past_due')
    await twin.delete(path)
    expect((await listAll(twin, '/v1/invoices')).at(-1)).toMatchObject({
      status: 'open',
      next_payment_attempt: null,
    })
    const { summary } = await twin.advance({ by: '1y' })
    expect(summary).toMatchObject({ jobs: 0, events: 0 })
  })

  test('of an incomplete subscription cancels the intent of its invoice without an event', async () => {
    const { twin, path } = await bringTo('incomplete')
    await twin.delete(path)
    expect(await listAll(twin, '/v1/payment_intents')).toMatchObject([
      { status: 'canceled', canceled_at: at('2026-06-05T09:00:00Z') },
    ])
    expect(await twin.events('&type=payment_intent.canceled')).toEqual([])
  })
})

describe('a cancellation at the period’s end', () => {
  test('takes effect in place of the renewal', async () => {
    const { twin, lines, begun } = await play({
      now: '2026-01-31T10:00:00Z',
      until: '2026-04-01T00:00:00Z',
      begin: async (fresh) => {
        const { subscription } = await subscribe(fresh)
        await fresh.advance({ to: '2026-02-10T08:00:00Z' })
        return fresh.delete(`/v1/subscriptions/${subscription.id}`, { cancel_at_period_end: true })
      },
    })
    expect(lines.slice(6)).toEqual(
      linesOf(`
      2026-02-10T08:00:00Z subscription.updated active Δ cancel_at cancel_at_period_end canceled_at
      2026-02-28T10:00:00Z subscription.deleted canceled
      `),
    )
    expect(await twin.get(`/v1/subscriptions/${begun.id}`)).toMatchObject({
      status: 'canceled',
      cancel_at: at('2026-02-28T10:00:00Z'),
      cancel_at_period_end: true,
      canceled_at: at('2026-02-10T08:00:00Z'),
      ended_at: at('2026-02-28T10:00:00Z'),
      current_period_end: at('2026-02-28T10:00:00Z'),
      cancellation_details: { reason: 'cancellation_requested' },
    })
  })

  test('is at the trial’s end during a trial, and bills nothing', async () => {
    const { twin, lines } = await play({
      now: '2026-01-31T10:00:00Z',
      until: '2026-04-01T00:00:00Z',
      begin: async (fresh) => {
        const { subscription } = await subscribe(fresh, { trial_period_days: 14 })
        return fresh.delete(`/v1/subscriptions/${subscription.id}`, { cancel_at_period_end: true })
      },
    })
    expect(lines.slice(2)).toEqual(['2026-02-14T10:00:00Z subscription.deleted canceled'])
    expect(await listAll(twin, '/v1/invoices')).toEqual([])
  })

  test('is replaced by an immediate cancellation', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin)
    const path = `/v1/subscriptions/${subscription.id}`
    await twin.delete(path, { cancel_at_period_end: true })
    await twin.advance({ by: '1d' })
    expect(await twin.delete(path)).toMatchObject({
      status: 'canceled',
      canceled_at: at('2026-02-01T10:00:00Z'),
      ended_at: at('2026-02-01T10:00:00Z'),
    })
  })

  test('keeps the time of its request when dunning ends the subscription first', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, { outcomes: ['succeed'], afterwards: FAILED })
    const path = `/v1/subscriptions/${subscription.id}`
    await twin.advance({ to: '2026-03-02T00:00:00Z' })
    await twin.delete(path, { cancel_at_period_end: true })
    await twin.advance({ by: '1mo' })
    expect(await twin.get(path)).toMatchObject({
      status: 'canceled',
      canceled_at: at('2026-03-02'),
      ended_at: at('2026-03-07T10:00:00Z'),
      cancellation_details: { reason: 'payment_failed' },
    })
  })
})
