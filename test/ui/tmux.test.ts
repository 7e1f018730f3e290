import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  api,
  EXECUTABLE,
  type RunningDaemon,
  startDaemon,
  subscribe,
  temporaryFolder,
} from '../cli/executable.ts'
import { fakeServer, json } from '../client/server.ts'
import { sampleClock } from './samples.ts'
import { openTerminal, type TmuxTerminal } from './tmux.ts'

const ESC = '\u001b'
/** Starts a program that it outlives, and writes how it ended. */
const STARTER = `
  const [output, ...program] = process.argv.slice(2)
  process.on('SIGHUP', () => {})
  const write = (...ended) => require('node:fs').writeFileSync(output, JSON.stringify(ended))
  require('node:child_process').spawn(process.execPath, program, { stdio: 'inherit' }).on('exit', write)
`
const TOKEN = 'a-token-that-is-long-enough-for-an-operator'

let folder: ReturnType<typeof temporaryFolder>
/** The daemon of the running test. */
let daemon: RunningDaemon
/** The daemon of all tests that neither end nor replace it. */
let shared: RunningDaemon | undefined
let terminal: TmuxTerminal
const closing: (() => Promise<unknown>)[] = []

beforeEach(async () => {
  if (shared !== undefined) return operate('snapshots/empty/restore')
  folder = temporaryFolder()
  shared = await startDaemon(['--data', folder.path, '--clock', '2026-01-31T10:00:00Z', '--seed', '1'])
  daemon = shared
  await operate('snapshots', { name: 'empty' })
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  if (daemon !== shared || daemon.child.exitCode !== null || daemon.child.signalCode !== null) await end()
})
afterAll(() => shared && end())

async function end(): Promise<void> {
  shared = undefined
  await daemon.stop()
  folder.remove()
}

/** A request of the operator's API. */
const operate = async (path: string, body: object = {}) => {
  const secret_key = readFileSync(daemon.admin_token_file ?? '', 'utf8').trim()
  await api({ url: daemon.url, secret_key }, `/_paytwin/${path}`, body)
}

async function open(columns = 80, rows = 24, env: Record<string, string> = {}): Promise<TmuxTerminal> {
  terminal = await openTerminal({ columns, rows, env: { PAYTWIN_DATA: folder.path, ...env } })
  closing.push(terminal.close)
  return terminal
}

/** The UI on a sandbox in which a subscription was made. */
async function watch(...size: Parameters<typeof open>): Promise<TmuxTerminal> {
  await subscribe(daemon, ['succeed', 'decline:insufficient_funds'])
  await open(...size)
  await terminal.paytwin('events', 'tail')
  await terminal.shows('9 events')
  await terminal.shows('frozen')
  await terminal.shows('● connected')
  return terminal
}

const customer = (name: string) => api(daemon, '/v1/customers', { name })

describe('the keys', () => {
  test('unused keys are ignored', async () => {
    await watch()
    await terminal.press('/', 'C-F1', 'S-F1', 'F1', 'C-F4', 'M-F12', 'C-S-Left', 'BTab', 'C-IC', 'x')
    await terminal.shows(/^\/x▏/m)
  })

  test('j, k, g, G and the arrows move, f follows, and the list does not move otherwise', async () => {
    await watch()
    expect((await terminal.lines())[9]).toMatch(
      /^▸ 01-31 10:00 charge\.succeeded {7}ch_\w{14} 20\.00 USD {2}ada@example\.c…$/,
    )
    await terminal.press('k')
    await terminal.shows(/▸ .*payment_intent\.succeeded/)
    await terminal.press('g')
    await terminal.shows(/▸ .*price\.created/)
    await terminal.press('Down')
    await terminal.shows(/▸ .*customer\.created/)
    await customer('meanwhile')
    const lines = await terminal.shows('10 events')
    expect(lines[2]).toMatch(/^▸ .*customer\.created .*ada@example\.com/)
    expect(lines[23]).toMatch(/^at the end {2}10 events/)
    await terminal.press('G')
    await terminal.shows(/▸ [^\n]*meanwhile.*following/s)
    await terminal.press('Up', 'f')
    await terminal.shows(/▸ [^\n]*meanwhile.*following/s)
  })

  test('Enter shows the JSON of an event, which scrolls, and Esc returns', async () => {
    await watch()
    await terminal.press('Enter')
    expect((await terminal.shows('"type": "charge.succeeded"'))[1]).toBe('{')
    await terminal.press('End')
    expect((await terminal.shows('"pending_webhooks"'))[22]).toBe('}')
    await terminal.press('PageUp', 'Home')
    await terminal.shows('lines 1–22 of')
    await terminal.press('Escape')
    await terminal.shows('following')
  })

  test('/ filters while it is typed, Enter keeps the filter, Esc clears it', async () => {
    await watch()
    await terminal.press('/', 'invoice.*')
    expect(
      (await terminal.shows('/invoice.*▏ 3 of 9')).filter((line) => /created|finalized|paid/.test(line)),
    ).toHaveLength(3)
    await terminal.press('Enter')
    await terminal.shows('following  /invoice.* 3 of 9')
    await terminal.press('Escape')
    await terminal.shows('following  9 events')
  })

  test('a and a choice advance the clock, and the events appear', async () => {
    await watch()
    await terminal.press('a')
    const menu = await terminal.shows(/5 {2}next job → 2026-02-28T10:00:00Z {2}renewal sub_/)
    expect(menu[18]).toBe('▸ 1  1 hour   → 2026-01-31T11:00:00Z')
    await terminal.press('4', 'Enter')
    await terminal.shows('Advanced to 2026-02-28T10:00:00Z: 1 job, 6 events, 1 failed payment.')
    await terminal.shows('active → past_due')
    const lines = await terminal.shows(/^Default merchant {2}2026-02-28T10:00:00Z frozen .* ● connected$/m)
    expect(lines.join('\n')).toMatch(/invoice\.payment_failed in_\w{14} 20\.00 USD attempt 1 of 5…$/m)
  })

  test('Esc closes the menu of a without an advance', async () => {
    await watch()
    await terminal.press('a')
    await terminal.shows('Advance the clock from')
    await terminal.press('Down', 'Escape')
    await terminal.shows('q quit')
    expect((await terminal.lines())[0]).toContain('2026-01-31T10:00:00Z frozen')
  })

  test('z unfreezes and freezes the clock', async () => {
    await watch()
    await terminal.press('z')
    await terminal.shows(/2026-01-31T10:00:0[2-9]Z live/)
    await terminal.press('z')
    await terminal.shows('frozen')
  })

  test('p holds new events back, and shows them when it is pressed again', async () => {
    await watch()
    await terminal.press('p')
    await terminal.shows('paused, 0 new')
    await customer('held')
    await terminal.shows('paused, 1 new')
    expect((await terminal.lines()).join('\n')).not.toContain('held')
    await terminal.press('p')
    await terminal.shows(/▸ .*held/)
  })

  test('? shows help', async () => {
    await watch()
    await terminal.press('?')
    await terminal.shows('filter by type, ID, text or customer')
    await terminal.press('?')
    await terminal.shows('following')
  })

  test('a refused command shows a notice', async () => {
    await watch()
    await daemon.stop('SIGKILL')
    await terminal.shows('○ reconnecting')
    await terminal.press('z')
    await terminal.shows(/No paytwin daemon answers at .* \(ECONNREFUSED\)/)
  })
})

describe('the views', () => {
  test('w shows deliveries with their responses, r requests, e events again', async () => {
    await terminalWithWebhook()
    await terminal.press('w')
    await terminal.shows(/^▸ 01-31 10:00 charge\.succeeded {7}(not sent yet|ECONNREFUSED)/m)
    await terminal.shows('following  9 webhooks')
    await terminal.shows('ECONNREFUSED next 01-31 10:00 127.0.0.1:9')
    await terminal.press('r')
    await terminal.shows(/^ {2}\d\d:\d\d:\d\d 201 POST {3}\/v1\/customers$/m)
    // The log also has the requests of earlier tests, none of which has this limit.
    await api(daemon, '/v1/customers?limit=7')
    await terminal.shows(/▸ \d\d:\d\d:\d\d 200 GET {4}\/v1\/customers\?limit=7/)
    await terminal.press('Enter')
    await terminal.shows('"path": "/v1/customers?limit=7"')
    await terminal.press('Escape', 'e')
    await terminal.shows('following  9 events')
  })

  test('fit 60 columns', async () => {
    await terminalWithWebhook(60, 16)
    await terminal.shows('w webhooks  r requests  ? help  q quit')
    await terminal.press('w')
    await terminal.shows(/^▸ 10:00 charge\.succeeded {7}ECONNREFUSED next 01-31 10:00$/m)
    await terminal.press('r')
    await terminal.shows(/^▸ \d\d:\d\d:\d\d 201 POST {3}\/v1\/subscriptions$/m)
  })

  test('t shows the timeline of an event, from the list and from the JSON', async () => {
    await watch()
    await terminal.press('/', 'subscription.*', 'Enter')
    await terminal.press('t')
    expect((await terminal.shows('● subscribed  active'))[1]).toMatch(/^2026-01-31T10:00Z /)
    await terminal.shows('┿━ now ━')
    await terminal.press('t')
    await terminal.shows('"type": "subscription.created"')
    await terminal.press('t')
    await terminal.shows('● subscribed  active')
    await terminal.press('Escape')
    await terminal.shows('following  /subscription.* 1 of 9')
  })

  test("a customer's email finds the events of its objects, also if its own are not shown", async () => {
    await subscribe(daemon, ['succeed'])
    await open()
    await terminal.paytwin('events', 'tail', '--type', "'invoice.*'")
    await terminal.shows(/invoice\.created .* ada@example\.c…$/m)
    await terminal.press('/', 'ada@')
    await terminal.shows('/ada@▏ 3 of 3')
  })
})

/** The UI on a sandbox with an endpoint that refuses connections. */
async function terminalWithWebhook(...size: Parameters<typeof open>): Promise<void> {
  await api(daemon, '/v1/webhook_endpoints', { url: 'http://127.0.0.1:9', enabled_events: ['*'] })
  await watch(...size)
}

describe('the terminal is restored', () => {
  async function expectAsBefore(status: number): Promise<void> {
    await terminal.shows(`status ${status}`)
    expect(await terminal.variable('alternate_on')).toBe('0')
    expect(await terminal.variable('cursor_flag')).toBe('1')
    await terminal.press("stty -a | grep -oE '[-]?(icanon|echo) '", 'Enter')
    await terminal.shows(/^icanon ?\necho ?\n/m)
    expect((await terminal.lines())[0]).toMatch(/^\$ .*events tail/)
  }

  test.each([
    ['by q', ['q']],
    ['by Ctrl-C in the list', ['C-c']],
    ['by Ctrl-C in an event', ['Enter', 'C-c']],
    ['by Ctrl-C in the menu', ['a', 'C-c']],
    ['by Ctrl-C in the filter', ['/', 'C-c']],
    ['by Ctrl-C in help', ['?', 'C-c']],
  ])('%s', async (_how, keys) => {
    await watch(160)
    await terminal.press(...keys)
    await expectAsBefore(0)
    expect((await api<{ data: unknown[] }>(daemon, '/v1/events')).data).toHaveLength(9)
  })

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'])('by %s', async (signal) => {
    await watch(160)
    await terminal.signal(signal)
    await expectAsBefore(0)
  })

  test('by the end of the terminal, as SIGHUP does, without a crash', async () => {
    await subscribe(daemon, ['succeed'])
    await open()
    const { path, remove } = temporaryFolder()
    onTestFinished(remove)
    const [starter, status] = [join(path, 'starter.cjs'), join(path, 'status.json')]
    writeFileSync(starter, STARTER)
    await terminal.press(`${process.execPath} ${starter} ${status} ${EXECUTABLE} events tail`, 'Enter')
    await terminal.shows('● connected')
    await closing.pop()?.()
    const ended = () => JSON.parse(readFileSync(status, 'utf8'))
    expect(await vi.waitFor(ended, { timeout: 10_000 })).toEqual([null, 'SIGHUP'])
  })

  test('when the daemon no longer accepts the token, with an error', async () => {
    await watch(160)
    const { url } = daemon
    await daemon.stop('SIGKILL')
    daemon = await startDaemon(['--ephemeral', '--port', new URL(url).port])
    await terminal.shows(/^error: The program at \S+ does not know the admin token/m)
    await expectAsBefore(3)
  })

  test('when drawing throws', async () => {
    const { url } = await fakeDaemon()
    await open(160)
    await terminal.paytwin('events', 'tail', '--url', url)
    await terminal.shows('internal error in paytwin')
    await expectAsBefore(1)
  })

  test('during an advance, which continues without the UI', async () => {
    await watch(160)
    const { url, requests } = await fakeDaemon({ hasEvents: false })
    await terminal.press('q')
    await terminal.shows('status 0')
    await terminal.press('clear', 'Enter')
    await terminal.paytwin('events', 'tail', '--url', url)
    await terminal.shows('frozen')
    await terminal.press('a', 'Enter')
    await terminal.shows('following')
    while (!requests.some(({ method }) => method === 'POST')) await terminal.shows('following')
    await terminal.press('q')
    await expectAsBefore(0)
  })
})

/** A daemon with one clock, whose advances never end; its stream sends something that is no event, or nothing. */
async function fakeDaemon({ hasEvents = true } = {}) {
  const list = (...data: object[]) => ({ object: 'list', url: '', has_more: false, data, livemode: false })
  const fake = await fakeServer((request, response) => {
    if (request.method === 'POST') return
    if (request.headers.accept === 'text/event-stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': connected\n\n')
      if (hasEvents) response.write('data: {"object":"event"}\n\n')
      return
    }
    json(response, 200, request.url?.startsWith('/_paytwin/clock') ? list(sampleClock()) : list())
  })
  closing.push(fake.close)
  return fake
}

describe('it fits', () => {
  test('200 columns and 50 rows, with complete times and IDs', async () => {
    await watch(200, 50)
    const lines = await terminal.lines()
    expect(lines[0]).toMatch(
      new RegExp(`^Default merchant ${daemon.merchant} {2}2026-01-31T10:00:00Z frozen .* ● connected$`),
    )
    expect(lines[7]).toMatch(
      /^ {2}2026-01-31T10:00:00Z {2}invoice\.paid {19}in_\w{14} {2}20\.00 USD {2}\w{8}-0001 {2}ada@example\.com$/,
    )
    expect(lines[49]).toMatch(/^following {2}9 events.*q quit$/)
  })

  test('every size to which the terminal is changed', async () => {
    await watch()
    for (const [columns, rows] of [
      [120, 40],
      [40, 10],
      [10, 3],
      [80, 24],
    ] as const) {
      await terminal.resize(columns, rows)
      const lines = await terminal.shows(columns < 40 ? /./ : new RegExp(`^.{0,${columns}}● connected\n`))
      expect(lines).toHaveLength(rows)
    }
    expect((await terminal.shows('9 events'))[9]).toMatch(/^▸ 01-31 10:00 charge\.succeeded/)
  })

  test('wide and control characters, which stay in their row', async () => {
    await watch()
    await customer(`日本 👩‍👩‍👧‍👦 ${ESC}[2J${ESC}]0;title\u0007 語`)
    const lines = await terminal.shows('10 events')
    expect(lines[10]).toMatch(/^▸ 01-31 10:00 customer\.created {7}cus_\w{14} 日本 /)
    expect(lines[0]).toContain('● connected')
    expect(await terminal.variable('pane_title')).not.toBe('title')
  })
})

test('there are colours, and with NO_COLOR none', async () => {
  await watch()
  expect((await terminal.lines({ colours: true })).join('\n')).toContain(`${ESC}[32minvoice.paid`)
  await terminal.press('q')
  await terminal.shows('status 0')
  await terminal.press('export NO_COLOR=1', 'Enter')
  await terminal.paytwin('events', 'tail')
  await terminal.shows('9 events')
  expect((await terminal.lines({ colours: true })).join('\n')).not.toContain(ESC)
})

describe('when the daemon comes back', () => {
  test('with its data, no event is lost or repeated', async () => {
    await watch()
    const { url, secret_key = '' } = daemon
    await customer('before')
    await terminal.shows('10 events')
    await daemon.stop('SIGKILL')
    await terminal.shows('○ reconnecting')
    daemon = { ...(await startDaemon(['--data', folder.path, '--port', new URL(url).port])), secret_key }
    for (const name of ['after one', 'after two']) await customer(name)
    const lines = await terminal.shows('12 events')
    expect(lines[0]).toContain('● connected')
    expect(lines.slice(10, 13).map((line) => line.slice(56).trim())).toEqual([
      'before',
      'after one',
      'after two',
    ])
  })

  test('with another history, a line divides the two', async () => {
    await daemon.stop()
    daemon = await startDaemon(['--ephemeral'], { env: { PAYTWIN_ADMIN_TOKEN: TOKEN } })
    const { port } = new URL(daemon.url)
    await customer('old')
    await open(80, 24, { PAYTWIN_ADMIN_TOKEN: TOKEN, PAYTWIN_URL: daemon.url })
    await terminal.paytwin('events', 'tail')
    await terminal.shows(/▸ .*old/)
    await daemon.stop('SIGKILL')
    daemon = await startDaemon(['--ephemeral', '--port', port], { env: { PAYTWIN_ADMIN_TOKEN: TOKEN } })
    await terminal.shows('── the sandbox was reset or restored ──')
    await terminal.shows('● connected')
    await customer('new')
    const lines = await terminal.shows(/▸ .*new/)
    expect(lines[1]).toContain('old')
    expect(lines[3]).toContain('new')
  })
})

test.each([
  ['on a terminal that is dumb', 'TERM=dumb', []],
  ['with --plain', 'TERM=xterm', ['--plain']],
])('there are lines %s', async (_how, variable, options) => {
  await customer('first')
  const { data } = await api<{ data: { id: string }[] }>(daemon, '/v1/events')
  await open(160)
  await terminal.press(`export ${variable}`, 'Enter')
  await terminal.paytwin('events', 'tail', ...options, '--since', data[0]?.id ?? '')
  await customer('a line')
  await terminal.shows(/^2026-01-31T10:00:00Z {2}customer\.created {15}cus_\w{14} {2}a line$/m)
  expect(await terminal.variable('alternate_on')).toBe('0')
})
