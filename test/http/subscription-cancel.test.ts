import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Body, makeCustomer, makePrice, startTwin, type Twin, type TwinResponse } from '../twin.ts'
import {
  badState,
  eventsOf,
  expectRefused,
  FORM,
  invalid,
  rows,
  typesOf,
  unchanged,
  unknown,
} from './support.ts'

const NOW = 1769853600
const PERIOD_END = 1772272800

let twin: Twin
beforeEach(async () => {
  twin = await startTwin()
})
afterEach(() => twin.close())

async function subscription(more: Body = {}, outcomes?: string[]): Promise<Body> {
  const { customer, method } = await makeCustomer(
    twin,
    // biome-ignore lint/suspicious/noThenProperty: the script's name
    outcomes ? { outcomes, then: 'decline:lost_card' } : {},
  )
  const price = await makePrice(twin)
  return twin.post('/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: method.id,
    items: [{ price: price.id }],
    ...more,
  })
}

const cancel = (id: string, body?: unknown, headers?: Record<string, string>): Promise<TwinResponse> =>
  twin.request('DELETE', `/v1/subscriptions/${id}`, body, headers)

describe('a DELETE that cancels at once', () => {
  test.each<[string, (id: string) => Promise<TwinResponse>]>([
    ['without a body', (id) => cancel(id)],
    ['with {}', (id) => cancel(id, {})],
    ['with an empty body', (id) => cancel(id, '')],
    ['with false', (id) => cancel(id, { cancel_at_period_end: false })],
    ['with false in a form', (id) => cancel(id, 'cancel_at_period_end=false', FORM)],
    [
      'with false in the query',
      (id) => twin.request('DELETE', `/v1/subscriptions/${id}?cancel_at_period_end=false`),
    ],
  ])('%s', async (_, act) => {
    const { id } = await subscription()
    const events = await eventsOf(twin, async () => {
      const response = await act(id)
      expect(response.status).toBe(200)
      expect(response.body).toMatchObject({
        id,
        object: 'subscription',
        status: 'canceled',
        canceled_at: NOW,
        ended_at: NOW,
        cancel_at_period_end: false,
        cancellation_details: { reason: 'cancellation_requested' },
      })
    })
    expect(typesOf(events)).toEqual(['subscription.deleted'])
    expect((await twin.get('/v1/test_helpers/upcoming')).data).toEqual([])
  })
})

describe('a DELETE that cancels at the end of the period', () => {
  test.each<[string, (id: string) => Promise<TwinResponse>]>([
    ['with true', (id) => cancel(id, { cancel_at_period_end: true })],
    ['with true in a form', (id) => cancel(id, 'cancel_at_period_end=true', FORM)],
    [
      'with true in the query',
      (id) => twin.request('DELETE', `/v1/subscriptions/${id}?cancel_at_period_end=true`),
    ],
  ])('%s', async (_, act) => {
    const { id } = await subscription()
    const events = await eventsOf(twin, async () => {
      expect((await act(id)).body).toMatchObject({
        status: 'active',
        cancel_at_period_end: true,
        cancel_at: PERIOD_END,
        canceled_at: NOW,
        ended_at: null,
      })
    })
    expect(events).toMatchObject([{ type: 'subscription.updated' }])
    expect(events[0]?.data.previous_attributes).toEqual({
      cancel_at_period_end: false,
      cancel_at: null,
      canceled_at: null,
    })
    const ends = await eventsOf(twin, () => twin.advance({ by: '2mo' }))
    expect(ends.map(({ type, created }) => [type, created])).toEqual([['subscription.deleted', PERIOD_END]])
    expect(await twin.get(`/v1/subscriptions/${id}`)).toMatchObject({
      status: 'canceled',
      canceled_at: NOW,
      ended_at: PERIOD_END,
      cancel_at_period_end: true,
      cancel_at: PERIOD_END,
    })
  })

  test('cancels a trial at its end', async () => {
    const { id } = await subscription({ trial_period_days: 7 })
    const response = await cancel(id, { cancel_at_period_end: true })
    expect(response.body).toMatchObject({ status: 'trialing', cancel_at: NOW + 7 * 86_400 })
    await twin.advance({ by: '7d' })
    expect((await twin.get(`/v1/subscriptions/${id}`)).status).toBe('canceled')
    expect((await twin.get('/v1/invoices')).data).toEqual([])
  })

  test('may be followed by one that cancels at once', async () => {
    const { id } = await subscription()
    await cancel(id, { cancel_at_period_end: true })
    await twin.advance({ by: '1d' })
    const later = NOW + 86_400
    expect((await cancel(id)).body).toMatchObject({ status: 'canceled', canceled_at: later, ended_at: later })
  })

  test('requested twice emits one event', async () => {
    const { id } = await subscription()
    const first = await cancel(id, { cancel_at_period_end: true })
    const second = await unchanged(twin, () => cancel(id, { cancel_at_period_end: true }))
    expect(second.body).toEqual(first.body)
  })
})

test.each(rows<unknown>('true', 'false', 1, 0, null, '', [], {}, [true]))(
  'cancel_at_period_end cannot be %j',
  async (cancel_at_period_end) => {
    const { id } = await subscription()
    const path = `/v1/subscriptions/${id}`
    await expectRefused(twin, ['DELETE', path, { cancel_at_period_end }], invalid('cancel_at_period_end'))
  },
)

test.each(['1', '0', 'yes', '', 'TRUE'])('cancel_at_period_end=%s is no boolean', async (text) => {
  const { id } = await subscription()
  const path = `/v1/subscriptions/${id}`
  const form = `cancel_at_period_end=${text}`
  await expectRefused(twin, ['DELETE', path, form, FORM], invalid('cancel_at_period_end'))
  await expectRefused(twin, ['DELETE', `${path}?${form}`], invalid('cancel_at_period_end'))
})

test('a malformed body cancels nothing', async () => {
  const { id } = await subscription()
  const path = `/v1/subscriptions/${id}`
  await expectRefused(twin, ['DELETE', path, '{"cancel_at_period_end":'], invalid(null))
  await expectRefused(twin, ['DELETE', path, 'true', { 'Content-Type': 'text/plain' }], invalid(null))
  await expectRefused(twin, ['DELETE', path, '[]'], invalid(null))
})

describe('a subscription that cannot be canceled', () => {
  const flags = rows<Body | undefined>(
    undefined,
    {},
    { cancel_at_period_end: false },
    { cancel_at_period_end: true },
  )

  test.each(flags)('is a canceled subscription, with %j', async (body) => {
    const { id } = await subscription()
    await cancel(id)
    await expectRefused(twin, ['DELETE', `/v1/subscriptions/${id}`, body], badState())
  })

  test.each(flags)('is an expired one, with %j', async (body) => {
    const { id } = await subscription({}, [])
    await twin.advance({ by: '8d' })
    expect((await twin.get(`/v1/subscriptions/${id}`)).status).toBe('incomplete_expired')
    await expectRefused(twin, ['DELETE', `/v1/subscriptions/${id}`, body], badState())
  })

  test('at the end of its period is an incomplete or paused one', async () => {
    const incomplete = await subscription({}, [])
    const paused = await subscription({
      trial_period_days: 1,
      trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
    })
    await twin.post(`/v1/payment_methods/${paused.default_payment_method}/detach`)
    await twin.advance({ by: '1d' })
    for (const [{ id }, status] of [
      [incomplete, 'incomplete'],
      [paused, 'paused'],
    ] as const) {
      expect((await twin.get(`/v1/subscriptions/${id}`)).status).toBe(status)
      const body = { cancel_at_period_end: true }
      await expectRefused(twin, ['DELETE', `/v1/subscriptions/${id}`, body], badState())
      expect((await cancel(id)).body.status).toBe('canceled')
    }
  })

  test('is unknown', async () => {
    await expectRefused(twin, ['DELETE', '/v1/subscriptions/sub_unknown'], unknown())
    const body = { cancel_at_period_end: 'x' }
    await expectRefused(
      twin,
      ['DELETE', '/v1/subscriptions/sub_unknown', body],
      invalid('cancel_at_period_end'),
    )
  })
})

describe('the open invoices of a canceled subscription', () => {
  test('stay open but are no longer retried', async () => {
    const { id } = await subscription({}, ['succeed'])
    await twin.advance({ by: '1mo' })
    expect((await cancel(id)).body.status).toBe('canceled')
    const [invoice] = (await twin.get('/v1/invoices')).data
    expect(invoice).toMatchObject({ status: 'open', next_payment_attempt: null, auto_advance: false })
    const events = await eventsOf(twin, () => twin.advance({ by: '1y' }))
    expect(events).toEqual([])
  })

  test('are voided when it was incomplete', async () => {
    const { id } = await subscription({}, [])
    const events = await eventsOf(twin, () => cancel(id))
    expect(typesOf(events)).toEqual(['invoice.voided', 'subscription.deleted'])
    const [invoice] = (await twin.get('/v1/invoices')).data
    expect(invoice).toMatchObject({ status: 'void', status_transitions: { voided_at: NOW } })
    const intent = await twin.get(`/v1/payment_intents/${invoice.payment_intent}`)
    expect(intent).toMatchObject({ status: 'canceled', canceled_at: NOW })
  })
})
