import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { expectCrash } from '../../crashes.ts'
import {
  api,
  paytwin,
  type RunningDaemon,
  start,
  startDaemon,
  subscribe,
  temporaryFolder,
} from '../executable.ts'

type Ready = { url: string; pid: number; secret_key: string; admin_token?: string }

let folder: ReturnType<typeof temporaryFolder>
const pids: number[] = []

beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(async () => {
  for (const pid of pids.splice(0)) await gone(pid, 'SIGTERM')
  folder.remove()
})

const data = () => join(folder.path, 'data')
const file = (name: string) => join(data(), name)
const logText = () => readFileSync(file('daemon.log'), 'utf8')
const cli = (...args: string[]) => paytwin(args, { cwd: folder.path, env: { PAYTWIN_DATA: data() } })

/** Starts one in the background that ends with the test at the latest. */
async function started(...args: string[]): Promise<Ready> {
  const { status, stdout, stderr } = await cli('start', '--port', '0', '--json', ...args)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const ready = JSON.parse(stdout)
  pids.push(ready.pid)
  return ready
}

/** A zombie process, whose exit status has not been read yet, counts as ended. */
const lives = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** Ends a process that is no child of ours, and waits until it is gone. */
async function gone(pid: number, signal: NodeJS.Signals): Promise<void> {
  if (lives(pid)) process.kill(pid, signal)
  while (lives(pid)) await new Promise((resolve) => setImmediate(resolve))
}

test('start returns when the daemon answers, and prints the same as serve', async () => {
  const { status, stdout, stderr } = await cli('start', '--port', '0', '--clock', '2026-01-31T10:00:00Z')
  expect(status).toBe(0)
  const [, url] =
    /^paytwin 0\.1\.0 ready on (http:\/\/127\.0\.0\.1:\d+) \(clock 2026-01-31T10:00:00Z, data .*data\)\n$/.exec(
      stdout,
    ) ?? []
  expect(stderr).toMatch(
    /^Secret key \(shown only once\): sk_test_\w{24,}\nSend the first request:\n {2}curl /,
  )
  expect((await fetch(`${url}/_paytwin/health`)).status).toBe(200)
  expect((await cli('stop')).status).toBe(0)
})

test('start --json prints only the ready object, with the key only the first time', async () => {
  const first = await started()
  expect(first).toMatchObject({
    event: 'ready',
    url: expect.stringMatching(/^http:/),
    version: '0.1.0',
    merchant: expect.stringMatching(/^mer_/),
    secret_key: expect.stringMatching(/^sk_test_/),
    admin_token_file: file('admin-token'),
  })
  await api(first, '/v1/customers', { email: 'ada@example.com' })
  await cli('stop')
  expect(await started()).not.toHaveProperty('secret_key')
})

test('start has all options of serve, and hides the secret key from the list of processes', async () => {
  const key = `sk_test_${'k'.repeat(24)}`
  const { url, pid } = await started(
    '--clock=2026-01-31',
    '--seed',
    '7',
    '--secret-key',
    key,
    '--strict-params',
  )
  expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(key)
  const refused = await fetch(`${url}/v1/customers?zebra=1`, { headers: { authorization: `Bearer ${key}` } })
  expect(await refused.json()).toMatchObject({ error: { code: 'parameter_unknown' } })
})

test('when stop returns, another daemon can start at once', async () => {
  const { url } = await started()
  const { port } = new URL(url)
  for (let round = 0; round < 4; round += 1) {
    const { status, stdout } = await cli('stop', '--json')
    expect({ status, response: JSON.parse(stdout) }).toMatchObject({
      status: 0,
      response: { object: 'shutdown', url, data: data(), livemode: false },
    })
    expect(existsSync(file('daemon.json'))).toBe(false)
    expect(existsSync(file('paytwin.db-wal'))).toBe(false)
    await started('--port', port)
  }
})

test('stop ends the process even if a connection stays open', async () => {
  const { url, pid } = await started()
  const agent = await fetch(`${url}/_paytwin/health`)
  await agent.text()
  expect((await cli('stop')).stdout).toBe(`The daemon at ${url} (pid ${pid}, data ${data()}) has stopped.\n`)
  await gone(pid, 'SIGCONT')
  expect(logText().trim().split('\n').at(-1)).toContain('"msg":"ended"')
})

test('stop ends the process even if a peer never closes its connections', async () => {
  const { url, pid } = await started()
  const { port, host } = new URL(url)
  const said = [
    '',
    `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: ${host}\r\n`,
  ]
  const peers = said.map((text) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => undefined).write(text)
    return socket
  })
  await Promise.all(peers.map((peer) => once(peer, 'connect')))
  const { stdout, status } = await cli('stop')
  expect([status, stdout]).toEqual([0, `The daemon at ${url} (pid ${pid}, data ${data()}) has stopped.\n`])
  // The system closes what a process had open a moment before it takes the process off its list.
  await vi.waitUntil(() => !lives(pid), { timeout: 1_000, interval: 5 })
  for (const peer of peers) peer.destroy()
})

test('an ephemeral daemon leaves nothing on disk, and prints how to stop it', async () => {
  const { stdout, stderr, status } = await cli('start', '--ephemeral', '--port', '0')
  expect(status).toBe(0)
  expect(stdout).toContain('data in memory')
  const [, token = '', url = ''] = /PAYTWIN_ADMIN_TOKEN=(\S+) paytwin stop --url (\S+)\n$/.exec(stderr) ?? []
  expect(readdirSync(folder.path)).toEqual([])
  const stop = await paytwin(['stop', '--url', url], { env: { PAYTWIN_ADMIN_TOKEN: token } })
  expect(stop).toEqual({ status: 0, stderr: '', stdout: expect.stringContaining('data in memory') })
})

test('a failed start prints the same error as serve, with its exit status', async () => {
  const running = await startDaemon(['--ephemeral'])
  const { port } = new URL(running.url)
  writeFileSync(join(folder.path, 'file'), '')
  const cases = [
    { args: ['--port', port], status: 1 },
    { args: ['--data', join(folder.path, 'file/data')], status: 1 },
    { args: ['--clock', 'soon'], status: 2 },
    { args: ['--ephemeral', '--host', '0.0.0.0'], status: 2 },
    { args: ['--nonsense'], status: 2 },
    { args: ['--admin-token-file', join(folder.path, 'file')], status: 2 },
  ]
  for (const { args, status } of cases) {
    const background = await cli('start', ...args)
    const foreground = await cli('serve', ...args)
    const named = {
      ...foreground,
      stderr: foreground.stderr.replace("'paytwin serve --help'", "'paytwin start --help'"),
    }
    expect(background).toEqual(named)
    expect(background).toMatchObject({ status, stdout: '', stderr: expect.stringMatching(/^error: /) })
  }
  await running.stop()
})

test('a folder in use is refused with the pid and url of its daemon, and the log is not touched', async () => {
  const { url, pid } = await started()
  const before = logText()
  const { status, stderr } = await cli('start', '--port', '0')
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `error: The data folder ${data()} is in use by the daemon with pid ${pid} at ${url}. Stop it with 'paytwin stop', or give another --data folder.\n`,
  })
  expect(logText()).toBe(before)
})

test.each(['new', 'used'])(
  'of daemons that start at the same time on a %s folder one wins, and the others name it',
  async (kind) => {
    if (kind === 'used') await gone((await started()).pid, 'SIGTERM')
    const starts = await Promise.all(Array.from({ length: 4 }, () => cli('start', '--port', '0', '--json')))
    const [winner, ...others] = starts.filter(({ status }) => status === 0)
    expect(others).toEqual([])
    const { url, pid } = JSON.parse(winner?.stdout ?? '')
    pids.push(pid)
    for (const { status, stderr } of starts.filter((each) => each !== winner)) {
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: expect.stringContaining(`with pid ${pid} at ${url}`),
      })
    }
    expect((await cli('status')).status).toBe(0)
  },
)

test('a killed daemon is not named as the owner of its folder, and the next one takes over', async () => {
  const { pid } = await started()
  await gone(pid, 'SIGKILL')
  expect(existsSync(file('daemon.json'))).toBe(true)
  for (const command of ['status', 'stop']) expect((await cli(command)).status).toBe(3)
  const next = await started()
  expect(JSON.parse(readFileSync(file('daemon.json'), 'utf8'))).toMatchObject({
    url: next.url,
    pid: next.pid,
  })
})

test('keys and tokens never appear in the log', async () => {
  const { url, secret_key } = await started('--log-level', 'trace')
  const token = readFileSync(file('admin-token'), 'utf8').trim()
  const headers = { authorization: `Bearer ${secret_key}` }
  await fetch(`${url}/v1/customers?${secret_key}=1&${token}=1`, { headers })
  await fetch(`${url}/v1/customers`, { method: 'POST', headers, body: `{"${secret_key}":` })
  await cli('keys', 'create')
  await cli('stop')
  expect(logText()).toContain('ignored unknown parameters')
  expect(logText()).toContain('sk_test_…')
  expect(logText()).not.toContain(secret_key)
  expect(logText()).not.toContain(token)
})

test('only the owner can read the files of the folder', async () => {
  await started()
  expect((statSync(data()).mode & 0o777).toString(8)).toBe('700')
  for (const name of readdirSync(data())) {
    expect([name, (statSync(file(name)).mode & 0o777).toString(8)]).toEqual([name, '600'])
  }
})

test.each([31, 1_025, 100_000])('a start with an admin token of %i characters is refused', async (length) => {
  const token = 't'.repeat(length)
  mkdirSync(data(), { mode: 0o700 })
  writeFileSync(file('admin-token'), token)
  const lengths = `must have 32 to 1024 characters, not ${length}`
  const { status, stderr } = await cli('start', '--port', '0')
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(`^error: The admin token in .*admin-token ${lengths}\\. Delete the file.*\n$`),
  ])
  rmSync(data(), { recursive: true })
  const given = join(folder.path, 'token')
  writeFileSync(given, token.slice(0, 60_000))
  const refused = await cli('start', '--port', '0', '--admin-token-file', given)
  expect([refused.status, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/^error: The admin token must have 32 to 1024 characters, not \d+\n$/),
  ])
})

test('a start with an admin token that no command could send is refused', async () => {
  mkdirSync(data(), { mode: 0o700 })
  writeFileSync(file('admin-token'), `${'t'.repeat(40)}\u001b`)
  const { status, stderr } = await cli('start', '--port', '0')
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(
      /^error: The admin token in .* may only contain visible ASCII characters\. Delete .*\n$/,
    ),
  ])
})

test('an interrupted start leaves no daemon running', async () => {
  // The folder is taken, so that the start lingers while it looks for the owner's address.
  const { pid } = await started()
  writeFileSync(file('daemon.json'), '')
  const child = start(['start', '--port', '0', '--data', data()])
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (said += text))
  const closed = new Promise((resolve) => child.once('close', (status) => resolve(status)))
  const childrenOf = () => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim()
  while (childrenOf() === '') await new Promise((resolve) => setImmediate(resolve))
  const grandchild = Number(childrenOf())
  child.kill('SIGINT')
  expect(await closed).not.toBe(0)
  expect(said).toBe('error: The start was interrupted; no daemon was left running.\n')
  await gone(grandchild, 'SIGCONT')
  expect(lives(pid)).toBe(true)
})

test('an advance that a stop interrupted continues at the next start', async () => {
  const ready = await started('--clock', '2026-01-31')
  await subscribe(ready as RunningDaemon)
  const clock = async (path: string, body?: object) =>
    api<{ status: string; now: number }>(ready, `/v1/test_helpers/clock${path}`, body)
  await clock('/advance', { to: '9000-01-01', async: true })
  await cli('stop')
  const { port } = new URL(ready.url)
  await started('--port', port)
  expect(await clock('')).toMatchObject({ status: 'advancing' })
  expect(logText()).toContain('resuming an interrupted advance')
  await clock('/cancel', {})
})

test('a crash is logged, although stderr has no reader', async () => {
  expectCrash(/Error: boom/)
  const boom = join(folder.path, 'boom.cjs')
  writeFileSync(boom, "process.on('SIGUSR2', () => { console.error('lost'); throw new Error('boom') })")
  const env = { PAYTWIN_DATA: data(), NODE_OPTIONS: `--require ${boom}` }
  const { stdout } = await paytwin(['start', '--port', '0', '--json'], { cwd: folder.path, env })
  await gone(JSON.parse(stdout).pid, 'SIGUSR2')
  const { stdout: log } = await cli('logs', '-n', '1')
  expect(log).toMatch(/ FATAL the daemon ends because of an internal error\n {2}Error: boom\n {6}at /)
})

test('a folder of a newer paytwin is refused: exit 1', async () => {
  await started()
  await cli('stop')
  const database = new Sqlite(file('paytwin.db'))
  database.pragma('user_version = 99')
  database.close()
  const { status, stderr } = await cli('start', '--port', '0')
  expect(status).toBe(1)
  expect(stderr).toMatch(
    /^error: .*paytwin\.db was written by a newer paytwin \(schema 99; this one supports \d+\)\. .*\n$/,
  )
})
