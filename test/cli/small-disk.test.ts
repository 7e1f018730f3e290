import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { NO_ROOM } from './disk-limit.ts'
import { EXECUTABLE, temporaryFolder } from './executable.ts'

const KEY = 'sk_test_asmalldiskthatfillsupalone001'
const ADMIN_TOKEN = 'x'.repeat(40)
const DISK_MB = 8

/** Whether this user may mount a file system in a separate namespace. */
const canMount =
  spawnSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' }).status === 0

let folder: ReturnType<typeof temporaryFolder>
let disk: string
let holder: ChildProcess
const daemons: ChildProcess[] = []
beforeEach(async () => {
  folder = temporaryFolder()
  disk = join(folder.path, 'disk')
  mkdirSync(disk)
  if (!canMount) return
  const script = `mount -t tmpfs -o size=${DISK_MB}m none '${disk}' && echo mounted && exec sleep 600`
  holder = spawn('unshare', ['-Urm', 'sh', '-c', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(holder.stdout ?? holder, 'data')
})
afterEach(async () => {
  for (const daemon of daemons.splice(0)) daemon.kill('SIGKILL')
  if (canMount && holder.kill()) await once(holder, 'exit')
  folder.remove()
})

/** Runs a program that sees the small disk. */
const within = (...command: string[]): [string, string[]] => [
  'nsenter',
  ['--preserve-credentials', '-U', '-m', '-t', String(holder.pid), ...command],
]

type Running = {
  readonly url: string
  readonly log: () => string
  kill(signal: NodeJS.Signals): Promise<number>
}

async function start(): Promise<Running> {
  const serve = ['serve', '--port', '0', '--data', join(disk, 'data'), '--clock', '2026-01-31', '--json']
  const child = spawn(...within(process.execPath, EXECUTABLE, ...serve), {
    env: { ...process.env, PAYTWIN_SECRET_KEY: KEY, PAYTWIN_ADMIN_TOKEN: ADMIN_TOKEN },
  })
  daemons.push(child)
  let [out, log] = ['', '']
  child.stderr.on('data', (text) => {
    log += text
  })
  const ended = once(child, 'exit')
  const ready = new Promise<void>((resolve) =>
    child.stdout.on('data', (text) => {
      out += text
      if (out.includes('\n')) resolve()
    }),
  )
  await Promise.race([ready, ended])
  if (!out.includes('\n')) throw new Error(`the daemon did not start: ${log}`)
  const kill = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    const [status] = await ended
    return status
  }
  return { url: JSON.parse(out.slice(0, out.indexOf('\n'))).url, log: () => log, kill }
}

const send = (daemon: Running, path: string, body?: object) =>
  fetch(daemon.url + path, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
  })

/** Makes customers until the disk is full: a number of attempts in a row fail. @returns how many there are */
async function fill(daemon: Running): Promise<number> {
  const body = { description: 'x'.repeat(4_000), metadata: { a: 'y'.repeat(500) } }
  let made = 0
  for (let failed = 0; failed < 20; ) {
    const { status } = await send(daemon, '/v1/customers', body)
    if (status === 201) made += 1
    failed = status === 201 ? 0 : failed + 1
    expect([201, 500]).toContain(status)
  }
  return made
}

const used = (path: string) => Number(execFileSync(...within('stat', '-c', '%s', path), { encoding: 'utf8' }))

test.skipIf(!canMount)(
  'a disk of 8 MB fills up with data, not with the log, and the daemon starts again there',
  { timeout: 120_000 },
  async () => {
    const daemon = await start()
    const made = await fill(daemon)
    expect(daemon.log()).toMatch(NO_ROOM)
    expect(used(join(disk, 'data/paytwin.db'))).toBeGreaterThan(((DISK_MB - 3) * 1_048_576) / 2)
    expect(used(join(disk, 'data/paytwin.db-wal'))).toBeLessThan(1_048_576)
    await daemon.kill('SIGKILL')

    const next = await start()
    expect(await (await send(next, '/v1/customers?limit=1')).json()).toMatchObject({ has_more: true })
    expect(made).toBeGreaterThan(300)
    expect(await next.kill('SIGTERM')).toBe(0)
    const last = await start()
    expect((await send(last, '/v1/customers?limit=1')).status).toBe(200)
  },
)

test.skipIf(!canMount).each(['SIGKILL', 'SIGTERM'] as const)(
  'saves and restores leave the room that the next start needs, after %s too',
  { timeout: 120_000 },
  async (signal) => {
    const daemon = await start()
    const operate = async (path: string, body: object) => {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
      const sent = { method: 'POST', headers, body: JSON.stringify(body) }
      return (await fetch(`${daemon.url}/_paytwin/${path}`, sent)).status
    }
    const large = { description: 'x'.repeat(4_000), metadata: { a: 'y'.repeat(500) } }
    for (let count = 0; count < 300; count += 1)
      expect((await send(daemon, '/v1/customers', large)).status).toBe(201)
    let saved = 0
    while ((await operate('snapshots', { name: `s${saved}` })) === 201) saved += 1
    expect(saved).toBeGreaterThan(0)
    for (let times = 0; times < 2; times += 1)
      expect([200, 500]).toContain(await operate('snapshots/s0/restore', {}))
    for (let count = 0; count < 50; count += 1)
      expect([201, 500]).toContain((await send(daemon, '/v1/customers', large)).status)
    await daemon.kill(signal)
    const next = await start()
    expect(await (await send(next, '/v1/customers?limit=1')).json()).toMatchObject({ has_more: true })
  },
)
