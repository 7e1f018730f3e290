import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Body, clientOf, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import {
  anotherMerchant,
  expectRefusal,
  expectUnauthenticated,
  idsOf,
  invalid,
  openStream,
  type Stream,
  unknown,
} from './support.ts'

let twin: Twin
const streams: Stream[] = []
beforeEach(async () => {
  twin = await startTwin()
})
afterEach(async () => {
  for (const stream of streams.splice(0)) await stream.close()
  await twin.close()
})

async function open(...given: [path?: string, headers?: Record<string, string>]): Promise<Stream> {
  const stream = await openStream(twin, ...given)
  streams.push(stream)
  return stream
}

const name = (text: string) => twin.post('/v1/customers', { name: text })
const namesOf = (taken: Awaited<ReturnType<Stream['take']>>) => taken.map(({ data }) => data.data.object.name)
const newestEvent = async (): Promise<Body> => (await twin.get('/v1/events?limit=1')).data[0]

const STREAM = { Accept: 'text/event-stream' }

describe('a live stream', () => {
  test('has the content type of server-sent events and is not cached', async () => {
    const { response } = await open()
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toMatch(/^text\/event-stream/)
    expect(response.headers.get('Cache-Control')).toMatch(/no-store|no-cache/)
  })

  test('sends a comment at once, so that the client knows it is open', async () => {
    const response = await twin.sandbox.app.request('/v1/events', {
      headers: { Authorization: `Bearer ${twin.secretKey}`, ...STREAM },
    })
    const reader = response.body?.getReader()
    const { value } = (await reader?.read()) ?? {}
    expect(new TextDecoder().decode(value)).toMatch(/^:.*\n\n$/)
    await reader?.cancel()
  })

  test('sends new events, each with its type and id', async () => {
    await name('before')
    const stream = await open()
    await name('one')
    await name('two')
    const taken = await stream.take(2)
    const { data } = await twin.get('/v1/events?limit=2')
    expect(taken.map((event) => event.data)).toEqual(data.reverse())
    expect(taken.map(({ event, id }) => [event, id])).toEqual(data.map(({ type, id }: Body) => [type, id]))
    expect(namesOf(taken)).toEqual(['one', 'two'])
  })

  test('sends all events of a request in order, and those of the clock', async () => {
    const price = await makePrice(twin)
    const { customer, method } = await makeCustomer(twin)
    const stream = await open()
    await twin.post('/v1/subscriptions', {
      customer: customer.id,
      currency: 'usd',
      default_payment_method: method.id,
      items: [{ price: price.id }],
    })
    await twin.advance({ by: '3mo' })
    const taken = await stream.take(6 + 3 * 6)
    const listed = (await twin.events()).slice(-24)
    expect(taken.map(({ data }) => data)).toEqual(listed)
  })

  test('handles names with line breaks', async () => {
    const stream = await open()
    await name('a\n\ndata: b\r\nid: c\u2028d')
    expect(namesOf(await stream.take(1))).toEqual(['a\n\ndata: b\r\nid: c\u2028d'])
  })

  test('sends no events of other merchants', async () => {
    const stream = await open()
    const { secretKey } = await anotherMerchant(twin)
    await clientOf(twin.sandbox, secretKey).post('/v1/customers', { name: 'theirs' })
    await name('ours')
    expect(namesOf(await stream.take(1))).toEqual(['ours'])
  })

  test('sends only the requested types', async () => {
    const one = await open('/v1/events?type=customer.*')
    const several = await open('/v1/events?types[]=price.created&types[]=product.*')
    await makePrice(twin)
    await name('Ada')
    await twin.post('/v1/products', { name: 'Plan' })
    expect((await one.take(1)).map(({ event }) => event)).toEqual(['customer.created'])
    expect((await several.take(2)).map(({ event }) => event)).toEqual(['price.created', 'product.created'])
  })

  test('sends nothing that was rolled back', async () => {
    const price = await makePrice(twin)
    const { customer } = await makeCustomer(twin)
    const stream = await open()
    const declined = await twin.request('POST', '/v1/subscriptions', {
      customer: customer.id,
      currency: 'usd',
      default_payment_method: 'pm_card_chargeDeclined',
      items: [{ price: price.id }],
      payment_behavior: 'error_if_incomplete',
    })
    expect(declined.status).toBe(402)
    await name('after')
    expect(namesOf(await stream.take(1))).toEqual(['after'])
  })

  test('is sent to each of several readers', async () => {
    const readers = [await open(), await open(), await open()]
    await name('Ada')
    for (const reader of readers) expect(namesOf(await reader.take(1))).toEqual(['Ada'])
  })
})

describe('a stream that resumes', () => {
  test.each<[string, (id: string) => Promise<Stream>]>([
    ['by Last-Event-ID', (id) => open('/v1/events', { 'Last-Event-ID': id })],
    ['by starting_after', (id) => open(`/v1/events?starting_after=${id}`)],
  ])('%s sends later events without loss or repeats, then new ones', async (_, resume) => {
    await name('seen')
    const { id } = await newestEvent()
    await twin.post('/v1/payment_methods', { type: 'pix' })
    for (let n = 0; n < 500; n += 1) await name(`missed ${n}`)
    const stream = await resume(id)
    const missed = await stream.take(250)
    await name('live')
    const rest = await stream.take(251)
    expect(namesOf([...missed, ...rest])).toEqual([
      ...Array.from({ length: 500 }, (__, n) => `missed ${n}`),
      'live',
    ])
  })

  test('on repeated resumes sends every event once', async () => {
    await name('first')
    let { id } = await newestEvent()
    const heard: string[] = []
    for (let n = 0; n < 20; n += 1) {
      await name(`a ${n}`)
      const stream = await open('/v1/events', { 'Last-Event-ID': id })
      await name(`b ${n}`)
      const taken = await stream.take(2)
      heard.push(...namesOf(taken))
      id = taken.at(-1)?.id
      await stream.close()
    }
    expect(heard).toEqual(Array.from({ length: 20 }, (_, n) => [`a ${n}`, `b ${n}`]).flat())
  })

  test('keeps its types', async () => {
    await name('Ada')
    const { id } = await newestEvent()
    await makePrice(twin)
    await name('Bob')
    const stream = await open('/v1/events?type=customer.*', { 'Last-Event-ID': id })
    expect(namesOf(await stream.take(1))).toEqual(['Bob'])
  })

  test('prefers Last-Event-ID to starting_after', async () => {
    await name('one')
    const first = await newestEvent()
    await name('two')
    const second = await newestEvent()
    await name('three')
    const stream = await open(`/v1/events?starting_after=${first.id}`, { 'Last-Event-ID': second.id })
    expect(namesOf(await stream.take(1))).toEqual(['three'])
  })

  test('after an unknown event is 404', async () => {
    await name('Ada')
    const { secretKey } = await anotherMerchant(twin)
    const stranger = clientOf(twin.sandbox, secretKey)
    await stranger.post('/v1/customers')
    const theirs = (await stranger.get('/v1/events')).data[0].id
    for (const id of ['evt_unknown', 'x', theirs, '%00']) {
      const headers = { ...STREAM, 'Last-Event-ID': id }
      expectRefusal(await twin.request('GET', '/v1/events', undefined, headers), unknown('Last-Event-ID'))
      const path = `/v1/events?starting_after=${id}`
      expectRefusal(await twin.request('GET', path, undefined, STREAM), unknown('starting_after'))
    }
  })
})

describe('a stream is refused', () => {
  test('without a key', async () => {
    const headers = { ...STREAM, Authorization: '' }
    expectUnauthenticated(await twin.request('GET', '/v1/events', undefined, headers))
  })

  test('for unknown types', async () => {
    const path = '/v1/events?type=invoice.payment_succeeded'
    expectRefusal(await twin.request('GET', path, undefined, STREAM), invalid('type'))
  })
})

describe('a slow reader', () => {
  test('delays nothing, and misses nothing', async () => {
    const slow = await open()
    const quick = await open()
    const count = 1_000
    for (let n = 0; n < count; n += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, index) => name(`${n + index}`)))
      await quick.take(50)
    }
    const names = namesOf(await slow.take(count))
    expect(names).toEqual(Array.from({ length: count }, (_, n) => String(n)))
  })

  test('reads many events at a time, because each read costs a journal lookup', async () => {
    await name('first')
    const { id } = await newestEvent()
    for (let n = 0; n < 120; n += 1) await name(`${n}`)
    const response = await twin.sandbox.app.request(`/v1/events?starting_after=${id}`, {
      headers: { Authorization: `Bearer ${twin.secretKey}`, ...STREAM },
    })
    const counts: number[] = []
    for await (const chunk of response.body ?? []) {
      counts.push(new TextDecoder().decode(chunk).split('event: ').length - 1)
      if (counts.reduce((sum, count) => sum + count, 0) === 120) break
    }
    // The first chunk is the comment that the stream is open.
    expect(counts).toEqual([0, 50, 50, 20])
  })

  test('does not delay a disconnect or the end of the sandbox', async () => {
    const gone = await open()
    for (let n = 0; n < 200; n += 1) await name(`${n}`)
    await gone.close()
    const left = await openStream(twin)
    await name('last')
    expect(namesOf(await left.take(1))).toEqual(['last'])
    expect(idsOf((await twin.get('/v1/events?limit=1')).data)).toHaveLength(1)
  })
})

test('a stream ends when the sandbox does', async () => {
  const other = await startTwin()
  const stream = await openStream(other)
  await other.close()
  await expect(stream.take(1)).rejects.toThrow('the stream ended after 0 of 1 events')
})
