import { afterEach, expect, test } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { type FakeServer, fakeServer, json } from './server.ts'

let server: FakeServer
afterEach(() => server.close())

const EMPTY = { object: 'list', url: '', has_more: false, data: [], livemode: false }

test('a request sends the token and only the given parameters', async () => {
  server = await fakeServer((_request, response) => json(response, 200, EMPTY))
  const client = new Client({ url: server.url, token: 'secret' })
  expect(await client.upcoming({ merchant: 'mer_1', limit: undefined })).toEqual(EMPTY)
  await client.events({ types: ['invoice.*', 'charge.*'], limit: 3 })
  const asked = server.requests.map(({ method, url, headers }) => [method, url, headers.authorization])
  expect(asked).toEqual([
    ['GET', '/_paytwin/upcoming?merchant=mer_1', 'Bearer secret'],
    [
      'GET',
      '/_paytwin/events?form=merchant&types%5B%5D=invoice.*&types%5B%5D=charge.*&limit=3',
      'Bearer secret',
    ],
  ])
})

test('an id from the command line cannot leave its place in the path', async () => {
  server = await fakeServer((_request, response) => json(response, 200, EMPTY))
  await new Client({ url: server.url, token: null }).revokeKey('../shutdown?x=1')
  expect(server.requests[0]?.url).toBe('/_paytwin/keys/..%2Fshutdown%3Fx%3D1/revoke')
  expect(server.requests[0]?.headers.authorization).toBeUndefined()
})

test('an error of the API is a refusal, with its message, code and status', async () => {
  const error = { type: 'invalid_request_error', code: 'parameter_invalid', message: 'No.', param: 'to' }
  server = await fakeServer((_request, response) => json(response, 400, { error, livemode: false }))
  await expect(new Client({ url: server.url, token: null }).status()).rejects.toMatchObject({
    name: 'Refused',
    message: 'No.',
    code: 'parameter_invalid',
    status: 400,
  })
})

test('a refusal of fixtures names every mistake', async () => {
  const mistakes = [{ file: 'f', path: 'prices[0]', code: 'parameter_invalid', message: 'No.' }]
  const error = { code: 'parameter_invalid', message: 'f: prices[0]: No.', param: 'prices[0]', mistakes }
  server = await fakeServer((_request, response) => json(response, 400, { error, livemode: false }))
  const client = new Client({ url: server.url, token: null })
  await expect(client.loadFixtures({ files: [] })).rejects.toMatchObject({ name: 'Refused', mistakes })
  expect(server.requests[0]).toMatchObject({ method: 'POST', url: '/_paytwin/fixtures' })
})

test.each([
  ['a page', 200, '<html>'],
  ['other JSON', 200, '{"hello":1}'],
  ['an error that is not ours', 404, '{"error":"not found","livemode":false}'],
  ['a redirect', 302, ''],
])('%s is not accepted as a daemon', async (_what, status, body) => {
  server = await fakeServer((_request, response) => response.writeHead(status).end(body))
  await expect(new Client({ url: server.url, token: null }).status()).rejects.toMatchObject({
    name: 'Unreachable',
    message: `The program at ${server.url} is not a paytwin daemon`,
  })
})

test('a connection that breaks before the response is complete is reported as lost', async () => {
  server = await fakeServer((request, response) => {
    if (request.url === '/_paytwin/keys?') request.socket.destroy()
    else response.writeHead(200, { 'content-length': 100 }).write('{', () => request.socket.destroy())
  })
  const client = new Client({ url: server.url, token: null })
  const lost = { name: 'Unreachable', isConnected: true }
  await expect(client.keys()).rejects.toMatchObject(lost)
  await expect(client.status()).rejects.toMatchObject(lost)
})

test('a missing daemon is reported as unreachable', async () => {
  server = await fakeServer(() => undefined)
  const { url, close } = server
  await close()
  await expect(new Client({ url, token: null }).status()).rejects.toMatchObject({
    name: 'Unreachable',
    message: `No paytwin daemon answers at ${url} (ECONNREFUSED)`,
    isConnected: false,
  })
  server = await fakeServer(() => undefined)
})
