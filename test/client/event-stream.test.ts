import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { Client } from '../../src/client/client.ts'
import type { StreamNews } from '../../src/client/event-stream.ts'
import { type FakeServer, fakeServer, json } from './server.ts'

let server: FakeServer
const ended = new AbortController()
afterEach(() => server.close())

const event = (id: string) => ({ id, object: 'event', type: 'customer.created', livemode: false })
const frame = (id: string) => `event: customer.created\nid: ${id}\ndata: ${JSON.stringify(event(id))}\n\n`
const list = (ids: readonly string[], has_more = false) => ({
  object: 'list',
  url: '',
  has_more,
  data: ids.map(event),
  livemode: false,
})
const lastEventId = ({ headers }: IncomingMessage) => headers['last-event-id']

/** Starts a daemon whose list answers by query, and whose streams are served in turn. */
async function daemonWith(
  streams: readonly ((request: IncomingMessage, response: ServerResponse) => void)[],
  lists: (query: URLSearchParams) => object = () => list([]),
): Promise<{ streamRequests: IncomingMessage[] }> {
  const streamRequests: IncomingMessage[] = []
  server = await fakeServer((request, response) => {
    const isStream = request.headers.accept === 'text/event-stream'
    if (!isStream) return json(response, 200, lists(new URL(request.url ?? '', server.url).searchParams))
    const handle = streams[streamRequests.push(request) - 1]
    if (!handle)
      return json(response, 400, { error: { message: 'No more streams.', code: 'x' }, livemode: false })
    handle(request, response)
  })
  return { streamRequests }
}

const tell =
  (...chunks: (string | Buffer)[]) =>
  (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const chunk of chunks) response.write(chunk)
    response.end()
  }

/** Follows events until the daemon refuses the stream. */
async function follow(wanted: { since?: string; merchant?: string; types?: string[] } = {}) {
  const ids: string[] = []
  const news: StreamNews[] = []
  const client = new Client({ url: server.url, token: null })
  const options = { signal: ended.signal, onStatus: (each: StreamNews) => news.push(each) }
  const refusal = await (async () => {
    for await (const { id } of client.followEvents(wanted, options)) ids.push(id)
  })().catch((error: Error) => error.message)
  return { ids, news, refusal }
}

test('a broken stream continues after the last yielded event', async () => {
  const { streamRequests } = await daemonWith([tell(frame('evt_1'), frame('evt_2')), tell(frame('evt_3'))])
  const { ids, news, refusal } = await follow({ since: 'evt_0' })
  expect(ids).toEqual(['evt_1', 'evt_2', 'evt_3'])
  expect(streamRequests.map(lastEventId)).toEqual(['evt_0', 'evt_2', 'evt_3'])
  expect(news).toEqual(['connected', 'lost', 'reconnected', 'lost'])
  expect(refusal).toBe('No more streams.')
})

test('without a start it begins after the newest event, and a break before the first event loses nothing', async () => {
  const { streamRequests } = await daemonWith([tell(), tell(frame('evt_8'))], (query) => {
    expect(Object.fromEntries(query)).toEqual({ form: 'merchant', merchant: 'mer_1', limit: '1' })
    return list(['evt_7'], true)
  })
  const { ids } = await follow({ merchant: 'mer_1' })
  expect(ids).toEqual(['evt_8'])
  expect(streamRequests.map(lastEventId)).toEqual(['evt_7', 'evt_7', 'evt_8'])
})

test('if there were no events at the start, events missed during a break are read from the list, once', async () => {
  const history: string[] = []
  const { streamRequests } = await daemonWith(
    [
      tell(),
      (request, response) => {
        history.push('evt_1', 'evt_2', 'evt_3')
        tell(frame('evt_3'), frame('evt_4'))(request, response)
      },
    ],
    (query) => {
      const newestFirst = history.toReversed()
      const from = newestFirst.indexOf(query.get('starting_after') ?? '') + 1
      const size = Math.min(Number(query.get('limit')), 2)
      return list(newestFirst.slice(from, from + size), from + size < newestFirst.length)
    },
  )
  const { ids } = await follow()
  expect(ids).toEqual(['evt_1', 'evt_2', 'evt_3', 'evt_4'])
  expect(streamRequests.map(lastEventId)).toEqual([undefined, undefined, 'evt_4'])
})

test('comments and other messages are ignored, and chunks may end anywhere', async () => {
  const bytes = Buffer.from(frame('evt_ü'))
  const middle = bytes.indexOf(Buffer.from('ü')) + 1
  await daemonWith([
    tell(': connected\n\n', bytes.subarray(0, middle), bytes.subarray(middle), 'event: reset\ndata: {}\n\n'),
  ])
  expect((await follow({ since: 'evt_0' })).ids).toEqual(['evt_ü'])
})

const reset = (newest: string) =>
  `event: reset\nid: ${newest}\ndata: ${JSON.stringify({ object: 'reset', livemode: false })}\n\n`

test('a replaced state is reported in order, and the stream continues after its newest event', async () => {
  const { streamRequests } = await daemonWith([
    tell(frame('evt_7'), frame('evt_8'), reset('evt_3'), frame('evt_4')),
    tell(reset('evt_2')),
  ])
  const heard: string[] = []
  const client = new Client({ url: server.url, token: null })
  const onStatus = (news: StreamNews) => heard.push(news)
  const events = client.followEvents({ since: 'evt_6' }, { signal: ended.signal, onStatus: onStatus })
  await (async () => {
    for await (const { id } of events) heard.push(id)
  })().catch(() => undefined)
  expect(heard.slice(0, 8)).toEqual([
    'connected',
    'evt_7',
    'evt_8',
    'reset',
    'evt_4',
    'lost',
    'reconnected',
    'reset',
  ])
  expect(streamRequests.map(lastEventId)).toEqual(['evt_6', 'evt_4', 'evt_2'])
})

test('after a reset without events, events with reused ids are yielded', async () => {
  const histories = [['evt_2', 'evt_1'], ['evt_1']]
  const { streamRequests } = await daemonWith(
    [tell(frame('evt_2'), reset(''), frame('evt_1'), frame('evt_2'), reset('')), tell(frame('evt_2'))],
    (query) => list(query.get('limit') === '1' ? [] : (histories.shift() ?? [])),
  )
  const { ids } = await follow()
  expect(ids).toEqual(['evt_1', 'evt_2', 'evt_1', 'evt_2', 'evt_1', 'evt_2'])
  expect(streamRequests.map(lastEventId)).toEqual([undefined, undefined, 'evt_2'])
})

const missing = (_request: IncomingMessage, response: ServerResponse) =>
  json(response, 404, { error: { message: 'No such event.', code: 'resource_missing' }, livemode: false })

test('a state replaced during a disconnection is reported, and the stream continues after its newest event', async () => {
  let newest = 'evt_9'
  const { streamRequests } = await daemonWith(
    [
      (request, response) => {
        newest = 'evt_3'
        tell(frame('evt_10'))(request, response)
      },
      missing,
      tell(frame('evt_4')),
    ],
    () => list([newest]),
  )
  const { ids, news } = await follow()
  expect(ids).toEqual(['evt_10', 'evt_4'])
  expect(news).toEqual(['connected', 'lost', 'reconnected', 'reset', 'lost'])
  expect(streamRequests.map(lastEventId)).toEqual(['evt_9', 'evt_10', 'evt_3', 'evt_4'])
})

test('the state that was followed is sent, also after a reset, and a replaced one begins anew', async () => {
  const stateReset = (newest: string, state: string) =>
    `event: reset\nid: ${newest}\ndata: ${JSON.stringify({ object: 'reset', livemode: false, state })}\n\n`
  const showing =
    (state: string, ...chunks: string[]) =>
    (request: IncomingMessage, response: ServerResponse) => {
      response.setHeader('paytwin-state', state)
      tell(...chunks)(request, response)
    }
  const { streamRequests } = await daemonWith(
    [
      showing('a', frame('evt_1'), stateReset('evt_2', 'b')),
      showing('b', frame('evt_3')),
      // The daemon begins a replaced state itself, also if it has no event before.
      showing('c', stateReset('', 'c'), frame('evt_1')),
      showing('c', stateReset('', 'd')),
      showing('e', stateReset('', 'e'), frame('evt_1')),
    ],
    () => list(['evt_1']),
  )
  const { ids, news } = await follow({ since: 'evt_0' })
  expect(ids).toEqual(['evt_1', 'evt_3', 'evt_1', 'evt_1'])
  expect(news.filter((each) => each === 'reset')).toHaveLength(4)
  expect(streamRequests.map(lastEventId)).toEqual(['evt_0', 'evt_2', 'evt_3', 'evt_1', undefined, 'evt_1'])
  const states = streamRequests.map(({ headers }) => headers['paytwin-state'])
  expect(states).toEqual([undefined, 'b', 'b', 'c', 'd', 'e'])
})

test('an unknown start event is refused', async () => {
  await daemonWith([missing])
  expect(await follow({ since: 'evt_0' })).toEqual({ ids: [], news: [], refusal: 'No such event.' })
})

test('a deleted merchant ends the stream', async () => {
  await daemonWith([tell(frame('evt_1')), missing, missing])
  const { ids, refusal } = await follow({ since: 'evt_0', merchant: 'mer_1' })
  expect({ ids, refusal }).toEqual({ ids: ['evt_1'], refusal: 'No such event.' })
})

test('requested types are sent', async () => {
  const { streamRequests } = await daemonWith([])
  await follow({ since: 'evt_0', types: ['invoice.*'], merchant: 'mer_1' })
  expect(streamRequests[0]?.url).toBe('/_paytwin/events?form=merchant&merchant=mer_1&types%5B%5D=invoice.*')
})

test('a daemon that does not answer at first is not retried', async () => {
  await daemonWith([])
  await server.close()
  expect((await follow({ since: 'evt_0' })).refusal).toContain('ECONNREFUSED')
  await daemonWith([])
})

test('it ends when the signal is aborted', async () => {
  await daemonWith([(_request, response) => response.writeHead(200).write(frame('evt_1'))])
  const stop = new AbortController()
  const client = new Client({ url: server.url, token: null })
  const ids: string[] = []
  for await (const { id } of client.followEvents({ since: 'evt_0' }, { signal: stop.signal })) {
    ids.push(id)
    stop.abort()
  }
  expect(ids).toEqual(['evt_1'])
})
