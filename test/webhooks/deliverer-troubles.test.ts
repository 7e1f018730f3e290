import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { discardAllQueued } from '../../src/engine/resources/webhook-delivery.ts'
import { Batch } from '../../src/webhooks/batch.ts'
import { Deliverer } from '../../src/webhooks/deliverer.ts'
import { FairSemaphore } from '../../src/webhooks/turnstile.ts'
import { anotherMerchant } from '../http/support.ts'
import { type Body, clientOf } from '../twin.ts'
import { behind, makeDoor, makeEvents, makeInbox, openShop, type Shop, shopOf, turns } from './inbox.ts'

const NOW = 1769853600
const PATH = '/v1/webhook_endpoints'
afterEach(() => vi.restoreAllMocks())

const statusesOf = (deliveries: readonly Body[]) => deliveries.map(({ status }) => status)

describe('an internal failure', () => {
  /** A deliverer that replaces the sandbox's and fails where the test says. */
  async function failing(failure: { render?: () => void }) {
    const shop = await openShop({ reportError: () => undefined })
    const reports: string[] = []
    const endpoint = await shop.endpoint()
    const inbox = makeInbox()
    const { engine } = shop.sandbox
    const deliverer = new Deliverer({
      engine,
      render: (_, event) => {
        failure.render?.()
        return JSON.stringify({ id: event })
      },
      send: inbox.send,
      version: '0',
      reportError: (_, doing) => reports.push(doing),
    })
    await (engine.outbox.deliveries as Deliverer).close()
    engine.outbox.deliveries = deliverer
    onTestFinished(() => deliverer.close())
    return { shop: shopOf(shop, inbox), endpoint, reports, engine }
  }

  test('with one event is reported, counts as an attempt, and delays no other', async () => {
    let rendered = 0
    const { shop, reports, endpoint } = await failing({
      render: () => {
        rendered += 1
        if (rendered === 2) throw new Error('it cannot be shown')
      },
    })
    const [first, bad, third] = await makeEvents(shop, 3)
    await shop.settled()
    expect(shop.ids()).toEqual([first, third])
    expect(reports).toEqual([`delivering ${bad} to ${endpoint.id}`])
    const [, delivery] = await shop.deliveries(endpoint)
    expect(delivery).toMatchObject({
      event: bad,
      status: 'pending',
      attempts: [{ response_status: null, error: expect.stringMatching(/internal error in paytwin/) }],
      next_attempt: NOW + 5,
    })
    await shop.advance({ by: '5s' })
    await shop.settled()
    expect(shop.ids()).toEqual([first, third, bad])
  })

  test('to record an attempt is reported; the delivery is sent again later, not at once', async () => {
    const { shop, reports, engine, endpoint } = await failing({})
    const record = engine.record.bind(engine)
    let isBroken = true
    engine.record = (merchant, run) =>
      isBroken ? Promise.reject(new Error('disk full')) : record(merchant, run)
    const [first] = await makeEvents(shop, 1)
    await shop.settled()
    await turns()
    expect(shop.ids()).toEqual([first])
    expect(reports).toEqual([expect.stringMatching(/^recording the delivery of evt_/)])
    isBroken = false
    const [second] = await makeEvents(shop, 1)
    await shop.settled()
    expect(shop.ids()).toEqual([first, first, second])
    expect(statusesOf(await shop.deliveries(endpoint))).toEqual(['succeeded', 'succeeded'])
  })

  test('to record attempts sends no further events until later, and then all in order', async () => {
    const { shop, engine, reports } = await failing({})
    const record = engine.record.bind(engine)
    let isBroken = true
    engine.record = (merchant, run) =>
      isBroken ? Promise.reject(new Error('disk full')) : record(merchant, run)
    let respond = () => {}
    const first = new Promise<void>((resolve) => {
      respond = resolve
    })
    shop.inbox.receive = async () => {
      await first
      await delay(2)
      return 200
    }
    const events = await makeEvents(shop, 100)
    respond()
    await shop.settled()
    expect(shop.ids().length).toBeLessThan(60)
    expect(reports.length).toBeLessThan(60)
    shop.inbox.received.length = 0
    shop.inbox.receive = () => 200
    isBroken = false
    ;(engine.outbox.deliveries as Deliverer).sendReady()
    await shop.settled()
    expect(shop.ids()).toEqual(events)
  })

  test.each([0, 1])(
    'after %i events, when the disk cannot be read, is reported; all goes out later, in order',
    async (sent) => {
      const { shop, reports, engine, endpoint } = await failing({})
      const { deliveries } = engine.store
      const nextNew = deliveries.nextNew.bind(deliveries)
      let isBroken = sent === 0
      vi.spyOn(deliveries, 'nextNew').mockImplementation((...place) => {
        if (isBroken) throw new Error('disk I/O error')
        return nextNew(...place)
      })
      shop.inbox.receive = () => {
        isBroken = sent === 1
        return 200
      }
      const events = await makeEvents(shop, 3)
      await shop.settled()
      await turns()
      expect(shop.ids()).toEqual(events.slice(0, sent))
      expect(new Set(reports)).toEqual(new Set([`reading the deliveries to ${endpoint.id}`]))
      sent = 2
      isBroken = false
      ;(engine.outbox.deliveries as Deliverer).sendReady()
      await shop.settled()
      expect(shop.ids()).toEqual(events)
      expect(statusesOf(await shop.deliveries(endpoint))).toEqual(['succeeded', 'succeeded', 'succeeded'])
    },
  )

  test('to record a retry does not send it repeatedly', async () => {
    const { shop, engine } = await failing({})
    shop.inbox.receive = () => 500
    const [id] = await makeEvents(shop, 1)
    await shop.settled()
    engine.record = () => Promise.reject(new Error('disk full'))
    await shop.advance({ by: '5s' })
    await turns(50)
    expect(shop.ids()).toEqual([id, id])
  })
})

describe('a delivery whose body is awaited', () => {
  /** An event whose body is being written. */
  async function rendering() {
    const shop = await openShop()
    const { engine } = shop.sandbox
    await (engine.outbox.deliveries as Deliverer).close()
    const inbox = makeInbox()
    const door = makeDoor()
    const deliverer = new Deliverer({
      engine,
      render: async (_, id) => {
        await door.opened
        return JSON.stringify({ id })
      },
      send: inbox.send,
      version: '0',
      reportError: () => undefined,
    })
    engine.outbox.deliveries = deliverer
    onTestFinished(() => deliverer.close())
    const endpoint = await shop.endpoint()
    const [id] = await makeEvents(shop, 1)
    await turns()
    return { shop: shopOf(shop, inbox), endpoint, path: `${PATH}/${endpoint.id}`, door, id }
  }

  test('ends at once if its endpoint is deleted meanwhile, and is not sent', async () => {
    const { shop, path, door } = await rendering()
    await shop.delete(path)
    await shop.settled()
    door.open()
    await turns()
    expect(shop.ids()).toEqual([])
  })

  test('is not sent if its endpoint is disabled meanwhile, even if it is enabled again', async () => {
    const { shop, path, door } = await rendering()
    await shop.post(path, { disabled: true })
    await shop.post(path, { disabled: false })
    door.open()
    await shop.settled()
    expect(shop.ids()).toEqual([])
  })

  test('has the duration of its post alone', async () => {
    const { shop, endpoint, door } = await rendering()
    const measure = process.hrtime
    const later = vi.spyOn(process, 'hrtime')
    later.mockImplementation(() => {
      const [seconds, nanoseconds] = measure()
      return [seconds + 60, nanoseconds]
    })
    door.open()
    await shop.settled()
    const [delivery] = await shop.deliveries(endpoint)
    expect(delivery?.attempts[0].duration_ms).toBeLessThan(60_000)
  })

  test('is sent to the current URL', async () => {
    const { shop, path, door, id } = await rendering()
    await shop.post(path, { url: 'http://moved.test/' })
    door.open()
    await shop.settled()
    expect([shop.ids(), shop.ids('http://moved.test/')]).toEqual([[], [id]])
  })
})

test('endpoints that are created and deleted again and again leave no attempts behind', async () => {
  const shop = await openShop()
  const open = new Set<AbortSignal>()
  shop.inbox.receive = (_, ended) => {
    open.add(ended)
    ended.addEventListener('abort', () => open.delete(ended))
    return new Promise<number>(() => undefined)
  }
  for (let cycle = 0; cycle < 3; cycle += 1) {
    const endpoints = await Promise.all(Array.from({ length: 10 }, () => shop.endpoint()))
    await makeEvents(shop, 1)
    await turns()
    expect(open.size).toBe(10)
    for (const { id } of endpoints) await shop.delete(`${PATH}/${id}`)
    await turns()
    expect(open.size).toBe(0)
  }
  await shop.settled()
  expect(shop.inbox.received).toHaveLength(30)
})

describe('many waiting deliveries', () => {
  /** A shop whose deliverer allows this many simultaneous retries. */
  async function withRetries(maxRetries: number, ensured = 0) {
    const shop = await openShop()
    const { engine } = shop.sandbox
    await (engine.outbox.deliveries as Deliverer).close()
    const inbox = makeInbox()
    const render = (_: unknown, id: string) => JSON.stringify({ id })
    const reportError = () => undefined
    const deliverer = new Deliverer({
      engine,
      render,
      send: inbox.send,
      version: '0',
      retries: new FairSemaphore(maxRetries, { ensured }),
      reportError,
    })
    engine.outbox.deliveries = deliverer
    onTestFinished(() => deliverer.close())
    return shopOf(shop, inbox)
  }

  test('retries take a bounded share, and every endpoint gets its turn', async () => {
    const shop = await withRetries(8)
    const { inbox } = shop
    inbox.receive = () => 500
    for (let count = 0; count < 40; count += 1) await shop.endpoint({ url: `http://${count}.test/` })
    const events = await makeEvents(shop, 10)
    await shop.settled()
    inbox.received.length = 0
    inbox.mostUnderWay = 0
    inbox.receive = async () => {
      await turn()
      return 200
    }
    await shop.advance({ by: '5s' })
    await shop.settled()
    expect(inbox.received).toHaveLength(400)
    expect(inbox.mostUnderWay).toBe(6)
    for (let count = 0; count < 40; count += 1) {
      expect(shop.ids(`http://${count}.test/`).sort()).toEqual([...events].sort())
    }
  })

  test('of a merchant do not wait for those of another one that take all places', async () => {
    const shop = await withRetries(1, 1)
    shop.inbox.receive = () => 500
    await shop.endpoint({ url: 'http://a.test/' })
    await makeEvents(shop, 1)
    const other = clientOf(shop.sandbox, (await anotherMerchant(shop)).secretKey)
    await other.post(PATH, { url: 'http://b.test/', enabled_events: ['*'] })
    await makeEvents(other, 1)
    await turns()
    shop.inbox.received.length = 0
    shop.inbox.receive = ({ url }) => (url === 'http://a.test/' ? new Promise(() => undefined) : 200)
    await shop.advance({ by: '5s' })
    await turns()
    await other.advance({ by: '5s' })
    await turns()
    expect(shop.inbox.received.map(({ url }) => url)).toEqual(['http://a.test/', 'http://b.test/'])
  })

  test('that wait for a turn end at once if their endpoint is deleted', async () => {
    const shop = await withRetries(1)
    shop.inbox.receive = () => 500
    await shop.endpoint({ url: 'http://a.test/' })
    await makeEvents(shop, 1)
    const other = clientOf(shop.sandbox, (await anotherMerchant(shop)).secretKey)
    const { id } = await other.post(PATH, { url: 'http://b.test/', enabled_events: ['*'] })
    await makeEvents(other, 1)
    await turns()
    shop.inbox.receive = () => new Promise(() => undefined)
    await shop.advance({ by: '5s' })
    await turns()
    await other.advance({ by: '5s' })
    await turns()
    expect(shop.inbox.received.map(({ url }) => url)).toEqual([
      'http://a.test/',
      'http://b.test/',
      'http://a.test/',
    ])
    await other.delete(`${PATH}/${id}`)
    const { merchants, outbox } = shop.sandbox.engine
    const owner = [...merchants.values()].at(-1)
    if (owner) await outbox.settled(owner)
    expect(shop.inbox.underWay).toBe(1)
  })

  test('that wait for a turn are not sent if they were discarded in the meantime', async () => {
    const shop = await withRetries(1)
    const { inbox } = shop
    inbox.receive = () => 500
    await shop.endpoint({ url: 'http://a.test/' })
    const second = await shop.endpoint({ url: 'http://b.test/' })
    await makeEvents(shop, 1)
    await shop.settled()
    inbox.received.length = 0
    const door = makeDoor()
    inbox.receive = behind(door)
    await shop.advance({ by: '5s' })
    await turns()
    await shop.post(`${PATH}/${second.id}`, { disabled: true })
    await shop.post(`${PATH}/${second.id}`, { disabled: false })
    door.open()
    await shop.settled()
    expect(inbox.received.map(({ url }) => url)).toEqual(['http://a.test/'])
  })
})

describe('receivers that do not answer', () => {
  const HANGING = /^http:\/\/hanging/
  const never = new Promise<number>(() => undefined)

  /** A shop with the maximum number of endpoints, each of which has a first attempt and several retries running. */
  async function hangingShop(): Promise<Shop> {
    const shop = await openShop()
    shop.inbox.receive = () => 500
    for (let count = 0; count < 49; count += 1) await shop.endpoint({ url: `http://hanging-${count}.test/` })
    await makeEvents(shop, 5)
    await shop.settled()
    shop.inbox.receive = ({ url }) => (HANGING.test(url) ? never : 200)
    await shop.advance({ by: '5s' })
    await makeEvents(shop, 1)
    await turns()
    expect(shop.inbox.underWay).toBe(150 + 49)
    return shop
  }

  test('delay neither the first attempts nor the retries of another merchant', async () => {
    const shop = await hangingShop()
    const other = clientOf(shop.sandbox, (await anotherMerchant(shop)).secretKey)
    const url = 'http://other.test/'
    await other.post(PATH, { url, enabled_events: ['*'] })
    const events = await makeEvents(other, 20)
    await turns()
    expect(shop.ids(url)).toEqual(events)
    const { receive } = shop.inbox
    shop.inbox.receive = (received, ended) => (received.url === url ? 500 : receive(received, ended))
    const [failed] = await makeEvents(other, 1)
    await turns()
    shop.inbox.receive = receive
    await other.advance({ by: '5s' })
    await turns()
    expect(shop.ids(url)).toEqual([...events, failed, failed])
  })

  test('delay no first attempt at another endpoint of their merchant', async () => {
    const shop = await hangingShop()
    await shop.endpoint()
    const events = await makeEvents(shop, 20)
    await turns()
    expect(shop.ids()).toEqual(events)
  })
})

describe('replaced contents', () => {
  test('send none of their queued deliveries', async () => {
    const shop = await openShop()
    shop.inbox.receive = () => 500
    const endpoint = await shop.endpoint()
    const other = clientOf(shop.sandbox, (await anotherMerchant(shop)).secretKey)
    await other.post(PATH, { url: 'http://other.test/', enabled_events: ['*'] })
    await makeEvents(shop, 3)
    await makeEvents(other, 2)
    await turns()
    shop.inbox.receive = () => 200
    const deliveries = await shop.deliveries(endpoint)
    await shop.post(`/v1/events/${deliveries[0]?.event}/resend`)
    await shop.settled()
    expect((await shop.get('/v1/test_helpers/upcoming')).data).toHaveLength(3)
    const sent = shop.inbox.received.length
    const { engine } = shop.sandbox
    await engine.operatorCommand(() => discardAllQueued(engine.store))
    expect(statusesOf(await shop.deliveries(endpoint))).toEqual([
      'discarded',
      'discarded',
      'discarded',
      'succeeded',
    ])
    for (const twin of [shop, other]) {
      expect((await twin.get('/v1/test_helpers/upcoming')).data).toEqual([])
      await twin.advance({ by: '1d' })
    }
    await turns()
    expect(shop.inbox.received).toHaveLength(sent)
    for (const { pending_webhooks } of await shop.events()) expect(pending_webhooks).toBe(0)
    const [next] = await makeEvents(shop, 1)
    await shop.settled()
    expect(shop.ids().at(-1)).toBe(next)
  })

  test('drop a response that is not recorded yet', async () => {
    const shop = await openShop()
    const deliverer = shop.sandbox.engine.outbox.deliveries as Deliverer
    const endpoint = await shop.endpoint()
    const door = makeDoor()
    shop.inbox.receive = async () => {
      if (shop.inbox.received.length === 2) await door.opened
      return 200
    }
    // The first one is answered, and waits to be recorded together with the second.
    const recording = makeDoor()
    vi.spyOn(Batch.prototype, 'join').mockImplementationOnce(() => recording.opened)
    await Promise.all([shop.post('/v1/customers'), shop.post('/v1/customers')])
    while (shop.inbox.received.length < 2) await turn()
    deliverer.restart()
    recording.open()
    await shop.settled()
    expect((await shop.deliveries(endpoint)).map(({ attempts }) => attempts.length)).toEqual([1, 1])
    expect(shop.inbox.received).toHaveLength(4)
  })

  test('abort running deliveries, which are not recorded', async () => {
    const shop = await openShop()
    const deliverer = shop.sandbox.engine.outbox.deliveries as Deliverer
    const endpoint = await shop.endpoint()
    let broken = 0
    shop.inbox.receive = (_, ended) =>
      new Promise((resolve) => {
        ended.addEventListener('abort', () => {
          broken += 1
          resolve(200)
        })
      })
    const events = await makeEvents(shop, 2)
    await turns()
    shop.inbox.receive = () => 200
    deliverer.restart()
    await shop.settled()
    expect(broken).toBe(1)
    expect(shop.ids()).toEqual([events[0], ...events])
    const deliveries = await shop.deliveries(endpoint)
    expect(deliveries.map(({ status, attempts }) => [status, attempts.length])).toEqual([
      ['succeeded', 1],
      ['succeeded', 1],
    ])
  })
})
