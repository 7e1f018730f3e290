import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Daemon } from '../../src/daemon/daemon.ts'
import { ID } from '../../src/http/route-memory.ts'
import { send as sendTo, startListening } from '../http/raw-socket.ts'
import { startTwin } from '../twin.ts'

const CLOSE = 'Connection: close'
const FORM = 'Content-Type: application/x-www-form-urlencoded'

let daemon: Daemon
beforeAll(async () => {
  daemon = await startListening()
})
afterAll(() => daemon.close())

const host = () => `Host: ${new URL(daemon.url).host}`
const key = () => `Authorization: Bearer ${daemon.secretKey}`

/** What differs from one request to the next, whichever way it is served. */
const VARIES = /^(request-id|date|transfer-encoding|content-length|connection|keep-alive): /i

/**
 * Sends a request as nearly all are written, and once more with a header given twice, which sends it by way of hono.
 * @returns both responses, without what differs anyway
 */
async function bothWays(lines: readonly string[], body = '') {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  const responseTo = async (...more: string[]) => {
    const {
      status,
      head,
      body: text,
    } = await sendTo(daemon, ...lines, host(), ...length, ...more, CLOSE, '', body)
    const headers = head
      .split('\r\n')
      .slice(1)
      .filter((line) => !VARIES.test(line))
      .map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase()))
      .sort()
    return { status, headers, text: text.replace(/^[0-9a-f]+\r\n|\r\n0\r\n\r\n$/g, '') }
  }
  return { direct: await responseTo(), byHono: await responseTo('X-Twice: 1', 'X-Twice: 2') }
}

describe('a request gets the same response directly and through hono', () => {
  test.each<[string, () => string[], string?]>([
    ['a list', () => ['GET /v1/customers?limit=3 HTTP/1.1', key()]],
    ['an empty query', () => ['GET /v1/customers? HTTP/1.1', key()]],
    ['what is missing', () => ['GET /v1/customers/cus_none HTTP/1.1', key()]],
    ['a wrong parameter', () => ['GET /v1/customers?limit=0 HTTP/1.1', key()]],
    ['an unknown parameter', () => ['GET /v1/customers?zebra=1 HTTP/1.1', key()]],
    ['a stranger', () => ['GET /v1/customers HTTP/1.1']],
    [
      'a wrong key',
      () => ['POST /v1/customers HTTP/1.1', 'Authorization: Bearer sk_test_wrong', FORM],
      'name=x',
    ],
    ['an unknown version', () => ['GET /v1/customers HTTP/1.1', key(), 'X-API-Version: 1999-01-01']],
    [
      'a form that is refused',
      () => ['POST /v1/payment_intents HTTP/1.1', key(), FORM],
      'amount=x&currency=usd',
    ],
    [
      'a body of another type',
      () => ['POST /v1/customers HTTP/1.1', key(), 'Content-Type: text/plain'],
      'name=x',
    ],
    ['a packed body', () => ['POST /v1/customers HTTP/1.1', key(), FORM, 'Content-Encoding: gzip'], 'name=x'],
    [
      'JSON that is none',
      () => ['POST /v1/customers HTTP/1.1', key(), 'Content-Type: application/json'],
      '{',
    ],
    ['an unknown path', () => ['GET /v1/zebras HTTP/1.1', key()]],
    ['a method that a path does not know', () => ['DELETE /v1/events HTTP/1.1', key()]],
    ['a method of its own', () => ['PATCH /v1/customers HTTP/1.1', key()]],
    ['a route with two names', () => ['GET /v1/customers/cus_none/payment_methods HTTP/1.1', key()]],
    ['HTTP/1.0', () => ['GET /v1/customers HTTP/1.0', key()]],
    ['no expansion', () => ['GET /v1/customers?expand[]=zebra HTTP/1.1', key()]],
  ])('%s', async (_, lines, body) => {
    const { direct, byHono } = await bothWays(lines(), body)
    expect(direct).toEqual(byHono)
  })

  test('an object, and the same object after a change', async () => {
    const created = await sendTo(
      daemon,
      'POST /v1/customers HTTP/1.1',
      host(),
      key(),
      FORM,
      'Content-Length: 7',
      CLOSE,
      '',
      'name=Ä',
    )
    const { id } = JSON.parse(created.body)
    for (const name of ['Ä', 'B', 'C']) {
      const body = `name=${name}`
      const length = `Content-Length: ${Buffer.byteLength(body)}`
      await sendTo(daemon, `POST /v1/customers/${id} HTTP/1.1`, host(), key(), FORM, length, CLOSE, '', body)
      for (let time = 0; time < 2; time += 1) {
        const { direct, byHono } = await bothWays([`GET /v1/customers/${id} HTTP/1.1`, key()])
        expect(direct).toEqual(byHono)
        expect(JSON.parse(direct.text).name).toBe(name)
      }
    }
  })
})

test('no route has a fixed part that looks like an id, by which the routes of paths are remembered', async () => {
  const { sandbox } = await startTwin()
  const parts = sandbox.routes.flatMap(({ path }) => path.split('/')).filter((part) => !part.startsWith(':'))
  expect(parts).toContain('payment_methods')
  expect(parts.filter((part) => ID.test(`/${part}`))).toEqual([])
})
