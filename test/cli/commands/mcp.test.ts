import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { Io, Terminal } from '../../../src/cli/io.ts'
import { AnsweringTransport } from '../../../src/cli/mcp/answering-transport.ts'
import { CallsInFlight, MAX_CALLS } from '../../../src/cli/mcp/calls-in-flight.ts'
import { serveTools } from '../../../src/cli/mcp/server.ts'
import { nextTurn } from '../../../src/engine/machine/gate.ts'
import { EXECUTABLE, type RunningDaemon, startDaemon, temporaryFolder } from '../executable.ts'

const folder = temporaryFolder()
const data = join(folder.path, 'data')
const client = new Client({ name: 'test', version: '1' })
let daemon: RunningDaemon | undefined

type Result = { readonly isError: boolean; readonly text: string }

/** Calls a tool of the server. */
async function call(name: string, given: Record<string, unknown> = {}): Promise<Result> {
  const { content, isError = false } = await client.callTool({ name, arguments: given })
  const [first] = content as { type: string; text: string }[]
  return { isError: isError === true, text: first?.text ?? '' }
}

/** Calls a tool that must succeed, and parses its JSON. */
async function json(name: string, given: Record<string, unknown> = {}) {
  const { isError, text } = await call(name, given)
  expect({ isError, text: isError ? text : '' }).toEqual({ isError: false, text: '' })
  return JSON.parse(text)
}

/** Creates the streams of a server. @param warn - gets what it writes to standard error */
function piped(warn: (text: string) => unknown) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const terminal = { stdin, stdout } as unknown as Terminal
  const io: Io = { stdout, stderr: { write: warn }, env: {}, terminal: () => terminal }
  return { stdin, stdout, io }
}

beforeAll(async () => {
  const { PATH = '', HOME = '' } = process.env
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [EXECUTABLE, 'mcp', '--data', data],
    env: { PATH, HOME },
    stderr: 'inherit',
  })
  await client.connect(transport)
})
afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(async () => {
  await client.close()
  await daemon?.stop()
  folder.remove()
})

test('the tools have descriptions and schemas, and the server describes paytwin', async () => {
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual([
    'status',
    'advance',
    'upcoming',
    'why',
    'timeline',
    'get_object',
    'list_objects',
    'call_api',
    'list_events',
    'list_requests',
    'list_deliveries',
    'list_mail',
    'trigger',
    'add_fault',
    'list_faults',
    'clear_faults',
    'snapshots',
    'reset',
    'list_keys',
    'create_key',
  ])
  for (const { description, inputSchema } of tools) {
    expect(description).toMatch(/^[A-Z].*\.$/)
    expect(inputSchema.type).toBe('object')
    for (const property of Object.values(inputSchema.properties ?? {})) {
      const { description: about, enum: choices } = property as { description?: string; enum?: string[] }
      expect(about ?? choices?.join()).toMatch(/\S/)
    }
  }
  expect(client.getInstructions()).toContain('sandbox')
})

test('without a daemon, a call says how to start one', async () => {
  const { isError, text } = await call('status')
  expect(isError).toBe(true)
  expect(text).toContain(`There is no data folder ${data}`)
  expect(text).toContain("Start a daemon with 'paytwin start'")
})

test('an assistant creates a subscription, advances the clock, and finds out why a payment failed', async () => {
  daemon = await startDaemon(['--data', data, '--clock', '2026-01-31T10:00:00Z'])

  const { merchants, url } = await json('status')
  expect(url).toBe(daemon.url)
  expect(merchants).toMatchObject([{ id: daemon.merchant, clock: { time: '2026-01-31T10:00:00Z' } }])

  const { events } = await json('trigger', { type: 'subscription.created' })
  const [, , id = ''] = events.find((line: string) => line.includes('subscription.created')).split('  ')
  expect((await json('get_object', { id })).status).toBe('active')
  expect((await json('upcoming', { limit: 1 }))[0]).toMatchObject({ subscription: id })

  await json('snapshots', { action: 'save', name: 'before' })
  await json('add_fault', { kind: 'decline', count: 1 })
  const advanced = await json('advance', { by: '1 year', stop_on: ['invoice.payment_failed'] })
  expect(advanced.clocks).toMatchObject([{ summary: { stopped_on: 'invoice.payment_failed' } }])
  expect(advanced.events.join('\n')).toContain('invoice.payment_failed')
  expect((await call('why', { id })).text).toMatch(/^status: The subscription has been past_due since /)
  expect((await call('timeline', { id })).text).toContain('past_due')
  expect((await call('list_events', { types: ['invoice.*'], limit: 1 })).text).toMatch(
    /^2026\S+ {2}invoice\./,
  )
  const { data: late } = await json('list_objects', { type: 'subscription', filters: { status: 'past_due' } })
  expect(late).toMatchObject([{ id }])
  await json('advance', { next: true })
  expect((await json('get_object', { id })).status).toBe('active')
  const { events: newest, note } = await json('advance', { by: '3 years' })
  expect(newest).toHaveLength(50)
  expect(newest[0]).toBe((await call('list_events', { limit: 1 })).text.trim())
  expect(note).toBe('Only the newest 50 events are listed; list_events lists the others.')
  expect((await json('advance', { by: '1s' })).events).toEqual([])

  await json('snapshots', { action: 'restore', name: 'before' })
  await json('call_api', { method: 'DELETE', path: `/v1/subscriptions/${id}` })
  expect((await call('why', { id })).text).toContain(
    'canceled since 2026-01-31T10:00:00Z: a request canceled it',
  )
  const [sent] = await json('list_requests', { limit: 1 })
  expect(sent.method).toBe('DELETE')
  expect(await json('get_object', { id: sent.id })).toMatchObject({
    id: sent.id,
    content: { params: null, response_body: expect.stringContaining(id) },
  })
  expect(await json('list_requests', { object: id, limit: 1 })).toMatchObject([{ id: sent.id }])

  expect((await call('list_deliveries')).text).toMatch(/^No deliveries/)
  const hooks = { url: 'http://127.0.0.1:9/hooks', 'enabled_events[0]': 'customer.created' }
  await json('call_api', { method: 'POST', path: '/v1/webhook_endpoints', params: hooks })
  const misspelled = { method: 'POST', path: '/v1/customers', params: { colour: 'red' } }
  expect((await call('call_api', misspelled)).text).toMatch(/note: unknown parameters were ignored: colour$/)
  expect(await json('list_requests', { ignored_params: true })).toMatchObject([
    { ignored_params: ['colour'] },
  ])
  await expect
    .poll(async () => json('list_deliveries'))
    .toMatchObject([{ type: 'customer.created', status: 'pending', attempts: [{ response_status: null }] }])
  expect(await json('list_mail')).toEqual([])
  expect((await call('clear_faults')).text).toBe('Cleared all faults.')
  expect(await json('list_faults')).toEqual([])
  expect((await call('reset', { confirm: true })).text).toContain('All data is deleted.')
})

test('text that no path can contain is no object', async () => {
  expect(await call('get_object', { id: 'cus_\ud800' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('cus_\ufffd'),
  })
})

test('a key is shown once, when it is made, and no result has the admin token', async () => {
  const { secret } = await json('create_key', { name: 'Checkout' })
  expect(secret).toMatch(/^sk_test_/)
  const listed = await call('list_keys')
  expect(listed.text).toContain('Checkout')
  const texts = [listed, await call('status'), await call('list_requests'), await call('list_events')]
  const token = readFileSync(join(data, 'admin-token'), 'utf8').trim()
  for (const { text } of texts) {
    expect(text).not.toContain(secret)
    expect(text).not.toContain(token)
  }
})

test.each([
  ['advance', {}, 'Give exactly one of by, to and next.'],
  ['advance', { by: '3 fortnights' }, "'3 fortnights' is not a duration"],
  ['advance', { to: '2020-01-01' }, 'The clock can only move forward'],
  ['why', { id: 'cus_1' }, "'cus_1' cannot be explained: give the id of a subscription"],
  ['why', {}, 'id'],
  ['timeline', { id: 'pi_1' }, "'pi_1' has no timeline"],
  [
    'get_object',
    { id: 'sub_unknown' },
    `No such subscription: 'sub_unknown' (resource_missing). List the existing ones with 'list_objects {"type": "subscription", "filters": {"status": "all"}}'.`,
  ],
  ['clear_faults', { id: 'fault_99' }, "List the existing ones with 'list_faults'."],
  ['snapshots', { action: 'restore', name: 'none' }, `with 'snapshots {"action": "list"}'.`],
  ['call_api', { method: 'GET', path: '/_paytwin/keys' }, 'is not a path of the API'],
  ['reset', {}, 'confirm'],
  ['snapshots', { action: 'save' }, 'Give the name of the snapshot to save.'],
  ['zebra', {}, "There is no tool 'zebra'. The tools are status, advance"],
])('%s with %j reports the mistake', async (name, given, expected) => {
  const { isError, text } = await call(name, given)
  expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining(expected) })
})

test('a line that is no message is ignored with a warning, and one that is too large ends the command', async () => {
  const warnings: string[] = []
  const { stdin, stdout, io } = piped((text) => warnings.push(text))
  const ended = serveTools({}, io)
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  stdin.write(`nonsense\n{}\n${request}\n`)
  const [answer] = await once(stdout, 'data')
  expect(JSON.parse(String(answer))).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
  expect(warnings).toEqual(
    Array(2).fill('warning: ignored a line of standard input that is not a JSON-RPC message\n'),
  )
  stdin.write('a'.repeat(11 << 20))
  await expect(ended).rejects.toMatchObject({
    exitStatus: 1,
    message: 'A message on standard input is larger than 10 MiB.',
  })
  expect(stdin.destroyed).toBe(true)
  expect(warnings).toHaveLength(2)
})

test('all requests of input that ends at once are answered, except canceled ones', async () => {
  const { stdin, stdout, io } = piped((text) => expect.fail(text))
  const status = { method: 'tools/call', params: { name: 'status', arguments: {} } }
  const messages = [
    { id: 0, method: 'ping' },
    { id: 'a', ...status },
    { id: 'canceled', ...status },
    { method: 'notifications/cancelled', params: { requestId: 'canceled' } },
    { id: 'a', ...status },
    { id: 7, method: 'no/such' },
  ]
  stdin.end(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''))
  await serveTools({ data }, io)
  const answered = String(stdout.read())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).id)
  expect(answered.sort()).toEqual([0, 7, 'a', 'a'])
})

test('a call that is canceled while it waits for others does not run', async () => {
  const calls = new CallsInFlight(async () => {})
  const ran: number[] = []
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const canceled = new AbortController()
  const all = Array.from({ length: MAX_CALLS + 2 }, (_, n) =>
    calls.run(
      async () => {
        ran.push(n)
        await released
      },
      n === MAX_CALLS ? canceled.signal : new AbortController().signal,
    ),
  )
  const results = Promise.allSettled(all)
  expect(ran).toHaveLength(MAX_CALLS)
  canceled.abort()
  release()
  expect((await results).map(({ status }) => status)).toEqual([
    ...Array(MAX_CALLS).fill('fulfilled'),
    'rejected',
    'fulfilled',
  ])
  expect(ran).toHaveLength(MAX_CALLS + 1)
})

test('calls wait while the results of the maximum number of calls are not read', async () => {
  const send = vi.spyOn(AnsweringTransport.prototype, 'send')
  // The first response fills the stream.
  const [stdin, stdout] = [new PassThrough(), new PassThrough({ highWaterMark: 1 })]
  const io: Io = {
    stdout,
    stderr: { write: (text) => expect.fail(text) },
    env: {},
    terminal: () => ({ stdin, stdout }) as unknown as Terminal,
  }
  const ended = serveTools({ data }, io)
  const last = MAX_CALLS + 20
  const messages = [
    ...Array.from({ length: last }, (_, n) => ({
      id: n + 1,
      method: 'tools/call',
      params: { name: 'zebra' },
    })),
    { method: 'notifications/cancelled', params: { requestId: last - 1 } },
  ]
  stdin.end(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''))
  for (let turns = 0; turns < 20; turns += 1) await nextTurn()
  expect(send).toHaveBeenCalledTimes(MAX_CALLS)
  const ids: number[] = []
  stdout.on('data', (text) => ids.push(JSON.parse(String(text)).id))
  await ended
  expect(ids).toEqual([...Array.from({ length: last - 2 }, (_, n) => n + 1), last])
})

test('lists of the tools that are not read yet share one description', async () => {
  const send = vi.spyOn(AnsweringTransport.prototype, 'send')
  const { stdin, io } = piped((text) => expect.fail(text))
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  stdin.end(`${request}\n${request}\n`)
  await serveTools({ data }, io)
  const [first, second] = send.mock.calls.map(([message]) => 'result' in message && message.result.tools)
  expect(first).toBeInstanceOf(Array)
  expect(second).toBe(first)
})

test('responses that the client does not read yet have one listener', async () => {
  const stdout = new PassThrough({ highWaterMark: 1 })
  const transport = new AnsweringTransport(new PassThrough(), stdout)
  const sent = Array.from({ length: 20 }, (_, id) => transport.send({ jsonrpc: '2.0', id, result: {} }))
  await nextTurn()
  expect(stdout.listenerCount('drain')).toBe(1)
  const ids: number[] = []
  stdout.on('data', (text) => ids.push(JSON.parse(String(text)).id))
  await Promise.all(sent)
  expect(ids).toEqual(sent.map((_, id) => id))
})

test.each([
  ['is answered', '', []],
  [
    'is ignored with a warning if it is incomplete',
    '{"jsonrpc":',
    ['warning: ignored a line of standard input that is not a JSON-RPC message\n'],
  ],
])('a last line without a newline %s', async (_, rest, expected) => {
  const warnings: string[] = []
  const { stdin, stdout, io } = piped((text) => warnings.push(text))
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  stdin.end(rest ? `${request}\n${rest}` : request)
  await serveTools({}, io)
  expect(JSON.parse(String(stdout.read()))).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
  expect(warnings).toEqual(expected)
})
