import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { noteCrashesInLogs, watchForCrash } from '../crashes.ts'

export const EXECUTABLE = fileURLToPath(new URL('../../bin/paytwin.js', import.meta.url))

type Environment = Readonly<Record<string, string>>

/** What the ready line says, and how to end what said it. */
export type RunningDaemon = {
  readonly url: string
  readonly merchant: string
  /** A link that opens the dashboard once. */
  readonly dashboard: string
  readonly secret_key?: string
  readonly admin_token?: string
  readonly admin_token_file?: string
  readonly fixture_secrets?: readonly { object: string; ref: string | null; id: string; secret: string }[]
  readonly pid: number
  readonly child: ChildProcess
  /** Lets commands find it, wherever they run. */
  readonly env: Environment
  /** The complete output on stderr so far. */
  log(): string
  /** Ends it with a signal. @returns its exit status; null when the signal killed it */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export type Finished = { readonly status: number | null; readonly stdout: string; readonly stderr: string }

/** Creates a folder for one test; `remove` deletes it. A crash in a log of the folder fails the test. */
export function temporaryFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'paytwin-test-'))
  const remove = () => {
    if (!existsSync(path)) return
    noteCrashesInLogs(path)
    rmSync(path, { recursive: true, force: true })
  }
  return { path, remove }
}

/**
 * Starts `paytwin` with arguments; nothing of this process's own PAYTWIN_ variables reaches it. A crash fails the running test.
 */
export function start(
  args: readonly string[],
  { env = {}, cwd = tmpdir() }: { env?: Environment; cwd?: string } = {},
) {
  const child = spawn(process.execPath, [EXECUTABLE, ...args], {
    cwd,
    env: { ...cleanEnvironment(), ...env },
  })
  watchForCrash(child)
  return child
}

/** Runs `paytwin` to its end. */
export async function paytwin(
  args: readonly string[],
  options: { env?: Environment; cwd?: string } = {},
): Promise<Finished> {
  const child = start(args, options)
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (output.stderr += text))
  const [status] = await once(child, 'close')
  return { status, ...output }
}

/** Starts a daemon on a free port, in memory unless the arguments say otherwise, and waits until it answers. */
export async function startDaemon(
  args: readonly string[] = ['--ephemeral'],
  { env = {}, cwd = tmpdir() }: { env?: Environment; cwd?: string } = {},
): Promise<RunningDaemon> {
  const child = start(['serve', '--port', '0', '--json', ...args], { env, cwd })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (log += text))
  const ready = await firstLine(child.stdout)
  if (ready === undefined) throw new Error(`the daemon did not start: ${log}`)
  const said = JSON.parse(ready)
  return {
    ...said,
    child,
    env: { PAYTWIN_URL: said.url, ...(said.admin_token && { PAYTWIN_ADMIN_TOKEN: said.admin_token }) },
    log: () => log,
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'close')
        child.kill(signal)
        await ended
      }
      return child.exitCode
    },
  }
}

/** Starts a daemon of a data folder again that was killed. Its ready line shows no key any more, so that of its first start is kept. */
export async function restart(
  { url, secret_key = '' }: RunningDaemon,
  data: string,
  port: 'its port' | 'another port',
): Promise<RunningDaemon> {
  const same = port === 'its port' ? ['--port', new URL(url).port] : []
  return { ...(await startDaemon(['--data', data, ...same])), secret_key }
}

/** The first line of a stream; undefined when it ends before. */
export async function firstLine(stream: NodeJS.ReadableStream): Promise<string | undefined> {
  return lines(stream).next()
}

/** Yields the lines of a stream as they arrive. */
export function lines(stream: NodeJS.ReadableStream): { next(): Promise<string | undefined> } {
  const iterator = createInterface(stream)[Symbol.asyncIterator]()
  return { next: async () => (await iterator.next()).value }
}

/** A request of the merchant's API that must succeed. */
export async function api<ResponseBody = { id: string }>(
  { url, secret_key }: Pick<RunningDaemon, 'url' | 'secret_key'>,
  path: string,
  body?: object,
): Promise<ResponseBody> {
  const response = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${secret_key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path} returned ${response.status} ${await response.text()}`)
  return response.json() as Promise<ResponseBody>
}

/** Creates a customer with a monthly subscription of 20.00 USD and a card with scripted outcomes. */
export async function subscribe(
  daemon: RunningDaemon,
  outcomes: readonly string[] = [],
): Promise<{ customer: string; subscription: string }> {
  const price = await api(daemon, '/v1/prices', {
    unit_amount: 2000,
    currency: 'usd',
    recurring: { interval: 'month' },
  })
  const customer = await api(daemon, '/v1/customers', { email: 'ada@example.com' })
  const card = await api(daemon, '/v1/payment_methods/pm_card_visa/attach', { customer: customer.id })
  await api(daemon, `/v1/test_helpers/payment_methods/${card.id}/outcomes`, { outcomes })
  const subscription = await api(daemon, '/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: card.id,
    items: [{ price: price.id }],
  })
  return { customer: customer.id, subscription: subscription.id }
}

/** Creates an app, and its authorization request to the daemon's merchant. */
export async function ask(
  daemon: RunningDaemon,
  redirect_uri = 'http://127.0.0.1:8080/callback',
  execute: typeof paytwin = paytwin,
): Promise<{ client_id: string; client_secret: string; authorization: string }> {
  const create = ['apps', 'create', '--name', 'Ledgerly', '--redirect-uri', redirect_uri, '--json']
  const { stdout } = await execute(create, { env: daemon.env })
  const { client_id, client_secret } = JSON.parse(stdout)
  const { id } = await api(daemon, '/v1/oauth/authorizations', { client_id, redirect_uri })
  return { client_id, client_secret, authorization: id }
}

/** The environment of this process without what would lead paytwin astray. */
export function cleanEnvironment(): Record<string, string> {
  const given = Object.entries(process.env).filter(([name]) => !/^(PAYTWIN_|NO_COLOR$)/.test(name))
  return Object.fromEntries(given) as Record<string, string>
}

/** Returns a port that is currently free. The system gives none of these away: a connection could take one before its use. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    const server = createServer()
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') continue
      throw error
    }
    server.close()
    await once(server, 'close')
    return port
  }
}
