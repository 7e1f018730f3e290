import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Daemon } from '../../src/daemon/daemon.ts'
import { openSocket, responsesIn, send as sendTo, startListening } from './raw-socket.ts'

const CLOSED_SET = [200, 201, 400, 401, 402, 404, 422, 429, 500]
const MIB = 1_048_576

let daemon: Daemon
beforeAll(async () => {
  daemon = await startListening()
})
afterAll(() => daemon.close())

const send = (...lines: string[]) => sendTo(daemon, ...lines)
const host = () => `Host: ${new URL(daemon.url).host}`
const key = () => `Authorization: Bearer ${daemon.secretKey}`
const CLOSE = 'Connection: close'
const JSON_TYPE = 'Content-Type: application/json'
const POST = 'POST /v1/customers HTTP/1.1'
const GET = 'GET /v1/customers HTTP/1.1'

const manyHeaders = (count: number) => Array.from({ length: count }, (_, index) => `X-${index}: y`)

describe('over a socket', () => {
  test.each<[string, () => string[]]>([
    ['a header that is huge', () => ['GET /v1/customers HTTP/1.1', host(), `X-Big: ${'x'.repeat(100_000)}`]],
    ['an address that is huge', () => [`GET /v1/customers/${'x'.repeat(100_000)} HTTP/1.1`, host()]],
    ['what is no HTTP', () => ['HELLO']],
    ['a header without a name', () => ['GET /v1/customers HTTP/1.1', host(), ': x']],
    ['a request without a Host', () => ['GET /v1/customers HTTP/1.1', key()]],
    ['OPTIONS of everything', () => ['OPTIONS * HTTP/1.1', host(), key()]],
    ['two lengths', () => ['POST /v1/customers HTTP/1.1', host(), 'Content-Length: 1', 'Content-Length: 2']],
    [
      'a length and chunks',
      () => ['POST /v1/customers HTTP/1.1', host(), 'Content-Length: 2', 'Transfer-Encoding: chunked'],
    ],
    ['a method of its own', () => ['BREW /v1/customers HTTP/1.1', host(), key()]],
    ['more headers than are allowed', () => [GET, host(), key(), ...manyHeaders(198)]],
    ['an upgrade', () => ['GET /v1/customers HTTP/1.1', host(), key(), 'Upgrade: websocket']],
  ])('%s is answered with an error envelope', async (_, lines) => {
    const { status, head, body } = await send(...lines(), CLOSE, '', '')
    expect(CLOSED_SET, head).toContain(status)
    expect(head).toMatch(/\r\nRequest-Id: req_/i)
    expect(head).toMatch(/\r\nX-API-Version: /i)
    expect(body).toContain('"livemode":false')
  })

  test.each<[string, (size: number) => string[]]>([
    ['announced', (size) => [`Content-Length: ${size}`, '', 'x'.repeat(size)]],
    [
      'in chunks',
      (size) => ['Transfer-Encoding: chunked', '', size.toString(16), 'x'.repeat(size), '0', '', ''],
    ],
  ])('a body that is too large, %s, is answered', async (_, lines) => {
    const { status, body } = await send(
      'POST /v1/customers HTTP/1.1',
      host(),
      key(),
      CLOSE,
      'Content-Type: application/json',
      ...lines(3 * MIB),
    )
    expect(status).toBe(400)
    expect(body).toContain('"code":"parameter_invalid"')
  })

  test.each<[string, number, string, () => string[]]>([
    ['HTTP/1.1 without a Host', 400, 'HTTP/1.1', () => []],
    ['HTTP/1.1 with an empty Host', 400, 'HTTP/1.1', () => ['Host:']],
    ['HTTP/1.1 with one Host', 200, 'HTTP/1.1', () => [host()]],
    ['HTTP/1.1 with the same Host twice', 400, 'HTTP/1.1', () => [host(), host()]],
    ['HTTP/1.0 without a Host', 200, 'HTTP/1.0', () => []],
    ['HTTP/1.0 with one Host', 200, 'HTTP/1.0', () => [host()]],
    ['HTTP/1.0 with two Hosts', 400, 'HTTP/1.0', () => [host(), 'Host: evil.example']],
  ])('%s: %i', async (_, status, version, hosts) => {
    const response = await send(`GET /v1/customers ${version}`, ...hosts(), key(), CLOSE, '', '')
    expect([response.status, response.body.includes('"param":"Host"')]).toEqual([status, status === 400])
  })

  test.each([
    [197, 200],
    [198, 400],
    [2_000, 400],
  ])('a request with a host, a key, Connection and %i further headers: %i', async (count, status) => {
    const response = await send(GET, host(), key(), ...manyHeaders(count), CLOSE, '', '')
    expect(response.status).toBe(status)
    expect(response.body.includes('The request has more than 200 headers')).toBe(status === 400)
  })

  test('the admin API refuses a foreign Host in every form', async () => {
    for (const lines of [
      ['GET /_paytwin/health HTTP/1.1', 'Host: evil.example'],
      ['GET /_paytwin/health HTTP/1.1', host(), 'Host: evil.example'],
      ['GET http://evil.example/_paytwin/health HTTP/1.1', 'Host: evil.example'],
      ['GET /v1/../_paytwin/health HTTP/1.1', 'Host: evil.example'],
    ]) {
      const { status, body } = await send(...lines, CLOSE, '', '')
      expect([status, body.includes('"param":"Host"')], lines.join(' ')).toEqual([400, true])
    }
  })
  /** The sent bytes, in addition to Host, key and `Connection: close`; and the only allowed response. */
  test.each<[string, number, string[]]>([
    ['path: encoded slashes part nothing', 404, ['GET /v1%2fcustomers HTTP/1.1']],
    ['path: a double slash names no host', 404, ['GET //v1/customers HTTP/1.1']],
    ['path: a host after a double slash is a path', 404, ['GET //evil.example/v1/customers HTTP/1.1']],
    ['path: .. is resolved before anything is asked', 200, ['GET /v1/customers/../prices HTTP/1.1']],
    ['path: .. does not lead out', 404, ['GET /../../etc/passwd HTTP/1.1']],
    ['path: encoded .. is resolved too', 404, ['GET /v1/%2e%2e/%2e%2e/etc/passwd HTTP/1.1']],
    ['path: a backslash is none', 400, ['GET /v1\\customers HTTP/1.1']],
    ['path: NUL is none', 400, ['GET /v1/customers/\0 HTTP/1.1']],
    ['path: an encoded NUL is an unknown id', 404, ['GET /v1/customers/%00 HTTP/1.1']],
    ['path: encoded badly, an unknown id', 404, ['GET /v1/customers/%zz HTTP/1.1']],
    ['path: a fragment asks for nothing', 200, ['GET /v1/customers#x HTTP/1.1']],
    ['path: its case counts', 404, ['GET /V1/CUSTOMERS HTTP/1.1']],
    ['absolute: another host than Host', 400, ['GET http://evil.example/v1/customers HTTP/1.1']],
    ['absolute: another scheme', 400, ['GET ftp://evil.example/ HTTP/1.1']],
    ['absolute: nonsense', 400, ['GET http:// HTTP/1.1']],
    ['CONNECT', 400, ['CONNECT evil.example:443 HTTP/1.1']],
    ['TRACE', 404, ['TRACE /v1/customers HTTP/1.1']],
    ['HTTP/1.0', 200, ['GET /v1/customers HTTP/1.0']],
    ['HTTP/2 without asking', 400, ['PRI * HTTP/2.0', '', 'SM']],
    ['two keys', 401, [GET, 'Authorization: Bearer sk_test_another0000000000000000000']],
    ['two types of a body', 400, [POST, JSON_TYPE, 'Content-Type: text/xml', 'Content-Length: 2', '', '{}']],
    ['a header over two lines', 400, [GET, 'X-A: a', ' b']],
    ['a NUL in a header', 400, [GET, 'X-A: a\0b']],
    ['a space before the colon', 400, [GET, 'X-A : b']],
    ['a length with a sign', 400, [POST, 'Content-Length: +2', '', '{}']],
    ['a negative length', 400, [POST, 'Content-Length: -2', '', '{}']],
    ['a length that is no number', 400, [POST, 'Content-Length: 0x2', '', '{}']],
    ['a length and chunks', 400, [POST, 'Content-Length: 5', 'Transfer-Encoding: chunked', '', '0', '', '']],
    ['chunks twice', 400, [POST, 'Transfer-Encoding: chunked, chunked', '', '0', '', '']],
    ['chunks and something else', 400, [POST, 'Transfer-Encoding: gzip, chunked', '', '0', '', '']],
    ['chunks, and then not', 400, [POST, 'Transfer-Encoding: chunked, identity', '', '0', '', '']],
    ['something like chunks', 400, [POST, 'Transfer-Encoding: xchunked', '', '0', '', '']],
    ['a chunk of no size', 400, [POST, 'Transfer-Encoding: chunked', '', 'zz', '{}', '0', '', '']],
    [
      'a chunk with very much beside its size',
      400,
      [POST, 'Transfer-Encoding: chunked', '', `2;${'x'.repeat(20_000)}`, '{}', '0', '', ''],
    ],
    [
      'a key after the body',
      201,
      [POST, JSON_TYPE, 'Transfer-Encoding: chunked', '', '2', '{}', '0', 'Authorization: x', '', ''],
    ],
    ['a packed body', 400, [POST, JSON_TYPE, 'Content-Encoding: gzip', 'Content-Length: 2', '', '{}']],
    ['one packed twice', 400, [POST, 'Content-Encoding: br, gzip', 'Content-Length: 2', '', '{}']],
    [
      'one that says it is not',
      201,
      [POST, JSON_TYPE, 'Content-Encoding: identity', 'Content-Length: 2', '', '{}'],
    ],
    ['an expectation that is none', 400, [POST, 'Expect: 200-ok', 'Content-Length: 2', '', '{}']],
    ['an upgrade to HTTP/2', 200, [GET, 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__']],
    [
      'a second key after as many headers as are allowed',
      401,
      [GET, ...Array(196).fill('A: b'), 'Authorization: Bearer sk_test_another0000000000000000000'],
    ],
    [
      'headers of other proxies',
      200,
      [GET, 'X-Forwarded-Host: evil.example', 'X-Original-URL: /_paytwin/status'],
    ],
  ])('%s is answered %i and once', async (_, status, [line = '', ...rest]) => {
    const raw = openSocket(daemon)
    raw.write(line, host(), key(), CLOSE, ...rest, '', '')
    const responses = responsesIn(await raw.heard)
    expect(responses.map((response) => response.status)).toEqual([status])
    for (const { head, body } of responses) {
      expect(head).toMatch(/\r\nRequest-Id: req_/i)
      expect(body).toContain('"livemode":false')
    }
  })

  test('pipelined requests are answered in order', async () => {
    const raw = openSocket(daemon)
    const lists = ['customers', 'prices', 'events', 'invoices', 'charges']
    for (const list of lists) raw.write(`GET /v1/${list} HTTP/1.1`, host(), key(), '', '')
    raw.write(GET, host(), CLOSE, '', '')
    const responses = responsesIn(await raw.heard)
    expect(responses.map(({ status }) => status)).toEqual([...lists.map(() => 200), 401])
    expect(responses.slice(0, -1).map(({ body }) => JSON.parse(body).url)).toEqual(
      lists.map((list) => `/v1/${list}`),
    )
  })

  test('bytes beyond the length of a body are the next request', async () => {
    const raw = openSocket(daemon)
    raw.write(GET, host(), key(), 'Content-Length: 3', '', 'abc')
    raw.write('GET /v1/prices HTTP/1.1', host(), key(), CLOSE, '', '')
    expect(responsesIn(await raw.heard).map(({ body }) => JSON.parse(body).url)).toEqual([
      '/v1/customers',
      '/v1/prices',
    ])
  })

  test('an unparsable request after another is answered after it', async () => {
    const raw = openSocket(daemon)
    raw.write(GET, host(), key(), '', 'GARBAGE', '', '')
    const responses = responsesIn(await raw.heard)
    expect(responses.map(({ status }) => status)).toEqual([200, 400])
    expect(JSON.parse(responses[0]?.body ?? '').url).toBe('/v1/customers')
  })

  test('a CONNECT after a request is refused after that request is answered', async () => {
    const raw = openSocket(daemon)
    raw.write(GET, host(), key(), '', 'CONNECT evil.example:443 HTTP/1.1', host(), '', '')
    const responses = responsesIn(await raw.heard)
    expect(responses.map(({ status }) => status)).toEqual([200, 400])
    expect(JSON.parse(responses[0]?.body ?? '').url).toBe('/v1/customers')
  })

  test('a connection that its peer closes behind a CONNECT is closed, also while a request before it waits', async () => {
    const headers = { authorization: `Bearer ${daemon.adminToken}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ kind: 'latency', ms: 60_000, count: 1 })
    await fetch(`${daemon.url}/_paytwin/faults`, { method: 'POST', headers, body })
    const raw = openSocket(daemon, { allowHalfOpen: true })
    raw.write(GET, host(), key(), '', 'CONNECT evil.example:443 HTTP/1.1', host(), '', '')
    raw.socket.end()
    expect(await raw.heard).toBe('')
  })

  test('a CONNECT behind a stream does not stop it, though its reader pauses', async () => {
    const raw = openSocket(daemon)
    raw.write('GET /v1/events HTTP/1.1', host(), key(), 'Accept: text/event-stream', '', '')
    await once(raw.socket, 'data')
    raw.write('CONNECT evil.example:443 HTTP/1.1', host(), '', '')
    raw.socket.pause()
    const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key${n}`, 'x'.repeat(500)]))
    const headers = { authorization: `Bearer ${daemon.secretKey}`, 'content-type': 'application/json' }
    const create = async (name: string) => {
      const body = JSON.stringify({ name, metadata })
      await (await fetch(`${daemon.url}/v1/customers`, { method: 'POST', headers, body })).text()
    }
    // More events than the buffers between two sockets hold.
    for (let count = 0; count < 400; count += 20)
      await Promise.all(Array.from({ length: 20 }, () => create('Ada')))
    await create('Grace')
    const heard = new Promise<void>((resolve) => {
      raw.socket.on('data', (chunk) => String(chunk).includes('"Grace"') && resolve())
    })
    raw.socket.resume()
    await heard
    raw.socket.destroy()
  })

  test('a client that expects 100-continue gets it, and is then served', async () => {
    const raw = openSocket(daemon)
    raw.write(POST, host(), key(), CLOSE, JSON_TYPE, 'Expect: 100-continue', 'Content-Length: 2', '', '{}')
    expect(responsesIn(await raw.heard).map(({ status }) => status)).toEqual([100, 201])
  })

  test('a refused client need not send its body', async () => {
    const raw = openSocket(daemon)
    raw.write(POST, host(), 'Content-Length: 1000000000', '', 'x')
    expect(responsesIn(await raw.heard).map(({ status }) => status)).toEqual([401])
  })
})

test('pipelined requests are served a few at a time, all of them in order', async () => {
  const raw = openSocket(daemon)
  const count = 5_000
  const paths = Array.from({ length: count }, (_, index) => `/v1/none/${index}`)
  raw.write(...paths.map((path) => `GET ${path} HTTP/1.1\r\n${host()}\r\n${key()}\r\n`))
  raw.write('', GET, host(), key(), 'Connection: close', '', '')
  const responses = responsesIn(await raw.heard)
  expect(responses).toHaveLength(count + 1)
  for (const [index, path] of paths.entries()) expect(responses[index]?.body).toContain(`(GET ${path})`)
})

test('responses to pipelined requests that are not read do not pile up', async () => {
  const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${index}`, 'x'.repeat(500)]))
  const headers = { authorization: `Bearer ${daemon.secretKey}`, 'content-type': 'application/json' }
  const customers = { method: 'POST', headers, body: JSON.stringify({ metadata }) }
  for (let made = 0; made < 20; made += 1) await (await fetch(`${daemon.url}/v1/customers`, customers)).text()
  const page = await (await fetch(`${daemon.url}/v1/customers?limit=100`, { headers })).text()
  const peer = openSocket(daemon)
  peer.socket.pause()
  const before = process.memoryUsage().rss
  const count = 500
  const list = `${GET.replace('customers', 'customers?limit=100')}\r\n${host()}\r\n${key()}\r\n`
  peer.write(...Array.from({ length: count }, () => list), '')
  await delay(200)
  expect((await fetch(`${daemon.url}/v1/customers?limit=1`, { headers })).status).toBe(200)
  expect(process.memoryUsage().rss - before).toBeLessThan((count / 4) * page.length)
  peer.socket.destroy()
})
