import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import {
  api,
  lines,
  paytwin,
  type RunningDaemon,
  start,
  startDaemon,
  temporaryFolder,
} from '../executable.ts'

let folder: ReturnType<typeof temporaryFolder>
let running: RunningDaemon[] = []

beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(async () => {
  await Promise.all(running.map((daemon) => daemon.stop()))
  running = []
  folder.remove()
})

const started = async (...given: Parameters<typeof startDaemon>) => {
  const daemon = await startDaemon(...given)
  running.push(daemon)
  return daemon
}
const dataFolder = () => join(folder.path, 'data')

test('the ready line is one line on stdout, and the first request is on stderr', async () => {
  const child = start(['serve', '--port', '0', '--data', 'data', '--clock', '2026-01-31T10:00:00Z'], {
    cwd: folder.path,
  })
  const said = lines(child.stdout)
  const aside = lines(child.stderr)
  expect(await said.next()).toMatch(
    /^paytwin 0\.1\.0 ready on http:\/\/127\.0\.0\.1:\d+ \(clock 2026-01-31T10:00:00Z, data data\)$/,
  )
  expect(await aside.next()).toMatch(/^Secret key \(shown only once\): sk_test_\w+$/)
  expect(await aside.next()).toBe('Send the first request:')
  expect(await aside.next()).toMatch(
    /^ {2}curl http:\/\/127\.0\.0\.1:\d+\/v1\/customers -u sk_test_\w+: -d email=/,
  )
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  expect(await closed).toEqual([0, null])
  expect(await said.next()).toBeUndefined()
})

test('a short key is warned of on a host that others can reach', async () => {
  const flags = ['--host', '0.0.0.0', '--generate-admin-token', '--ephemeral', '--secret-key', 'sk_test_123']
  const child = start(['serve', '--port', '0', ...flags])
  const log = lines(child.stderr)
  expect(await log.next()).toMatch(/WARN +the key key_\w+ \(sk_test_…\) is short and can be guessed/)
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  expect(await closed).toEqual([0, null])
})

test('the JSON ready line has the generated secrets only at the first start', async () => {
  const first = await started(['--data', dataFolder()])
  expect(first).toMatchObject({
    event: 'ready',
    version: '0.1.0',
    pid: first.child.pid,
    merchant: expect.stringMatching(/^mer_/),
    secret_key: expect.stringMatching(/^sk_test_\w{24,}$/),
    admin_token_file: join(dataFolder(), 'admin-token'),
  })
  expect(first).not.toHaveProperty('admin_token')
  const { id } = await api(first, '/v1/customers', { email: 'ada@example.com' })
  expect(await first.stop()).toBe(0)

  const second = await started(['--data', dataFolder()])
  expect(second).not.toHaveProperty('secret_key')
  expect(second.merchant).toBe(first.merchant)
  expect(await api({ ...second, secret_key: String(first.secret_key) }, `/v1/customers/${id}`)).toMatchObject(
    { id },
  )
})

test('a start with an outdated --clock logs the time of the clock', async () => {
  const asked = ['--data', dataFolder(), '--clock', '2026-01-31T10:00:00Z']
  const first = await started(asked)
  expect(first.log()).not.toContain('not new')
  const { status } = await paytwin(['clock', 'advance', '1d', '--data', dataFolder()])
  expect([status, await first.stop()]).toEqual([0, 0])
  const second = await started(asked)
  expect(second.log()).toContain('its clock is at 2026-02-01T10:00:00Z')
})

test('an ephemeral daemon shows its admin token, and leaves nothing behind', async () => {
  const daemon = await started(['--ephemeral'], { cwd: folder.path })
  expect(daemon.admin_token).toMatch(/^\S{32,}$/)
  expect(await daemon.stop('SIGINT')).toBe(0)
  expect(readdirSync(folder.path)).toEqual([])
})

test('a given key and admin token are used and not shown', async () => {
  const secret = `sk_test_${'a'.repeat(24)}`
  const env = { PAYTWIN_ADMIN_TOKEN: 't'.repeat(32), PAYTWIN_SECRET_KEY: secret, PAYTWIN_EPHEMERAL: '1' }
  const daemon = await started([], { env })
  expect(daemon).not.toHaveProperty('secret_key')
  expect(daemon).not.toHaveProperty('admin_token')
  await api({ url: daemon.url, secret_key: secret }, '/v1/customers')
  const { status } = await paytwin(['status'], { env: { ...env, PAYTWIN_URL: daemon.url } })
  expect(status).toBe(0)
})

test('commands find the daemon by its data folder', async () => {
  const daemon = await started(['--data', '.paytwin'], { cwd: folder.path })
  const { status, stdout } = await paytwin(['status', '--json'], { cwd: folder.path })
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ url: daemon.url, pid: daemon.pid })
  const elsewhere = await paytwin(['status', '--data', join(folder.path, '.paytwin')])
  expect(elsewhere.status).toBe(0)
})

test("the folder's token is not sent to another address", async () => {
  await started(['--data', dataFolder()])
  const seen: (string | undefined)[] = []
  const stranger = createServer((request, response) => {
    seen.push(request.headers.authorization)
    response.end('hello')
  }).listen(0, '127.0.0.1')
  await once(stranger, 'listening')
  const { port } = stranger.address() as AddressInfo
  const args = ['status', '--data', dataFolder(), '--url', `http://127.0.0.1:${port}`]
  const { status, stderr } = await paytwin(args)
  stranger.close()
  expect(seen).toEqual([undefined])
  expect(status).toBe(3)
  expect(stderr).toContain('is not a paytwin daemon')
})

test('only its owner can read the data folder', async () => {
  await started(['--data', dataFolder()])
  expect(statSync(dataFolder()).mode & 0o777).toBe(0o700)
  for (const file of ['admin-token', 'daemon.json', 'paytwin.db']) {
    expect([file, statSync(join(dataFolder(), file)).mode & 0o777]).toEqual([file, 0o600])
  }
  expect(readFileSync(join(dataFolder(), '.gitignore'), 'utf8')).toBe('*\n')
})

test('a daemon removes daemon.json when it ends', async () => {
  const daemon = await started(['--data', dataFolder()])
  await daemon.stop()
  expect(existsSync(join(dataFolder(), 'daemon.json'))).toBe(false)
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends it in order, also while a client listens: exit 0',
  async (signal) => {
    const daemon = await started(['--ephemeral'])
    const tail = start(['events', 'tail', '--json'], { env: daemon.env })
    const events = lines(tail.stdout)
    const seen = events.next()
    // A stream sends only events after it is open, so events are emitted until one arrives.
    let isSeen = false
    void seen.then(() => {
      isSeen = true
    })
    while (!isSeen) await api(daemon, '/v1/customers', { email: 'ada@example.com' })
    expect(await daemon.stop(signal)).toBe(0)
    tail.kill()
    await once(tail, 'close')
  },
)

test.each([
  ['lines for people', []],
  ['JSON', ['--json']],
])('unauthenticated input is escaped in the log: %s', async (_, args) => {
  const env = { PAYTWIN_ADMIN_TOKEN: 't'.repeat(32), PAYTWIN_SECRET_KEY: `sk_test_${'a'.repeat(24)}` }
  const child = start(['serve', '--port', '0', '--ephemeral', '--log-level', 'debug', ...args], { env })
  onTestFinished(() => void child.kill('SIGKILL'))
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log += text
  })
  const [url = ''] = /http:[\w.:/]+\d/.exec((await lines(child.stdout).next()) ?? '') ?? []
  const redirect_uri = 'http://127.0.0.1:8080/callback'
  const create = [
    'apps',
    'create',
    '--name',
    'Ledgerly',
    '--redirect-uri',
    redirect_uri,
    '--json',
    '--url',
    url,
  ]
  const { client_id } = JSON.parse((await paytwin(create, { env })).stdout)
  const evil = '%1b]0;x%07%c2%9b31m%e2%80%ae%e2%80%a8%7f%0d%0aWARN%20forged=1'
  const app = `client_id=${client_id}&redirect_uri=${encodeURIComponent(redirect_uri)}`
  for (const path of [
    `oauth/authorize?${app}&${evil}=1`,
    `oauth/${evil}`,
    `customers/${evil}?${evil}=${evil}`,
  ]) {
    const headers = { authorization: `Bearer ${env.PAYTWIN_SECRET_KEY}` }
    await (await fetch(`${url}/v1/${path}`, { headers, redirect: 'manual' })).text()
  }
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  await closed
  expect(log).toContain('GET /v1/oauth/authorize: ignored unknown parameters')
  expect(log.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u)
  expect(log.split('\n').filter((line) => line.startsWith('WARN'))).toEqual([])
})

/** Starts a daemon that must fail. @returns its error output */
const refusedStart = async (...args: string[]) => {
  const { status, stdout, stderr } = await paytwin(['serve', '--port', '0', ...args], { cwd: folder.path })
  expect(stdout).toBe('')
  expect(stderr).toMatch(/^error: [^\n]*\n$/)
  return { status, stderr }
}

test('a port in use is refused: exit 1', async () => {
  const { url } = await started()
  const { port } = new URL(url)
  const { status, stderr } = await refusedStart('--ephemeral', '--port', port)
  expect(status).toBe(1)
  expect(stderr).toContain(`Port ${port} on 127.0.0.1 is in use`)
})

test('a first start on a port in use creates no database, so that the next start shows the key', async () => {
  const { url } = await started()
  await refusedStart('--data', dataFolder(), '--port', new URL(url).port)
  expect(existsSync(join(dataFolder(), 'paytwin.db'))).toBe(false)
  const next = await started(['--data', dataFolder()])
  expect(next.secret_key).toMatch(/^sk_test_/)
})

test('a data folder that cannot be written is refused: exit 1', async () => {
  writeFileSync(join(folder.path, 'file'), '')
  const { status, stderr } = await refusedStart('--data', 'file/data')
  expect(status).toBe(1)
  expect(stderr).toContain('The data folder file/data cannot be written')
})

test('a data folder in use is refused, naming pid and url of its daemon: exit 1', async () => {
  const first = await started(['--data', dataFolder()])
  const { status, stderr } = await refusedStart('--data', dataFolder())
  expect(status).toBe(1)
  expect(stderr).toContain(`pid ${first.pid} at ${first.url}`)
  expect((await paytwin(['status', '--data', dataFolder()])).status).toBe(0)
})

test.each([
  ['--clock', '2027-01-01'],
  ['--seed', '2'],
  ['--secret-key', `sk_test_${'b'.repeat(24)}`],
])('a different %s than the database was created with is refused: exit 2', async (option, value) => {
  const daemon = await started(['--data', dataFolder(), '--clock', '2026-01-31', '--seed', '1'])
  await daemon.stop()
  const { status, stderr } = await refusedStart('--data', dataFolder(), option, value)
  expect(status).toBe(2)
  expect(stderr).toContain(option)
  expect(stderr).toMatch(/\. Omit it.*, or use another --data folder$/m)
})

test.each([
  [['--host', '0.0.0.0', '--ephemeral'], /admin token/],
  [['--ephemeral', '--data', 'x'], /cannot be combined/],
  [['--clock', 'soon'], /--clock must be/],
])('serve %j is wrong usage: exit 2', async (args, message) => {
  const { status, stderr } = await refusedStart(...args)
  expect(status).toBe(2)
  expect(stderr).toMatch(message)
})
