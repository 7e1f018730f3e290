import { describe, expect, test } from 'vitest'
import { asOperator, badState, expectRefusal } from '../http/support.ts'
import type { Body } from '../twin.ts'
import { behind, makeDoor, makeEvents, openShop, type Shop, turns } from '../webhooks/inbox.ts'
import { at, nowOf } from './story.ts'

const NOW = at('2026-01-31T10:00:00Z')

const upcomingOf = async (shop: Shop) => (await shop.get('/v1/test_helpers/upcoming')).data
const pendingOf = async (shop: Shop, id = '') => (await shop.get(`/v1/events/${id}`)).pending_webhooks

describe('resending an event', () => {
  test('sends it again to the endpoints that receive its type, with its own id', async () => {
    const shop = await openShop()
    await shop.endpoint({ url: 'http://a.test/' })
    await shop.endpoint({ url: 'http://b.test/', enabled_events: ['invoice.*'] })
    const [id = ''] = await makeEvents(shop, 1)
    await shop.settled()
    await shop.advance({ by: '1d' })
    const { data } = await shop.post(`/v1/events/${id}/resend`)
    expect(data).toMatchObject([{ event: id, created: NOW + 86_400 }])
    await shop.settled()
    expect(shop.ids('http://a.test/')).toEqual([id, id])
    expect(shop.inbox.received[1]?.headers['webhook-id']).toBe(id)
    expect(shop.inbox.received[1]?.event).toEqual(shop.inbox.received[0]?.event)
    expect(shop.ids('http://b.test/')).toEqual([])
    await shop.post(`/v1/events/${id}/resend`)
    await shop.settled()
    expect(shop.ids('http://a.test/')).toEqual([id, id, id])
  })

  test('sends it to a named endpoint regardless of its types, also to a newer one', async () => {
    const shop = await openShop()
    const [id = ''] = await makeEvents(shop, 1)
    await shop.endpoint({ url: 'http://a.test/' })
    const b = await shop.endpoint({ url: 'http://b.test/', enabled_events: ['invoice.*'] })
    await shop.post(`/v1/events/${id}/resend`, { webhook_endpoint: b.id })
    await shop.settled()
    expect([shop.ids('http://a.test/'), shop.ids('http://b.test/')]).toEqual([[], [id]])
  })

  test('restarts the schedule when it fails', async () => {
    const shop = await openShop()
    const endpoint = await shop.endpoint()
    const [id = ''] = await makeEvents(shop, 1)
    await shop.settled()
    shop.inbox.receive = () => 500
    await shop.post(`/v1/events/${id}/resend`)
    await shop.settled()
    expect(
      (await shop.deliveries(endpoint)).map(({ status, next_attempt }) => [status, next_attempt]),
    ).toEqual([
      ['succeeded', null],
      ['pending', NOW + 5],
    ])
    expect(await pendingOf(shop, id)).toBe(1)
  })
})

describe('retrying now', () => {
  const retry = (shop: Shop, body: Body) => asOperator(shop)('POST', 'webhooks/retry', body)

  /** Two endpoints, each with three deliveries that have failed once. */
  async function failed(): Promise<{ shop: Shop; a: Body; b: Body; events: string[] }> {
    const shop = await openShop()
    shop.inbox.receive = () => 500
    const a = await shop.endpoint({ url: 'http://a.test/' })
    const b = await shop.endpoint({ url: 'http://b.test/' })
    const events = await makeEvents(shop, 3)
    await shop.settled()
    shop.inbox.received.length = 0
    return { shop, a, b, events }
  }

  test('sends one delivery without moving the clock', async () => {
    const { shop, a, events } = await failed()
    const [, delivery] = await shop.deliveries(a)
    const { body } = await retry(shop, { id: delivery?.id })
    expect(body.data).toMatchObject([{ id: delivery?.id, status: 'pending', next_attempt: null }])
    await shop.settled()
    expect([shop.ids('http://a.test/'), shop.ids('http://b.test/')]).toEqual([[events[1]], []])
    expect(await nowOf(shop)).toBe(NOW)
    // It was the second attempt: the gap before the third follows.
    expect((await shop.deliveries(a)).map(({ next_attempt }) => next_attempt - NOW)).toEqual([5, 300, 5])
    expect(await upcomingOf(shop)).toHaveLength(6)
  })

  test('sends those of an endpoint', async () => {
    const { shop, b, events } = await failed()
    shop.inbox.receive = () => 200
    expect((await retry(shop, { id: b.id })).body.data).toHaveLength(3)
    await shop.settled()
    expect(shop.ids('http://a.test/')).toEqual([])
    expect(shop.ids('http://b.test/').toSorted()).toEqual(events)
    expect((await shop.deliveries(b)).map(({ status }) => status)).toEqual(Array(3).fill('succeeded'))
    expect(await upcomingOf(shop)).toHaveLength(3)
  })

  test('sends all, and each of them once', async () => {
    const { shop, events } = await failed()
    const [first, second] = await Promise.all([retry(shop, { all: true }), retry(shop, { all: true })])
    expect([first.body.data.length, second.body.data.length].toSorted()).toEqual([0, 6])
    await shop.settled()
    for (const url of ['http://a.test/', 'http://b.test/']) expect(shop.ids(url).toSorted()).toEqual(events)
    expect(
      (await retry(shop, { all: true, merchant: shop.sandbox.merchant.settings.id })).body.data,
    ).toHaveLength(6)
  })

  test('is refused for a delivery that is finished or being sent', async () => {
    const shop = await openShop()
    const endpoint = await shop.endpoint()
    const door = makeDoor()
    await makeEvents(shop, 1)
    await shop.settled()
    shop.inbox.receive = behind(door)
    await makeEvents(shop, 1)
    await turns()
    for (const { id } of await shop.deliveries(endpoint)) expectRefusal(await retry(shop, { id }), badState())
    door.open()
  })

  test('shows the newest hundred of very many', async () => {
    const shop = await openShop()
    shop.inbox.receive = () => 500
    const endpoint = await shop.endpoint()
    await makeEvents(shop, 130)
    await shop.settled()
    const { body } = await retry(shop, { id: endpoint.id })
    const newest = (await shop.deliveries(endpoint)).reverse().slice(0, 100)
    expect(body.data.map(({ id }: Body) => id)).toEqual(newest.map(({ id }) => id))
    expect(body.has_more).toBe(true)
    await shop.settled()
    expect(shop.ids()).toHaveLength(260)
  })
})

describe('an injected webhook_failure', () => {
  const addFault = (shop: Shop, params: Body) =>
    asOperator(shop)('POST', 'faults', { kind: 'webhook_failure', ...params })

  test('applies as often as its count, as if the receiver had failed', async () => {
    const shop = await openShop()
    const endpoint = await shop.endpoint()
    await addFault(shop, { count: 2 })
    const events = await makeEvents(shop, 3)
    await shop.settled()
    expect(shop.ids()).toEqual(events.slice(2))
    const [struck, , taken] = await shop.deliveries(endpoint)
    expect(struck).toMatchObject({
      status: 'pending',
      attempts: [{ response_status: null, error: expect.stringMatching(/webhook_failure/) }],
      next_attempt: NOW + 5,
    })
    expect(taken?.status).toBe('succeeded')
    await shop.advance({ by: '5s' })
    await shop.settled()
    expect(shop.ids().toSorted()).toEqual(events)
  })

  test('applies at a rate, decided by the seed', async () => {
    const story = async (seed: string) => {
      const shop = await openShop({ seed })
      await shop.endpoint()
      await addFault(shop, { rate: 0.3 })
      const events = await makeEvents(shop, 60)
      await shop.settled()
      return events.map((id, index) => (shop.ids().includes(id) ? '' : String(index))).join(' ')
    }
    const first = await story('5')
    const share = first.trim().split(/\s+/).length / 60
    expect(share).toBeGreaterThan(0.1)
    expect(share).toBeLessThan(0.5)
    expect(await story('5')).toBe(first)
    expect(await story('6')).not.toBe(first)
  })

  test('applies to the given URLs and merchant', async () => {
    const shop = await openShop()
    await shop.endpoint({ url: 'http://a.test/one' })
    await shop.endpoint({ url: 'http://b.test/two' })
    await addFault(shop, { route: 'http://a.test/*' })
    await addFault(shop, { merchant: (await asOperator(shop)('POST', 'merchants', {})).body.id })
    const events = await makeEvents(shop, 3)
    await shop.settled()
    expect([shop.ids('http://a.test/one'), shop.ids('http://b.test/two')]).toEqual([[], events])
  })
})
