import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { SignatureInvalid, verifyWebhook } from '../../src/index.ts'
import { type CreatedWebhookEndpoint, open, subscribe } from './twin.ts'

test('an endpoint without a URL fills the inbox, in order, with valid signatures', async () => {
  const twin = await open()
  const { secret } = await twin.webhooks.create({ events: ['invoice.*'] })
  await subscribe(twin)
  await twin.clock.advance('1mo', { awaitWebhooks: true })
  const { inbox } = twin.webhooks
  expect(inbox.map(({ event }) => event)).toEqual(
    (await twin.events.list({ type: 'invoice.*' })).map((event) => ({
      ...event,
      pending_webhooks: expect.any(Number),
    })),
  )
  for (const webhook of inbox) {
    expect(webhook).toMatchObject({ status: 200, error: null })
    expect(verifyWebhook(secret, webhook)).toEqual(webhook.event)
  }
})

test('a handler in this process answers, and its requests happen at that time', async () => {
  const twin = await open({ now: '2026-01-31T10:00:00Z' })
  let endpoint: CreatedWebhookEndpoint | undefined
  const heard: string[] = []
  endpoint = await twin.webhooks.create({
    events: ['invoice.payment_failed'],
    handler: async (request) => {
      const body = await request.text()
      const { type, created } = verifyWebhook(endpoint?.secret ?? '', { headers: request.headers, body })
      heard.push(type)
      const { now } = await twin.get<{ now: number }>('/v1/test_helpers/clock')
      expect(now).toBe(created)
      return new Response(null, { status: 204 })
    },
  })
  await subscribe(twin, ['succeed', 'decline:lost_card'])
  await twin.clock.advance('1mo', { awaitWebhooks: true })
  expect(heard).toEqual(['invoice.payment_failed'])
  expect(twin.webhooks.inbox).toMatchObject([{ status: 204 }])
})

test('a handler that throws or refuses gets a scheduled retry', async () => {
  const twin = await open()
  const responses = [
    () => {
      throw new Error('not yet')
    },
    () => new Response('busy', { status: 503 }),
    () => new Response('ok'),
  ]
  await twin.webhooks.create({ handler: () => (responses.shift() ?? (() => new Response('too often')))() })
  await twin.post('/v1/customers')
  await twin.webhooks.settled()
  await twin.clock.advance('1h', { awaitWebhooks: true })
  expect(twin.webhooks.inbox.map(({ status, error }) => status ?? error)).toEqual([
    'The handler threw Error: not yet',
    503,
    200,
  ])
})

test('an endpoint with a URL gets its webhooks over the network, and fills the inbox', async () => {
  const bodies: string[] = []
  const receiver = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    bodies.push(body)
    response.writeHead(202).end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void receiver.close())
  const twin = await open()
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks`
  await twin.webhooks.create({ url })
  await twin.post('/v1/customers')
  await twin.webhooks.settled()
  expect(twin.webhooks.inbox).toMatchObject([{ url, body: bodies[0], status: 202 }])
})

test('each merchant has its own inbox', async () => {
  const twin = await open()
  const other = await twin.merchants.create()
  await Promise.all([twin.webhooks.create(), other.webhooks.create()])
  await other.post('/v1/customers')
  await other.webhooks.settled()
  expect(twin.webhooks.inbox).toEqual([])
  expect(other.webhooks.inbox).toHaveLength(1)
})

test('a snapshot restores endpoints with their handlers', async () => {
  const twin = await open()
  let heard = 0
  await twin.webhooks.create({
    handler: () => {
      heard += 1
      return new Response()
    },
  })
  await twin.snapshots.save('a')
  await twin.reset()
  await twin.post('/v1/customers')
  await twin.webhooks.settled()
  expect(heard).toBe(0)
  await twin.snapshots.restore('a')
  await twin.post('/v1/customers')
  await twin.webhooks.settled()
  expect(heard).toBe(1)
})

test('handler and url cannot be combined', async () => {
  const twin = await open()
  await expect(
    twin.webhooks.create({ url: 'http://localhost:1', handler: () => new Response() }),
  ).rejects.toThrow(TypeError)
})

test.each([
  ['another secret', (body: string) => ({ secret: 'whsec_AAAA', body })],
  ['another body', (body: string, secret: string) => ({ secret, body: `${body} ` })],
])('a webhook with %s is refused', async (_, change) => {
  const twin = await open()
  const { secret } = await twin.webhooks.create()
  await twin.post('/v1/customers')
  await twin.webhooks.settled()
  const [webhook] = twin.webhooks.inbox
  const { headers = {}, body = '' } = webhook ?? {}
  expect(
    verifyWebhook(secret, { headers: new Headers(headers), body: new TextEncoder().encode(body) }),
  ).toEqual(webhook?.event)
  const changed = change(body, secret)
  expect(() => verifyWebhook(changed.secret, { headers, body: changed.body })).toThrow(SignatureInvalid)
  const options = { now: Math.floor(Date.now() / 1_000) + 3_600 }
  expect(() => verifyWebhook(secret, { headers, body }, options)).toThrow(/more than 300 seconds/)
})

test('a secret that is not text is refused, as when a variable of the environment is not set', () => {
  const { secret } = {} as { secret: string }
  expect(() => verifyWebhook(secret, { headers: {}, body: '' })).toThrow(
    new TypeError('The secret of verifyWebhook must be a string, not undefined'),
  )
})
