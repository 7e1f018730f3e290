import { expect, test } from 'vitest'
import type { WebhookHandler } from '../../src/library/api.ts'
import { WebhookInbox } from '../../src/library/webhook-inbox.ts'
import { openShop } from '../webhooks/inbox.ts'

const unused = () => Promise.reject(new Error('nothing is sent over the network'))

const letterTo = (url: string) => ({
  ...{
    url,
    merchant: 'mer_1',
    turnOf: {},
    headers: {},
    body: Buffer.from(JSON.stringify({ merchant_id: 'mer_1' })),
  },
})

test.each<[string, WebhookHandler]>([
  ['never answers', () => new Promise<Response>(() => {})],
  ['answers with a body that never ends', () => new Response(new ReadableStream())],
])('a handler that %s gets a timeout', async (_, handler) => {
  const inbox = new WebhookInbox(unused, 30)
  const reply = await inbox.send(letterTo(inbox.addressOf(handler)), new AbortController().signal)
  expect(reply).toEqual({ status: null, error: 'No response within 0.03 seconds' })
  expect(inbox.of('mer_1')).toMatchObject([{ status: null, error: 'No response within 0.03 seconds' }])
})

const KIB = 1_024

test.each<[string, number, number]>([
  ['goes on', KIB, 1_000],
  ['is silent after its beginning', KIB, 2],
  ['goes on with empty chunks', 0, 10 * KIB],
])('of a response that %s, 1 KiB is read', async (_, size, most) => {
  let pulled = 0
  let isCanceled = false
  const body = new ReadableStream({
    pull: (controller) => {
      pulled += 1
      // Without a wait before the next chunk: whoever reads on never lets anything else run.
      if (pulled <= most) controller.enqueue(Buffer.alloc(size, 'x'))
      return pulled <= most ? undefined : new Promise(() => {})
    },
    cancel: () => {
      isCanceled = true
    },
  })
  const inbox = new WebhookInbox(unused)
  const url = inbox.addressOf(() => new Response(body))
  const reply = await inbox.send(letterTo(url), new AbortController().signal)
  expect(reply).toEqual({ status: 200, body: 'x'.repeat(size) })
  expect(pulled).toBeLessThan(size === 0 ? KIB + 5 : 5)
  expect(isCanceled).toBe(true)
})

test.each<[string, unknown]>([
  ['a stream of texts', new Response(new ReadableStream({ start: (to) => to.enqueue('text' as never) }))],
  ['a body that was read', { status: 200, text: () => Promise.reject(new TypeError('Body is unusable')) }],
])('a handler that returns %s does not answer', async (_, returned) => {
  const inbox = new WebhookInbox(unused)
  const url = inbox.addressOf((() => returned) as WebhookHandler)
  const reply = await inbox.send(letterTo(url), new AbortController().signal)
  expect(reply).toMatchObject({ status: null, error: expect.stringMatching(/^The handler threw TypeError/) })
})

test.each<[string, () => Promise<void>]>([
  ['fails', () => Promise.reject(new Error('It is gone'))],
  ['never ends', () => new Promise(() => {})],
])('of a long response whose cancellation %s, the beginning is read', async (_, cancel) => {
  const body = new ReadableStream({ pull: (to) => to.enqueue(Buffer.alloc(3 * KIB, 'x')), cancel })
  const inbox = new WebhookInbox(unused)
  const url = inbox.addressOf(() => new Response(body))
  const reply = await inbox.send(letterTo(url), new AbortController().signal)
  expect(reply).toEqual({ status: 200, body: 'x'.repeat(KIB) })
})

test.each<[string, unknown, string]>([
  ['no body', new Response(null, { status: 204 }), ''],
  ['a text of another Response', { status: 200, text: async () => 'y'.repeat(2 * KIB) }, 'y'.repeat(KIB)],
])('a handler may return %s', async (_, returned, body) => {
  const inbox = new WebhookInbox(unused)
  const url = inbox.addressOf((() => returned) as WebhookHandler)
  expect(await inbox.send(letterTo(url), new AbortController().signal)).toMatchObject({ body })
})

test('an attempt that is aborted ends at once', async () => {
  const inbox = new WebhookInbox(unused)
  const aborting = new AbortController()
  const letter = letterTo(inbox.addressOf(() => new Promise<Response>(() => {})))
  const reply = inbox.send(letter, aborting.signal)
  aborting.abort()
  expect(await reply).toEqual({ status: null, error: 'It was aborted' })
})

test('a handler that throws an object without a text is one that throws', async () => {
  const inbox = new WebhookInbox(unused)
  const handler = () => {
    throw Object.create(null)
  }
  const reply = await inbox.send(letterTo(inbox.addressOf(handler)), new AbortController().signal)
  const error = 'The handler threw an object that cannot be converted to a string'
  expect(reply).toEqual({ status: null, error })
})

test.each<[string, unknown, string]>([
  ['nothing', undefined, 'no Response'],
  ['a text', 'ok', 'no Response'],
  ['a status alone', { status: 200 }, 'no Response'],
  ['an error', Response.error(), 'the status 0, which is not an integer from 100 to 599'],
  ...[99, 600, 200.5, -1, Number.NaN, 'abc', '200', 200n, null, Symbol('x')].map(
    (status): [string, unknown, string] => [
      `the status ${String(status)} as a ${typeof status}`,
      { status, text: async () => '' },
      `the status ${String(status)}, which is not an integer from 100 to 599`,
    ],
  ),
  ['a body that is no text', { status: 200, text: () => 5 }, 'a Response whose text() is not a string'],
])('a handler that returns %s does not answer', async (_, returned, what) => {
  const inbox = new WebhookInbox(unused)
  const url = inbox.addressOf((() => returned) as WebhookHandler)
  const reply = await inbox.send(letterTo(url), new AbortController().signal)
  expect(reply).toEqual({ status: null, error: `The handler returned ${what}` })
})

test('an advance that awaits webhooks goes on after the timeout of a handler', async () => {
  const inbox = new WebhookInbox(unused, 30)
  const shop = await openShop({ send: inbox.send })
  await shop.endpoint({ url: inbox.addressOf(() => new Promise<Response>(() => {})) })
  await shop.post('/v1/customers')
  const { status } = await shop.advance({ by: '1d', await_webhooks: true })
  expect(status).toBe('ready')
})
