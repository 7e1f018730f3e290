import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { DirectServer } from '../../src/daemon/direct.ts'
import { HeldBodies } from '../../src/http/held-bodies.ts'
import { readNodeBody } from '../../src/http/node-body.ts'
import { signIn } from '../dashboard/support.ts'
import { startTwin, type Twin } from '../twin.ts'
import { makeApp, proofOf } from './oauth/support.ts'

let twin: Twin
let held = 0
beforeEach(async () => {
  twin = await startTwin()
  held = 0
  const { add, remove } = HeldBodies.prototype
  vi.spyOn(HeldBodies.prototype, 'add').mockImplementation(function (this: HeldBodies, owner, bytes) {
    add.call(this, owner, bytes)
    held += bytes
  })
  vi.spyOn(HeldBodies.prototype, 'remove').mockImplementation(function (this: HeldBodies, owner, bytes) {
    remove.call(this, owner, bytes)
    held -= bytes
  })
  return async () => {
    vi.restoreAllMocks()
    await twin.close()
  }
})

type Exchanged = { readonly request: IncomingMessage; readonly response: ServerResponse }

/** Returns a request whose client closed the connection before the request was served, such as during an injected latency. */
async function givenUp(text: string, isWhole: boolean): Promise<Exchanged> {
  const server = createServer()
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.write(text)
  const [request, response]: [IncomingMessage, ServerResponse] = (await once(server, 'request')) as never
  while (isWhole && !request.complete) await nextTurn()
  client.destroy()
  // Not with once(), which listens for errors: without a listener there are none.
  await new Promise((resolve) => request.once('close', resolve))
  return { request, response }
}

/** Serves as the daemon does: most requests of /v1 directly, and others with hono. @returns the status */
async function serve({ request, response }: Exchanged): Promise<number> {
  const { app } = twin.sandbox
  const served = new DirectServer(twin.sandbox).serve(request, response)
  await (served ?? getRequestListener(app.fetch, { overrideGlobalObjects: false })(request, response))
  return response.statusCode
}

const BODY = '{"name":"Ada"}'
const ENDS = { whole: BODY, part: BODY.slice(0, 5) }

/** The headers and bodies of a POST, whole and in part. */
const FORMS = {
  'a plain request': ['', `Content-Length: ${BODY.length}\r\n\r\n`, ENDS],
  'a repeated header': ['X-A: 1\r\nX-A: 2\r\n', `Content-Length: ${BODY.length}\r\n\r\n`, ENDS],
  'a chunked body': [
    '',
    'Transfer-Encoding: chunked\r\n\r\n',
    { whole: `5\r\n{"nam\r\n9\r\ne":"Ada"}\r\n0\r\n\r\n`, part: '5\r\n{"nam\r\n' },
  ],
} as const

const post = (path: string, ...headers: readonly string[]) =>
  [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', ...headers, ''].join('\r\n')
const key = () => `Authorization: Bearer ${twin.secretKey}`
const operator = () => `Authorization: Bearer ${twin.sandbox.adminToken}`
const names = async () => (await twin.get('/v1/customers')).data.map(({ name }: { name: string }) => name)

describe.each(Object.entries(FORMS))('%s whose client gave up before it was read', (_, form) => {
  const [headers, length, { whole, part }] = form

  test('is served if it arrived whole', async () => {
    expect(await serve(await givenUp(post('/v1/customers', key()) + headers + length + whole, true))).toBe(
      201,
    )
    expect(await names()).toEqual(['Ada'])
    expect(held).toBe(0)
  })

  test('ends and writes nothing if only a part arrived', async () => {
    expect(await serve(await givenUp(post('/v1/customers', key()) + headers + length + part, false))).toBe(
      500,
    )
    expect(await names()).toEqual([])
    expect(held).toBe(0)
  })
})

test('a DELETE without a body whose client gave up is served', async () => {
  const { id } = await twin.post('/v1/customers', {})
  const text = `DELETE /v1/customers/${id} HTTP/1.1\r\nHost: localhost\r\n${key()}\r\n\r\n`
  expect(await serve(await givenUp(text, true))).toBe(200)
  expect(await names()).toEqual([])
  expect(held).toBe(0)
})

describe('a part of a body whose client gave up ends, and does nothing', () => {
  const merchant = () => twin.sandbox.merchant.settings.id
  const OWN_ORIGIN = 'Origin: http://localhost'
  test.each<[string, () => string | Promise<string>]>([
    ['of a webhook to the inbox', () => post(`/inbox/${merchant()}`)],
    ['of a form of a page for customers', () => post(`/i/${merchant()}/in_1/key`, OWN_ORIGIN)],
    ['of the decision of the consent page', () => post('/v1/oauth/authorize/decision', OWN_ORIGIN)],
    [
      'of a request for a token',
      async () => post('/v1/oauth/token', `Authorization: ${proofOf(await makeApp(twin)).Authorization}`),
    ],
    ['of the admin API', () => post('/_paytwin/merchants', operator())],
    [
      'of a request of the operator',
      () => post(`/_paytwin/merchants/${merchant()}/v1/customers`, operator()),
    ],
    [
      'of a form of the dashboard',
      async () => {
        const { base, cookie } = await signIn(twin)
        return post(`${base}/scenes`, OWN_ORIGIN, `Cookie: ${cookie}`)
      },
    ],
  ])('%s', async (_name, head) => {
    const merchants = twin.sandbox.engine.merchants.size
    expect(await serve(await givenUp(`${await head()}Content-Length: 14\r\n\r\n{"nam`, false))).toBe(500)
    expect(twin.sandbox.engine.merchants.size).toBe(merchants)
    expect(await names()).toEqual([])
    expect(held).toBe(0)
  })
})

test('a request of the operator for a merchant has the body that the operator sent', async () => {
  const path = `/_paytwin/merchants/${twin.sandbox.merchant.settings.id}/v1/customers`
  const whole = `${post(path, operator())}Content-Length: ${BODY.length}\r\n\r\n${BODY}`
  expect(await serve(await givenUp(whole, true))).toBe(201)
  const [{ id, name }] = (await twin.get('/v1/customers')).data
  expect(name).toBe('Ada')
  const without = ['DELETE', `${path}/${id}`, `HTTP/1.1\r\nHost: localhost\r\n${operator()}\r\n\r\n`]
  expect(await serve(await givenUp(without.join(' '), true))).toBe(200)
  expect(await names()).toEqual([])
  expect(held).toBe(0)
})

test('a whole body whose client gave up is refused if there is no room for it', async () => {
  const { request } = await givenUp(`${post('/v1/customers')}Content-Length: 2\r\n\r\n{}`, true)
  const add = vi.fn(() => {
    throw new Error('too many')
  })
  await expect(readNodeBody(request, { add, turn: () => undefined })).rejects.toThrow('too many')
  expect(add.mock.calls).toEqual([[2]])
})
