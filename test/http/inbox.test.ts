import { Readable } from 'node:stream'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { MerchantState } from '../../src/engine/machine/merchant-state.ts'
import { inboxUrl } from '../../src/http/dashboard/inbox-url.ts'
import { INBOX_BYTES, Inbox } from '../../src/http/inbox.ts'
import { SIGNATURES } from '../../src/webhooks/signature.ts'
import { keptBytes } from '../kept-memory.ts'
import { type Body, startTwin, type Twin } from '../twin.ts'
import { asOperator, type Refusal } from './support.ts'

const NOW = 1_800_000_000

let twin: Twin
let endpoint: Body
let path: string
beforeEach(async () => {
  twin = await startTwin({
    wall: () => NOW * 1_000,
    signatureTime: () => NOW,
    send: async () => ({ status: 200, body: '' }),
  })
  onTestFinished(() => twin.close())
  path = `/inbox/${twin.sandbox.merchant.settings.id}`
  endpoint = (await asOperator(twin)('POST', 'webhooks', { url: `http://localhost${path}` })).body
})

type Sent = {
  readonly secret?: string
  readonly dialect?: 'paytwin' | 'stripe'
  readonly headers?: Record<string, string>
}

/** Posts a body to the inbox, signed as a delivery is. */
async function post(body: string, { secret = endpoint.secret, dialect = 'paytwin', headers }: Sent = {}) {
  const signature = SIGNATURES[dialect](secret, { id: 'evt_1', timestamp: NOW, body })
  const response = await twin.sandbox.app.request(path, {
    method: 'POST',
    headers: { Host: 'localhost:4242', 'Content-Type': 'application/json', ...signature, ...headers },
    body,
  })
  return { status: response.status, body: (await response.json()) as Body }
}
const received = async (): Promise<Body[]> =>
  (await asOperator(twin)('GET', 'webhooks/received?limit=100')).body.data

const EVENT = JSON.stringify({ id: 'evt_1', type: 'invoice.paid' })

test.each(['paytwin', 'stripe'] as const)(
  'a webhook is kept with its verified signature of %s',
  async (dialect) => {
    expect(await post(EVENT, { dialect, headers: { Authorization: 'Bearer secret' } })).toEqual({
      status: 200,
      body: { received: true, livemode: false },
    })
    const [webhook] = await received()
    expect(webhook).toMatchObject({
      object: 'received_webhook',
      time: NOW * 1_000,
      event: 'evt_1',
      event_type: 'invoice.paid',
      signed_by: endpoint.id,
      signature_error: null,
      body: EVENT,
      is_body_cut: false,
    })
    expect(JSON.stringify(webhook)).not.toContain('Bearer secret')
    expect((await asOperator(twin)('GET', `webhooks/received/${webhook?.id}`)).body).toEqual(webhook)
  },
)

test('a webhook with another secret is refused, and kept with the reason', async () => {
  const { status, body } = await post('<b>no event</b>', { secret: 'whsec_other' })
  expect(status).toBe(400)
  expect(body.error.message).toContain('The signature does not match')
  expect(await received()).toMatchObject([
    { event: null, signed_by: null, signature_error: body.error.message, body: '<b>no event</b>' },
  ])
})

test('a body with a lone surrogate as its id is kept as no event', async () => {
  await post('{"id":"\\ud800","type":"invoice.paid"}', { secret: 'whsec_other' })
  expect(await received()).toMatchObject([{ event: null, event_type: null }])
})

test.each([
  [
    'a type after a large object',
    `{"id":"evt_1","data":{"lines":[${'{"a":"}]"},'.repeat(50_000)}{}]},"type":"b"}`,
    'b',
  ],
  ['an id within its object', '{"data":{"id":"evt_1","type":"b"},"type":"b"}', null],
  [
    'very many members',
    `{"id":"evt_1","type":"b"${Array.from({ length: 50_000 }, (_, at) => `,"${at}a":1`).join('')}}`,
    null,
  ],
  ['a list', '["id","evt_1","type",{}]', null],
  ['deep lists', '['.repeat(500_000), null],
])('the event of a body is found outside of what it nests: %s', async (_, body, type) => {
  await post(body)
  expect(await received()).toMatchObject([{ event: type && 'evt_1', event_type: type }])
})

test('the secrets of many endpoints are tried in steps', async () => {
  for (let count = 0; count < 3; count += 1)
    await asOperator(twin)('POST', 'webhooks', { url: 'http://localhost/' })
  const inSteps = vi.spyOn(twin.sandbox.engine.reads, 'inSteps')
  onTestFinished(() => inSteps.mockRestore())
  let count = 0
  inSteps.mockImplementation(async (_, steps) => {
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return step.value
      count += 1
    }
  })
  expect((await post(EVENT, { secret: 'whsec_other' })).status).toBe(400)
  expect(count).toBe(4)
})

test('the last 100 webhooks are kept, and the beginning of each body', async () => {
  for (let number = 1; number <= 101; number += 1)
    await post(`${number} ${'x'.repeat(number === 101 ? 70_000 : 1)}`)
  const kept = await received()
  expect(kept).toHaveLength(100)
  expect(kept[0]?.body).toHaveLength(65_536)
  expect(kept[0]).toMatchObject({ is_body_cut: true, signed_by: endpoint.id })
  expect(kept.at(-1)?.body).toBe('2 x')
})

/** An inbox that takes no webhook as signed. */
const unsignedInbox = () =>
  new Inbox(function* () {
    yield
    return { endpoint: null, reason: 'not signed' }
  }, Date.now)

/** Merchants without anything but what an inbox reads. */
const merchantsWith = (count: number): MerchantState[] =>
  Array.from(
    { length: count },
    (_, at) => ({ settings: { id: `mer_${at}` }, presence: 'present' }) as MerchantState,
  )

/** Posts 100 webhooks to a merchant. */
function fill(inbox: Inbox, merchant: MerchantState, body: string, headers: Record<string, string> = {}) {
  for (let number = 0; number < 100; number += 1) for (const _ of inbox.add(merchant, { headers, body }));
}

test.each<[string, number, string, Record<string, string>]>([
  ['bodies', 25, 'x'.repeat(65_536), {}],
  ['bodies of characters with two bytes', 15, '中'.repeat(65_536), {}],
  ['headers', 90, '', { 'x-long': 'x'.repeat(16_000) }],
])(
  'all inboxes have a limit, and the oldest of those with the most are dropped: long %s',
  (_, count, body, headers) => {
    const inbox = unsignedInbox()
    const [small, ...others] = merchantsWith(count + 1) as [MerchantState, ...MerchantState[]]
    fill(inbox, small, 'small')
    for (const merchant of others) fill(inbox, merchant, body, headers)
    expect(inbox.bytes).toBeLessThanOrEqual(INBOX_BYTES)
    expect(inbox.list(small)).toHaveLength(100)
    const counts = others.map((merchant) => inbox.list(merchant).length)
    const kept = counts.reduce((sum, count) => sum + count)
    const bytes = body.length * (body > 'y' ? 2 : 1) + (headers['x-long']?.length ?? 0)
    expect(kept * bytes).toBeGreaterThan(INBOX_BYTES * 0.9)
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
  },
)

test('100 small webhooks of each of 1,000 merchants stay', () => {
  const inbox = unsignedInbox()
  const merchants = merchantsWith(1_000)
  for (const merchant of merchants)
    fill(inbox, merchant, EVENT.padEnd(500), { 'paytwin-signature': 'v1='.padEnd(300, 'a') })
  expect(merchants.filter((merchant) => inbox.list(merchant).length !== 100)).toEqual([])
})

test('webhooks of deleted merchants, and those before a reset, use no memory', async () => {
  const added = vi.spyOn(Inbox.prototype, 'add')
  onTestFinished(() => added.mockRestore())
  const other = (await asOperator(twin)('POST', 'merchants', { name: 'Other' })).body.id
  await post(EVENT)
  const inbox = added.mock.contexts[0] as unknown as Inbox
  const before = inbox.bytes
  const response = await twin.sandbox.app.request(`/inbox/${other}`, {
    method: 'POST',
    headers: { Host: 'localhost' },
    body: EVENT,
  })
  expect([response.status, inbox.bytes > before]).toEqual([400, true])
  await asOperator(twin)('DELETE', `merchants/${other}`)
  expect(inbox.bytes).toBe(before)
  await asOperator(twin)('POST', 'reset')
  expect(inbox.bytes).toBe(0)
})

test('of large bodies, only the beginnings stay in memory', async () => {
  const inbox = unsignedInbox()
  const { merchant } = twin.sandbox
  const bodies = [
    (size: number) => Buffer.alloc(size, 'x').toString(),
    (size: number) => JSON.stringify({ id: Buffer.alloc(size, 'x').toString(), type: 'invoice.paid' }),
  ]
  for (const bodyOf of bodies) {
    const fill = () => {
      for (let number = 0; number < 100; number += 1)
        for (const _ of inbox.add(merchant, { headers: {}, body: bodyOf(1_000_000) }));
    }
    expect(await keptBytes(fill)).toBeLessThan(20_000_000)
    expect(inbox.list(merchant)).toHaveLength(100)
  }
})

test.each<[string, Record<string, string>]>([
  ['another host', { Host: 'shop.example' }],
  ['a website', { Origin: 'https://shop.example' }],
])('requests of %s are refused', async (_, headers) => {
  expect((await post(EVENT, { headers })).status).toBe(400)
  expect(await received()).toEqual([])
})

test('requests of another machine are refused, and those for no merchant', async () => {
  const ask = (target: string, remoteAddress: string) =>
    twin.sandbox.app.request(
      target,
      { method: 'POST', headers: { Host: 'localhost' } },
      { incoming: Object.assign(Readable.from([Buffer.from(EVENT)]), { socket: { remoteAddress } }) },
    )
  expect((await ask(path, '10.0.0.7')).status).toBe(400)
  expect(await received()).toEqual([])
  await ask(path, '::ffff:127.0.0.1')
  expect(await received()).toHaveLength(1)
  expect((await ask('/inbox/mer_none', '::1')).status).toBe(404)
})

test('the address is on loopback, whatever the daemon listens to', () => {
  expect(inboxUrl('http://localhost:4242', 'mer_1')).toBe('http://localhost:4242/inbox/mer_1')
  expect(inboxUrl('http://192.168.0.7:4242', 'mer_1')).toBe('http://127.0.0.1:4242/inbox/mer_1')
})

test('unknown webhooks and deliveries are refused', async () => {
  const refusal: Refusal = { status: 404, code: 'resource_missing', param: 'id' }
  for (const missing of [
    'webhooks/received/rcv_9',
    'webhooks/deliveries/whd_none',
    'webhooks/we_none/resend',
  ]) {
    const { status, body } = await asOperator(twin)(missing.endsWith('resend') ? 'POST' : 'GET', missing)
    expect({ missing, status, code: body.error.code }).toEqual({
      missing,
      status: refusal.status,
      code: refusal.code,
    })
  }
})
