import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Daemon } from '../../src/daemon/daemon.ts'
import { startTwin } from '../twin.ts'
import { send, startListening } from './raw-socket.ts'

const TOKEN = 'a-token-that-only-this-test-knows-0123456789'

let daemon: Daemon
beforeAll(async () => {
  daemon = await startListening({ adminToken: TOKEN })
})
afterAll(() => daemon.close())

/** Sends a request without a body. @returns the response, with its headers in order and without those that differ each time */
async function ask(method: string, path: string, ...headers: string[]) {
  const { host } = new URL(daemon.url)
  const { status, head, body } = await send(
    daemon,
    ...[`${method} ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...headers, '', ''],
  )
  const [, ...lines] = head.toLowerCase().split('\r\n')
  const own = /^(request-id|date):/
  return { status, headers: lines.filter((line) => !own.test(line)).toSorted(), body }
}

const key = () => `Authorization: Bearer ${daemon.secretKey}`
const token = () => `Authorization: Bearer ${TOKEN}`

describe('HEAD responds like GET, without a body', () => {
  test.each<[string, number, () => string[]]>([
    ['/v1/customers', 200, () => [key()]],
    ['/v1/customers?limit=0', 400, () => [key()]],
    ['/v1/customers', 401, () => []],
    ['/v1/customers/cus_00000000000000', 404, () => [key()]],
    ['/v1/nothing', 404, () => [key()]],
    ['/_paytwin/health', 200, () => []],
    ['/_paytwin/merchants', 200, () => [token()]],
    ['/_paytwin/merchants', 401, () => []],
    ['/v1/oauth/authorize', 400, () => []],
    ['/nothing', 404, () => []],
    ['/', 404, () => []],
  ])('%s: %i', async (path, status, headers) => {
    const whole = await ask('GET', path, ...headers())
    const head = await ask('HEAD', path, ...headers())
    expect(head).toEqual({ ...whole, body: '' })
    expect(head.status).toBe(status)
    expect(head.headers).toContain(`content-length: ${Buffer.byteLength(whole.body)}`)
  })

  test('and opens no stream', async () => {
    const stream = 'Accept: text/event-stream'
    for (const [path, credentials] of [
      ['/v1/events', key()],
      ['/_paytwin/events', token()],
      ['/_paytwin/requests', token()],
    ] as const) {
      const { status, headers, body } = await ask('HEAD', path, credentials, stream)
      expect([status, body]).toEqual([200, ''])
      expect(headers).toContain('content-type: application/json')
    }
  })
})

test.each(['/docs', '/openapi.json'])('%s has the headers of GET', async (path) => {
  const { sandbox, close } = await startTwin()
  const headers = { Host: 'localhost' }
  const ask = (method: string) => sandbox.app.request(path, { method, headers })
  const [head, got] = [await ask('HEAD'), await ask('GET')]
  expect(head.status).toBe(200)
  expect(await head.text()).toBe('')
  expect(Number(head.headers.get('content-length'))).toBe((await got.arrayBuffer()).byteLength)
  expect(head.headers.get('content-type')).toBe(got.headers.get('content-type'))
  await close()
})
