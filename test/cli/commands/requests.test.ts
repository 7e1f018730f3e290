import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ESCAPE } from '../command-line.ts'
import {
  api,
  lines,
  paytwin,
  type RunningDaemon,
  restart,
  start,
  startDaemon,
  temporaryFolder,
} from '../executable.ts'

type Logged = { object: string; path: string; status: number; key: string }
type Tail = ReturnType<typeof start>

let daemon: RunningDaemon
let folder: ReturnType<typeof temporaryFolder>
const tails: Tail[] = []

// Hooks run in reverse order, so the folder is deleted even if the daemon did not start.
afterEach(() => folder.remove())
beforeEach(async () => {
  folder = temporaryFolder()
  daemon = await startDaemon(['--data', folder.path, '--log-level', 'debug'])
})
afterEach(async () => {
  for (const tail of tails.splice(0)) tail.kill('SIGKILL')
  await daemon.stop()
})

const list = async (...args: string[]) => {
  const { status, stdout, stderr } = await paytwin(['requests', 'list', '--data', folder.path, ...args])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout
}
const hint = () => `sk_test_…${daemon.secret_key?.slice(-4)}`

/** Starts a tail, and waits until it receives requests. */
async function tail(...args: string[]): Promise<{ child: Tail; printed: ReturnType<typeof lines> }> {
  const child = start(['requests', 'tail', '--data', folder.path, ...args])
  tails.push(child)
  const printed = lines(child.stdout)
  const first = printed.next()
  const heard = first.then(() => true)
  while (!(await Promise.race([heard, api(daemon, '/v1/products').then(() => false)])));
  return { child, printed }
}

/** Returns the next line with this path. Requests sent while waiting for the tail may have left other lines. */
async function lineWith(printed: ReturnType<typeof lines>, path: string): Promise<string> {
  for (;;) {
    const line = (await printed.next()) ?? ''
    if (line === '' || line.includes(path)) return line
  }
}

test('the last requests are listed, newest first, without secrets', async () => {
  const intent = await api<{ id: string; client_secret: string }>(daemon, '/v1/payment_intents', {
    amount: 5,
    currency: 'usd',
  })
  await api(daemon, `/v1/payment_intents/${intent.id}?client_secret=${intent.client_secret}`)
  await fetch(`${daemon.url}/v1/customers`)
  const shown = await list()
  const [refused, read, made] = shown
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
  expect(refused?.slice(1)).toEqual([
    'GET',
    '/v1/customers',
    '401',
    ...Array(2).fill(expect.any(String)),
    '–',
    '–',
    '–',
  ])
  expect(read?.[2]).toBe(`/v1/payment_intents/${intent.id}?client_secret=[redacted]`)
  expect(made).toEqual([
    expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    'POST',
    '/v1/payment_intents',
    '201',
    expect.stringMatching(/^\d+\.\d$/),
    expect.stringMatching(/^req_/),
    hint(),
    daemon.merchant,
    '–',
  ])
  for (const secret of [intent.client_secret, daemon.secret_key ?? '']) {
    expect(shown).not.toContain(secret)
    expect(daemon.log()).not.toContain(secret)
  }
  expect(shown).not.toContain(ESCAPE)

  const asked = await list('-n', '1', '--merchant', daemon.merchant, '--json')
  expect(JSON.parse(asked)).toMatchObject({
    object: 'list',
    has_more: true,
    data: [{ object: 'request', method: 'GET', status: 200, key: hint() }],
    livemode: false,
  })
})

test('a request is shown with its parameters, its response and a curl command that sends it again', async () => {
  const show = async (...args: string[]) => paytwin(['requests', 'show', ...args, '--data', folder.path])
  const items = { 'items[0][price]': 'price_none', customer: 'cus_none' }
  await fetch(`${daemon.url}/v1/subscriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${daemon.secret_key}`, 'idempotency-key': 'order-1' },
    body: new URLSearchParams(items),
  })
  const [line = ''] = (await list('-n', '1')).split('\n')
  const id = line.split('\t')[5] ?? ''
  const { status, stdout } = await show(id)
  expect(status).toBe(0)
  const [, ...texts] = stdout.split('\n\n')
  expect(texts[0]).toBe('Idempotency-Key\norder-1')
  expect(texts[1]).toBe(
    'Parameters (form)\n{\n  "items": [\n    {\n      "price": "price_none"\n    }\n  ],\n  "customer": "cus_none"\n}',
  )
  expect(texts[2]).toContain('"code": "parameter_missing"')
  expect(texts[3]).toContain("-d 'items[0][price]=price_none' \\\n  -d customer=cus_none")
  const asked = JSON.parse((await show(id, '--json')).stdout)
  expect(asked).toMatchObject({ id, content: { params: { customer: 'cus_none' }, is_cut: false } })

  const command = texts[3]?.split('\n').slice(1).join('\n').replace('curl ', 'curl -s ') ?? ''
  const env = { ...process.env, PAYTWIN_SECRET_KEY: daemon.secret_key }
  const { stdout: again } = await promisify(execFile)('bash', ['-c', command], { env })
  expect(JSON.parse(again)).toEqual(JSON.parse(asked.content.response_body))

  const { status: failed, stderr } = await show('req_none')
  expect(failed).not.toBe(0)
  expect(stderr).toContain("'paytwin requests list'")
})

test('the log has requests at the level debug', async () => {
  await api(daemon, '/v1/customers', {})
  await fetch(`${daemon.url}/v1/customers?key=anything`)
  const debugLines = () =>
    daemon
      .log()
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line))
      .filter(({ level }) => level === 'debug')
  // The log uses a separate pipe, and may arrive after the response.
  await expect.poll(debugLines).toEqual([
    expect.objectContaining({ msg: 'POST /v1/customers 201', key: hint(), merchant: daemon.merchant }),
    expect.objectContaining({
      msg: 'GET /v1/customers?key=[redacted] 401',
      request: expect.stringMatching(/^req_/),
    }),
  ])
})

test('with --json each request is a JSON object on its own line, until it is interrupted: exit 0', async () => {
  const { child, printed } = await tail('--json')
  await api(daemon, '/v1/customers', {})
  const request: Logged = JSON.parse(await lineWith(printed, '/v1/customers'))
  expect(request).toMatchObject({ object: 'request', path: '/v1/customers', status: 201, key: hint() })
  const closed = once(child, 'close')
  child.kill('SIGINT')
  expect(await closed).toEqual([0, null])
})

test('piped, each is a line whose fields are separated by tabs', async () => {
  const { printed } = await tail('--merchant', daemon.merchant)
  await api(daemon, '/v1/customers', {})
  const fields = (await lineWith(printed, '/v1/customers')).split('\t')
  expect(fields.slice(1, 4)).toEqual(['POST', '/v1/customers', '201'])
  expect(fields).toHaveLength(9)
})

test.each(['its port', 'another port'] as const)(
  'the stream reconnects to a daemon that restarts on %s',
  async (port) => {
    const { child, printed } = await tail()
    const said = lines(child.stderr)
    await daemon.stop('SIGKILL')
    expect(await said.next()).toContain('was lost. Reconnecting')
    daemon = await restart(daemon, folder.path, port)
    expect(await said.next()).toContain('Reconnected')
    await api(daemon, '/v1/customers', {})
    expect(await lineWith(printed, '/v1/customers')).toContain('\t201\t')
  },
)

test('requests of an unknown merchant are refused: exit 1', async () => {
  for (const verb of ['list', 'tail']) {
    const args = ['requests', verb, '--data', folder.path, '--merchant', 'mer_x']
    const { status, stderr } = await paytwin(args)
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        "error: No such merchant: 'mer_x' (resource_missing). List the existing ones with 'paytwin merchants list'.\n",
    })
  }
})
