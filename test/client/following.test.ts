import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { Client } from '../../src/client/client.ts'
import type { StreamNews } from '../../src/client/event-stream.ts'
import { type FakeServer, fakeServer, json } from './server.ts'

let server: FakeServer
afterEach(() => server.close())

type ResponseBody = (request: IncomingMessage, response: ServerResponse) => void

const event = (id: string) => ({ id, object: 'event', type: 'price.created' })
const list = (...ids: string[]) => ({
  object: 'list',
  url: '',
  has_more: false,
  data: ids.map(event),
  livemode: false,
})
const tell =
  (...ids: string[]): ResponseBody =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(ids.map((id) => `id: ${id}\ndata: ${JSON.stringify(event(id))}\n\n`).join(''))
  }
const refuse =
  (status: number, code: string): ResponseBody =>
  (_request, response) =>
    json(response, status, { error: { code, message: `It is ${code}.` }, livemode: false })

/** Follows a daemon whose list has one event, and whose streams are served in turn. After the last one it refuses. */
async function follow(since: string | null, streams: readonly ResponseBody[], isConfirmed = false) {
  const asked: (string | undefined)[] = []
  server = await fakeServer((request, response) => {
    if (request.headers.accept !== 'text/event-stream') return json(response, 200, list('evt_new'))
    const handle = streams[asked.push(request.headers['last-event-id'] as string | undefined) - 1]
    return (handle ?? refuse(401, 'end'))(request, response)
  })
  const client = new Client({ url: server.url, token: null })
  const ids: string[] = []
  const news: StreamNews[] = []
  const feed = client.followEvents(
    { since, isConfirmed },
    { signal: new AbortController().signal, onStatus: (each) => news.push(each) },
  )
  const failure = await (async () => {
    for await (const { id } of feed) ids.push(id)
  })().catch((error: Error) => error.message)
  return { ids, news, asked, failure }
}

test('events after the start are yielded, over several connections', async () => {
  const { ids, asked, failure } = await follow('evt_0', [tell('evt_1'), tell('evt_2')])
  expect(ids).toEqual(['evt_1', 'evt_2'])
  expect(asked).toEqual(['evt_0', 'evt_1', 'evt_2'])
  expect(failure).toBe('It is end.')
})

test('without earlier events it begins with the first event', async () => {
  const { ids, asked } = await follow(null, [tell('evt_new', 'evt_2')])
  expect(ids).toEqual(['evt_new', 'evt_2'])
  expect(asked[0]).toBeUndefined()
})

test('if the last event is gone it reports a reset, and continues with new events', async () => {
  const { ids, news, asked } = await follow('evt_0', [
    tell('evt_1'),
    refuse(404, 'resource_missing'),
    tell('evt_9'),
  ])
  expect(ids).toEqual(['evt_1', 'evt_9'])
  expect(news).toEqual(['connected', 'lost', 'reconnected', 'reset', 'lost'])
  expect(asked).toEqual(['evt_0', 'evt_1', 'evt_new', 'evt_9'])
})

test('a daemon that is briefly unreachable is retried', async () => {
  const { ids, news } = await follow('evt_0', [
    tell('evt_1'),
    refuse(404, 'resource_missing'),
    (_request, response) => response.destroy(),
    tell('evt_9'),
  ])
  expect(ids).toEqual(['evt_1', 'evt_9'])
  expect(news).toEqual(['connected', 'lost', 'reconnected', 'reset', 'lost'])
})

test('a daemon that is unreachable at first is retried only if the start came from it', async () => {
  const streams: ResponseBody[] = [(_request, response) => response.destroy(), tell('evt_1')]
  expect(await follow('evt_0', streams)).toMatchObject({
    ids: [],
    failure: expect.stringContaining('was lost'),
  })
  await server.close()
  expect(await follow('evt_0', streams, true)).toMatchObject({ ids: ['evt_1'] })
})

test('a start event that never existed is refused', async () => {
  const { failure, news } = await follow('evt_0', [refuse(404, 'resource_missing')])
  expect(failure).toBe('It is resource_missing.')
  expect(news).toEqual([])
})

test('a start event that came from the daemon itself and is gone causes a reset', async () => {
  const { ids, news } = await follow('evt_0', [refuse(404, 'resource_missing'), tell('evt_9')], true)
  expect(ids).toEqual(['evt_9'])
  expect(news).toEqual(['connected', 'reset', 'lost'])
})

test('other refusals are thrown', async () => {
  const { failure, news } = await follow('evt_0', [tell('evt_1'), refuse(404, 'something_else')])
  expect(failure).toBe('It is something_else.')
  expect(news).toEqual(['connected', 'lost'])
})

test('a deleted merchant is not retried', async () => {
  const gone = refuse(404, 'resource_missing')
  const { failure, news, asked } = await follow('evt_0', [tell('evt_1'), gone, gone])
  expect(failure).toBe('It is resource_missing.')
  expect(news).toEqual(['connected', 'lost'])
  expect(asked).toHaveLength(3)
})

test.each([
  [['evt_7'], 'evt_7'],
  [[], null],
])('after the events %j, now on begins after %s', async (ids, since) => {
  server = await fakeServer((_request, response) => json(response, 200, list(...ids)))
  const wanted = { merchant: 'mer_1', types: ['price.*'] }
  const beginning = await new Client({ url: server.url, token: null }).positionAfterNewest(wanted)
  expect(beginning).toEqual({ ...wanted, since, isConfirmed: true })
  expect(server.requests[0]?.url).toBe('/_paytwin/events?form=merchant&merchant=mer_1&limit=1')
})
