import { describe, expect, test } from 'vitest'
import { formatInstant } from '../../../src/core/calendar.ts'
import { EVENT_TYPES } from '../../../src/core/kinds.ts'
import { openTwin } from '../../scenarios/story.ts'
import { type Body, clientOf, type Twin } from '../../twin.ts'
import {
  anotherMerchant,
  asOperator,
  eventsOf,
  expectRefusal,
  invalid,
  missing,
  typesOf,
  unchanged,
  unknown,
} from '../support.ts'

const NOW = 1_769_853_600

async function pull(twin: Twin, type: string, more: Body = {}): Promise<Body & { requestId: string | null }> {
  const { status, body, headers } = await asOperator(twin)('POST', 'trigger', { type, ...more })
  expect(status).toBe(200)
  return { ...body, requestId: headers.get('Request-Id') }
}

describe('a trigger', () => {
  test.each(EVENT_TYPES)('of %s makes it happen, or says when it will', async (type) => {
    const twin = await openTwin()
    let triggered: Body = {}
    const emitted = await eventsOf(twin, async () => {
      triggered = await pull(twin, type)
    })
    const { events, due, command, requestId } = triggered
    expect(triggered).toMatchObject({
      object: 'trigger',
      type,
      livemode: false,
      merchant_id: twin.sandbox.merchant.settings.id,
    })
    expect(events).toEqual(emitted)
    expect(events.length).toBeGreaterThan(0)
    for (const event of events) {
      expect(event).toMatchObject({ created: NOW, request: { id: requestId, idempotency_key: null } })
    }
    expect((await twin.get('/v1/test_helpers/clock')).now).toBe(NOW)
    expect(typesOf(events).includes(type)).toBe(due === null)
    if (due === null) {
      expect(command).toBe(null)
    } else {
      const [start, merchant] = String(command).split(' --merchant ')
      expect(start).toBe(`paytwin clock advance --to ${formatInstant(due)}`)
      expect(merchant).toMatch(/^mer_\w+$/)
      await twin.advance({ to: due })
      const [newest] = (await twin.get('/v1/events?limit=1')).data
      expect(newest).toMatchObject({ type, created: due })
    }
  })

  test('leaves to the clock only events that only jobs emit', async () => {
    const twin = await openTwin()
    const later = []
    for (const type of EVENT_TYPES) if ((await pull(twin, type)).due !== null) later.push(type)
    expect(later).toEqual([
      'refund.failed',
      'subscription.pending_update_expired',
      'subscription_schedule.expiring',
      'subscription_schedule.completed',
    ])
  })

  test('can be pulled again and again, for new objects each time', async () => {
    const twin = await openTwin()
    const ids = new Set<string>()
    for (let count = 0; count < 5; count += 1) {
      const { events } = await pull(twin, 'invoice.paid')
      const paid = events.find(({ type }: Body) => type === 'invoice.paid')
      ids.add(paid.data.object.id)
    }
    expect(ids.size).toBe(5)
  })

  test('creates ordinary objects, marked with the trigger, that the clock renews', async () => {
    const twin = await openTwin()
    await pull(twin, 'invoice.payment_failed')
    const [subscription] = (await twin.get('/v1/subscriptions')).data
    expect(subscription).toMatchObject({
      status: 'incomplete',
      metadata: { triggered: 'invoice.payment_failed' },
    })
    expect((await twin.get('/v1/test_helpers/upcoming')).data[0]).toMatchObject({
      kind: 'payment_retry',
      subscription: subscription.id,
    })
    const { summary } = await twin.advance({ by: '8d' })
    expect(summary.payments_failed).toBe(4)
  })

  test('is not affected by faults, and does not use them up', async () => {
    const twin = await openTwin()
    for (const kind of ['decline', 'processor_timeout', 'internal_error', 'rate_limit']) {
      await asOperator(twin)('POST', 'faults', { kind, count: 1 })
    }
    const { events } = await pull(twin, 'invoice.paid')
    expect(typesOf(events)).toContain('invoice.paid')
    const { body } = await asOperator(twin)('GET', 'faults')
    expect(body.data.map(({ remaining }: Body) => remaining)).toEqual([1, 1, 1, 1])
  })

  test('is for the merchant that it names, which must be named when there are several', async () => {
    const twin = await openTwin()
    const { merchant, secretKey } = await anotherMerchant(twin)
    const other = clientOf(twin.sandbox, secretKey)
    expectRefusal(await asOperator(twin)('POST', 'trigger', { type: 'price.created' }), missing('merchant'))
    const { events } = await unchanged(twin, () => pull(twin, 'price.created', { merchant: merchant.id }))
    expect(events).toEqual((await other.get('/v1/events')).data)
    expectRefusal(
      await asOperator(twin)('POST', 'trigger', { type: 'price.created', merchant: 'mer_unknown' }),
      unknown('merchant'),
    )
  })

  test('happens on a live clock at the instant that it shows', async () => {
    let wall = NOW * 1_000
    const twin = await openTwin({ clock: 'live', wall: () => wall })
    wall += 90_000
    const { due } = await pull(twin, 'refund.failed')
    expect(due).toBe(NOW + 90 + 60)
    wall += 61_000
    expect(typesOf((await twin.get('/v1/events?type=refund.*')).data)).toEqual([
      'refund.failed',
      'refund.created',
    ])
  })

  test('waits for a running advance, and then runs at its target', async () => {
    const twin = await openTwin()
    await pull(twin, 'subscription.created')
    const { target } = await twin.advance({ by: '1y', async: true })
    const { events } = await pull(twin, 'customer.created')
    expect(events[0].created).toBe(target)
  })
})

test.each<[unknown, RegExp]>([
  [
    'invoice.payed',
    /^Invalid value for type: 'invoice\.payed' is not an event type\. Did you mean invoice\.paid, /,
  ],
  ['customer.subscription.created', /Did you mean subscription\.created, /],
  ['invoice.*', /'invoice\.\*' is not an event type\. Did you mean invoice\./],
  ['zebra', /'zebra' is not an event type\. The types are subscription\.created, .*, product\.updated\b/],
  ['', /'' is not an event type\. The types are /],
  [7, /'7' is not an event type/],
  ['z'.repeat(10_000), /^Invalid value for type: 'z{100}' is not an event type/],
])('the type %j is refused with a suggestion', async (type, message) => {
  const twin = await openTwin()
  const response = await unchanged(twin, () => asOperator(twin)('POST', 'trigger', { type }))
  expectRefusal(response, invalid('type'))
  expect(response.body.error.message).toMatch(message)
})

test('a trigger of nothing is refused', async () => {
  const twin = await openTwin()
  expectRefusal(await asOperator(twin)('POST', 'trigger', {}), missing('type'))
})
