import type { AddressInfo } from 'node:net'
import { version } from '../../package.json'
import { DEFAULT_DIALECT, DIALECTS, type Dialect } from '../core/dialect.ts'
import { ApiError } from '../core/errors.ts'
import { Ending } from '../daemon/ending.ts'
import { createListener, type Listener, limitsOfProcess } from '../daemon/listener.ts'
import { openSandbox, type Sandbox } from '../daemon/sandbox.ts'
import { randomToken } from '../engine/machine/ids.ts'
import { STEP_LIMITS } from '../engine/machine/work-limits.ts'
import { Addresses } from '../webhooks/address.ts'
import { Sender } from '../webhooks/sender.ts'
import type { NewMerchant, Paytwin, PaytwinOptions, Snapshots } from './api.ts'
import { ask, type Caller, CallsUnderWay, type FetchHandler, pathPart } from './calls.ts'
import { secondsOf, timeOf } from './clock-control.ts'
import { faultsOf, type Shared, twinOf } from './merchant-twin.ts'
import { refuseUnknown, requireText } from './options.ts'
import { RequestRefused } from './refused.ts'
import type { Fixtures, Snapshot } from './resources.ts'
import { storiesOf, storyOf } from './story.ts'
import { WebhookInbox } from './webhook-inbox.ts'

const HOST = '127.0.0.1'
const DEFAULT_NOW = '2026-01-01T00:00:00Z'
const TOKEN_LENGTH = 40

/**
 * Starts a sandbox in this process: in memory, with a frozen clock, on a port of its own. A sandbox that is not closed does
 * not keep the process alive, and leaves nothing on disk.
 * @throws RequestRefused for invalid fixtures or an invalid key; TypeError for any other invalid or unknown option
 * See docs/contract/test-library.md#server.
 */
export async function createPaytwin(options: PaytwinOptions = {}): Promise<Paytwin> {
  refuseUnknown('createPaytwin', options, OPTIONS)
  const sender = new Sender(new Addresses({ isExposed: false, allowed: [] }))
  const inbox = new WebhookInbox(sender.send)
  const adminToken = randomToken(TOKEN_LENGTH)
  let url = ''
  const sandbox = await openSandbox({
    ...beginningOf(options),
    database: ':memory:',
    adminToken,
    version,
    url: () => url,
    send: inbox.send,
    limits: STEP_LIMITS,
  }).catch((error: unknown) => {
    throw error instanceof ApiError ? new RequestRefused(error) : error
  })
  const listener = await listen(sandbox, () => url).catch(async (error: unknown) => {
    await sandbox.close()
    throw error
  })
  const calls = new CallsUnderWay()
  const ending = new Ending(listener, (answered) =>
    sandbox.close(async () => void (await Promise.all([answered(), calls.ended()]))),
  )
  const closing = once(async () => {
    await ending.finish()
    await sender.close()
  })
  url = `http://${HOST}:${(listener.server.address() as AddressInfo).port}`
  const handle: FetchHandler = (request, socket) => {
    if (closing.isBegun()) throw new TypeError('This sandbox is closed')
    return calls.add(sandbox.app.fetch(request, socket))
  }
  const admin: Caller = { handle, url, secret: adminToken }
  const shared: Shared = { sandbox, inbox, admin }
  const secretKey = options.secretKey ?? sandbox.secretKey ?? ''
  const twin = twinOf(shared, { id: sandbox.merchant.settings.id, secretKey })
  return Object.assign(twin, {
    url,
    adminToken,
    faults: faultsOf(admin, null),
    merchants: {
      create: (merchant?: NewMerchant) => createMerchant(shared, merchant),
      delete: (id: string) => deleteMerchant(admin, id),
    },
    snapshots: snapshotsOf(admin),
    loadFixtures: (...fixtures: readonly object[]) =>
      ask<Fixtures>(admin, 'POST', '/_paytwin/fixtures', { files: filesOf(fixtures) }),
    story: (id: string) => storyOf(admin, id),
    // A failed test may have closed its sandbox.
    stories: async (limit = 3) => (closing.isBegun() ? [] : storiesOf(admin, limit)),
    reset: async () => {
      await ask(admin, 'POST', '/_paytwin/reset')
      inbox.empty()
    },
    close: closing.run,
    [Symbol.asyncDispose]: closing.run,
  })
}

const OPTIONS: Readonly<Record<keyof PaytwinOptions, true>> = {
  seed: true,
  now: true,
  fixtures: true,
  secretKey: true,
  dialect: true,
  apiVersion: true,
  strictParams: true,
  rateLimit: true,
}

/** Returns the first state. The default seed is 1, so that a test creates the same objects each time. */
const beginningOf = ({
  seed = 1,
  now = DEFAULT_NOW,
  fixtures = [],
  secretKey,
  dialect,
  apiVersion,
  strictParams,
  rateLimit,
}: PaytwinOptions) => ({
  seed: seedOf(seed),
  clock: secondsOf(now),
  fixtures: () => filesOf([fixtures].flat()),
  secretKey: textOf('secretKey', secretKey),
  dialect: dialectOf(dialect),
  apiVersion: textOf('apiVersion', apiVersion),
  strictParams: strictnessOf(strictParams),
  rateLimit: rateLimitOf(rateLimit),
})

function rateLimitOf(rateLimit: number | undefined): number | null {
  if (rateLimit === undefined) return null
  if (Number.isSafeInteger(rateLimit) && rateLimit >= 1) return rateLimit
  throw new TypeError(
    'rateLimit must be a whole number of requests per second, at least 1. Omit it for no limit',
  )
}

/** Without type checks, the dialect may be any text. */
function dialectOf(dialect: string | undefined): Dialect | null {
  if (dialect === undefined) return null
  const known = DIALECTS.find((name) => name === dialect)
  if (known) return known
  throw new TypeError(`dialect must be ${DIALECTS.join(' or ')}. Omit it for ${DEFAULT_DIALECT}`)
}

function strictnessOf(strictParams: unknown): boolean {
  if (strictParams === undefined) return true
  if (typeof strictParams === 'boolean') return strictParams
  throw new TypeError('strictParams must be true or false. Omit it for true')
}

function seedOf(seed: unknown): string {
  if (seed === '') throw new TypeError('seed must not be empty. Omit it for the default, 1')
  if (typeof seed === 'string' || typeof seed === 'number') return String(seed)
  throw new TypeError('seed must be text or a number. Omit it for the default, 1')
}

function textOf(option: string, value: unknown): string | null {
  if (value === undefined) return null
  if (typeof value === 'string') return value
  throw new TypeError(`${option} must be text. Omit it for the default`)
}

/** Names the fixtures, because errors refer to them by name. */
const filesOf = (fixtures: readonly object[]) =>
  fixtures.map((content, index) => ({ name: `fixtures ${index + 1}`, content }))

const MERCHANT_OPTIONS: Readonly<Record<keyof NewMerchant, true>> = {
  name: true,
  now: true,
  dunningFinalAction: true,
  notices: true,
  dialect: true,
  apiVersion: true,
  secretKey: true,
}

const NOTICES: Readonly<Record<keyof NonNullable<NewMerchant['notices']>, true>> = {
  invoice_upcoming: true,
  trial_will_end: true,
  invoice_will_be_due: true,
  invoice_overdue: true,
}

async function createMerchant(shared: Shared, merchant: NewMerchant = {}) {
  refuseUnknown('merchants.create', merchant, MERCHANT_OPTIONS)
  refuseUnknown('notices', merchant.notices ?? {}, NOTICES)
  const { name, now, dunningFinalAction, notices, dialect, apiVersion, secretKey } = merchant
  const { admin, sandbox } = shared
  const { id } = await ask<{ id: string }>(admin, 'POST', '/_paytwin/merchants', {
    clock: now === undefined ? sandbox.merchant.clock.now : timeOf(now),
    ...(name !== undefined && { name }),
    ...(dialect && { dialect }),
    ...(apiVersion !== undefined && { api_version: apiVersion }),
    ...(dunningFinalAction && { dunning_final_action: dunningFinalAction }),
    ...(notices && { notices }),
    ...(secretKey !== undefined && { secret_key: secretKey }),
  })
  if (secretKey !== undefined) return twinOf(shared, { id, secretKey })
  const { secret } = await ask<{ secret: string }>(admin, 'POST', '/_paytwin/keys', { merchant: id })
  return twinOf(shared, { id, secretKey: secret })
}

async function deleteMerchant(admin: Caller, id: string): Promise<void> {
  requireText('The id of merchants.delete', id)
  await ask(admin, 'DELETE', `/_paytwin/merchants/${pathPart(id)}`)
}

const snapshotsOf = (admin: Caller): Snapshots => ({
  save: async (name) =>
    ask(admin, 'POST', '/_paytwin/snapshots', { name: requireText('The name of snapshots.save', name) }),
  restore: async (name) =>
    ask(admin, 'POST', `${pathOfSnapshot(requireText('The name of snapshots.restore', name))}/restore`),
  list: async () => (await ask<{ data: Snapshot[] }>(admin, 'GET', '/_paytwin/snapshots')).data,
  delete: async (name) => {
    await ask(admin, 'DELETE', pathOfSnapshot(requireText('The name of snapshots.delete', name)))
  },
})

const pathOfSnapshot = (name: string): string => `/_paytwin/snapshots/${pathPart(name)}`

/** Starts a server that does not keep the process alive, even with open connections, and does not replace globals. */
async function listen(sandbox: Sandbox, url: () => string): Promise<Listener> {
  // The sender of an unreadable request gets an error response; there is no log.
  const listener = createListener(sandbox, {
    hostname: HOST,
    url,
    limits: limitsOfProcess(),
    unread: () => undefined,
    keepsGlobals: true,
  })
  const { server } = listener
  server.on('connection', (socket) => socket.unref())
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, HOST, resolve)
  })
  server.unref()
  return listener
}

/** Runs work once; later calls wait for the same result. */
function once(work: () => Promise<void>) {
  let done: Promise<void> | undefined
  return {
    isBegun: () => done !== undefined,
    run: () => {
      done ??= work()
      return done
    },
  }
}
