import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { OperatorApi } from '../../src/http/dashboard/operator-api.ts'
import { startTwin, type Twin } from '../twin.ts'
import { type SignedIn, signIn, tokenOf, url, visit } from './support.ts'

let twin: Twin
let browser: SignedIn
beforeAll(async () => {
  twin = await startTwin({ url })
  browser = await signIn(twin)
})
afterAll(() => twin.close())
afterEach(() => void vi.restoreAllMocks())

/** Opens the stream of a page. @returns the next messages, by their kind, and what the stream was asked for */
async function follow(stream: string, signedIn = browser, headers: Record<string, string> = {}) {
  const response = await visit(twin, stream, { headers: { cookie: signedIn.cookie, ...headers } })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  onTestFinished(async () => reader?.cancel())
  let text = ''
  return {
    status: response.status,
    next: async () => {
      for (;;) {
        const [frame = '', ...others] = text.split('\n\n')
        if (others.length > 0) {
          text = others.join('\n\n')
          if (!frame.startsWith(':'))
            return Object.fromEntries(frame.split('\n').map((line) => line.split(/: (.*)/)))
        } else {
          const { value, done } = (await reader?.read()) ?? { done: true }
          if (done) return undefined
          text += value
        }
      }
    },
  }
}

const streamOf = (page: string): string =>
  (/<main[^>]* data-live="([^"]*)"/.exec(page)?.[1] ?? '').replaceAll('&amp;', '&')

test('the list of events continues with rows, newest first, in which texts stay text', async () => {
  await twin.post('/v1/customers', { name: 'Ada' })
  const { text } = await browser.show('/events')
  const stream = await follow(streamOf(text))
  const { id } = await twin.post('/v1/customers', { name: '<b>Eve</b>' })
  const { event, data } = (await stream.next()) ?? {}
  expect(event).toBe('rows')
  const rows: string[] = JSON.parse(data)
  expect(rows).toHaveLength(1)
  expect(rows[0]).toMatch(/^<tr><td><time.*>customer\.created<\/a>/)
  expect(rows[0]).toContain(`/customers/${id}"`)
  expect(rows[0]).not.toContain('<b>')
})

test('a list of one type gets only its events', async () => {
  const { text } = await browser.show('/events?type=customer.updated')
  const stream = await follow(streamOf(text))
  const { id } = await twin.post('/v1/customers', { name: 'Ada' })
  await twin.post(`/v1/customers/${id}`, { name: 'Grace' })
  const { data } = (await stream.next()) ?? {}
  expect(data).toContain('customer.updated')
  expect(data).not.toContain('customer.created')
})

test.each(['', '/customers', '/subscriptions'])(
  'the page %s is notified of changes, without the events',
  async (path) => {
    const { text } = await browser.show(path)
    await twin.post('/v1/customers', { name: 'Ada' })
    const stream = await follow(streamOf(text))
    const { event, data, id } = (await stream.next()) ?? {}
    expect([event, data]).toEqual(['changed', '1'])
    expect(id).toMatch(/^evt_/)
  },
)

test('changes between reading a page and opening its stream are sent', async () => {
  const { text } = await browser.show('/events')
  await twin.post('/v1/customers', { name: 'Between' })
  const stream = await follow(streamOf(text))
  expect((await stream.next())?.event).toBe('rows')
})

test('older pages of a list, and an object in the past, are not live', async () => {
  const customer = await twin.post('/v1/customers', { name: 'Ada' })
  const [newest] = (await twin.get('/v1/events?limit=1')).data
  for (const path of [
    `/events?after=${newest.id}`,
    `/customers?after=${customer.id}`,
    `/customers/${customer.id}?step=0`,
  ])
    expect((await browser.show(path)).text).not.toContain('data-live')
})

test('after the whole state was replaced, the page is read again', async () => {
  const { text } = await browser.show('/events')
  const stream = await follow(streamOf(text))
  await twin.request('POST', '/_paytwin/reset', undefined, {
    Authorization: `Bearer ${twin.sandbox.adminToken}`,
    Host: 'localhost:4242',
  })
  expect((await stream.next())?.event).toBe('reset')
})

test('many open pages cause no warning of Node', async () => {
  const warnings: Error[] = []
  const note = (warning: Error) => warnings.push(warning)
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  const stream = streamOf((await browser.show()).text)
  for (let count = 0; count < 12; count += 1) await follow(stream)
  // Node emits warnings in the next turn.
  await new Promise(setImmediate)
  expect(warnings).toEqual([])
})

test('without a session there is no stream, and signing out ends it', async () => {
  const other = await signIn(twin)
  const { text } = await other.show('/events')
  const stream = await follow(streamOf(text), other)
  expect(stream.status).toBe(200)
  expect((await visit(twin, streamOf(text))).status).toBe(401)
  await visit(twin, '/dashboard/sign-out', {
    form: { token: tokenOf(text) },
    headers: { cookie: other.cookie },
  })
  expect(await stream.next()).toBeUndefined()
})

test('a stream whose events cannot be read ends, and signing out ends others', async () => {
  const unreadable = new ReadableStream({ pull: (events) => events.error(new Error('damaged')) })
  const other = await signIn(twin)
  const { text } = await other.show('/events')
  vi.spyOn(OperatorApi.prototype, 'stream').mockResolvedValueOnce(unreadable)
  const headers = { cookie: other.cookie }
  await expect((await visit(twin, streamOf(text), { headers })).text()).rejects.toThrow('damaged')
  const stream = await follow(streamOf(text), other)
  await visit(twin, '/dashboard/sign-out', { form: { token: tokenOf(text) }, headers })
  expect(await stream.next()).toBeUndefined()
})

test('HEAD leaves no stream open', async () => {
  const cancel = vi.spyOn(ReadableStream.prototype, 'cancel')
  const { text } = await browser.show('/events')
  const head = await visit(twin, streamOf(text), { method: 'HEAD', headers: { cookie: browser.cookie } })
  expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
    ...[200, 'text/event-stream', ''],
  ])
  expect(cancel).toHaveBeenCalled()
})

test('the clock is shown alone, for pages that are open', async () => {
  const { text, headers } = await browser.show(`/clocks/${twin.sandbox.merchant.clock.id}/bar`)
  expect(text).toMatch(/^<section class="time" aria-label="Clock"/)
  expect(headers.get('cache-control')).toBe('no-store')
})
