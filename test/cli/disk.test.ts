import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { limitFileSize, NO_ROOM } from './disk-limit.ts'
import { api, paytwin, type RunningDaemon, startDaemon, subscribe, temporaryFolder } from './executable.ts'

const KEY = 'sk_test_diskisfullandemptyagain0001'
const ENOUGH = 200

let folder: ReturnType<typeof temporaryFolder>
let data: string
beforeEach(() => {
  folder = temporaryFolder()
  data = join(folder.path, 'data')
})
afterEach(() => folder.remove())

const start = async (clock = '2026-01-31T10:00:00Z'): Promise<RunningDaemon> => ({
  ...(await startDaemon(['--data', data, '--clock', clock], {
    env: { PAYTWIN_SECRET_KEY: KEY },
  })),
  secret_key: KEY,
})

type ResponseBody = { readonly status: number; readonly body: { id: string; error?: { code: string } } }

async function post(daemon: RunningDaemon, path: string, body: object, key?: string): Promise<ResponseBody> {
  const isOperators = path.startsWith('/_paytwin/')
  const token = isOperators ? readFileSync(join(data, 'admin-token'), 'utf8').trim() : KEY
  const response = await fetch(daemon.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as ResponseBody['body'] }
}

const customer = (n: number) => ({ name: `Customer ${n}`, description: 'x'.repeat(4_000) })

/** Creates customers, each with an idempotency key, until one is refused. @returns the ids of the created ones */
async function fill(daemon: RunningDaemon): Promise<string[]> {
  const made: string[] = []
  for (;;) {
    const { status, body } = await post(daemon, '/v1/customers', customer(made.length), `key ${made.length}`)
    if (status !== 201) {
      expect([status, body.error?.code]).toEqual([500, 'internal_error'])
      return made
    }
    made.push(body.id)
    expect(made.length).toBeLessThan(ENOUGH)
  }
}

test('on a full disk writes fail and reads are served; with free space everything continues, and nothing is lost', {
  timeout: 60_000,
}, async () => {
  const daemon = await start()
  await post(daemon, '/_paytwin/snapshots', { name: 'before' })
  limitFileSize(daemon, 5_000_000)
  const made = await fill(daemon)
  expect(made.length).toBeGreaterThan(10)
  // A smaller write might still have had room, and the failed one has emptied the log.
  limitFileSize(daemon, 10_000)
  for (let n = 0; n < 3; n += 1) expect((await post(daemon, '/v1/customers', customer(n))).status).toBe(500)
  expect((await post(daemon, '/_paytwin/reset', {})).status).toBe(500)
  expect(await api(daemon, `/v1/customers/${made[0]}`)).toMatchObject(customer(0))
  expect(daemon.log()).toMatch(NO_ROOM)

  expect((await post(daemon, '/_paytwin/snapshots', { name: 'during' })).status).toBe(500)
  expect((await post(daemon, '/_paytwin/snapshots', { name: 'before' })).status).toBe(500)
  expect(readdirSync(join(data, 'snapshots'))).toEqual(['before.db'])

  limitFileSize(daemon, 'unlimited')
  // A refused request can be retried with its key, and is executed once.
  const again = await post(daemon, '/v1/customers', customer(made.length), `key ${made.length}`)
  expect(again.status).toBe(201)
  const replayed = await post(daemon, '/v1/customers', customer(made.length), `key ${made.length}`)
  expect(replayed.body.id).toBe(again.body.id)
  expect((await post(daemon, '/_paytwin/snapshots', { name: 'after' })).status).toBe(201)

  expect(await daemon.stop('SIGKILL')).toBeNull()
  const next = await start()
  const { data: customers } = await api<{ data: { id: string }[] }>(next, '/v1/customers?limit=100')
  expect(customers.map(({ id }) => id)).toEqual([...made, again.body.id].reverse())
  expect(await next.stop()).toBe(0)
})

/** Resolves when the daemon's log says something. */
const logged = (daemon: RunningDaemon, text: RegExp) =>
  vi.waitFor(() => expect(daemon.log()).toMatch(text), { timeout: 30_000, interval: 100 })

test('an advance fails on a full disk, and can be repeated', async () => {
  const daemon = await start()
  await subscribe(daemon)
  limitFileSize(daemon, 100)
  const advance = () => post(daemon, '/v1/test_helpers/clock/advance', { by: '1mo' }, 'a month')
  expect((await advance()).status).toBe(500)
  expect(await api(daemon, '/v1/test_helpers/clock')).toMatchObject({ status: 'ready', target: null })
  limitFileSize(daemon, 'unlimited')
  expect((await advance()).status).toBe(200)
  expect((await api<{ data: unknown[] }>(daemon, '/v1/invoices')).data).toHaveLength(2)
  expect(await daemon.stop()).toBe(0)
})

test("a live clock's job that becomes due on a full disk runs when there is free space", async () => {
  const daemon = await start('live')
  const { subscription } = await subscribe(daemon)
  const { current_period_end: due } = await api<{ current_period_end: number }>(
    daemon,
    `/v1/subscriptions/${subscription}`,
  )
  await post(daemon, '/v1/test_helpers/clock/advance', { to: due - 2 })
  limitFileSize(daemon, 100)
  await logged(daemon, NO_ROOM)
  limitFileSize(daemon, 'unlimited')
  await logged(daemon, /a live clock has caught up/)
  expect((await api<{ data: unknown[] }>(daemon, '/v1/invoices')).data).toHaveLength(2)
  expect(await daemon.stop()).toBe(0)
})

test('a damaged page of jobs stalls only the advance that reads it, which can be canceled', async () => {
  const before = await start()
  const { customer } = await subscribe(before)
  expect(await before.stop()).toBe(0)
  const path = join(data, 'paytwin.db')
  const database = new Sqlite(path, { readonly: true })
  const page = database.pragma('page_size', { simple: true }) as number
  const root = database
    .prepare("select rootpage from sqlite_master where name = 'job'")
    .pluck()
    .get() as number
  database.close()

  const daemon = await start()
  // While it runs: a damage that is there at the start is found then.
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(page, 0xee), 0, page, (root - 1) * page)
  closeSync(file)
  expect((await post(daemon, '/v1/test_helpers/clock/advance', { by: '1mo' })).status).toBe(500)
  expect(daemon.log()).toMatch(/malformed/)
  expect(await api(daemon, '/v1/test_helpers/clock')).toMatchObject({ status: 'advancing' })
  expect(await api(daemon, `/v1/customers/${customer}`)).toMatchObject({ id: customer })
  expect((await post(daemon, '/_paytwin/clock/cancel', {})).status).toBe(200)
  expect(await api(daemon, '/v1/test_helpers/clock')).toMatchObject({ status: 'ready', target: null })
  expect(await api(daemon, '/v1/customers', {})).toMatchObject({ object: 'customer' })
  expect(await daemon.stop()).toBe(0)
})

test('a daemon on a full disk can be stopped, and logs what it could not write', async () => {
  const daemon = await start()
  limitFileSize(daemon, 5_000_000)
  await fill(daemon)
  limitFileSize(daemon, 100)
  expect(await daemon.stop()).toBe(0)
  const next = await start()
  expect(await api(next, '/v1/customers', {})).toMatchObject({ object: 'customer' })
  expect(await next.stop()).toBe(0)
})

describe('a start is refused with an error', () => {
  const expectRefused = async (sentence: RegExp) => {
    const { status, stdout, stderr } = await paytwin(['serve', '--port', '0', '--data', data])
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(sentence)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(stderr).toMatch(/^error: /)
  }

  test('when its database is a text', async () => {
    mkdirSync(data)
    writeFileSync(join(data, 'paytwin.db'), 'Dear diary,\n'.repeat(100))
    await expectRefused(/paytwin\.db is damaged or not a paytwin database .*It was not changed/)
    expect(readFileSync(join(data, 'paytwin.db'), 'utf8')).toMatch(/^Dear diary/)
  })

  test('when its database is empty although it was used; a new empty one is initialized', async () => {
    mkdirSync(data)
    writeFileSync(join(data, 'paytwin.db'), '')
    expect(await (await start()).stop()).toBe(0)
    truncateSync(join(data, 'paytwin.db'))
    await expectRefused(/paytwin\.db is empty, although this folder was used before/)
  })

  test.each(['serve', 'start'])('when %s is to make its folder where there can be none', async (command) => {
    const { status, stderr } = await paytwin([command, '--port', '0', '--data', '/proc/nope'])
    expect([status, stderr.split('\n').length]).toEqual([1, 2])
    expect(stderr).toMatch(/^error: The data folder \/proc\/nope cannot be written: /)
  })

  test('when its folder contains other files, which are not changed', async () => {
    mkdirSync(data)
    chmodSync(data, 0o755)
    writeFileSync(join(data, 'notes.txt'), 'Dear diary')
    await expectRefused(/^error: The data folder .* contains other files, such as 'notes\.txt'/)
    expect([readdirSync(data), statSync(data).mode & 0o777]).toEqual([['notes.txt'], 0o755])
  })

  test.each(['daemon.log', 'admin-token'])('when its %s cannot be one', async (name) => {
    mkdirSync(join(data, name), { recursive: true })
    await expectRefused(
      /^error: .*(log|token) cannot be used: it is not a file\. Remove it, or give another --data folder\.$/m,
    )
  })

  test('when its database is damaged in its header', async () => {
    await (await start()).stop()
    const file = join(data, 'paytwin.db')
    writeFileSync(file, readFileSync(file).fill(0xee, 40, 56))
    const left = () => readdirSync(data).map((name) => [name, statSync(join(data, name)).size])
    const before = left()
    await expectRefused(/paytwin\.db is damaged or not a paytwin database .*It was not changed/)
    expect(left()).toEqual(before)
  })

  test('when its folder is a file', async () => {
    writeFileSync(data, '')
    await expectRefused(/^error: The data folder .* cannot be written: /)
  })

  /** Starts a daemon that can write files of so many blocks of 512 bytes. */
  const serveWithin = (blocks: number) => {
    const program = join(import.meta.dirname, '../../bin/paytwin.js')
    const script = `ulimit -f ${blocks} && exec ${process.execPath} ${program} serve --port 0 --data ${data}`
    return execFileSync('sh', ['-c', script], { encoding: 'utf8', stdio: 'pipe' })
  }

  test('when there is no space at all, and leaves no empty file', () => {
    expect(() => serveWithin(0)).toThrow(
      expect.objectContaining({
        status: 1,
        stderr: expect.stringMatching(/^error: The data folder .* cannot be written: EFBIG.*\n$/),
      }),
    )
    expect(readdirSync(data)).toEqual([])
  })

  test('when there is no space for its database', async () => {
    const run = () => serveWithin(200)
    expect(run).toThrow(
      expect.objectContaining({
        status: 1,
        stderr: expect.stringMatching(/^error: .* cannot be opened or written \(disk I\/O error\)\.\n$/),
      }),
    )
    const daemon = await start()
    expect(await daemon.stop()).toBe(0)
  })
})
