import { EventEmitter, on, once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { forwardEvents, targetOf } from '../../../src/cli/commands/forward.ts'
import { Client } from '../../../src/client/client.ts'
import { verifySignature } from '../../../src/webhooks/signature.ts'
import { api, lines, type RunningDaemon, start, startDaemon } from '../executable.ts'

type Delivery = { readonly headers: IncomingMessage['headers']; readonly body: string }

/** A receiver of webhooks with configurable responses, which returns its requests one at a time. */
async function startReceiver(handle: (count: number, response: ServerResponse) => void) {
  const got = new EventEmitter()
  const deliveries = on(got, 'delivery')
  let count = 0
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    count += 1
    got.emit('delivery', { headers: request.headers, body })
    handle(count, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    next: async (): Promise<Delivery> => (await deliveries.next()).value[0],
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

let daemon: RunningDaemon
let receiver: Awaited<ReturnType<typeof startReceiver>>
const tails: ReturnType<typeof start>[] = []
beforeEach(async () => {
  daemon = await startDaemon(['--ephemeral', '--clock', '2026-01-31T10:00:00Z'])
})
afterEach(async () => {
  for (const tail of tails.splice(0)) tail.kill('SIGKILL')
  receiver?.close()
  await daemon.stop()
})

/** A tail that forwards from before the first of these events on; its notes one at a time. */
async function forward(handle: (count: number, response: ServerResponse) => void) {
  receiver = await startReceiver(handle)
  await api(daemon, '/v1/customers', { name: 'first' })
  const { data } = await api<{ data: { id: string }[] }>(daemon, '/v1/events')
  const child = start(
    ['events', 'tail', '--json', '--since', data[0]?.id ?? '', '--forward-to', receiver.url],
    { env: daemon.env },
  )
  tails.push(child)
  const notes = lines(child.stderr)
  const [, secret = ''] = /signed with (whsec_\S+)$/.exec((await notes.next()) ?? '') ?? []
  return { secret, notes, printed: lines(child.stdout) }
}

const makeCustomers = async (count: number) => {
  for (let n = 0; n < count; n += 1) await api(daemon, '/v1/customers', { name: `日本 ${n}` })
}
const nextName = async () => JSON.parse((await receiver.next()).body).data.object.name

test('each event is posted in order, signed with the printed secret, and also printed', async () => {
  const { secret, printed } = await forward((_count, response) => response.end('thank you'))
  await makeCustomers(5)
  for (let n = 0; n < 5; n += 1) {
    const { headers, body } = await receiver.next()
    const event = JSON.parse((await printed.next()) ?? '')
    expect(JSON.parse(body)).toEqual(event)
    expect(event.data.object.name).toBe(`日本 ${n}`)
    expect(verifySignature(secret, { headers, body }, { now: Date.now() / 1000 })).toMatchObject({
      isValid: true,
    })
    expect(headers).toMatchObject({ 'webhook-id': event.id, 'content-type': 'application/json' })
  }
})

test('an event that the receiver does not accept is reported and not repeated, and the others follow', async () => {
  const { notes } = await forward((count, response) => {
    if (count === 1) response.writeHead(500).end('no')
    else if (count === 2) response.writeHead(302, { location: '/elsewhere' }).end()
    else if (count === 3) response.destroy()
    else response.writeHead(204).end()
  })
  await makeCustomers(4)
  for (const reason of ['returned 500', 'returned 302', 'no connection (ECONNRESET)']) {
    expect(await notes.next()).toMatch(
      new RegExp(`^evt_\\w+ customer\\.created was not accepted: ${reason.replace(/[()]/g, '\\$&')}\\.$`),
    )
  }
  for (let n = 0; n < 4; n += 1) expect(await nextName()).toBe(`日本 ${n}`)
})

test('a receiver that does not answer is given up after 15 seconds', async () => {
  await makeCustomers(1)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  receiver = await startReceiver(() => vi.advanceTimersByTime(15_000))
  const ended = new AbortController()
  const failures: (string | null)[] = []
  const client = new Client({
    url: daemon.url,
    token: daemon.env.PAYTWIN_ADMIN_TOKEN ?? daemon.admin_token ?? null,
  })
  await forwardEvents(client, { since: null }, targetOf(receiver.url, null), {
    signal: ended.signal,
    onForwarded: (_, failure) => {
      failures.push(failure)
      ended.abort()
    },
  })
  expect(failures).toEqual(['no response within 15 s'])
})

test('a slow receiver does not delay the output, and gets one event at a time', async () => {
  const waiting: ServerResponse[] = []
  const { printed } = await forward((_count, response) => waiting.push(response))
  await makeCustomers(3)
  for (let n = 0; n < 3; n += 1) expect(await printed.next()).toContain(`日本 ${n}`)
  for (let n = 0; n < 3; n += 1) {
    expect(await nextName()).toBe(`日本 ${n}`)
    expect(waiting).toHaveLength(n + 1)
    waiting[n]?.end()
  }
})

describe('a target', () => {
  test.each([
    'ftp://localhost/x',
    'http://user:secret@localhost/',
    'user:secret@localhost',
    'mailto:a@b',
    '',
    '//x',
  ])('is not %j', (url) => {
    expect(() => targetOf(url, 'token')).toThrow(/is not a valid URL to forward to/)
  })

  test.each([
    ['localhost:4320/hook', 'http://localhost:4320/hook'],
    ['localhost', 'http://localhost/'],
    ['127.0.0.1:3000', 'http://127.0.0.1:3000/'],
    ['[::1]:3000/x?y=1', 'http://[::1]:3000/x?y=1'],
    ['https://shop.test/hook', 'https://shop.test/hook'],
  ])('%s is %s', (given, url) => {
    expect(targetOf(given, 'token').url.href).toBe(url)
  })

  test('has a secret that follows from the admin token', () => {
    const secretOf = (token: string) => targetOf('http://localhost/', token).secret
    expect(secretOf('a')).toBe(secretOf('a'))
    expect(secretOf('a')).not.toBe(secretOf('b'))
    expect(secretOf('a')).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  })
})

test.each([[['listen', '--forward-to']], [['webhooks', 'forward']]])(
  '%j posts events to a URL without a scheme, and prints the outcome of each',
  async (words) => {
    receiver = await startReceiver((count, response) => response.writeHead(count === 1 ? 500 : 200).end())
    await api(daemon, '/v1/customers', { name: 'first' })
    const { data } = await api<{ data: { id: string }[] }>(daemon, '/v1/events')
    const url = receiver.url.replace('http://', '')
    const child = start([...words, url, '--event', 'customer.*', '--since', data[0]?.id ?? ''], {
      env: daemon.env,
    })
    tails.push(child)
    const notes = lines(child.stderr)
    const printed = lines(child.stdout)
    expect(await notes.next()).toMatch(
      /^Forwarding to http:\/\/127\.0\.0\.1:\d+\/webhooks, signed with whsec_\S+ \(Ctrl-C to stop\)$/,
    )
    await api(daemon, '/v1/products', { name: 'not forwarded' })
    await makeCustomers(2)
    expect(await printed.next()).toMatch(/^refused {3}\S+ {2}customer\.created /)
    expect(await notes.next()).toMatch(/customer\.created was not accepted: returned 500\.$/)
    expect(await printed.next()).toMatch(/^accepted {2}\S+ {2}customer\.created /)
    expect([await nextName(), await nextName()]).toEqual(['日本 0', '日本 1'])
  },
)
