import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { signatureHeaders } from '../../../src/webhooks/signature.ts'
import { type List, NOW_SECONDS, withDaemon } from '../command-line.ts'
import { api, lines, paytwin, start } from '../executable.ts'

const { daemon, json, text, fail } = withDaemon()

/** The header of a signature that no secret made. */
const forged = () => ({
  'paytwin-signature': `t=${Math.floor(Date.now() / 1_000)},v1=${'0'.repeat(64)}`,
})

/** Posts a body that may not be read to its end. @returns the status of the response */
async function post(
  url: string,
  body: Buffer | Readable,
  headers: Record<string, string> = forged(),
): Promise<number | undefined> {
  const length = body instanceof Buffer ? { 'content-length': String(body.length) } : {}
  const sent = request(url, { method: 'POST', headers: { ...headers, ...length } })
  // The connection may be reset when the request has its response already, and no longer hears of it.
  sent.on('error', () => {}).on('socket', (socket) => socket.on('error', () => {}))
  if (body instanceof Readable) body.pipe(sent)
  else sent.end(body)
  const [response] = await once(sent, 'response')
  response.resume()
  return response.statusCode
}

describe('webhooks listen', () => {
  const started: ReturnType<typeof start>[] = []
  afterEach(async () => {
    for (const child of started.splice(0)) child.kill('SIGKILL')
    const { data }: List<{ id: string }> = JSON.parse(await text('webhooks', 'list', '--json'))
    for (const { id } of data) await text('webhooks', 'delete', id)
  })

  /** A listener that has said where it listens. */
  async function listen(...args: string[]) {
    const child = start(['webhooks', 'listen', ...args], { env: daemon().env })
    started.push(child)
    const closed = once(child, 'close')
    const said = lines(child.stderr)
    const [, url = '', endpoint = '', secret = ''] =
      /^Listening on (\S+) as (we_\w+) \(Ctrl-C to stop\)\. Signing secret: (whsec_\S+)$/.exec(
        (await said.next()) ?? '',
      ) ?? []
    return { child, closed, said, printed: lines(child.stdout), url, endpoint, secret }
  }

  test('lets no silent connections keep out a delivery', async () => {
    const { url } = await listen()
    const port = Number(new URL(url).port)
    const silent = Array.from({ length: 300 }, () => connect(port, '127.0.0.1').on('error', () => {}))
    await Promise.all(silent.map((socket) => once(socket, 'connect')))
    expect(await post(url, Buffer.from('{}'))).toBe(401)
    for (const socket of silent) socket.destroy()
  })

  test('deletes its endpoint also when the reader of its output is gone', async () => {
    const { child, closed } = await listen()
    child.stdout?.destroy()
    await api(daemon(), '/v1/customers', { email: 'ada@example.com' })
    expect(await closed).toEqual([0, null])
    expect(JSON.parse(await text('webhooks', 'list', '--json'))).toMatchObject({ data: [] })
  })

  test('deletes its endpoint also when its terminal is gone', async () => {
    const { child, closed } = await listen()
    child.kill('SIGHUP')
    expect(await closed).toEqual([0, null])
    expect(JSON.parse(await text('webhooks', 'list', '--json'))).toMatchObject({ data: [] })
  })

  test('prints each received event, one per line', async () => {
    const { printed, url } = await listen()
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
    const { id } = await api(daemon(), '/v1/customers', { email: 'ada@example.com' })
    expect(await printed.next()).toMatch(new RegExp(`customer\\.created +${id} +ada@example\\.com$`))
  })

  test('prints JSON for programs, and only the selected events', async () => {
    const { printed } = await listen('--json', '--event', 'product.*', 'customer.updated')
    const { id } = await api(daemon(), '/v1/customers', {})
    await api(daemon(), '/v1/products', { name: 'Pro' })
    await api(daemon(), `/v1/customers/${id}`, { name: 'Ada' })
    const types = [await printed.next(), await printed.next()].map((line) => JSON.parse(line ?? '').type)
    expect(types).toEqual(['product.created', 'customer.updated'])
  })

  test('rejects unsigned requests, and continues', async () => {
    const { printed, said, url } = await listen()
    const responses = await Promise.all([
      fetch(url, { method: 'POST', body: '{"id":"evt_forged","type":"x"}' }),
      fetch(url, {
        method: 'POST',
        body: '{}',
        headers: { 'paytwin-signature': `t=${NOW_SECONDS},v1=${'0'.repeat(64)}` },
      }),
      fetch(url),
    ])
    expect(responses.map(({ status }) => status)).toEqual([401, 401, 401])
    expect(await said.next()).toMatch(/^Rejected: /)
    const { id } = await api(daemon(), '/v1/customers', {})
    expect(await printed.next()).toContain(id)
  })

  test.each([
    'null',
    '[]',
    '"x"',
    '{"type":"x","created":1,"data":null}',
    '{"type":"x","created":1e15,"data":{"object":{"object":"customer"}}}',
    '{',
  ])('rejects the signed body %s, which is no event, and continues', async (body) => {
    const { printed, said, url, secret } = await listen()
    const headers = signatureHeaders(secret, {
      id: 'evt_1',
      timestamp: Math.floor(Date.now() / 1_000),
      body,
    })
    expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(400)
    expect(await said.next()).toMatch(/^Rejected: /)
    const { id } = await api(daemon(), '/v1/customers', {})
    expect(await printed.next()).toContain(id)
  })

  test('returns 413 to a body that is too large, discards it, and continues', async () => {
    const { printed, said, url, child } = await listen()
    const large = Buffer.alloc(64 * 1_048_576, 'a')
    const chunked = () => Readable.from(Array.from({ length: 64 }, () => large.subarray(0, 1_048_576)))
    const send = (body: Buffer | Readable) => post(url, body)
    expect(await Promise.all([send(large), send(chunked()), send(chunked())])).toEqual([413, 413, 413])
    expect(await said.next()).toBe('Rejected: The body is larger than 8388608 bytes.')
    const { id } = await api(daemon(), '/v1/customers', {})
    expect(await printed.next()).toContain(id)
    expect(child.exitCode).toBeNull()
  })

  test.each([
    ['without a signature', {}],
    ['with an old one', { 'paytwin-signature': `t=1,v1=${'0'.repeat(64)}` }],
  ])('rejects a request %s before its body arrives, and continues', async (_which, headers) => {
    const { printed, said, url } = await listen()
    const begun = request(url, { method: 'POST', headers: { ...headers, 'content-length': '10' } })
    begun.on('error', () => {})
    begun.write('{')
    const [response] = await once(begun, 'response')
    expect(response.statusCode).toBe(401)
    expect(await said.next()).toMatch(/^Rejected: The (request has neither|signature's timestamp 1 differs)/)
    begun.destroy()
    expect(await post(url, Buffer.alloc(64 * 1_048_576, 'a'), headers)).toBe(401)
    const { id } = await api(daemon(), '/v1/customers', {})
    expect(await printed.next()).toContain(id)
  })

  test.each(['', 'Expect: anything\r\n'])(
    'closes a connection with pipelined requests, and continues: %j',
    async (header) => {
      const { printed, said, url } = await listen()
      const { hostname, port } = new URL(url)
      const socket = connect(Number(port), hostname).on('error', () => undefined)
      socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\n${header}\r\n`.repeat(1_000))
      await once(socket, 'close')
      expect(await said.next()).toContain('Rejected: The request has neither')
      await post(url, Buffer.from('{}'), { 'paytwin-signature': `t=1,v1=${'0'.repeat(64)}` })
      expect(await said.next()).toContain("Rejected: The signature's timestamp 1 differs")
      const { id } = await api(daemon(), '/v1/customers', {})
      expect(await printed.next()).toContain(id)
    },
  )

  test('returns 503 while more than 32 Mi characters of its output wait, and continues', async () => {
    const child = start(['webhooks', 'listen', '--json'], { env: daemon().env })
    started.push(child)
    const said = lines(child.stderr)
    const [, url = '', secret = ''] =
      /^Listening on (\S+) .* (whsec_\S+)$/.exec((await said.next()) ?? '') ?? []
    const body = Buffer.from(
      JSON.stringify({ id: 'evt_1', type: 'x', data: { object: { text: 'x'.repeat(8_000_000) } } }),
    )
    const send = () => {
      const timestamp = Math.floor(Date.now() / 1_000)
      return post(url, body, signatureHeaders(secret, { id: 'evt_1', timestamp, body: body.toString() }))
    }
    const statuses: (number | undefined)[] = []
    for (let sent = 0; sent < 6; sent += 1) statuses.push(await send())
    expect(statuses).toEqual([200, 200, 200, 200, 200, 503])
    expect(await said.next()).toBe('Rejected: More than 32 Mi characters of output wait for a reader.')

    const printed = lines(child.stdout)
    for (let line = 0; line < 5; line += 1) expect(await printed.next()).toContain('evt_1')
    expect(await send()).toBe(200)
  })

  test('closes a connection that sends nothing but blank lines after its request', async () => {
    const { url } = await listen()
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
      .on('error', () => undefined)
      .resume()
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n')
    await once(socket, 'data')
    socket.write('x')
    const dripping = setInterval(() => socket.write('\r\n'), 500)
    await once(socket, 'close')
    clearInterval(dripping)
  })

  test('does not wait for a body that never arrives', async () => {
    const { url } = await listen()
    const begun = request(url, { method: 'POST', headers: { ...forged(), 'content-length': '10' } })
    begun.write('{')
    const [response] = await once(begun, 'response')
    expect(response.statusCode).toBe(408)
    begun.destroy()
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('deletes its endpoint at %s: exit 0', async (signal) => {
    const { child, closed, endpoint } = await listen()
    expect((await json<List<{ id: string }>>('webhooks', 'list')).data).toMatchObject([{ id: endpoint }])
    child.kill(signal)
    expect(await closed).toEqual([0, null])
    expect((await json<List<{ id: string }>>('webhooks', 'list')).data).toEqual([])
  })

  test('creates its endpoint again after a reset or restore that took it away, and deletes that one', async () => {
    await text('snapshots', 'save', 'before')
    const { child, closed, said, printed } = await listen()
    for (const verb of [
      ['reset', '--yes'],
      ['restore', 'before'],
    ]) {
      await text('snapshots', ...verb)
      expect(await said.next()).toMatch(
        /^Listening as we_\w+ after a reset or restore\. Signing secret: whsec_\S+$/,
      )
      const { id } = await api(daemon(), '/v1/customers', {})
      expect(await printed.next()).toContain(id)
    }
    child.kill('SIGINT')
    expect(await closed).toEqual([0, null])
    expect((await json<List<{ id: string }>>('webhooks', 'list')).data).toEqual([])
    await text('snapshots', 'delete', 'before')
  })

  test('keeps an endpoint that a restore brings back', async () => {
    const { child, closed, printed } = await listen()
    await text('snapshots', 'save', 'during')
    await text('snapshots', 'restore', 'during')
    const { id } = await api(daemon(), '/v1/customers', {})
    expect(await printed.next()).toContain(id)
    expect((await json<List<{ id: string }>>('webhooks', 'list')).data).toHaveLength(1)
    child.kill('SIGINT')
    expect(await closed).toEqual([0, null])
    await text('snapshots', 'delete', 'during')
  })

  test('does not delete another endpoint that has its id after a restore', async () => {
    await text('snapshots', 'save', 'before')
    const mine = await json<{ id: string }>('webhooks', 'create', 'http://127.0.0.1:9/mine')
    await text('snapshots', 'save', 'other')
    await text('snapshots', 'restore', 'before')
    const { child, closed, endpoint, said } = await listen()
    expect(endpoint).toBe(mine.id)
    await text('snapshots', 'restore', 'other')
    await said.next()
    child.kill('SIGINT')
    expect(await closed).toEqual([0, null])
    expect((await json<List<{ id: string }>>('webhooks', 'list')).data).toMatchObject([{ id: mine.id }])
    for (const name of ['before', 'other']) await text('snapshots', 'delete', name)
  })

  test('ends without an error if its endpoint was deleted', async () => {
    const { child, closed, endpoint } = await listen()
    await text('webhooks', 'delete', endpoint)
    child.kill('SIGINT')
    expect(await closed).toEqual([0, null])
  })

  test('waits for its secret before it verifies: a delivery may arrive before the response with the secret', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const message = {
      id: 'evt_1',
      timestamp: Math.floor(Date.now() / 1_000),
      body: '{"id":"evt_1","type":"x","data":{"object":{}}}',
    }
    const responses: Promise<Response>[] = []
    // A fake admin API that posts a delivery before it responds.
    const early = createServer(async (request, response) => {
      const chunks: Buffer[] = await request.toArray()
      if (request.method === 'POST') {
        const { url } = JSON.parse(Buffer.concat(chunks).toString())
        const headers = signatureHeaders(secret, message)
        responses.push(fetch(url, { method: 'POST', body: message.body, headers }))
        await delay(100)
      }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ id: 'we_1', secret, data: [], has_more: false, livemode: false }))
    })
    await new Promise<void>((resolve) => early.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(early.address() as AddressInfo).port}`
    const env = { PAYTWIN_URL: url, PAYTWIN_ADMIN_TOKEN: 'x'.repeat(32) }
    const child = start(['webhooks', 'listen', '--merchant', 'mer_1', '--json'], { env })
    started.push(child)
    expect(JSON.parse((await lines(child.stdout).next()) ?? '')).toMatchObject({ id: 'evt_1' })
    expect(await Promise.all(responses.map(async (one) => (await one).status))).toEqual([200])
    const closed = once(child, 'close')
    child.kill('SIGINT')
    expect(await closed).toEqual([0, null])
    early.closeAllConnections()
    early.close()
  })

  test('listens on the given port', async () => {
    const { url, child, closed } = await listen()
    const { port } = new URL(url)
    const { status, stderr } = await fail('webhooks', 'listen', '--port', port)
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(`Cannot listen on port ${port}: .*EADDRINUSE`),
    ])
    child.kill('SIGINT')
    await closed
    expect((await listen('--port', port)).url).toBe(url)
  })

  test('needs a daemon: exit 3', async () => {
    const env = { PAYTWIN_URL: 'http://127.0.0.1:9', PAYTWIN_ADMIN_TOKEN: 'x'.repeat(32) }
    expect((await paytwin(['webhooks', 'listen'], { env })).status).toBe(3)
  })
})
