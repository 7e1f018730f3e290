import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { api, type Finished, subscribe, temporaryFolder } from '../cli/executable.ts'
import { recordedIo } from '../cli/terminal.ts'

const ROOT = join(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

/** The timeout. The build copies a hundred megabytes, and the tests start the executable several times. */
const BUILD_MS = 180_000

const started: number[] = []
let folder: ReturnType<typeof temporaryFolder>
let built: Finished
const path = (name: string) => join(folder.path, name)
const executable = () => path('bin/paytwin')

/** An environment that contains only the executable: an empty PATH and home. */
const environment = () => ({ PATH: path('nothing'), HOME: path('home'), TMPDIR: path('tmp') })

async function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = environment()) {
  const child = spawn(command, args, { cwd: path('home'), env })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (output.stderr += text))
  child.stdin.end()
  const [status] = await once(child, 'close')
  return { status, ...output } as Finished
}

/** Runs a command of the executable that must succeed. @returns what it printed */
async function paytwin(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await run(executable(), args)
  expect({ args, status, stderr }).toEqual({ args, status: 0, stderr: '' })
  return stdout
}
const asked = async (...args: string[]) => JSON.parse(await paytwin(...args, '--json'))

/** Starts one in the background that ends with the tests at the latest. */
async function startInBackground(...options: string[]) {
  const daemon = await asked('start', '--port', '0', ...options)
  started.push(daemon.pid)
  return daemon
}

beforeAll(async () => {
  folder = temporaryFolder()
  for (const name of ['bin', 'home', 'nothing', 'tmp']) mkdirSync(path(name))
  const script = join(ROOT, 'bin/build-executable.js')
  built = await run(process.execPath, [script, executable()], process.env)
}, BUILD_MS)
afterAll(() => {
  // What a test that failed has left behind.
  for (const pid of started) if (existsSync(`/proc/${pid}`)) process.kill(pid)
  folder.remove()
})
beforeEach(() => {
  expect(built).toMatchObject({ status: 0, stderr: '' })
})

test('has the licences of all that is within beside it, that of Node too', () => {
  const text = readFileSync(`${executable()}.LICENSES.txt`, 'utf8')
  expect(text).toContain(`\nNode ${process.versions.node}\n`)
  expect(text).toMatch(/^better-sqlite3 \d/m)
})

test('the build says how large it is and how soon it answers, and leaves nothing else', () => {
  expect(built.stdout).toMatch(/paytwin: \d+\.\d MB with Node \d+\.\d+\.\d+; a daemon is ready in \d+ ms \(/)
  expect(readdirSync(path('bin'))).toEqual(['paytwin', 'paytwin.LICENSES.txt'])
})

test('it knows every command, by its own version', async () => {
  expect(await paytwin('--version')).toBe(`${version}\n`)
  const { commands } = await createProgram(recordedIo().io)
  const helps = commands.map(async (command) => ({
    name: command.name(),
    help: await paytwin(command.name(), '--help'),
  }))
  for (const { name, help } of await Promise.all(helps)) expect(help).toContain(`Usage: paytwin ${name}`)
  expect(helps.length).toBeGreaterThan(20)
})

test('without Node it keeps a sandbox from its first start to its end, and leaves nothing but the data', async () => {
  const daemon = await startInBackground('--clock', '2026-01-31T10:00:00Z')
  expect(existsSync(path('home/.paytwin/paytwin.db'))).toBe(true)

  const received: string[] = []
  const server = createServer((request, response) => {
    received.push(String(request.headers['paytwin-signature']))
    request.resume().on('end', () => response.end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await paytwin('webhooks', 'create', `http://127.0.0.1:${port}/`, '--event', 'invoice.paid')

  const { subscription } = await subscribe(daemon)
  await paytwin('snapshots', 'save', 'before')
  await paytwin('clock', 'advance', '1y', '--await-webhooks')
  expect(received).toHaveLength(13)
  expect(received[0]).toMatch(/^t=\d+,v1=/)
  expect(await paytwin('events', 'list', '--type', 'invoice.paid', '-n', '100')).toContain('2027-01-31')
  expect(await paytwin('subscriptions', 'show', subscription)).toContain('2027-01-31')
  await paytwin('snapshots', 'restore', 'before')
  expect(await paytwin('clock', 'show')).toContain('2026-01-31T10:00:00Z')
  server.close()

  copyFileSync(join(ROOT, 'fixtures/default.json'), path('tmp/default.json'))
  expect(await paytwin('fixtures', 'load', path('tmp/default.json'))).toContain('customer')
  for (const page of ['/docs', '/openapi.json']) expect((await fetch(daemon.url + page)).status).toBe(200)

  const mapped = readFileSync(`/proc/${daemon.pid}/maps`, 'utf8')
  expect(mapped).toMatch(/\/tmp\/paytwin-\w+\/library \(deleted\)$/m)
  expect(mapped).not.toContain(ROOT)
  expect(mapped).not.toContain(process.execPath)

  expect(await paytwin('stop')).toContain(`pid ${daemon.pid}`)
  expect(readdirSync(path('tmp'))).toEqual(['default.json'])
  expect(readdirSync(path('home'))).toEqual(['.paytwin'])
})

test('it looks up host names of webhooks in a process of its own', async () => {
  const { url, admin_token, secret_key } = await startInBackground('--ephemeral')
  const env = { ...environment(), PAYTWIN_URL: url, PAYTWIN_ADMIN_TOKEN: admin_token }
  const asked = async (...args: string[]) =>
    JSON.parse((await run(executable(), [...args, '--json'], env)).stdout)
  const { id } = await asked('webhooks', 'create', 'http://name.invalid/', '--event', 'customer.created')
  await api({ url, secret_key }, '/v1/customers', {})
  const attempts = async () => (await asked('webhooks', 'deliveries', id)).data[0]?.attempts
  await expect
    .poll(attempts, { timeout: 20_000 })
    .toMatchObject([{ error: expect.stringMatching(/^getaddrinfo \w+ name\.invalid$/) }])
  expect((await run(executable(), ['stop'], env)).status).toBe(0)
})

test('run gives a command a daemon, and ends as it did', async () => {
  const { merchants } = JSON.parse(await paytwin('run', '--', executable(), 'status', '--json'))
  expect(merchants).toHaveLength(1)
  const { status } = await run(executable(), ['run', '--', executable(), 'clock', 'advance', '--nonsense'])
  expect(status).toBe(2)
})

test('the terminal UI draws, and gives the screen back', async () => {
  const { url, admin_token } = await startInBackground('--ephemeral', '--clock', '2026-01-31')
  const env = { ...environment(), PAYTWIN_URL: url, PAYTWIN_ADMIN_TOKEN: admin_token, TERM: 'xterm' }
  const system = { ...env, PATH: process.env.PATH }
  const shell = `stty rows 24 columns 80; PATH=${env.PATH} exec ${executable()} events tail`
  const child = spawn('script', ['-qefc', shell, '/dev/null'], { cwd: path('home'), env: system })
  const closed = once(child, 'close')
  let screen = ''
  let isLeaving = false
  child.stdout.setEncoding('utf8').on('data', (text) => {
    screen += text
    if (isLeaving || !screen.includes('● connected')) return
    isLeaving = true
    child.stdin.write('q')
  })
  expect(await closed).toEqual([0, null])
  expect(screen).toContain('2026-01-31')
  expect(screen.indexOf('\u001b[?1049h')).toBeLessThan(screen.indexOf('● connected'))
  expect(screen.indexOf('\u001b[?1049l')).toBeGreaterThan(screen.indexOf('● connected'))
  expect((await run(executable(), ['stop'], env)).status).toBe(0)
})

test('where SQLite cannot be put to load it, a start says so in a sentence', async () => {
  const env = { ...environment(), TMPDIR: path('nowhere') }
  const { status, stderr } = await run(executable(), ['serve', '--ephemeral', '--port', '0'], env)
  expect(status).toBe(1)
  expect(stderr).toMatch(/^error: SQLite cannot be loaded from .*nowhere: ENOENT.* Set TMPDIR to .*\n$/)
})

test('a run for Stripe needs the folder of this user, and another run does not', async () => {
  const tmp = path('taken')
  mkdirSync(tmp)
  const env = { ...environment(), TMPDIR: tmp }
  const runTrue = (...options: string[]) => run(executable(), ['run', ...options, '--', '/bin/true'], env)
  expect(await runTrue('--dialect', 'stripe')).toEqual({ status: 0, stdout: '', stderr: '' })
  const [name = '', ...others] = readdirSync(tmp)
  expect([name, others]).toEqual([`paytwin-${process.geteuid?.()}`, []])
  expect(readdirSync(join(tmp, name))).toEqual([])
  chmodSync(join(tmp, name), 0o777)
  expect(await runTrue('--dialect', 'stripe')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('is open to its group or other users'),
  })
  expect(await runTrue()).toEqual({ status: 0, stdout: '', stderr: '' })
})
