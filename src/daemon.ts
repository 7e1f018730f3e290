import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import type { ScheduledTask } from 'node-cron'
import { formatInstant } from './core/calendar.ts'
import { ApiError, mistakesOf, mistakeText } from './core/errors.ts'
import { JsonMistake, parseJsonText } from './core/json-text.ts'
import { DataFolder } from './data-folder.ts'
import { randomToken } from './engine/ids.ts'
import { allowedHosts } from './http/admin/guard.ts'
import type { FixturesFile } from './http/fixtures/schema.ts'
import { createLog, type Logger } from './log.ts'
import { OptionConflict, openSandbox, type Sandbox } from './sandbox.ts'
import { DatabaseUnusable, type Durability } from './store/database.ts'
import { refuseUnreadable, unreadable } from './unreadable.ts'
import { RangeInvalid } from './webhooks/address.ts'

const MIN_TOKEN_LENGTH = 32
const TOKEN_LENGTH = 40
/** How long answers under way may keep a stopping daemon, in milliseconds. */
const PATIENCE_MS = 2_000
const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/

export type DaemonOptions = {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** The data folder; null keeps everything in memory. */
  readonly data: string | null
  readonly adminToken: string | null
  readonly adminTokenFile: string | null
  /** 'live', or where the default merchant's clock stands (Unix seconds); null for what the database has. */
  readonly clock: 'live' | number | null
  readonly seed: string | null
  readonly secretKey: string | null
  /** Files that are loaded when the database is new. */
  readonly fixtures: readonly string[]
  readonly durability: Durability
  readonly allowedHosts: readonly string[]
  /** Ranges of addresses to which webhooks may go from a daemon beyond loopback. */
  readonly webhookAllow: readonly string[]
  readonly rateLimit: number | null
  readonly keyCacheSeconds: number
  readonly strictParams: boolean
  readonly logLevel: string
  readonly json: boolean
  readonly version: string
}

export type Daemon = {
  readonly url: string
  /** 'live', or the frozen instant in ISO 8601. */
  readonly clock: string
  readonly data: string | null
  /** The default merchant's id. */
  readonly merchant: string
  /** Only when this start generated it. */
  readonly secretKey: string | null
  /** Only when this start generated it and no file holds it. */
  readonly adminToken: string | null
  readonly adminTokenFile: string | null
  close(): Promise<void>
}

/** Why the daemon does not start, in a sentence or several; the exit status is 2 for wrong usage, else 1. */
export class StartRefused extends Error {
  readonly exitCode: 1 | 2
  readonly others: readonly string[]
  constructor(exitCode: 1 | 2, message: string, others: readonly string[] = []) {
    super(message)
    this.exitCode = exitCode
    this.others = others
  }
}

/**
 * Starts the daemon: database, engine, HTTP server and the ticks that keep live clocks.
 * @throws StartRefused
 * Source: operator.md, "Daemon".
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const log = createLog({ level: options.logLevel, json: options.json })
  const folder = options.data === null ? null : openFolder(options.data)
  const token = adminTokenOf(options, folder)
  let url = ''
  const sandbox = await openSandbox({
    ...options,
    database: folder?.database ?? ':memory:',
    data: folder && resolve(folder.path),
    adminToken: token.value,
    allowedHosts: allowedHosts(options.host, options.allowedHosts),
    receivers: { isExposed: !LOOPBACK.test(options.host), allowed: options.webhookAllow },
    url: () => url,
    fixtures: () => options.fixtures.map(readFixtures),
    reportError: (error, doing) => log.error({ err: error }, doing),
    noteIgnored: (route, params) =>
      log.warn({ params: params.join(', ') }, `${route}: ignored unknown parameters`),
  }).catch((error: unknown) => {
    throw refusalOf(error, folder)
  })
  sandbox.engine.listen({
    failed: (error, doing) => log.error({ err: error }, doing),
    caughtUp: (merchant, summary) =>
      log.info({ merchant, ...summary }, 'a live clock has caught up with the wall clock'),
  })

  if (log.isLevelEnabled('debug')) noteRequests(sandbox, log)
  tellOfFixtures(sandbox, options, log)

  try {
    resumeAdvances(sandbox, log)
    const server = await listen(sandbox, options, log, () => url)
    url = urlOf(options.host, server)
    folder?.announce({ url, pid: process.pid })
    const stopTicking = tick(sandbox, log)
    const close = async () => {
      stopTicking()
      await stopServing(server, sandbox)
      folder?.retract()
    }
    return { ...described(sandbox, options, folder), url, ...token.shown, close }
  } catch (error) {
    await sandbox.close()
    throw error
  }
}

function openFolder(path: string): DataFolder {
  try {
    return new DataFolder(path)
  } catch (error) {
    throw new StartRefused(1, (error as Error).message)
  }
}

type Token = { readonly value: string; readonly shown: Pick<Daemon, 'adminToken' | 'adminTokenFile'> }

function adminTokenOf({ host, adminToken, adminTokenFile }: DaemonOptions, folder: DataFolder | null): Token {
  const given = adminToken ?? (adminTokenFile === null ? null : readToken(adminTokenFile))
  if (given !== null) {
    if (given.length < MIN_TOKEN_LENGTH) {
      throw new StartRefused(2, `The admin token must have at least ${MIN_TOKEN_LENGTH} characters`)
    }
    return { value: given, shown: { adminToken: null, adminTokenFile } }
  }
  if (!LOOPBACK.test(host)) {
    throw new StartRefused(
      2,
      `To listen on ${host}, beyond this machine, give an admin token: PAYTWIN_ADMIN_TOKEN or --admin-token-file`,
    )
  }
  if (!folder) {
    const value = randomToken(TOKEN_LENGTH)
    return { value, shown: { adminToken: value, adminTokenFile: null } }
  }
  const value = folder.adminToken(() => randomToken(TOKEN_LENGTH))
  return { value, shown: { adminToken: null, adminTokenFile: folder.adminTokenFile } }
}

function readToken(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new StartRefused(2, `The admin token file cannot be read: ${(error as Error).message}`)
  }
}

function readFixtures(path: string): FixturesFile {
  try {
    return { name: path, content: parseJsonText(readFileSync(path, 'utf8')) }
  } catch (error) {
    const message =
      error instanceof JsonMistake
        ? error.in(path)
        : `The fixtures file cannot be read: ${(error as Error).message}`
    throw new StartRefused(2, message)
  }
}

function tellOfFixtures({ loaded }: Sandbox, { fixtures }: DaemonOptions, log: Logger): void {
  if (fixtures.length === 0) return
  if (loaded) log.info({ objects: loaded.length }, `loaded ${fixtures.join(', ')}`)
  else log.info('the database is not new: the fixtures are not loaded')
}

function refusalOf(error: unknown, folder: DataFolder | null): unknown {
  if (error instanceof ApiError) {
    const [first = error.message, ...others] = mistakesOf(error).map(mistakeText)
    return new StartRefused(2, first, others)
  }
  if (error instanceof OptionConflict) return new StartRefused(2, error.message)
  if (error instanceof RangeInvalid) return new StartRefused(2, `--webhook-allow: ${error.message}`)
  if (!(error instanceof DatabaseUnusable)) return error
  const other = error.reason === 'locked' ? folder?.announced() : undefined
  if (!other) return new StartRefused(1, error.message)
  return new StartRefused(
    1,
    `The data folder ${folder?.path} is in use by the daemon with pid ${other.pid} at ${other.url}. Stop it, or give another --data folder.`,
  )
}

function listen(
  { app }: Sandbox,
  { host, port }: DaemonOptions,
  log: Logger,
  url: () => string,
): Promise<Server> {
  const errorHandler = (error: unknown) => {
    log.warn({ err: error }, 'a request that could not be read')
    return unreadable(url())
  }
  // A missing Host is answered like every other mistake, not by Node.
  const server = createServer(
    { requireHostHeader: false },
    getRequestListener(app.fetch, { hostname: host, errorHandler }),
  )
  server.on('clientError', (error, socket) => refuseUnreadable(error, socket, url()))
  return new Promise((resolveServer, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE'
          ? `Port ${port} on ${host} is in use. Give another one, or --port 0 for any free port.`
          : `Cannot listen on ${host}:${port}: ${error.message}`
      reject(new StartRefused(1, why))
    })
    server.listen(port, host, () => resolveServer(server))
  })
}

function urlOf(host: string, server: Server): string {
  const { port } = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

function described({ merchant, secretKey }: Sandbox, { data }: DaemonOptions, folder: DataFolder | null) {
  const { clock } = merchant
  return {
    clock: clock.mode === 'live' ? 'live' : formatInstant(clock.now),
    data: folder ? data : null,
    merchant: merchant.settings.id,
    secretKey,
  }
}

function noteRequests({ requests }: Sandbox, log: Logger): void {
  requests.listen(({ id, method, path, status, duration_ms, key, merchant, replayed, code }) => {
    const ms = Number(duration_ms.toFixed(1))
    const details = { request: id, ms, ...(key && { key }), ...(merchant && { merchant }) }
    log.debug(
      { ...details, ...(replayed && { replayed }), ...(code && { code }) },
      `${method} ${path} ${status}`,
    )
  })
}

/** Goes on with what a crash or a stop interrupted, and says so. */
function resumeAdvances({ engine }: Sandbox, log: Logger): void {
  for (const run of engine.time.resume(engine.merchants.values())) {
    log.info('an interrupted advance goes on')
    run.then(
      (summary) => log.info(summary, 'an interrupted advance has ended'),
      (error: unknown) => log.error({ err: error }, 'an interrupted advance failed'),
    )
  }
}

/** Live clocks are kept each second, and now and then the house is. Begins after the start, which need not wait for it. */
function tick(sandbox: Sandbox, log: Logger): () => void {
  const tasks: ScheduledTask[] = []
  let isStopped = false
  const guarded = (doing: string, work: () => Promise<void>) => () =>
    work().catch((error: unknown) => log.error({ err: error }, doing))
  const begin = async () => {
    const { schedule } = await import('node-cron')
    if (isStopped) return
    const quiet = { suppressMissedWarning: true, noOverlap: true, unref: true }
    tasks.push(
      schedule(
        '* * * * * *',
        guarded('keeping live clocks', () => sandbox.engine.settleAll()),
        quiet,
      ),
      schedule(
        '30 * * * * *',
        guarded('housekeeping', () => sandbox.keepHouse()),
        quiet,
      ),
    )
  }
  setImmediate(guarded('beginning to tick', begin))
  return () => {
    isStopped = true
    for (const task of tasks) void task.destroy()
  }
}

/** No new connections; what runs ends; then the database is closed. */
async function stopServing(server: Server, sandbox: Sandbox): Promise<void> {
  const closed = new Promise<void>((done) => server.close(() => done()))
  await sandbox.close()
  server.closeIdleConnections()
  const patience = setTimeout(() => server.closeAllConnections(), PATIENCE_MS)
  await closed
  clearTimeout(patience)
}
