import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { verifySignature } from '../../src/webhooks/signature.ts'
import { anotherMerchant } from '../http/support.ts'
import { type Body, clientOf, makePrice } from '../twin.ts'
import { behind, makeDoor, makeEvents, openShop, REFUSED, type Shop, turns, URL } from './inbox.ts'

const NOW = 1769853600
const PATH = '/v1/webhook_endpoints'
const statusesOf = (deliveries: readonly Body[]) => deliveries.map(({ status }) => status)
const repeated = (ids: readonly string[]) => ids.filter((id, index) => ids.indexOf(id) !== index)

test('those who wait for one attempt continue in turns of the merchant', async () => {
  const shop = await openShop()
  const door = makeDoor()
  shop.inbox.receive = behind(door)
  await shop.endpoint()
  await makeEvents(shop, 1)
  const { engine, merchant } = shop.sandbox
  let continued = 0
  const waiting = Array.from({ length: 5 }, () =>
    shop.settled().then(() => {
      continued += 1
    }),
  )
  await turns()
  const { reads } = engine
  const nextTurn = reads.next.bind(reads)
  const next = vi.spyOn(reads, 'next')
  next.mockImplementationOnce(nextTurn).mockImplementationOnce(() => new Promise(() => {}))
  onTestFinished(() => next.mockRestore())
  door.open()
  await Promise.all(waiting.slice(1))
  // The first one has no turn yet. The first turn of all found that the attempt had ended.
  expect(continued).toBe(4)
  expect(next.mock.calls.filter(([owner]) => owner === merchant)).toHaveLength(6)
})

describe('an event', () => {
  test('is sent as the API shows it, with both signatures and the time of the wall clock', async () => {
    const wall = 1_800_000_000_000
    const shop = await openShop({ wall: () => wall, version: '1.2.3' })
    const { secret } = await shop.endpoint()
    const [id] = await makeEvents(shop, 1)
    await shop.settled()
    const [letter] = shop.inbox.received
    expect(shop.inbox.received).toHaveLength(1)
    expect(letter).toMatchObject({
      url: URL,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'paytwin/1.2.3',
        'webhook-id': id,
        'webhook-timestamp': '1800000000',
        'paytwin-signature': expect.stringMatching(/^t=1800000000,v1=[0-9a-f]{64}$/),
        'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      },
    })
    expect(letter?.event).toEqual({ ...(await shop.get(`/v1/events/${id}`)), pending_webhooks: 1 })
    const { body = '', headers = {} } = letter ?? {}
    expect(verifySignature(secret, { body, headers }, { now: 1_800_000_000 }).isValid).toBe(true)
    expect(JSON.parse(body)).toEqual(letter?.event)
  })

  test('is sent to the endpoints that receive its type, and to no others', async () => {
    const shop = await openShop()
    const wants = (name: string, ...enabled_events: string[]) =>
      shop.endpoint({ url: `http://${name}.test/`, enabled_events })
    await wants('all', '*')
    await wants('customers', 'customer.*')
    await wants('created', '*.created')
    await wants('both', 'customer.created', 'customer.*', '*')
    await wants('none', 'refund.*')
    const off = await wants('off', '*')
    await shop.post(`${PATH}/${off.id}`, { disabled: true })
    const gone = await wants('gone', '*')
    await shop.delete(`${PATH}/${gone.id}`)
    const { id } = await shop.post('/v1/customers')
    await shop.post(`/v1/customers/${id}`, { name: 'Ada' })
    await shop.post('/v1/products', { name: 'Pro' })
    await shop.settled()
    const got = (name: string) =>
      shop.inbox.received.filter(({ url }) => url === `http://${name}.test/`).map(({ event }) => event.type)
    const all = ['customer.created', 'customer.updated', 'product.created']
    expect(got('all')).toEqual(all)
    expect(got('customers')).toEqual(['customer.created', 'customer.updated'])
    expect(got('created')).toEqual(['customer.created', 'product.created'])
    expect(got('both')).toEqual(all)
    for (const name of ['none', 'off', 'gone']) expect(got(name)).toEqual([])
  })

  test('of another merchant is sent to that merchant’s endpoints', async () => {
    const shop = await openShop()
    const { secretKey } = await anotherMerchant(shop)
    const other = clientOf(shop.sandbox, secretKey)
    await shop.endpoint()
    await other.post(PATH, { url: 'http://other.test/', enabled_events: ['*'] })
    const [mine] = await makeEvents(shop, 1)
    const [theirs] = await makeEvents(other, 1)
    await turns()
    expect([shop.ids(), shop.ids('http://other.test/')]).toEqual([[mine], [theirs]])
  })

  test('that was rolled back is never sent', async () => {
    const shop = await openShop()
    await shop.endpoint()
    const { id: price } = await makePrice(shop)
    const { id: customer } = await shop.post('/v1/customers')
    const refused = await shop.request('POST', '/v1/subscriptions', {
      customer,
      currency: 'usd',
      default_payment_method: 'pm_card_chargeDeclined',
      items: [{ price }],
      payment_behavior: 'error_if_incomplete',
    })
    expect(refused.status).toBe(402)
    await shop.settled()
    expect(shop.inbox.received.map(({ event }) => event.type)).toEqual(['price.created', 'customer.created'])
  })

  test('is sent after its commit, and its request does not wait for it', async () => {
    const shop = await openShop()
    const door = makeDoor()
    shop.inbox.receive = behind(door)
    await shop.endpoint()
    const events = await makeEvents(shop, 5)
    await turns()
    expect(shop.ids()).toEqual(events.slice(0, 1))
    door.open()
    await shop.settled()
    expect(shop.ids()).toEqual(events)
  })
})

describe('first attempts', () => {
  test('are sent one at a time, in order, to each endpoint separately', async () => {
    const shop = await openShop()
    const atOnce = new Map<string, number>()
    shop.inbox.receive = async ({ url }) => {
      atOnce.set(url, (atOnce.get(url) ?? 0) + 1)
      expect(atOnce.get(url)).toBe(1)
      await turn()
      atOnce.set(url, (atOnce.get(url) ?? 0) - 1)
      return 200
    }
    const urls = ['http://a.test/', 'http://b.test/', 'http://c.test/']
    for (const url of urls) await shop.endpoint({ url })
    const events = await makeEvents(shop, 100)
    await shop.settled()
    for (const url of urls) expect(shop.ids(url)).toEqual(events)
    expect(shop.inbox.mostUnderWay).toBeGreaterThan(1)
  })

  test('continue after one that fails', async () => {
    const shop = await openShop()
    shop.inbox.receive = () => (shop.inbox.received.length % 3 === 0 ? REFUSED : 200)
    const endpoint = await shop.endpoint()
    const events = await makeEvents(shop, 30)
    await shop.settled()
    expect(shop.ids()).toEqual(events)
    const deliveries = await shop.deliveries(endpoint)
    expect(statusesOf(deliveries)).toEqual(
      events.map((_, index) => (index % 3 === 2 ? 'pending' : 'succeeded')),
    )
    expect(deliveries.every(({ attempts }) => attempts.length === 1)).toBe(true)
  })

  test('of one endpoint do not wait for another that is slow', async () => {
    const shop = await openShop()
    const door = makeDoor()
    const slow = 'http://slow.test/'
    shop.inbox.receive = async ({ url }) => {
      if (url === slow) await door.opened
      return 200
    }
    await shop.endpoint()
    await shop.endpoint({ url: slow })
    const events = await makeEvents(shop, 20)
    await turns(60)
    expect(shop.ids()).toEqual(events)
    expect(shop.ids(slow)).toEqual(events.slice(0, 1))
    door.open()
    await shop.settled()
    expect(shop.ids(slow)).toEqual(events)
  })

  test('do not wait for retries', async () => {
    const shop = await openShop()
    const door = makeDoor()
    let isFailing = true
    shop.inbox.receive = async ({ event }) => {
      if (isFailing) return 500
      if (known.has(event.id)) await door.opened
      return 200
    }
    await shop.endpoint()
    const known = new Set(await makeEvents(shop, 10))
    await shop.settled()
    isFailing = false
    await shop.advance({ by: '5s' })
    await turns()
    // Four retries run at a time, beside the first attempts.
    expect(shop.inbox.underWay).toBe(4)
    const fresh = await makeEvents(shop, 10)
    await turns(60)
    expect(shop.ids().filter((id) => !known.has(id))).toEqual(fresh)
    expect(shop.inbox.underWay).toBe(4)
    door.open()
    await shop.settled()
    expect(shop.ids()).toHaveLength(30)
    expect(shop.inbox.mostUnderWay).toBe(5)
  })
})

describe('a running attempt', () => {
  /** A delivery that waits at a door, with its endpoint. */
  async function waiting(): Promise<{
    shop: Shop
    endpoint: Body
    door: ReturnType<typeof makeDoor>
    id: string
  }> {
    const shop = await openShop()
    const door = makeDoor()
    shop.inbox.receive = behind(door, 500)
    const endpoint = await shop.endpoint()
    const [id = ''] = await makeEvents(shop, 1)
    await turns()
    expect(shop.ids()).toEqual([id])
    return { shop, endpoint, door, id }
  }

  test('is not repeated when the endpoint is woken', async () => {
    const { shop, door, id } = await waiting()
    await makeEvents(shop, 3)
    await shop.sandbox.engine.runAllDueJobs()
    await turns()
    expect(shop.ids()).toEqual([id])
    door.open()
    await shop.settled()
    expect(repeated(shop.ids())).toEqual([])
  })

  test('of an endpoint that is deleted is aborted and not recorded, and none follows', async () => {
    const { shop, endpoint, id } = await waiting()
    const [later] = await makeEvents(shop, 1)
    const { deliveries } = shop.sandbox.engine.store
    await shop.delete(`${PATH}/${endpoint.id}`)
    await shop.settled()
    expect(shop.ids()).toEqual([id])
    const found = deliveries.list(1, [{ field: 'endpoint', is: endpoint.id }], { limit: 10 })
    expect(found.map(({ event, status, attempts }) => [event, status, attempts.length])).toEqual([
      [later, 'discarded', 0],
      [id, 'discarded', 0],
    ])
    expect((await shop.get('/v1/test_helpers/upcoming')).data).toEqual([])
  })

  test('of an endpoint that is disabled and enabled again is not sent again', async () => {
    const { shop, endpoint, door, id } = await waiting()
    await shop.post(`${PATH}/${endpoint.id}`, { disabled: true })
    await shop.post(`${PATH}/${endpoint.id}`, { disabled: false })
    const [later = ''] = await makeEvents(shop, 1)
    door.open()
    await shop.settled()
    expect(shop.ids()).toEqual([id, later])
    expect((await shop.deliveries(endpoint)).map(({ event, status }) => [event, status])).toEqual([
      [id, 'discarded'],
      [later, 'pending'],
    ])
  })

  test('uses the URL of the endpoint at its beginning; the next one the current URL', async () => {
    const { shop, endpoint, door, id } = await waiting()
    await shop.post(`${PATH}/${endpoint.id}`, { url: 'http://moved.test/' })
    const [later] = await makeEvents(shop, 1)
    door.open()
    await shop.settled()
    expect(shop.ids()).toEqual([id])
    expect(shop.ids('http://moved.test/')).toEqual([later])
  })

  test('is aborted when the sandbox is closed, and sent again when it is opened', async () => {
    const shop = await openShop()
    let broken = 0
    shop.inbox.receive = (_, ended) =>
      new Promise((resolve) => {
        ended.addEventListener('abort', () => {
          broken += 1
          resolve(REFUSED)
        })
      })
    await shop.endpoint()
    await makeEvents(shop, 3)
    await turns()
    await shop.close()
    expect([broken, shop.inbox.received.length]).toEqual([1, 1])
  })
})

describe('closing', () => {
  test.each([1, 30])('with %s retries in progress aborts them, and starts none', async (count) => {
    const shop = await openShop()
    let isFailing = true
    shop.inbox.receive = (_, ended) =>
      isFailing
        ? 500
        : new Promise((resolve) => ended.addEventListener('abort', () => resolve(REFUSED), { once: true }))
    await shop.endpoint()
    await makeEvents(shop, count)
    await shop.settled()
    isFailing = false
    await shop.advance({ by: '5s' })
    await turns()
    expect(shop.inbox.underWay).toBe(Math.min(4, count))
    await shop.close()
    await turns()
    expect(shop.inbox.received).toHaveLength(count + Math.min(4, count))
    expect(shop.inbox.underWay).toBe(0)
  })

  test('twice has no further effect', async () => {
    const shop = await openShop()
    await shop.endpoint()
    await makeEvents(shop, 3)
    await Promise.all([shop.close(), shop.close()])
  })
})

test('events of one request are sent in order, whatever their number', async () => {
  const shop = await openShop()
  await shop.endpoint()
  const { id: price } = await makePrice(shop)
  const { id: customer } = await shop.post('/v1/customers')
  await shop.post('/v1/subscriptions', {
    customer,
    currency: 'usd',
    default_payment_method: 'pm_card_visa',
    items: [{ price }],
  })
  await shop.advance({ by: '3mo' })
  await shop.settled()
  const events = await shop.events()
  expect(events.length).toBeGreaterThan(20)
  expect(shop.ids()).toEqual(events.map(({ id }) => id))
  expect(events.at(-1)?.created).toBeGreaterThan(NOW)
})
