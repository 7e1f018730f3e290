import Sqlite from 'better-sqlite3'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createMerchant } from '../../../src/engine/resources/merchant.ts'
import { asOperator } from '../../http/support.ts'
import { openTwin, subscribe } from '../../scenarios/story.ts'
import type { Twin } from '../../twin.ts'
import { makeEvents, openShop } from '../../webhooks/inbox.ts'

const NOT_A_DATABASE = 'file is not a database'
const HOUR_MS = 3_600_000

afterEach(() => vi.restoreAllMocks())

/** The transactions of a sandbox, of which the next one or all cannot begin. */
const transactionsOf = ({ sandbox }: Twin) => {
  const transaction = vi.spyOn(sandbox.engine.store, 'transaction')
  const fail = () => {
    throw new Sqlite.SqliteError(NOT_A_DATABASE, 'SQLITE_NOTADB')
  }
  return {
    failNext: () => void transaction.mockImplementationOnce(fail),
    failAll: () => void transaction.mockImplementation(fail),
  }
}

async function prepare(options: Parameters<typeof openTwin>[0] = {}) {
  const reports: string[] = []
  const reportError = (_: unknown, doing: string) => void reports.push(doing)
  const twin = await openTwin({ reportError, ...options })
  const { engine } = twin.sandbox
  engine.listen({ failed: reportError })
  return { twin, engine, reports, ...transactionsOf(twin) }
}

const create = (twin: Twin, headers: Record<string, string> = {}) =>
  twin.request('POST', '/v1/customers', { name: 'Ada' }, headers)

describe('a transaction that cannot begin', () => {
  test('fails its first command; the commands that would have followed in it run', async () => {
    const { twin, engine, reports, failNext } = await prepare()
    failNext()
    const outcomes = await Promise.allSettled(
      ['first', 'second', 'third'].map((name) => engine.operatorCommand(() => name)),
    )
    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: { message: NOT_A_DATABASE } },
      { status: 'fulfilled', value: 'second' },
      { status: 'fulfilled', value: 'third' },
    ])
    expect(reports).toEqual(['committing commands'])
    expect((await create(twin)).status).toBe(201)
  })

  test('is a response with status 500, and releases the idempotency key', async () => {
    const { twin, failNext } = await prepare()
    const key = { 'Idempotency-Key': 'one' }
    failNext()
    expect((await create(twin, key)).status).toBe(500)
    expect((await create(twin, key)).status).toBe(201)
    expect((await twin.get('/v1/customers')).data).toHaveLength(1)
  })

  test('ends an advance, and the commands that wait for it run', async () => {
    const { twin, engine, failNext } = await prepare()
    const { merchant } = twin.sandbox
    const advance = twin.request('POST', '/v1/test_helpers/clock/advance', { by: '1d' })
    const stop = engine.listen({
      committed: () => {
        stop()
        failNext()
      },
    })
    const waiting = create(twin)
    expect((await advance).status).toBe(500)
    expect((await waiting).status).toBe(201)
    expect(merchant.held.size + merchant.stalled.size).toBe(0)
  })

  test('delays the due jobs of a live clock until the next wake-up', async () => {
    let wall = Date.parse('2026-01-31T10:00:00Z')
    const { twin, engine, reports, failNext } = await prepare({ wall: () => wall, clock: 'live' })
    await subscribe(twin, { trial_end: wall / 1_000 + 60 })
    wall += HOUR_MS
    failNext()
    await engine.runAllDueJobs()
    expect(reports).toEqual([`running the due jobs of the clock of ${twin.sandbox.merchant.settings.id}`])
    expect(engine.nextDue()).toBeLessThanOrEqual(wall)
    await engine.runAllDueJobs()
    expect(engine.nextDue()).toBeGreaterThan(wall)
  })

  test('leaves a delivery ready, which is sent again', async () => {
    const shop = await openShop({ reportError: () => undefined })
    const endpoint = await shop.endpoint()
    const { failNext } = transactionsOf(shop)
    const stop = shop.sandbox.engine.listen({
      committed: () => {
        stop()
        failNext()
      },
    })
    const [event] = await makeEvents(shop, 1)
    await shop.settled()
    expect(await shop.deliveries(endpoint)).toMatchObject([{ status: 'pending', attempts: [] }])
    await shop.sandbox.doHousekeeping()
    await shop.settled()
    expect(await shop.deliveries(endpoint)).toMatchObject([{ status: 'succeeded' }])
    expect(shop.ids()).toEqual([event, event])
  })

  test.each<[string, (twin: Twin) => Promise<unknown>]>([
    ['exclusive work', ({ sandbox }) => sandbox.engine.runExclusively(() => undefined)],
    [
      'a replacement of the state',
      ({ sandbox }) => sandbox.engine.replaceState((transact) => transact(() => 1)),
    ],
    ['the deletion of a merchant', ({ sandbox }) => sandbox.engine.deleteMerchant(sandbox.merchant)],
    [
      'the creation of a merchant',
      ({ sandbox }) => createMerchant(sandbox.engine, { name: 'Other', clock: 'live' }),
    ],
  ])('fails %s, and the commands that wait for it run', async (_, work) => {
    const { twin, engine, failNext } = await prepare()
    failNext()
    const failed = work(twin)
    const waiting = create(twin)
    await expect(failed).rejects.toThrow(NOT_A_DATABASE)
    expect((await waiting).status).toBe(201)
    expect(engine.merchants.size).toBe(1)
    expect((await twin.get('/v1/customers')).data).toHaveLength(1)
  })

  test('delays housekeeping, which then writes when keys were last used', async () => {
    const { twin, engine, failNext } = await prepare()
    await twin.get('/v1/customers')
    const written = vi.spyOn(engine.store.directory, 'setLastUse')
    failNext()
    await expect(twin.sandbox.doHousekeeping()).rejects.toThrow(NOT_A_DATABASE)
    await twin.sandbox.doHousekeeping()
    expect(written).toHaveBeenCalledOnce()
  })
})

test('a sandbox whose transactions cannot begin answers each request, and closes', async () => {
  const { twin, failAll } = await prepare({ clock: 'live' })
  failAll()
  const responses = await Promise.all([create(twin), create(twin), create(twin)])
  expect(responses.map(({ status }) => status)).toEqual([500, 500, 500])
  expect((await asOperator(twin)('GET', 'merchants')).status).toBe(200)
  await twin.close()
})
