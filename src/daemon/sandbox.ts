import { setMaxListeners } from 'node:events'
import { dirname, join } from 'node:path'
import { inspect } from 'node:util'
import type { Hono } from 'hono'
import { IdempotencyKeys } from '../engine/access/idempotency.ts'
import { KeyRing } from '../engine/access/keys.ts'
import { ALL_TOKENS } from '../engine/access/oauth-token.ts'
import {
  type Stopwatch,
  secondsSinceStart,
  stopwatch,
  systemWall,
  type Wall,
} from '../engine/machine/clock.ts'
import { Engine } from '../engine/machine/engine.ts'
import { randomToken } from '../engine/machine/ids.ts'
import { LimitedTurns } from '../engine/machine/limited-turns.ts'
import type { MerchantState } from '../engine/machine/merchant-state.ts'
import { TIME_LIMITS, type WorkLimits } from '../engine/machine/work-limits.ts'
import type { CreatedObject } from '../engine/resources/fixture-names.ts'
import { defaultMerchant } from '../engine/resources/merchant.ts'
import type { AdminServices } from '../http/admin/services.ts'
import { type App, createApp } from '../http/app.ts'
import { CallerCache } from '../http/caller.ts'
import { DashboardAccess, type DashboardLink } from '../http/dashboard/access.ts'
import type { SessionStore } from '../http/dashboard/sessions.ts'
import { presentEvent } from '../http/event.ts'
import { idsExpandedBy } from '../http/expand.ts'
import { HELD_BYTES, HeldBodies, LEAST_HELD_BYTES } from '../http/held-bodies.ts'
import { LiveStreams } from '../http/live-streams.ts'
import type { OAuthErrorForm } from '../http/oauth/error-form.ts'
import { RateLimit } from '../http/rate-limit.ts'
import { RequestLog } from '../http/request-log.ts'
import { presentFound } from '../http/resources.ts'
import type { Registered } from '../http/route.ts'
import { EventStreams } from '../http/stream.ts'
import { VERSIONS, type Version, VersionHistory } from '../http/versions.ts'
import type { CacheSizes } from '../store/cache-sizes.ts'
import { type Durability, openDatabase } from '../store/database.ts'
import { SnapshotsInMemory } from '../store/snapshots-in-memory.ts'
import { SnapshotsOnDisk } from '../store/snapshots-on-disk.ts'
import { Store } from '../store/store.ts'
import { escapeControlsByLine } from '../text/display.ts'
import { Addresses, type AddressRules } from '../webhooks/address.ts'
import type { Send } from '../webhooks/sender.ts'
import { type BeginningOptions, newBeginning, OptionConflict, refuseOtherOptions } from './beginning.ts'
import { dashboardPages } from './dashboard-pages.ts'
import { beginningOf, createFirstState, resetState, skippedKeyText } from './first-start.ts'
import { heapLimit, memoryWithin } from './heap.ts'
import { deleteExpired, doHousekeeping as doHousekeepingOf, limitLifetimes } from './housekeeping.ts'
import { userOfPeer } from './peer-user.ts'
import { openWebhooks } from './webhooks.ts'

export type SandboxOptions = BeginningOptions & {
  /** The database file, or ':memory:'. */
  readonly database: string
  readonly durability?: Durability
  /** The sizes of caches. Tests can set other sizes, which do not change responses. */
  readonly cacheSizes?: CacheSizes
  readonly wall?: Wall
  /** Measures the uptime, and the time while the wall clock is set back. */
  readonly stopwatch?: Stopwatch
  /** The limits of the work that is done before other requests are received. Sockets and webhooks have limits of their own. */
  readonly limits?: WorkLimits
  /** The maximum number of requests per second for each merchant; null for no limit. */
  readonly rateLimit?: number | null
  /** The time for which a revoked key still works, in seconds, 0 to 60. */
  readonly keyCacheSeconds?: number
  /** Whether an unknown parameter is an error. */
  readonly strictParams?: boolean
  /** The format of OAuth errors: the envelope, or the flat form of RFC 6749. */
  readonly oauthErrors?: OAuthErrorForm
  /** The addresses that webhooks may reach. Default: all except link-local addresses. */
  readonly receivers?: AddressRules
  /** Returns the time for the signatures of webhooks, in Unix seconds. Default: the wall clock. */
  readonly signatureTime?: (() => number) | undefined
  /** Sends webhooks; a test may replace it. */
  readonly send?: Send
  /** The API's versions; a test may add invented ones. */
  readonly versions?: readonly Version[]
  /** Returns the address of the pages that people open. Default: that of the daemon. */
  readonly pagesUrl?: () => string
  /** Keeps the sessions of the dashboard. Default: in memory. */
  readonly dashboardSessions?: SessionStore | undefined
  /** The maximum size of the heap, by which the limits on memory shrink. Default: that of the process. */
  readonly heapBytes?: number
  /** Writes a warning to the log. */
  readonly warn?: (text: string) => void
} & Partial<
    Pick<
      AdminServices,
      | 'adminToken'
      | 'allowedHosts'
      | 'publicUrl'
      | 'version'
      | 'data'
      | 'url'
      | 'shutDown'
      | 'reportError'
      | 'logIgnoredParams'
      | 'documentation'
      | 'dashboard'
    >
  >

const UNKNOWN_VERSION = '0.0.0'

/** The parts of a running sandbox, which does not listen on a port. */
export type Sandbox = {
  readonly app: Hono
  /** The registered routes, for the OpenAPI document. */
  readonly routes: readonly Registered[]
  readonly serves: App['serves']
  readonly engine: Engine
  readonly keys: KeyRing
  readonly requests: RequestLog
  readonly adminToken: string
  /** Creates a link that opens the dashboard once. */
  readonly createDashboardLink: () => DashboardLink
  readonly merchant: MerchantState
  /** The default merchant's secret key, if this start generated it. It cannot be shown again. */
  readonly secretKey: string | null
  /** The objects that this start created from fixtures; null if the database is not new. */
  readonly loaded: readonly CreatedObject[] | null
  /** Does periodic housekeeping: writes delayed data, deletes expired data, and sends webhooks that are still due. */
  doHousekeeping(): Promise<void>
  /** @param answered - waits for the requests under way, before the database is closed */
  close(answered?: () => Promise<void>): Promise<void>
  /** Closes the sandbox after a failed start: deletes nothing that has expired, and writes no times of keys and clocks. */
  abandon(): Promise<void>
}

/**
 * Opens a database, creates the default merchant if it is new, and builds the engine and the application on it.
 * @throws DatabaseUnusable, SqliteError, OptionConflict; ApiError for invalid fixtures or an invalid key, which leaves the database new
 */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const time = { wall: options.wall ?? systemWall, stopwatch: options.stopwatch ?? stopwatch }
  const { url = () => 'http://localhost', rateLimit, heapBytes = heapLimit(), limits = TIME_LIMITS } = options
  const { pagesUrl = url } = options
  const store = await openStore(options)
  try {
    const known = beginningOf(store, options.database)
    if (known) refuseOtherOptions(known, options)
    const versions = new VersionHistory(options.versions ?? VERSIONS, {
      header: 'X-API-Version',
      present: presentFound,
    })
    const addresses = new Addresses(options.receivers ?? { isExposed: false, allowed: [] })
    const beginning = known ?? newBeginning(options, versions, addresses)
    const engine = new Engine({
      store,
      seed: beginning.seed,
      ...time,
      versions: versions.dates,
      url: pagesUrl,
      limits,
    })
    const keys = new KeyRing(engine, options.keyCacheSeconds ?? 0)
    const { secretKey, loaded } = known
      ? NOTHING_CREATED
      : await createFirstState({ engine, keys }, beginning)
    if (options.secretKey && !keys.hasSecret(options.secretKey)) {
      throw new OptionConflict(
        "--secret-key is not a key of this database. Omit it and create a key with 'paytwin keys create', or use another --data folder",
      )
    }

    const reportError =
      options.reportError ?? ((error: unknown) => console.error(escapeControlsByLine(inspect(error))))
    const streams = new EventStreams(engine, (event) => presentEvent(versions, event), reportError)
    const requests = new RequestLog(new LiveStreams(reportError, engine.steps))
    const idempotency = new IdempotencyKeys(
      store,
      engine.steady,
      new LimitedTurns(limits.reads, engine.steps),
    )
    if (known) store.transaction(() => limitLifetimes({ engine, idempotency }))
    const webhooks = openWebhooks(engine, {
      versions,
      addresses,
      send: options.send,
      signatureTime: options.signatureTime,
      version: options.version ?? UNKNOWN_VERSION,
      heapBytes,
      reportError,
    })
    const adminToken = options.adminToken ?? randomToken(40)
    const access = new DashboardAccess({
      ...options,
      ...{ adminToken, url: pagesUrl, wall: engine.steady, userOfPeer },
    })
    const closing = new AbortController()
    setMaxListeners(0, closing.signal)
    const { app, routes, serves } = createApp({
      engine,
      keys,
      callers: new CallerCache(),
      idempotency,
      faults: engine.faults,
      versions,
      streams,
      requests,
      inbox: webhooks.inbox,
      expandField: idsExpandedBy(presentFound),
      rateLimit: rateLimit ? new RateLimit(rateLimit, engine.steady) : null,
      bodies: new HeldBodies(memoryWithin(heapBytes, { most: HELD_BYTES, least: LEAST_HELD_BYTES })),
      strictParams: options.strictParams ?? false,
      oauthErrors: options.oauthErrors ?? 'envelope',
      adminToken,
      allowedHosts: options.allowedHosts ?? new Set(['localhost', '127.0.0.1']),
      publicUrl: options.publicUrl ?? null,
      version: options.version ?? UNKNOWN_VERSION,
      data: options.data ?? null,
      closing: closing.signal,
      url,
      access,
      dashboard: options.dashboard ?? dashboardPages(),
      uptime: secondsSinceStart(time.stopwatch),
      // Without a daemon there is no process to end, and the owner closes the sandbox.
      shutDown: options.shutDown ?? (() => Promise.resolve()),
      reportError,
      logIgnoredParams: options.logIgnoredParams ?? (() => undefined),
      receiverRefusal: (url) => addresses.urlRefusal(url),
      documentation:
        options.documentation ??
        (() => import('./built-documentation.ts').then((built) => built.readBuiltDocumentation())),
      reset: async (sender) => {
        const { skippedKeys } = await resetState({ engine, keys }, beginning, sender)
        for (const key of skippedKeys) options.warn?.(skippedKeyText(key))
        streams.closeOf(ALL_TOKENS)
        engine.faults.reset()
      },
    })
    const closeOnce = async (finish: () => Promise<void>) => {
      closing.abort()
      engine.steps.stop()
      streams.close()
      requests.close()
      // An advance that waits for webhooks stops without their responses, and no webhook is sent while a batch ends.
      await Promise.all([engine.time.stop(), webhooks.close()])
      await finish()
      await engine.close()
    }
    const finishAfter = async (answered: () => Promise<void>) => {
      await answered()
      // On a full disk, only the times of the last use of keys are lost.
      await keys.flush().catch((error: unknown) => reportError(error, 'noting the last uses of keys'))
      await deleteExpired({ engine, idempotency, access }).catch((error: unknown) =>
        reportError(error, 'deleting what has expired'),
      )
    }
    let closed: Promise<void> | undefined
    const closeWith = (finish: () => Promise<void>) => {
      closed ??= closeOnce(finish)
      return closed
    }
    const doHousekeeping = () =>
      doHousekeepingOf({ engine, keys, idempotency, access, webhooks, reportError })
    return {
      app,
      routes,
      serves,
      engine,
      keys,
      requests,
      adminToken,
      createDashboardLink: () => access.createLink(),
      // A restore creates a new MerchantState.
      get merchant() {
        return defaultMerchant(engine)
      },
      secretKey,
      loaded,
      doHousekeeping,
      close: (answered = () => Promise.resolve()) => closeWith(() => finishAfter(answered)),
      abandon: () => closeWith(() => Promise.resolve()),
    }
  } catch (error) {
    store.close()
    throw error
  }
}

/** Opens the database. Its snapshots are beside it. */
async function openStore({
  database: path,
  durability = 'normal',
  cacheSizes,
}: SandboxOptions): Promise<Store> {
  const database = await openDatabase(path, durability)
  const shelf =
    path === ':memory:'
      ? new SnapshotsInMemory(database)
      : new SnapshotsOnDisk(database, join(dirname(path), 'snapshots'))
  return new Store(database, shelf, cacheSizes)
}

const NOTHING_CREATED: Pick<Sandbox, 'secretKey' | 'loaded'> = { secretKey: null, loaded: null }
