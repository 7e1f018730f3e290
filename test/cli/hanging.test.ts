import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { api, paytwin, type RunningDaemon, start, startDaemon, temporaryFolder } from './executable.ts'

const SECRET_KEY = 'sk_test_000000000000000000000001'
/** The maximum delay of the end by requests in progress, and a margin for a loaded machine. */
const LIMIT_MS = 2_000 + 3_000

let folder: ReturnType<typeof temporaryFolder>
let lookups: number[] = []
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => {
  for (const pid of lookups.filter(lives)) process.kill(pid, 'SIGKILL')
  lookups = []
  folder.remove()
})

/** Whether a process runs. An ended process still exists until its parent reads its exit status. */
function lives(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** Returns the child process in which a daemon resolves a name, if it has started one. */
function lookupOf(daemon: number): number | undefined {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => {
      try {
        const parent = Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
        return parent === daemon && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('node:dns')
      } catch {
        // It has ended meanwhile.
        return false
      }
    })
}

/** Suspends the child process that resolves a name as soon as it exists, so that the lookup never ends. */
async function hangLookup(daemon: number): Promise<void> {
  const pid = await vi.waitFor(
    () => {
      const found = lookupOf(daemon)
      if (found === undefined) throw new Error('no name is being looked up')
      return found
    },
    { timeout: 10_000, interval: 5 },
  )
  process.kill(pid, 'SIGSTOP')
  lookups.push(pid)
}

/** The status of a request that waits for an injected latency; null if it is never answered. */
async function askSlowly({ url }: RunningDaemon): Promise<number | null> {
  try {
    const headers = { authorization: `Bearer ${SECRET_KEY}` }
    return (await fetch(`${url}/v1/prices`, { headers })).status
  } catch {
    // The connection was closed.
    return null
  }
}

async function postToName(daemon: Pick<RunningDaemon, 'url' | 'secret_key'>): Promise<void> {
  await api(daemon, '/v1/webhook_endpoints', { url: 'http://shop.example:8080/', enabled_events: ['*'] })
  await api(daemon, '/v1/customers', { name: 'Ada' })
}

test.each(['SIGTERM', 'SIGINT', 'stop'] as const)(
  '%s ends a daemon while a request waits for a latency and a name is looked up without a response',
  async (how) => {
    const data = join(folder.path, 'data')
    const env = { PAYTWIN_SECRET_KEY: SECRET_KEY }
    const started = await startDaemon(['--data', data], { env })
    const token = readFileSync(join(data, 'admin-token'), 'utf8').trim()
    const daemon = {
      ...started,
      secret_key: SECRET_KEY,
      env: { ...started.env, PAYTWIN_ADMIN_TOKEN: token },
    }
    const closed = once(daemon.child, 'close')
    const fault = ['faults', 'add', 'latency', '--ms', '60000', '--route', 'GET /v1/prices']
    expect((await paytwin(fault, daemon)).status).toBe(0)
    const answered = askSlowly(daemon)
    await postToName(daemon)
    await hangLookup(daemon.pid)

    const begun = performance.now()
    if (how === 'stop') expect((await paytwin(['stop'], daemon)).status).toBe(0)
    else daemon.child.kill(how)
    expect(await closed).toEqual([0, null])
    expect(performance.now() - begun).toBeLessThan(LIMIT_MS)
    expect([500, null]).toContain(await answered)
    await vi.waitFor(() => expect(lookups.filter(lives)).toEqual([]))
    expect(readdirSync(data).sort()).toEqual(['.gitignore', 'admin-token', 'daemon.log', 'paytwin.db'])
    expect(readFileSync(join(data, 'daemon.log'), 'utf8')).not.toMatch(/"level":"(error|fatal)"/)
  },
)

test('run exits as its command, in time, while a name is looked up without a response', async () => {
  const exitMarker = join(folder.path, 'exitMarker')
  const script = `
    const { existsSync } = require('node:fs')
    const { PAYTWIN_URL: url, PAYTWIN_SECRET_KEY: key } = process.env
    const post = (path, body) =>
      fetch(url + path, {
        method: 'POST',
        headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    post('/v1/webhook_endpoints', { url: 'http://shop.example:8080/', enabled_events: ['*'] })
      .then(() => post('/v1/customers', {}))
      .then(() => setInterval(() => existsSync(${JSON.stringify(exitMarker)}) && process.exit(7), 20))`
  const child = start(['run', '--', process.execPath, '-e', script], { cwd: folder.path })
  const closed = once(child, 'close')
  await hangLookup(child.pid ?? 0)
  const begun = performance.now()
  writeFileSync(exitMarker, '')
  expect(await closed).toEqual([7, null])
  expect(performance.now() - begun).toBeLessThan(LIMIT_MS)
  await vi.waitFor(() => expect(lookups.filter(lives)).toEqual([]))
  expect(readdirSync(folder.path)).toEqual(['exitMarker'])
})
