import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { beginAdvance } from '../../src/engine/machine/begin-advance.ts'
import { recordLiveClocks } from '../../src/engine/machine/live-clocks.ts'
import { TIME_LIMITS } from '../../src/engine/machine/work-limits.ts'
import { createMerchant } from '../../src/engine/resources/merchant.ts'
import { presentClock } from '../../src/http/clock.ts'
import { fillDisk } from '../disk.ts'
import { type Body, clientOf, startTwin, type Twin } from '../twin.ts'
import { at, bytesOf, historyOf, subscribe } from './story.ts'

const NOW = '2026-06-01T09:00:00Z'
const DAILY = { price: { recurring: { interval: 'day' } } }
const KEY = { 'Idempotency-Key': 'a week later' }

let twin: Twin
let reported: string[]
let wall: number
const start = (live = false): Promise<Twin> =>
  startTwin({
    now: NOW,
    // While a stopwatch stands, no pause would end.
    limits: { ...TIME_LIMITS, longMs: Number.POSITIVE_INFINITY },
    ...(live && { clock: 'live' as const, wall: () => wall * 1000 }),
    reportError: (error) => reported.push(String(error)),
  })
beforeEach(() => {
  reported = []
  wall = at(NOW)
})
afterEach(() => {
  vi.restoreAllMocks()
  return twin.close()
})

/**
 * Makes the jobs of a clock unreadable, as a damaged page of their table does, or a disk that fails to read it.
 * @returns a function that makes them readable
 */
function damageJobs({ sandbox }: Twin, damaged = sandbox.merchant.clock.seq): () => void {
  const { jobs } = sandbox.engine.store
  const first = jobs.first.bind(jobs)
  const spy = vi.spyOn(jobs, 'first').mockImplementation((clock) => {
    if (clock !== damaged) return first(clock)
    throw new Sqlite.SqliteError('database disk image is malformed', 'SQLITE_CORRUPT')
  })
  return () => spy.mockRestore()
}

/** Stops the stopwatch. @returns a function that moves it on by seconds */
function stopStopwatch(): (seconds: number) => void {
  let [now, nanoseconds] = process.hrtime()
  vi.spyOn(process, 'hrtime').mockImplementation(() => [now, nanoseconds])
  return (seconds) => {
    now += seconds
  }
}

/** The failures that the engine reports, each once. */
function failuresOf({ sandbox }: Twin): Set<string> {
  const failures = new Set<string>()
  sandbox.engine.listen({ failed: (error, doing) => failures.add(`${doing}: ${error}`) })
  return failures
}

const advance = (params: Body = { by: '1w' }) =>
  twin.request('POST', '/v1/test_helpers/clock/advance', params, KEY)
const clock = () => twin.get('/v1/test_helpers/clock')

/** The result without a full disk. */
async function undisturbed(): Promise<string[]> {
  const calm = await startTwin({ now: NOW })
  await subscribe(calm, DAILY)
  await calm.advance({ by: '1w' })
  await calm.post('/v1/products', { name: 'Later' })
  const history = bytesOf(await historyOf(calm))
  await calm.close()
  return history
}

test('an advance that a full disk interrupts continues when there is space, and its key does not repeat it', async () => {
  twin = await start()
  await subscribe(twin, DAILY)
  // Only the request of the advance is written, but no step.
  const makeRoom = fillDisk(twin, 1)
  expect(await advance()).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } })
  expect(await clock()).toMatchObject({ status: 'advancing', target: at('2026-06-08T09:00:00Z') })
  await twin.sandbox.engine.runAllDueJobs()
  expect((await twin.request('POST', '/v1/customers')).status).toBe(500)
  makeRoom()

  await twin.sandbox.engine.runAllDueJobs()
  // The request waits for the advance as usual.
  expect((await twin.post('/v1/products', { name: 'Later' })).created).toBe(at('2026-06-08T09:00:00Z'))
  expect(await clock()).toMatchObject({ status: 'ready', now: at('2026-06-08T09:00:00Z') })
  const again = await advance()
  expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
  expect(bytesOf(await historyOf(twin))).toEqual(await undisturbed())
})

test('an advance that cannot begin on a full disk changes nothing, and can be requested again', async () => {
  twin = await start()
  await subscribe(twin, DAILY)
  const makeRoom = fillDisk(twin)
  expect(await advance()).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } })
  expect(twin.sandbox.engine.time.isMoving).toBe(false)
  expect(twin.sandbox.merchant.held.size).toBe(0)
  expect(await clock()).toMatchObject({ status: 'ready', target: null, now: at(NOW) })
  makeRoom()
  expect((await advance()).status).toBe(200)
  await twin.post('/v1/products', { name: 'Later' })
  expect(bytesOf(await historyOf(twin))).toEqual(await undisturbed())
})

test('commands that wait for an advance which cannot begin fail with it', async () => {
  twin = await start()
  await subscribe(twin, DAILY)
  const makeRoom = fillDisk(twin)
  const { engine, merchant } = twin.sandbox
  const options = { param: 'to', begun: () => undefined }
  const attempts = [
    beginAdvance(engine, [{ merchant, clock: merchant.clock }], (now) => now + 86_400, options),
    engine.command(merchant, null, () => 'a command of the same transaction'),
    beginAdvance(engine, [{ merchant, clock: merchant.clock }], (now) => now + 86_400, options),
  ]
  const outcomes = await Promise.allSettled(attempts)
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  makeRoom()
  expect(await engine.command(merchant, null, (unit) => unit.now)).toBe(at(NOW))
})

test('an advance continues after the disk could not be read, and its key does not repeat it', async () => {
  twin = await start()
  await subscribe(twin, DAILY)
  const repair = damageJobs(twin)
  expect((await advance()).status).toBe(500)
  expect(await clock()).toMatchObject({ status: 'advancing', now: at(NOW) })
  expect((await twin.request('POST', '/v1/customers')).status).toBe(500)
  repair()
  await twin.sandbox.engine.runAllDueJobs()
  await twin.post('/v1/products', { name: 'Later' })
  expect((await advance()).headers.get('Idempotent-Replayed')).toBe('true')
  expect(bytesOf(await historyOf(twin))).toEqual(await undisturbed())
})

test('an advance over damaged jobs ends after a minute, and other requests are served', async () => {
  twin = await start()
  await subscribe(twin, DAILY)
  const pass = stopStopwatch()
  damageJobs(twin)
  expect((await advance()).status).toBe(500)
  pass(61)
  await twin.sandbox.engine.runAllDueJobs()
  await twin.sandbox.engine.time.idle()
  expect(await clock()).toMatchObject({ status: 'ready', now: at(NOW) })
  expect((await twin.post('/v1/customers')).created).toBe(at(NOW))
})

test('an advance that cannot read the running deliveries fails and ends', async () => {
  twin = await start()
  await subscribe(twin, DAILY)
  twin.sandbox.engine.outbox.deliveries = { settled: () => Promise.reject(new Error('it cannot be read')) }
  expect((await advance({ by: '1w', await_webhooks: true })).status).toBe(500)
  expect(await clock()).toMatchObject({ status: 'ready', target: null })
})

test('an advance continues by itself also when the disk had space for small writes', async () => {
  twin = await start()
  await subscribe(twin, DAILY)
  const makeRoom = fillDisk(twin, 1)
  const response = advance()
  // Later writes than that of the failed step would succeed.
  twin.sandbox.engine.listen({ failed: makeRoom })
  expect((await response).status).toBe(500)
  expect(await clock()).toMatchObject({ status: 'advancing', target: at('2026-06-08T09:00:00Z') })
  await twin.sandbox.engine.runAllDueJobs()
  await twin.post('/v1/products', { name: 'Later' })
  const again = await advance()
  expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
  expect(bytesOf(await historyOf(twin))).toEqual(await undisturbed())
})

test('an advance ends although the log cannot be checkpointed', { timeout: 60_000 }, async () => {
  twin = await start()
  for (let count = 0; count < 20; count += 1) await subscribe(twin, DAILY)
  const failures = failuresOf(twin)
  const checkpoint = vi.spyOn(twin.sandbox.engine.store, 'checkpoint').mockImplementation(() => {
    throw new Sqlite.SqliteError('database or disk is full', 'SQLITE_FULL')
  })
  expect((await advance({ by: '150d' })).status).toBe(200)
  expect(checkpoint).toHaveBeenCalled()
  expect(await clock()).toMatchObject({ status: 'ready', now: at('2026-10-29T09:00:00Z') })
  expect([...failures]).toEqual(['checkpointing the log: SqliteError: database or disk is full'])
})

test('a live clock catches up when there is space again', async () => {
  twin = await start(true)
  await subscribe(twin, DAILY)
  wall = at('2026-06-03T09:00:00Z')
  const makeRoom = fillDisk(twin)
  expect((await twin.request('POST', '/v1/customers')).status).toBe(500)
  // Reads are served.
  expect((await twin.get('/v1/invoices')).data).toHaveLength(1)
  const failures = failuresOf(twin)
  await twin.sandbox.engine.runAllDueJobs()
  expect([...failures]).toEqual([
    `running the due jobs of the clock of ${twin.sandbox.merchant.settings.id}: SqliteError: database or disk is full`,
  ])
  expect(presentClock(twin.sandbox.merchant)).toMatchObject({ status: 'ready', target: null })
  makeRoom()
  await twin.sandbox.engine.runAllDueJobs()
  const { data } = await twin.get('/v1/invoices')
  expect(data.map(({ period_start }: Body) => period_start)).toEqual(
    ['03', '02', '01'].map((day) => at(`2026-06-${day}T09:00:00Z`)),
  )
})

test('a live clock with damaged jobs reports that and runs none while they are; the others catch up', async () => {
  twin = await start(true)
  const shop = await createMerchant(twin.sandbox.engine, { name: 'Shop', clock: 'live' })
  const { secret } = await twin.sandbox.keys.issue({
    merchant: shop.settings.ordinal,
    type: 'secret',
    name: null,
  })
  const other = clientOf(twin.sandbox, secret)
  await subscribe(twin, DAILY)
  await subscribe(other, DAILY)
  const pass = stopStopwatch()
  const repair = damageJobs(twin)
  wall = at('2026-06-03T09:00:00Z')
  const runAll = () => twin.sandbox.engine.runAllDueJobs()
  await runAll()
  expect((await twin.request('GET', '/v1/invoices')).status).toBe(500)
  pass(61)
  const failures = failuresOf(twin)
  await runAll()
  await runAll()
  expect((await other.get('/v1/invoices')).data).toHaveLength(3)
  expect((await twin.get('/v1/invoices')).data).toHaveLength(1)
  expect([...failures]).toEqual([
    `reading the jobs of the clock ${twin.sandbox.merchant.clock.id}; none of them will run: SqliteError: database disk image is malformed`,
  ])
  repair()
  pass(31)
  await runAll()
  expect((await twin.get('/v1/invoices')).data).toHaveLength(3)
})

test('a live clock catches up, each job at its instant, after its disk could not be read', async () => {
  twin = await start(true)
  await subscribe(twin, DAILY)
  const repair = damageJobs(twin)
  wall = at('2026-06-03T09:00:00Z')
  await twin.sandbox.engine.runAllDueJobs()
  expect((await twin.request('POST', '/v1/customers')).status).toBe(500)
  repair()
  expect((await twin.get('/v1/invoices')).data.map(({ created }: Body) => created)).toEqual(
    ['03', '02', '01'].map((day) => at(`2026-06-${day}T09:00:00Z`)),
  )
})

test('a live clock whose jobs fail on a damaged page keeps its pace, and tries them again', async () => {
  twin = await start(true)
  await subscribe(twin, DAILY)
  const pass = stopStopwatch()
  const { engine, merchant } = twin.sandbox
  const steps = vi.spyOn(engine.store.jobs, 'firstFew').mockImplementation(() => {
    throw new Sqlite.SqliteError('database disk image is malformed', 'SQLITE_CORRUPT')
  })
  const afterSeconds = async (seconds: number) => {
    pass(seconds)
    wall += seconds
    await engine.runAllDueJobs()
    await engine.time.idle()
  }
  wall = at('2026-06-03T09:00:00Z')
  await afterSeconds(0)
  expect(presentClock(merchant)).toMatchObject({ status: 'advancing', target: wall })
  await afterSeconds(61)
  for (let minutes = 0; minutes < 5; minutes += 1) {
    expect(presentClock(merchant)).toMatchObject({ status: 'ready', now: wall })
    expect((await twin.post('/v1/customers')).created).toBe(wall)
    steps.mockClear()
    await afterSeconds(61)
    expect(steps).toHaveBeenCalledOnce()
  }
  steps.mockRestore()
  expect((await twin.get('/v1/invoices')).data).toHaveLength(1)
  // The time of a clock with overdue jobs is not recorded, because they run at the recorded time.
  await recordLiveClocks(engine)
  expect(merchant.clock.instant).toBeLessThan(wall)
  await afterSeconds(31)
  expect((await twin.get('/v1/invoices')).data).toHaveLength(3)
  expect(presentClock(merchant)).toMatchObject({ status: 'ready', now: wall })
})

test('an advance that cannot read its jobs has its minute, also after another one was canceled', async () => {
  twin = await start()
  await subscribe(twin, DAILY)
  const pass = stopStopwatch()
  damageJobs(twin)
  const { engine, merchant } = twin.sandbox
  expect((await advance()).status).toBe(500)
  engine.time.cancel(merchant, merchant.clock)
  pass(3_600)
  expect((await twin.request('POST', '/v1/test_helpers/clock/advance', { by: '1d' })).status).toBe(500)
  expect(await clock()).toMatchObject({ status: 'advancing', target: at('2026-06-02T09:00:00Z') })
})

test('a live clock catches up after the disk was full meanwhile', async () => {
  twin = await start(true)
  await subscribe(twin, DAILY)
  wall = at('2026-06-03T09:00:00Z')
  const makeRoom = fillDisk(twin, 1)
  await twin.sandbox.engine.runAllDueJobs().catch(() => undefined)
  makeRoom()
  await twin.sandbox.engine.runAllDueJobs()
  await twin.sandbox.engine.time.idle()
  expect((await twin.get('/v1/invoices')).data).toHaveLength(3)
  expect(await clock()).toMatchObject({ status: 'ready', mode: 'live', now: wall })
  expect(reported.every((message) => message.includes('disk is full'))).toBe(true)
})

test('a catch-up that cannot be canceled on a full disk shows what it has shown, until it can', async () => {
  twin = await start(true)
  await subscribe(twin, DAILY)
  const begun = wall
  wall = at('2026-06-03T09:00:00Z')
  const makeRoom = fillDisk(twin, 1)
  const { engine, merchant } = twin.sandbox
  await engine.runAllDueJobs().catch(() => undefined)
  const cancel = () => engine.time.cancel(merchant, merchant.clock)
  expect(cancel).toThrow('disk is full')
  expect(merchant.clock.now).toBe(wall)
  makeRoom()
  cancel()
  expect(merchant.clock.now).toBe(begun)
})

test('a snapshot can be saved once the advance has continued', async () => {
  twin = await start()
  await subscribe(twin, DAILY)
  const makeRoom = fillDisk(twin, 1)
  await advance()
  makeRoom()
  await twin.sandbox.engine.runAllDueJobs()
  const { status } = await twin.request(
    'POST',
    '/_paytwin/snapshots',
    { name: 'a' },
    {
      Authorization: `Bearer ${twin.sandbox.adminToken}`,
      Host: 'localhost',
    },
  )
  expect(status).toBe(201)
})

test('the housekeeping empties the log of a database whose disk is full, which may make room', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'paytwin-test-')), 'paytwin.db')
  twin = await startTwin({ database: path, now: NOW })
  onTestFinished(() => rmSync(dirname(path), { recursive: true }))
  await subscribe(twin, DAILY)
  const logSize = () => statSync(`${path}-wal`).size
  expect(logSize()).toBeGreaterThan(0)
  const makeRoom = fillDisk(twin)
  await expect(twin.sandbox.doHousekeeping()).rejects.toThrow('disk is full')
  expect(logSize()).toBe(0)
  makeRoom()
  await twin.post('/v1/customers')
})

test('housekeeping continues if the log cannot be moved into the database', async () => {
  twin = await start()
  const { engine, keys } = twin.sandbox
  vi.spyOn(engine.store, 'emptyLog').mockImplementation(() => {
    throw new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR_WRITE')
  })
  const flush = vi.spyOn(keys, 'flush')
  await twin.sandbox.doHousekeeping()
  expect(flush).toHaveBeenCalled()
  expect(reported).toEqual(['SqliteError: disk I/O error'])
})
