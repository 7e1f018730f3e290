import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { formatInstant } from '../core/calendar.ts'
import type { Dialect } from '../core/dialect.ts'
import type { CreatedObject } from '../engine/resources/fixture-names.ts'
import { allowedHosts } from '../http/admin/guard.ts'
import type { OAuthErrorForm } from '../http/oauth/error-form.ts'
import type { Durability } from '../store/database.ts'
import { listeningUrl, pagesUrl } from './address.ts'
import { adminTokenOf } from './admin-token.ts'
import { startBackgroundWork } from './background.ts'
import { type DaemonLog, openLog } from './daemon-log.ts'
import { DataFolder } from './data-folder.ts'
import { DateFile } from './date-file.ts'
import { Ending } from './ending.ts'
import { refusalOf } from './explain-start.ts'
import { warnOfIgnored } from './ignored-params.ts'
import { createListener, type Listener, limitsOfProcess, type SocketLimits } from './listener.ts'
import { checkPort, isLoopback, listening, type Place, placeOf } from './listening.ts'
import type { Logger } from './log.ts'
import { readFixtures } from './read-fixtures.ts'
import { openSandbox, type Sandbox } from './sandbox.ts'
import { warnOfShortKeys } from './short-keys.ts'
import { StartRefused } from './start-refused.ts'

export { StartRefused } from './start-refused.ts'

export type DaemonOptions = {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** The address at which browsers reach the pages; null for that of the daemon. */
  readonly publicUrl: string | null
  /** The data folder; null keeps everything in memory. */
  readonly data: string | null
  readonly adminToken: string | null
  readonly adminTokenFile: string | null
  /** Whether an admin token may be generated for a host beyond loopback. The start that generates it shows it. */
  readonly generateAdminToken: boolean
  /** The default merchant's clock: 'live', or frozen at this time (Unix seconds); null for the database's. */
  readonly clock: 'live' | number | null
  readonly seed: string | null
  readonly secretKey: string | null
  /** The default merchant's dialect; null for the database's, or paytwin. */
  readonly dialect: Dialect | null
  /** The default merchant's API version; null for the database's, or the newest. */
  readonly apiVersion: string | null
  /** Fixtures files to load when the database is new. */
  readonly fixtures: readonly string[]
  readonly durability: Durability
  readonly allowedHosts: readonly string[]
  /** Private address ranges that webhooks may reach from a daemon beyond loopback. */
  readonly webhookAllow: readonly string[]
  readonly rateLimit: number | null
  readonly keyCacheSeconds: number
  readonly strictParams: boolean
  readonly oauthErrors: OAuthErrorForm
  readonly logLevel: string
  readonly json: boolean
  /** Whether the daemon runs in the background. Then the log is written only to the data folder. */
  readonly background?: boolean
  /** A file for the dates of processes that follow the clock: see DateFile. */
  readonly dateFile?: string | undefined
  /** Shorter limits for tests. */
  readonly socketLimits?: SocketLimits
  readonly version: string
}

/** The secret of an app or a webhook endpoint from fixtures. It is shown only once. */
type FixtureSecret = Pick<CreatedObject, 'object' | 'ref' | 'id'> & { readonly secret: string }

export type Daemon = {
  readonly url: string
  /** 'live', or the frozen instant in ISO 8601. */
  readonly clock: string
  readonly data: string | null
  /** The default merchant's ID. */
  readonly merchant: string
  /** The default merchant's key, only if this start generated it. */
  readonly secretKey: string | null
  /** The admin token, only if this start generated it, and no file contains it or the options asked for it. */
  readonly adminToken: string | null
  readonly adminTokenFile: string | null
  /** A link that opens the dashboard in a browser, once. */
  readonly dashboard: string
  /** The secrets that this start generated with its fixtures. */
  readonly fixtureSecrets: readonly FixtureSecret[]
  /**
   * Resolves when the daemon has ended, also by a shutdown request. The connection of that request stays open until the
   * process ends or close() is called.
   */
  ended(): Promise<void>
  close(): Promise<void>
  /** Logs a fatal error. */
  crashed(error: unknown): void
}

/**
 * Starts the daemon: database, engine, HTTP server and background work.
 * @throws StartRefused
 * See docs/contract/operator.md#daemon.
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const folder = options.data === null ? null : openFolder(options.data)
  try {
    return await startIn(folder, options)
  } catch (error) {
    throw await refusalOf(error, folder)
  }
}

async function startIn(folder: DataFolder | null, options: DaemonOptions): Promise<Daemon> {
  const place = await placeOf(options)
  if (folder && !existsSync(folder.database)) await checkPort(place)
  const token = await adminTokenOf({ ...options, place }, folder)
  const daemonLog = openLog({ ...options, level: options.logLevel, secrets: () => [token.value] })
  const log = daemonLog.logger
  const dates = options.dateFile === undefined ? undefined : new DateFile(options.dateFile)
  let [url, pages] = ['', '']
  let shutDown = async (_connection?: object) => {}
  const sandbox = await openSandbox({
    ...options,
    database: folder?.database ?? ':memory:',
    data: folder && resolve(folder.path),
    adminToken: token.value,
    allowedHosts: allowedHosts(options.host, [...allowedNames(options), place.address]),
    receivers: { isExposed: !isLoopback(place), allowed: options.webhookAllow },
    signatureTime: dates && (() => dates.now()),
    dashboardSessions: folder?.dashboardSessions,
    url: () => url,
    pagesUrl: () => pages,
    shutDown: (connection) => shutDown(connection),
    fixtures: () => readFixtures(options.fixtures),
    reportError: (error, doing) => log.error({ err: error }, doing),
    warn: (text) => log.warn(text),
    logIgnoredParams: warnOfIgnored(log),
  })
  sandbox.engine.listen({
    failed: (error, doing) => log.error({ err: error }, doing),
    caughtUp: (merchant, summary) =>
      log.info({ merchant, ...summary }, 'a live clock has caught up with the real time'),
  })

  dates?.follow(sandbox, (error) => log.error({ err: error }, 'writing the shifted date'))
  if (log.isLevelEnabled('debug')) logRequests(sandbox, log)
  logFirstState(sandbox, options, log)

  let listener: Listener | undefined
  try {
    takeOver(folder, daemonLog)
    if (!isLoopback(place)) sandbox.keys.watchShort(warnOfShortKeys(log))
    listener = await listen(sandbox, { ...options, place }, log, () => url)
    const { port } = listener.server.address() as AddressInfo
    url = listeningUrl(options.host, port)
    pages = pagesUrl(options, port)
    const announced = { url, pid: process.pid }
    folder?.announce(announced)
    // A start that fails changes nothing.
    resumeAdvances(sandbox, log)
    daemonLog.note({ ...announced, version: options.version }, 'ready')
    const stopBackgroundWork = startBackgroundWork(sandbox, log)
    const ending = new Ending(listener, async (answered) => {
      await stopBackgroundWork()
      // The announcement is removed before the database is released, because the next daemon then writes its own.
      folder?.retract(announced, (error) => log.error({ err: error }, 'removing daemon.json'))
      await sandbox.close(answered)
      daemonLog.note({}, 'ended')
    })
    shutDown = (connection) => ending.begin(connection)
    return {
      ...described(sandbox, options, folder),
      url,
      dashboard: sandbox.createDashboardLink().url,
      ...token.shown,
      ended: () => ending.ended(),
      close: () => ending.finish(),
      crashed: (error) => log.fatal({ err: error }, 'the daemon ends because of an internal error'),
    }
  } catch (error) {
    listener?.server.close()
    await sandbox.abandon()
    throw error
  }
}

/** Removes the files of a killed daemon, and opens the log. Only the process that holds the database may do this. */
function takeOver(folder: DataFolder | null, log: DaemonLog): void {
  if (!folder) return
  folder.removeAnnouncement()
  try {
    log.keepIn(folder.log)
  } catch (error) {
    throw new StartRefused(1, `The log cannot be written: ${(error as Error).message}`)
  }
}

function openFolder(path: string): DataFolder {
  const folder = new DataFolder(path)
  if (!folder.hasLostItsContent) return folder
  throw new StartRefused(
    1,
    `${folder.database} is empty, although this folder was used before. Restore a copy, such as one from snapshots/, or delete the file to start with a new database.`,
  )
}

/** Logs the loaded fixtures, and which options have no effect because the database is not new. */
function logFirstState({ loaded, merchant }: Sandbox, options: DaemonOptions, log: Logger): void {
  const { fixtures, clock } = options
  if (loaded && fixtures.length > 0) log.info({ objects: loaded.length }, `loaded ${fixtures.join(', ')}`)
  if (!loaded && fixtures.length > 0) log.info('fixtures were not loaded, because the database is not new')
  const { now } = merchant.clock
  if (typeof clock !== 'number' || now === clock) return
  log.info(
    `--clock has no effect, because the database is not new: its clock is at ${formatInstant(now)}. Use 'paytwin reset' to start again`,
  )
}

async function listen(
  sandbox: Sandbox,
  options: DaemonOptions & { readonly place: Place },
  log: Logger,
  url: () => string,
): Promise<Listener> {
  const listener = createListener(sandbox, {
    hostname: options.host,
    url,
    limits: options.socketLimits ?? limitsOfProcess(),
    unread: (error) => log.warn({ err: error }, 'unreadable request'),
  })
  await listening(listener.server, options.place)
  return listener
}

const allowedNames = ({ allowedHosts, publicUrl }: DaemonOptions): readonly string[] =>
  publicUrl === null ? allowedHosts : [...allowedHosts, new URL(publicUrl).hostname]

function described(
  { merchant, secretKey, loaded }: Sandbox,
  { data }: DaemonOptions,
  folder: DataFolder | null,
) {
  const { clock } = merchant
  return {
    clock: clock.mode === 'live' ? 'live' : formatInstant(clock.now),
    data: folder ? data : null,
    merchant: merchant.settings.id,
    secretKey,
    fixtureSecrets: (loaded ?? []).flatMap(({ object, ref, id, secret }): FixtureSecret[] =>
      secret === undefined ? [] : [{ object, ref, id, secret }],
    ),
  }
}

function logRequests({ requests }: Sandbox, log: Logger): void {
  requests.listen(({ id, method, path, status, duration_ms, key, merchant, replayed, code }) => {
    const ms = Number(duration_ms.toFixed(1))
    const details = { request: id, ms, ...(key && { key }), ...(merchant && { merchant }) }
    log.debug(
      { ...details, ...(replayed && { replayed }), ...(code && { code }) },
      `${method} ${path} ${status}`,
    )
  })
}

/** Resumes and logs the advances that a crash or a stop interrupted. */
function resumeAdvances({ engine }: Sandbox, log: Logger): void {
  for (const run of engine.time.resume(engine.merchants.values())) {
    log.info('resuming an interrupted advance')
    run.then(
      (summary) => summary && log.info(summary, 'an interrupted advance is complete'),
      (error: unknown) => log.error({ err: error }, 'an interrupted advance failed'),
    )
  }
}
