import assert from 'node:assert'
import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { Daemon } from '../../src/daemon/daemon.ts'
import { appOfId } from '../../src/engine/access/oauth-app.ts'
import {
  authorizationOfConsent,
  decideAs,
  requestInBrowser,
} from '../../src/engine/access/oauth-authorization.ts'
import { HeldBodies, LimitedOwner } from '../../src/http/held-bodies.ts'
import { HeldBody, keylessOwnersOf } from '../../src/http/held-body.ts'
import { readNodeBody } from '../../src/http/node-body.ts'
import { collectGarbage } from '../kept-memory.ts'
import { clientOf, startTwin } from '../twin.ts'
import { ASKED, exchange, letIn, makeApp, paramsOf } from './oauth/support.ts'
import { openSocket, responsesIn, startListening } from './raw-socket.ts'
import { asOperator } from './support.ts'

const MIB = 2 ** 20

let daemon: Daemon
beforeAll(async () => {
  daemon = await startListening()
})
afterAll(() => daemon.close())

const host = () => `Host: ${new URL(daemon.url).host}`
const key = () => `Authorization: Bearer ${daemon.secretKey}`
const inbox = async () => {
  const merchants = await fetch(`${daemon.url}/_paytwin/merchants`, {
    headers: { authorization: `Bearer ${daemon.adminToken}` },
  })
  return `/inbox/${((await merchants.json()) as { data: { id: string }[] }).data[0]?.id}`
}

/** Opens connections that send a body of 1 MiB but for its last byte. */
async function openUnfinished(path: string, count: number, headers: readonly string[] = []) {
  const sockets = Array.from({ length: count }, () => openSocket(daemon))
  const text = ' '.repeat(MIB - 1)
  for (const { write } of sockets)
    write(`POST ${path} HTTP/1.1`, host(), ...headers, `Content-Length: ${MIB}`, '', text)
  const refused = await Promise.race(
    sockets.map(({ socket }) => new Promise((resolve) => socket.once('data', resolve))),
  )
  for (const { socket } of sockets) socket.destroy()
  return String(refused)
}

/** The services of a request, with a sum of bodies of its own. */
async function servicesWith(bodies: HeldBodies) {
  const { sandbox, close } = await startTwin()
  onTestFinished(close)
  return { bodies, engine: sandbox.engine }
}

test('bodies of one owner have a limit in sum, and others have room', async () => {
  const all = new HeldBodies(undefined, 10)
  const services = await servicesWith(all)
  const [ada, bob] = [{}, {}]
  const [first, second, other, stranger] = [ada, ada, bob, undefined].map(
    (owner) => new HeldBody(services, undefined, () => owner),
  )
  first?.add(6)
  second?.add(4)
  expect(() => second?.add(1)).toThrow('Too many requests')
  other?.add(10)
  stranger?.add(10)
  expect(all.bytes).toBe(30)
  first?.release()
  second?.add(6)
  for (const held of [first, second, other, stranger]) held?.release()
  expect(all.bytes).toBe(0)
})

test('bodies of all owners have a limit in sum, within which small ones have room', async () => {
  const services = await servicesWith(new HeldBodies())
  const ofOwner = (owner: number) => new HeldBody(services, undefined, () => ({ owner }))
  for (let owner = 0; owner < 4; owner += 1) ofOwner(owner).add(64 * MIB)
  expect(() => ofOwner(4).add(MIB + 1)).toThrow('Too many requests')
  for (let owner = 4; owner < 260; owner += 1) ofOwner(owner).add(MIB)
  expect(() => ofOwner(260).add(1)).toThrow('Too many requests')
})

test('long headers count as such', async () => {
  const all = new HeldBodies()
  const req = {
    url: '/v1/customers',
    rawHeaders: ['X-Long', 'x'.repeat(12_000)],
    socket: { destroyed: false },
  }
  const held = new HeldBody(await servicesWith(all), { outgoing: { req } })
  held.reserve()
  expect(all.bytes).toBe(12_000 + 'X-Long/v1/customers'.length)
  held.release()
  expect(all.bytes).toBe(0)
})

test.each([
  ['a merchant', async () => '/v1/customers', () => [key()]],
  ['strangers', inbox, () => []],
])(
  'more than 64 MiB of unfinished bodies of %s are refused, and leave no trace',
  async (_, pathOf, headers) => {
    const path = await pathOf()
    for (let round = 0; round < 2; round += 1) {
      const refused = await openUnfinished(path, 70, headers())
      expect(refused).toMatch(/^HTTP\/1.1 429 /)
      expect(refused).toMatch(/\r\nRetry-After: 1\r\n/i)
      expect(refused).toContain('"code":"rate_limit"')
    }
  },
)

test('a chunked body of very many chunks is read', async () => {
  const raw = openSocket(daemon)
  const body = [...`{"description":"${'x'.repeat(4_000)}"}${' '.repeat(50_000)}`]
  raw.write('POST /v1/customers HTTP/1.1', host(), key(), 'Content-Type: application/json')
  raw.write('', 'Transfer-Encoding: chunked', 'Connection: close', '', '')
  raw.write(`${body.map((character) => `1\r\n${character}\r\n`).join('')}0\r\n\r\n`)
  const [response] = responsesIn(await raw.heard)
  expect(response?.status).toBe(201)
  expect(JSON.parse(response?.body ?? '').description).toBe('x'.repeat(4_000))
})

test('a body is decoded in its turn', async () => {
  const chunks = new PassThrough()
  chunks.end('text')
  const order: string[] = []
  const turn = async () => {
    await nextTurn()
    order.push('turn')
  }
  const body = await readNodeBody(chunks as unknown as IncomingMessage, { add: () => undefined, turn })
  order.push(body)
  expect(order).toEqual(['turn', 'text'])
})

test('the bytes of a body are released when it was decoded, while its request is kept', async () => {
  const request = new EventEmitter() as IncomingMessage
  onTestFinished(() => void request.emit('close'))
  const read = async () => {
    const bytes = Buffer.alloc(MIB, ' ')
    const reading = readNodeBody(request, { add: () => undefined, turn: () => undefined })
    request.emit('data', bytes)
    request.emit('end')
    await reading
    return new WeakRef(bytes.buffer)
  }
  const bytes = await read()
  await nextTurn()
  collectGarbage()
  expect(bytes.deref() === undefined).toBe(true)
})

test('a body that was refused waits for no turn', async () => {
  const chunks = new PassThrough()
  chunks.end('text')
  const add = () => {
    throw new Error('too large')
  }
  const turn = vi.fn(() => Promise.reject(new Error('nobody handles this')))
  const reading = readNodeBody(chunks as unknown as IncomingMessage, { add, turn })
  await expect(reading).rejects.toThrow('too large')
  chunks.resume()
  while (!chunks.readableEnded) await nextTurn()
  expect(turn).not.toHaveBeenCalled()
})

test('a request without a body takes a turn of its merchant', async () => {
  const services = await servicesWith(new HeldBodies())
  const merchant = {}
  const next = vi.spyOn(services.engine.reads, 'next')
  services.engine.reads.run({}, () => undefined)
  const end = performance.now() + 12
  while (performance.now() < end);
  await new HeldBody(services, undefined, () => merchant).turn()
  expect(next).toHaveBeenCalledWith(merchant)
})

test('bodies that arrive in one instant take turns', async () => {
  const services = await servicesWith(new HeldBodies())
  const held = new HeldBody(services, undefined)
  expect(held.turn()).toBeUndefined()
  services.engine.reads.run({}, () => undefined)
  const end = performance.now() + 12
  while (performance.now() < end);
  expect(held.turn()).toBeInstanceOf(Promise)
})

test('a write counts at least 8 KiB, and those that have room can have a body of that size', async () => {
  const all = new HeldBodies(undefined, 3 * 8_192)
  const services = await servicesWith(all)
  const owner = {}
  const held = Array.from({ length: 4 }, () => new HeldBody(services, undefined, () => owner))
  for (const write of held.slice(0, 3)) write.reserve()
  expect(() => held[3]?.reserve()).toThrow('Too many requests')
  for (const write of held.slice(0, 3)) write.add(8_192)
  expect(all.bytes).toBe(3 * 8_192)
  expect(() => held[0]?.add(1)).toThrow('Too many requests')
  for (const write of held) write.release()
  expect(all.bytes).toBe(0)
})

test.each([
  ['POST', '/v1/customers'],
  ['DELETE', '/v1/customers/cus_1'],
])('%s without a body counts until it is answered', async (method, path) => {
  const twin = await startTwin()
  onTestFinished(twin.close)
  const [added, removed] = [vi.spyOn(HeldBodies.prototype, 'add'), vi.spyOn(HeldBodies.prototype, 'remove')]
  onTestFinished(() => void vi.restoreAllMocks())
  await twin.request(method, path)
  const { merchant } = twin.sandbox
  expect(added.mock.calls).toEqual([[merchant, 8_192]])
  expect(removed.mock.calls).toEqual([[merchant, 8_192]])
})

test('what others send for a merchant uses up no room of its key', async () => {
  const twin = await startTwin()
  onTestFinished(twin.close)
  const { merchant } = twin.sandbox
  const { id } = merchant.settings
  const { body: key } = await asOperator(twin)('POST', 'keys', { merchant: id, publishable: true })
  const added = vi.spyOn(HeldBodies.prototype, 'add')
  onTestFinished(() => added.mockRestore())
  await clientOf(twin.sandbox, key.secret).request('POST', '/v1/payment_intents/pi_1/confirm', {})
  await twin.sandbox.app.request(`/inbox/${id}`, {
    method: 'POST',
    body: '{}',
    headers: { host: 'localhost' },
  })
  const { browsers, senders } = keylessOwnersOf(merchant)
  const [first, second, ...more] = added.mock.calls.map(([owner]) => owner)
  expect([first === browsers, second === senders, more]).toEqual([true, true, []])
})

test('what apps with access tokens for a merchant send uses up no room of its key', async () => {
  const twin = await startTwin()
  onTestFinished(twin.close)
  const { merchant, engine } = twin.sandbox
  const clients = []
  for (const name of ['Ada', 'Bob']) {
    const { access_token } = await letIn(twin, await makeApp(twin, { name }), { scope: 'read_write' })
    clients.push(clientOf(twin.sandbox, access_token))
  }
  const added = vi.spyOn(HeldBodies.prototype, 'add')
  onTestFinished(() => added.mockRestore())
  for (const { post } of clients) await post('/v1/customers', {})
  vi.spyOn(engine.reads, 'isFreeFor').mockReturnValue(false)
  await clients[0]?.get('/v1/customers')
  const { apps } = keylessOwnersOf(merchant)
  const owners = added.mock.calls.map(([owner]) => owner)
  expect(owners.length).toBeGreaterThan(2)
  expect(owners.filter((owner) => owner !== apps)).toEqual([])
  expect(apps).toBeInstanceOf(LimitedOwner)
})

test('long reads of apps do not wait for those of the merchant', async () => {
  const twin = await startTwin({ dialect: 'stripe' })
  onTestFinished(twin.close)
  const { merchant, engine } = twin.sandbox
  const app = await makeApp(twin)
  const known = appOfId(engine, app.client_id)
  assert(known)
  const secrets = await requestInBrowser(engine, { ...ASKED, app: known }, [merchant])
  const { id = '' } = authorizationOfConsent(engine, secrets) ?? {}
  const { redirect_to } = await decideAs(engine, id, { decision: 'approve', merchant })
  const { access_token } = (await exchange(twin, app, paramsOf(redirect_to).code ?? '')).body
  const run = vi.spyOn(engine.longReads, 'run')
  await clientOf(twin.sandbox, access_token).get('/v1/balance')
  await clientOf(twin.sandbox, access_token).get('/v1/customers/search?query=email:"a"')
  await twin.get('/v1/balance')
  const { apps } = keylessOwnersOf(merchant)
  expect(run.mock.calls.map(([owner]) => owner === apps)).toEqual([true, true, false])
})
