import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Addresses } from '../../src/webhooks/address.ts'
import { Sender } from '../../src/webhooks/sender.ts'
import { asOperator } from '../http/support.ts'
import type { Body, Twin } from '../twin.ts'
import { behind, makeDoor, openShop, REFUSED, type Shop } from '../webhooks/inbox.ts'
import { startReceiver } from '../webhooks/sockets.ts'
import { at, bytesOf, historyOf, listAll, nowOf, onTestClock, subscribe, timelineOf } from './story.ts'

const NOW = at('2026-01-31T10:00:00Z')
const FEBRUARY = at('2026-02-28T10:00:00Z')
const MARCH = at('2026-03-31T10:00:00Z')
const APRIL = at('2026-04-30T10:00:00Z')

/** A shop whose receiver calls the API when it receives some event. */
async function openCalling(on: Readonly<Record<string, (shop: Shop, event: Body) => Promise<unknown>>>) {
  const shop = await openShop()
  shop.inbox.receive = async ({ event }) => {
    await on[event.type]?.(shop, event)
    return 200
  }
  await shop.endpoint()
  return shop
}

/** Lists the events of requests during an advance, by type and instant. */
const calledBack = async (shop: Twin, since: number) =>
  (await shop.events())
    .filter(({ request, created }) => request.id !== null && created > since)
    .map(({ type, created }) => [type, created])

const awaiting = (shop: Twin, params: Body) => shop.advance({ ...params, await_webhooks: true })

describe('a receiver that calls back during an advance', () => {
  test('pays a failed invoice at that instant, and no retry follows', async () => {
    const shop = await openCalling({
      'invoice.payment_failed': async (twin, { data }) => {
        const { customer, id } = data.object
        const good = await twin.post('/v1/payment_methods/pm_card_visa/attach', { customer })
        await twin.post(`/v1/subscriptions/${data.object.subscription}`, { default_payment_method: good.id })
        await twin.post(`/v1/invoices/${id}/pay`)
      },
    })
    const { subscription } = await subscribe(shop, { outcomes: ['succeed'], afterwards: 'decline:lost_card' })
    const { summary, now } = await awaiting(shop, { by: '2mo' })
    expect(summary).toMatchObject({ jobs: 2, invoices_paid: 1, payments_failed: 1 })
    expect(now).toBe(MARCH)
    const events = (await shop.events()).filter(({ created }) => created > NOW)
    expect(
      timelineOf(events).filter((line) => /invoice\.(paid|payment_failed)|subscription/.test(line)),
    ).toEqual(
      [
        '2026-02-28T10:00:00Z invoice.payment_failed open #1 next 2026-03-01T10:00:00Z',
        '2026-02-28T10:00:00Z subscription.updated past_due Δ status latest_invoice current_period_start current_period_end',
        '2026-02-28T10:00:00Z subscription.updated past_due Δ default_payment_method',
        '2026-02-28T10:00:00Z invoice.paid paid #1',
        '2026-02-28T10:00:00Z subscription.updated active Δ status',
        '2026-03-31T10:00:00Z invoice.paid paid #1',
        '2026-03-31T10:00:00Z subscription.updated active Δ latest_invoice current_period_start current_period_end',
      ].map((line) => line),
    )
    expect((await shop.get(`/v1/subscriptions/${subscription.id}`)).status).toBe('active')
  })

  test('pays it at that instant of a test clock too, while the main clock stands still', async () => {
    const shop = await openCalling({
      'invoice.payment_failed': async (twin, { data }) => {
        const { customer, id } = data.object
        const good = await twin.post('/v1/payment_methods/pm_card_visa/attach', { customer })
        await twin.post(`/v1/invoices/${id}/pay`, { payment_method: good.id })
      },
    })
    const twin = await onTestClock(shop)
    await subscribe(twin, { outcomes: ['succeed', 'decline:lost_card'] })
    const { summary, now } = await awaiting(twin, { by: '2mo' })
    expect(summary).toMatchObject({ jobs: 2, payments_failed: 1 })
    expect(now).toBe(MARCH)
    expect((await calledBack(shop, NOW)).filter(([type]) => type === 'invoice.paid')).toEqual([
      ['invoice.paid', FEBRUARY],
    ])
    expect(await nowOf(shop)).toBe(NOW)
  })

  test('confirms an intent at that instant', async () => {
    const intents: string[] = []
    const shop = await openCalling({
      'invoice.paid': async (twin, { created }) => {
        if (created === NOW) return
        const intent = await twin.post('/v1/payment_intents', {
          amount: 100,
          currency: 'usd',
          payment_method: 'pm_card_visa',
        })
        intents.push((await twin.post(`/v1/payment_intents/${intent.id}/confirm`)).id)
      },
    })
    await subscribe(shop)
    await awaiting(shop, { by: '3mo' })
    expect(await calledBack(shop, NOW)).toEqual(
      [FEBRUARY, MARCH, APRIL].flatMap((instant) =>
        ['payment_intent.created', 'payment_intent.succeeded', 'charge.succeeded'].map((type) => [
          type,
          instant,
        ]),
      ),
    )
    const created = await Promise.all(intents.map((id) => shop.get(`/v1/payment_intents/${id}`)))
    expect(created.map((intent) => [intent.created, intent.status])).toEqual([
      [FEBRUARY, 'succeeded'],
      [MARCH, 'succeeded'],
      [APRIL, 'succeeded'],
    ])
  })

  test('cancels a subscription, which is not renewed any more', async () => {
    const shop = await openCalling({
      'invoice.paid': async (twin, { created, data }) => {
        if (created === MARCH) await twin.delete(`/v1/subscriptions/${data.object.subscription}`)
      },
    })
    const { subscription } = await subscribe(shop)
    const { summary, now } = await awaiting(shop, { by: '1y' })
    expect(summary).toMatchObject({ jobs: 2, invoices_paid: 2 })
    expect(now).toBe(at('2027-01-31T10:00:00Z'))
    expect(await shop.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({
      status: 'canceled',
      ended_at: MARCH,
    })
  })

  test('changes a subscription, and the change holds from the next renewal', async () => {
    const shop = await openCalling({
      'invoice.paid': async (twin, { created, data }) => {
        if (created !== FEBRUARY) return
        const { subscription } = data.object
        const { items } = await twin.get(`/v1/subscriptions/${subscription}`)
        await twin.post(`/v1/subscriptions/${subscription}`, {
          items: [{ id: items.data[0].id, quantity: 3 }],
        })
      },
    })
    await subscribe(shop)
    await awaiting(shop, { by: '2mo' })
    const invoices = await listAll(shop, '/v1/invoices')
    expect(invoices.map(({ total }) => total)).toEqual([2000, 2000, 6000])
  })

  test('creates jobs that run within the same advance', async () => {
    const shop = await openCalling({
      'invoice.paid': async (twin, { created, data }) => {
        if (created !== FEBRUARY) return
        const { customer, lines } = data.object
        await twin.post('/v1/subscriptions', {
          customer,
          currency: 'usd',
          default_payment_method: data.object.default_payment_method ?? 'pm_card_visa',
          items: [{ price: lines.data[0].price.id ?? lines.data[0].price }],
          trial_period_days: 3,
        })
      },
    })
    await subscribe(shop)
    await awaiting(shop, { by: '2mo' })
    const lines = timelineOf((await shop.events()).filter(({ type }) => type === 'subscription.updated'))
    expect(lines.map((line) => line.split(' Δ')[0])).toEqual([
      '2026-02-28T10:00:00Z subscription.updated active',
      // The trial that the receiver started ends during the advance.
      '2026-03-03T10:00:00Z subscription.updated active',
      '2026-03-31T10:00:00Z subscription.updated active',
    ])
  })

  test('is answered after all its callbacks, however many events they emit', async () => {
    let depth = 0
    const shop = await openCalling({
      'customer.updated': async (twin, { data }) => {
        depth += 1
        if (depth < 10) await twin.post(`/v1/customers/${data.object.id}`, { name: `Name ${depth}` })
      },
      'invoice.paid': async (twin, { created, data }) => {
        if (created > NOW) await twin.post(`/v1/customers/${data.object.customer}`, { name: 'Begin' })
      },
    })
    await subscribe(shop)
    await awaiting(shop, { by: '1mo' })
    expect(depth).toBe(10)
    expect(await calledBack(shop, NOW)).toEqual(Array(10).fill(['customer.updated', FEBRUARY]))
    expect(shop.inbox.underWay).toBe(0)
  })

  test('does not hold time for ever if each callback causes another one', async () => {
    const shop = await openCalling({
      'customer.updated': (twin, { data }) =>
        twin.post(`/v1/customers/${data.object.id}`, { name: `${data.object.name}.` }),
    })
    const { id } = await shop.post('/v1/customers')
    await shop.post(`/v1/customers/${id}`, { name: 'A' })
    expect((await awaiting(shop, { by: '1d' })).now).toBe(NOW + 86_400)
    const { name } = await shop.get(`/v1/customers/${id}`)
    // 200 deliveries were awaited. The next one may have been sent meanwhile.
    expect(name.length).toBeGreaterThanOrEqual(200)
    expect(name.length).toBeLessThan(250)
  })

  test('gives the same history each time', async () => {
    const histories = []
    for (let telling = 0; telling < 3; telling += 1) {
      const shop = await openCalling({
        'invoice.payment_failed': (twin, { data }) =>
          twin.request('POST', `/v1/invoices/${data.object.id}/pay`, { payment_method: 'pm_card_visa' }),
        'subscription.updated': (twin, { data }) =>
          twin.post(`/v1/customers/${data.object.customer}`, { description: data.object.status }),
      })
      for (const outcomes of [
        [],
        ['succeed', 'decline:lost_card'],
        ['succeed', 'succeed', 'decline:lost_card'],
      ]) {
        await subscribe(shop, { outcomes })
      }
      await shop.settled()
      await awaiting(shop, { by: '4mo' })
      histories.push(bytesOf(withoutPending(await historyOf(shop))))
    }
    expect(histories[1]).toEqual(histories[0])
    expect(histories[2]).toEqual(histories[0])
  })
})

type Listed = Awaited<ReturnType<typeof historyOf>>
const withoutPending = (history: Listed): Listed => ({
  ...history,
  events: history.events.map((event) => ({ ...event, pending_webhooks: 0 })),
})

describe('a receiver without callbacks', () => {
  /** Several customers, some of whose cards fail sometimes. */
  async function begin(shop: Twin): Promise<void> {
    for (const outcomes of [
      [],
      ['succeed', 'decline:lost_card'],
      ['succeed', ...Array(9).fill('decline:expired_card')],
    ]) {
      await subscribe(shop, { outcomes })
    }
    await subscribe(shop, { trial_period_days: 10 })
  }

  test.each(['the main clock', 'a test clock'])('does not change the history on %s', async (which) => {
    const histories = []
    const summaries = []
    for (const responses of [null, 200, 500, REFUSED] as const) {
      for (const await_webhooks of [false, true]) {
        const shop = await openShop()
        shop.inbox.receive = () => responses ?? 200
        if (responses !== null) await shop.endpoint()
        const twin = which === 'a test clock' ? await onTestClock(shop) : shop
        await begin(twin)
        await shop.settled()
        const { summary } = await twin.advance({ by: '3mo', await_webhooks })
        if (responses === 200 || responses === null) summaries.push(summary)
        await shop.settled()
        histories.push(bytesOf(withoutPending(await historyOf(twin))))
      }
    }
    expect(histories).toHaveLength(8)
    for (const history of histories) expect(history).toEqual(histories[0])
    for (const summary of summaries) expect(summary).toEqual(summaries[0])
  })

  test('has received every event in order when the advance answers', async () => {
    const shop = await openShop()
    shop.inbox.receive = async () => {
      await turn()
      return 200
    }
    await shop.endpoint()
    await begin(shop)
    await awaiting(shop, { by: '2mo' })
    expect(shop.ids()).toEqual((await shop.events()).map(({ id }) => id))
    expect(shop.inbox.underWay).toBe(0)
  })

  test('sees the clock at the instant of each event', async () => {
    const shop = await openShop()
    const clocks: number[][] = []
    shop.inbox.receive = async ({ event }) => {
      const { now, status } = await shop.get('/v1/test_helpers/clock')
      clocks.push([event.created, now])
      expect(status).toBe(event.created === NOW ? 'ready' : 'advancing')
      return 200
    }
    await shop.endpoint()
    await subscribe(shop, { outcomes: ['succeed', 'decline:lost_card'] })
    await shop.settled()
    await awaiting(shop, { by: '2mo' })
    expect(clocks.length).toBeGreaterThan(20)
    for (const [created, now] of clocks) expect(now).toBe(created)
  })

  test('that never answers slows an advance down, but does not block it', async () => {
    const sender = new Sender(new Addresses({ isExposed: false, allowed: [] }), { timeoutMs: 20 })
    onTestFinished(() => sender.close())
    const silent = await startReceiver(() => undefined)
    const shop = await openShop({ send: sender.send })
    const endpoint = await shop.endpoint({ url: silent.url, enabled_events: ['invoice.paid'] })
    await subscribe(shop)
    await shop.settled()
    const { now } = await awaiting(shop, { by: '1mo' })
    expect(now).toBe(FEBRUARY)
    expect(
      (await shop.deliveries(endpoint)).map(({ status, attempts }) => [status, attempts.length]),
    ).toEqual([
      ['failed', 10],
      ['pending', 1],
    ])
  })

  test('does not delay an advance without await_webhooks', async () => {
    const shop = await openShop()
    const door = makeDoor()
    shop.inbox.receive = behind(door)
    await shop.endpoint()
    await subscribe(shop)
    expect((await shop.advance({ by: '1mo' })).now).toBe(FEBRUARY)
    expect(shop.inbox.received.length).toBeLessThanOrEqual(1)
    door.open()
    await shop.settled()
    expect(shop.ids()).toEqual((await shop.events()).map(({ id }) => id))
  })
})

describe('without endpoints', () => {
  test('await_webhooks changes nothing', async () => {
    const shop = await openShop()
    await shop.endpoint({ enabled_events: ['refund.*'] })
    await subscribe(shop)
    expect((await awaiting(shop, { by: '3mo' })).summary).toMatchObject({ jobs: 3, invoices_paid: 3 })
    expect(shop.inbox.received).toEqual([])
  })

  test.each([['true'], [1], [null]])('await_webhooks that is %j is refused', async (await_webhooks) => {
    const shop = await openShop()
    const { status, body } = await shop.request('POST', '/v1/test_helpers/clock/advance', {
      by: '1d',
      await_webhooks,
    })
    expect([status, body.error.param]).toEqual([400, 'await_webhooks'])
    expect(await nowOf(shop)).toBe(NOW)
  })
})

describe('with stop_on', () => {
  test('the advance answers when the last step’s webhooks have been answered too', async () => {
    const shop = await openShop()
    await shop.endpoint()
    await subscribe(shop, { outcomes: ['succeed', 'succeed', 'decline:lost_card'] })
    await shop.settled()
    shop.inbox.receive = async () => {
      await turn()
      return 200
    }
    const { now, summary } = await awaiting(shop, { by: '1y', stop_on: ['invoice.payment_failed'] })
    expect([now, summary.stopped_on]).toEqual([MARCH, 'invoice.payment_failed'])
    expect(shop.inbox.underWay).toBe(0)
    expect(shop.ids()).toEqual((await shop.events()).map(({ id }) => id))
  })
})

test('the operator’s advance awaits webhooks as well', async () => {
  const shop = await openCalling({
    'invoice.paid': async (twin, { created }) => {
      if (created > NOW) await twin.post('/v1/customers')
    },
  })
  await subscribe(shop)
  await shop.settled()
  const { body } = await asOperator(shop)('POST', 'clock/advance', { by: '2mo', await_webhooks: true })
  expect(body.data[0]).toMatchObject({ now: MARCH })
  expect(await calledBack(shop, NOW)).toEqual([
    ['customer.created', FEBRUARY],
    ['customer.created', MARCH],
  ])
})

test('an advance of a live clock awaits webhooks too, and the clock continues from its target', async () => {
  let wall = NOW * 1_000
  const shop = await openShop({ clock: 'live', wall: () => wall })
  const instants: number[] = []
  await shop.endpoint({ enabled_events: ['invoice.paid'] })
  await subscribe(shop)
  await shop.settled()
  shop.inbox.receive = async () => {
    wall += 7_000
    instants.push((await shop.post('/v1/customers')).created)
    return 200
  }
  expect(await awaiting(shop, { by: '2mo' })).toMatchObject({ mode: 'live', now: MARCH })
  expect(instants).toEqual([FEBRUARY, MARCH])
  wall += 5_000
  expect(await nowOf(shop)).toBe(MARCH + 5)
})
