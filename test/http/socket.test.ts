import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Daemon, startDaemon } from '../../src/daemon.ts'

const CLOSED_SET = [200, 201, 400, 401, 402, 404, 422, 429, 500]
const MIB = 1_048_576

let daemon: Daemon
beforeAll(async () => {
  daemon = await startDaemon({
    host: '127.0.0.1',
    port: 0,
    data: null,
    adminToken: null,
    adminTokenFile: null,
    clock: 1769853600,
    seed: '1',
    secretKey: null,
    fixtures: [],
    durability: 'normal',
    allowedHosts: [],
    webhookAllow: [],
    rateLimit: null,
    keyCacheSeconds: 0,
    strictParams: false,
    oauthErrors: 'envelope',
    logLevel: 'silent',
    json: false,
    version: '0.0.0',
  })
})
afterAll(() => daemon.close())

/** Sends bytes as they are and hears what comes back until the daemon hangs up. */
function send(...lines: string[]): Promise<{ status: number; head: string; body: string }> {
  const { hostname, port } = new URL(daemon.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let heard = ''
    socket.setEncoding('utf8')
    socket.on('data', (text) => {
      heard += text
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const [head = '', ...body] = heard.split('\r\n\r\n')
      resolve({ status: Number(/^HTTP\/1.1 (\d+)/.exec(head)?.[1]), head, body: body.join('\r\n\r\n') })
    })
    socket.write(lines.join('\r\n'))
  })
}

const host = () => `Host: ${new URL(daemon.url).host}`
const key = () => `Authorization: Bearer ${daemon.secretKey}`
const CLOSE = 'Connection: close'

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
    ['an upgrade', () => ['GET /v1/customers HTTP/1.1', host(), key(), 'Upgrade: websocket']],
  ])('%s is answered in the form of every answer', async (_, lines) => {
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

  test('a HEAD has no body, and the headers of its 404', async () => {
    const { status, head, body } = await send('HEAD /v1/customers HTTP/1.1', host(), key(), CLOSE, '', '')
    expect([status, body]).toEqual([404, ''])
    expect(head).toMatch(/\r\nRequest-Id: req_/i)
  })

  test('the operator’s part is shut to a foreign Host, however it comes', async () => {
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
})
