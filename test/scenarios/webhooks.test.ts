import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSandbox } from '../../src/daemon/sandbox.ts'
import { type Body, clientOf } from '../twin.ts'
import {
  behind,
  makeDoor,
  makeEvents,
  makeInbox,
  openShop,
  REFUSED,
  type Shop,
  shopOf,
  turns,
  URL,
} from '../webhooks/inbox.ts'
import { at, nowOf, subscribe } from './story.ts'

const NOW = at('2026-01-31T10:00:00Z')
const PATH = '/v1/webhook_endpoints'
const GAPS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
/** The attempts of a delivery that always fails, in seconds after the first one. */
const INSTANTS = [0, ...GAPS.map((_, index) => GAPS.slice(0, index + 1).reduce((sum, gap) => sum + gap))]

const upcomingOf = async (shop: Shop) => (await shop.get('/v1/test_helpers/upcoming')).data
const onlyOf = async (shop: Shop, endpoint: Body): Promise<Body> => (await shop.deliveries(endpoint))[0] ?? {}
const pendingOf = async (shop: Shop, id = '') => (await shop.get(`/v1/events/${id}`)).pending_webhooks
const timesOf = ({ attempts }: Body) => attempts.map(({ time }: Body) => time - NOW)

describe('a delivery that fails', () => {
  test('is attempted exactly at its instants on a frozen clock, ten times in all', async () => {
    const shop = await openShop()
    shop.inbox.receive = () => 500
    const endpoint = await shop.endpoint()
    const [id = ''] = await makeEvents(shop, 1)
    await shop.settled()
    for (const [index, gap] of GAPS.entries()) {
      const due = NOW + (INSTANTS[index + 1] ?? 0)
      expect(await upcomingOf(shop)).toMatchObject([{ kind: 'webhook_retry', due, invoice: null }])
      expect((await onlyOf(shop, endpoint)).next_attempt).toBe(due)
      await shop.advance({ to: due - 1 })
      await shop.settled()
      expect(shop.ids()).toHaveLength(index + 1)
      expect(await pendingOf(shop, id)).toBe(1)
      await shop.advance({ to: due })
      await shop.settled()
      expect(shop.ids()).toHaveLength(index + 2)
      expect(gap).toBeGreaterThan(0)
    }
    const delivery = await onlyOf(shop, endpoint)
    expect(delivery).toMatchObject({ status: 'failed', next_attempt: null })
    expect(timesOf(delivery)).toEqual(INSTANTS)
    expect(await upcomingOf(shop)).toEqual([])
    expect(await pendingOf(shop, id)).toBe(0)
    await shop.advance({ by: '1y' })
    await shop.settled()
    expect(new Set(shop.ids())).toEqual(new Set([id]))
    expect(shop.ids()).toHaveLength(10)
  })

  test('is attempted at those instants in one long advance that awaits webhooks', async () => {
    const shop = await openShop()
    shop.inbox.receive = () => REFUSED
    const endpoint = await shop.endpoint()
    await makeEvents(shop, 1)
    await shop.settled()
    const { summary } = await shop.advance({ by: '1mo', await_webhooks: true })
    expect(timesOf(await onlyOf(shop, endpoint))).toEqual(INSTANTS)
    expect(summary).toMatchObject({ jobs: 9, events: 0 })
  })

  test('succeeds at the first attempt after its receiver works again', async () => {
    const shop = await openShop()
    shop.inbox.receive = () => (shop.inbox.received.length < 4 ? 503 : 200)
    const endpoint = await shop.endpoint()
    const [id] = await makeEvents(shop, 1)
    await shop.settled()
    await shop.advance({ by: '1mo', await_webhooks: true })
    const delivery = await onlyOf(shop, endpoint)
    expect(delivery.status).toBe('succeeded')
    expect(delivery.attempts.map(({ response_status }: Body) => response_status)).toEqual([
      503, 503, 503, 200,
    ])
    expect(await pendingOf(shop, id)).toBe(0)
  })

  test('has the same id and event each time, and a signature of the current time', async () => {
    let wall = 1_800_000_000_000
    const shop = await openShop({ wall: () => wall })
    shop.inbox.receive = () => 500
    await shop.endpoint()
    const [id] = await makeEvents(shop, 1)
    await shop.settled()
    wall += 60_000
    await shop.advance({ by: '5s' })
    await shop.settled()
    const [first, second] = shop.inbox.received
    expect([first?.headers['webhook-id'], second?.headers['webhook-id']]).toEqual([id, id])
    expect(second?.body).toBe(first?.body)
    expect([first?.headers['webhook-timestamp'], second?.headers['webhook-timestamp']]).toEqual([
      '1800000000',
      '1800000060',
    ])
  })

  test('is retried on a live clock when it is due', async () => {
    let wall = NOW * 1_000
    const shop = await openShop({ clock: 'live', wall: () => wall })
    shop.inbox.receive = () => 500
    const endpoint = await shop.endpoint()
    await makeEvents(shop, 1)
    await shop.settled()
    for (const [index, gap] of GAPS.entries()) {
      wall += (gap - 1) * 1_000
      await shop.sandbox.engine.runAllDueJobs()
      await shop.settled()
      expect(shop.ids()).toHaveLength(index + 1)
      wall += 1_000
      await shop.sandbox.engine.runAllDueJobs()
      await shop.settled()
      expect(shop.ids()).toHaveLength(index + 2)
    }
    const delivery = await onlyOf(shop, endpoint)
    expect(timesOf(delivery)).toEqual(INSTANTS)
    expect(delivery.status).toBe('failed')
  })

  test('of an event on a test clock is retried on the merchant’s clock', async () => {
    const shop = await openShop()
    shop.inbox.receive = () => 500
    const endpoint = await shop.endpoint()
    const frozen_time = at('2030-01-01T00:00:00Z')
    const clock = await shop.post('/v1/test_helpers/test_clocks', { frozen_time })
    await shop.post('/v1/customers', { test_clock: clock.id })
    await shop.settled()
    const delivery = await onlyOf(shop, endpoint)
    expect(shop.inbox.received[0]?.event.created).toBe(frozen_time)
    expect(delivery).toMatchObject({ created: frozen_time, next_attempt: NOW + 5 })
    expect(timesOf(delivery)).toEqual([0])
    await shop.post(`/v1/test_helpers/test_clocks/${clock.id}/advance`, { by: '1y' })
    await shop.settled()
    expect(shop.ids()).toHaveLength(1)
    await shop.advance({ by: '5s' })
    await shop.settled()
    expect(shop.ids()).toHaveLength(2)
  })

  test('is attempted separately when its time has passed', async () => {
    const shop = await openShop()
    const door = makeDoor()
    shop.inbox.receive = behind(door, 500)
    const endpoint = await shop.endpoint()
    await makeEvents(shop, 1)
    await turns()
    await shop.advance({ by: '1d' })
    door.open()
    await shop.settled()
    expect((await onlyOf(shop, endpoint)).next_attempt).toBe(NOW + 5)
    await shop.advance({ to: NOW + 86_400 })
    await shop.settled()
    expect(timesOf(await onlyOf(shop, endpoint))).toEqual([0, 86_400])
  })
})

describe('an endpoint', () => {
  test('that returns 410 is disabled, and gets nothing until it is enabled', async () => {
    const shop = await openShop()
    const other = await shop.endpoint({ url: 'http://other.test/' })
    const endpoint = await shop.endpoint()
    const door = makeDoor()
    shop.inbox.receive = async ({ url }) => {
      if (url !== URL) return 200
      if (shop.ids().length === 1) return 500
      await door.opened
      return 410
    }
    const events = await makeEvents(shop, 4)
    await turns()
    door.open()
    await shop.settled()
    // The first one waited for a retry, the second one got the 410, two were not sent yet.
    expect(shop.ids()).toEqual(events.slice(0, 2))
    expect((await shop.get(`${PATH}/${endpoint.id}`)).status).toBe('disabled')
    expect(
      (await shop.deliveries(endpoint)).map(({ status, attempts }) => [status, attempts.length]),
    ).toEqual([
      ['discarded', 1],
      ['discarded', 1],
      ['discarded', 0],
      ['discarded', 0],
    ])
    expect(await upcomingOf(shop)).toEqual([])
    await makeEvents(shop, 2)
    await shop.advance({ by: '3d' })
    await shop.settled()
    expect(shop.ids()).toHaveLength(2)
    expect(shop.ids('http://other.test/')).toHaveLength(6)
    expect((await shop.get(`${PATH}/${other.id}`)).status).toBe('enabled')
    shop.inbox.receive = () => 200
    await shop.post(`${PATH}/${endpoint.id}`, { disabled: false })
    const [next] = await makeEvents(shop, 1)
    await shop.settled()
    expect(shop.ids().slice(2)).toEqual([next])
  })

  test.each(['a first attempt', 'a retry'])(
    'is not disabled by a 410 of its former URL to %s',
    async (attempt) => {
      const shop = await openShop()
      const endpoint = await shop.endpoint()
      const door = makeDoor()
      shop.inbox.receive = async ({ url }) => {
        if (url !== URL) return 200
        if (attempt === 'a retry' && shop.ids().length === 1) return 500
        await door.opened
        return 410
      }
      const [event = ''] = await makeEvents(shop, 1)
      await turns()
      if (attempt === 'a retry') await shop.advance({ by: '1h' })
      await turns()
      const waiting = await makeEvents(shop, 1)
      const path = `${PATH}/${endpoint.id}`
      await shop.post(path, { url: 'http://new.test/' })
      door.open()
      await shop.settled()
      expect(await shop.get(path)).toMatchObject({ url: 'http://new.test/', status: 'enabled' })
      await shop.advance({ by: '1d' })
      await shop.settled()
      expect(shop.ids('http://new.test/').sort()).toEqual([event, ...waiting].sort())
      expect((await shop.deliveries(endpoint)).map(({ status }) => status)).toEqual([
        'succeeded',
        'succeeded',
      ])
    },
  )

  test.each([
    ['disabled', (shop: Shop, id: string) => shop.post(`${PATH}/${id}`, { disabled: true })],
    ['deleted', (shop: Shop, id: string) => shop.delete(`${PATH}/${id}`)],
  ])('that is %s discards waiting and queued deliveries', async (_, end) => {
    const shop = await openShop()
    shop.inbox.receive = () => 500
    const endpoint = await shop.endpoint()
    const events = await makeEvents(shop, 3)
    await shop.settled()
    await end(shop, endpoint.id)
    for (const id of events) expect(await pendingOf(shop, id)).toBe(0)
    expect(await upcomingOf(shop)).toEqual([])
    await makeEvents(shop, 1)
    await shop.advance({ by: '1mo' })
    await shop.settled()
    expect(shop.ids()).toEqual(events)
  })

  test('with a refused address reports that at delivery', async () => {
    const inbox = makeInbox()
    const shop = shopOf(clientOf(await openReal(), SECRET_KEY), inbox)
    // Only resolution shows that the name is refused.
    const endpoint = await shop.endpoint({ url: 'http://localhost:9/' })
    await makeEvents(shop, 1)
    await shop.settled()
    const { attempts } = await onlyOf(shop, endpoint)
    expect(attempts[0].error).toMatch(/^localhost resolves to a refused address: .*--webhook-allow/)
  })
})

const SECRET_KEY = 'sk_test_000000000000000000000000'

/** A sandbox beyond loopback that posts for itself. */
async function openReal() {
  const sandbox = await openSandbox({
    database: ':memory:',
    clock: NOW,
    seed: '1',
    secretKey: SECRET_KEY,
    receivers: { isExposed: true, allowed: [] },
  })
  onTestFinished(() => sandbox.close())
  return sandbox
}

describe('pending_webhooks', () => {
  test('counts the endpoints without a successful delivery at the time of the read', async () => {
    const shop = await openShop()
    const doors = { 'http://a.test/': makeDoor(), 'http://b.test/': makeDoor() }
    shop.inbox.receive = async ({ url }) => {
      await doors[url as keyof typeof doors]?.opened
      return url === 'http://b.test/' ? 500 : 200
    }
    await shop.endpoint({ url: 'http://a.test/' })
    const b = await shop.endpoint({ url: 'http://b.test/' })
    await shop.endpoint({ url: 'http://c.test/', enabled_events: ['invoice.*'] })
    const [id] = await makeEvents(shop, 1)
    await turns()
    expect(await pendingOf(shop, id)).toBe(2)
    expect((await shop.events()).map(({ pending_webhooks }) => pending_webhooks)).toEqual([2])
    doors['http://a.test/'].open()
    await turns()
    expect(await pendingOf(shop, id)).toBe(1)
    doors['http://b.test/'].open()
    await shop.settled()
    expect(await pendingOf(shop, id)).toBe(1)
    await shop.delete(`${PATH}/${b.id}`)
    expect(await pendingOf(shop, id)).toBe(0)
  })

  test('is zero without endpoints', async () => {
    const shop = await openShop()
    const [id] = await makeEvents(shop, 1)
    await shop.endpoint()
    expect(await pendingOf(shop, id)).toBe(0)
  })
})

test('deliveries that ran when the process died are sent again at the next start, in order', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paytwin-webhooks-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const database = join(folder, 'paytwin.db')
  const shop = await openShop({ database, secretKey: SECRET_KEY })
  shop.inbox.receive = ({ event }, ended) =>
    event.data.object.name === 'retry'
      ? 500
      : new Promise((resolve) => ended.addEventListener('abort', () => resolve(200)))
  const endpoint = await shop.endpoint()
  await shop.post('/v1/customers', { name: 'retry' })
  await shop.settled()
  const events = await makeEvents(shop, 4)
  await turns()
  await shop.close()

  const inbox = makeInbox()
  const again = shopOf(clientOf(await openSandbox({ database, send: inbox.send }), SECRET_KEY), inbox)
  onTestFinished(() => again.close())
  await again.settled()
  expect(await nowOf(again)).toBe(NOW)
  // The delivery that waits for a retry still waits.
  expect(again.ids()).toEqual(events)
  expect((await again.deliveries(endpoint)).map(({ status, attempts }) => [status, attempts.length])).toEqual(
    [['pending', 1], ...events.map(() => ['succeeded', 1])],
  )
  await again.advance({ by: '5s' })
  await again.settled()
  expect(again.ids()).toHaveLength(5)
})

test('a merchant without endpoints has the same history as one whose receiver never answers', async () => {
  const histories = []
  for (const isListening of [false, true]) {
    const shop = await openShop()
    shop.inbox.receive = () => REFUSED
    if (isListening) await shop.endpoint()
    await subscribe(shop, { outcomes: ['succeed', 'decline:lost_card'] })
    await shop.advance({ by: '3mo' })
    await shop.settled()
    const events = await shop.events()
    histories.push(events.map((event) => JSON.stringify({ ...event, request: null, pending_webhooks: 0 })))
  }
  expect(histories[1]).toEqual(histories[0])
})
