import { setImmediate as turn } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createMerchant, deleteMerchant } from '../../src/engine/resources/merchant.ts'
import { fillDisk } from '../disk.ts'
import { type Body, clientOf, makePrice, startTwin, type Twin } from '../twin.ts'
import { at, bytesOf, historyOf, subscribe } from './story.ts'

const PATH = '/v1/test_helpers/test_clocks'
const NOW = '2026-06-01T09:00:00Z'
const SIXTY_DAYS_LATER = at('2026-07-31T09:00:00Z')
const REFUSED = { status: 500, body: { error: { code: 'internal_error' } } }

let twin: Twin
beforeEach(async () => {
  twin = await startTwin({ now: NOW, reportError: () => undefined })
})
afterEach(() => {
  vi.restoreAllMocks()
  return twin.close()
})

/** A test clock with a customer who is billed each day. */
async function billedDaily({
  post,
}: Twin): Promise<{ path: string; id: string; customer: Body; method: string }> {
  const { id } = await post(PATH, { frozen_time: at(NOW) })
  const price = await makePrice(twin, { recurring: { interval: 'day' } })
  const customer = await post('/v1/customers', { test_clock: id })
  const { id: method } = await post('/v1/payment_methods/pm_card_visa/attach', { customer: customer.id })
  const items = [{ price: price.id }]
  await post('/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: method,
    items,
  })
  return { path: `${PATH}/${id}`, id, customer, method }
}

/** Requests an advance of 60 days of which only the request is written. @returns a function that frees disk space */
async function stall(path: string, { request, sandbox }: Twin = twin): Promise<() => void> {
  const makeRoom = fillDisk({ sandbox }, 1)
  expect(await request('POST', `${path}/advance`, { by: '60d' })).toMatchObject(REFUSED)
  return makeRoom
}

/** Does the same for a number of test clocks. There is room for other writes. */
async function stallMany(count: number): Promise<{ path: string }[]> {
  const clocks: { path: string }[] = []
  for (let n = 0; n < count; n += 1) {
    const clock = await billedDaily(twin)
    const makeRoom = await stall(clock.path)
    makeRoom()
    clocks.push(clock)
  }
  return clocks
}

const retry = async () => {
  await twin.sandbox.engine.runAllDueJobs()
  await twin.sandbox.engine.time.idle()
}

describe('while the advance of a test clock is stalled', () => {
  test('a further advance is refused, and the stalled one ends', async () => {
    const { path } = await billedDaily(twin)
    const makeRoom = await stall(path)
    makeRoom()
    expect(await twin.request('POST', `${path}/advance`, { by: '1d' })).toMatchObject(REFUSED)
    expect(await twin.get(path)).toMatchObject({ status: 'advancing', target: SIXTY_DAYS_LATER })
    await retry()
    expect(await twin.get(path)).toMatchObject({ status: 'ready', now: SIXTY_DAYS_LATER })
    expect((await twin.post(`${path}/advance`, { by: '1d' })).now).toBe(at('2026-08-01T09:00:00Z'))
  })

  test('a long further advance does not move the clock at the same time', async () => {
    const { path } = await billedDaily(twin)
    const makeRoom = await stall(path)
    makeRoom()
    const failures: string[] = []
    twin.sandbox.engine.listen({ failed: (error) => failures.push(String(error)) })
    const further = await twin.request('POST', `${path}/advance`, { by: '200d', async: true })
    await retry()
    expect(failures).toEqual([])
    expect(further).toMatchObject(REFUSED)
    expect((await twin.get(path)).now).toBe(SIXTY_DAYS_LATER)
    expect(await twin.events('&type=invoice.paid')).toHaveLength(61)
  })

  test('its customers can be read but not changed; others can be changed', async () => {
    const { path, id, customer, method } = await billedDaily(twin)
    const makeRoom = await stall(path)
    makeRoom()
    const own = `/v1/customers/${customer.id}`
    expect(await twin.request('POST', own, { name: 'Ada' })).toMatchObject(REFUSED)
    expect(await twin.request('DELETE', own)).toMatchObject(REFUSED)
    expect(await twin.request('POST', '/v1/customers', { test_clock: id })).toMatchObject(REFUSED)
    expect(await twin.request('DELETE', path)).toMatchObject(REFUSED)
    const script = `/v1/test_helpers/payment_methods/${method}/outcomes`
    expect(await twin.request('POST', script, { outcomes: ['decline:lost_card'] })).toMatchObject(REFUSED)
    const intent = { amount: 100, currency: 'usd', customer: customer.id }
    expect(await twin.request('POST', '/v1/payment_intents', intent)).toMatchObject(REFUSED)
    expect((await twin.get(own)).name).toBe(null)
    await twin.post('/v1/customers', { name: 'on the main clock' })
    await retry()
    expect((await twin.post(own, { name: 'Ada' })).name).toBe('Ada')
  })
})

test('once an advance was interrupted by a stop, the customers of its test clock cannot be changed', async () => {
  const { path, customer } = await billedDaily(twin)
  const { engine, merchant } = twin.sandbox
  const moved = twin.request('POST', `${path}/advance`, { by: '60d' })
  while (!engine.time.isMoving) await turn()
  await engine.time.stop()
  await moved
  expect((await twin.get(path)).status).toBe('advancing')
  const change = engine.command(merchant, null, (unit) => unit.find('customer', customer.id))
  await expect(change).rejects.toMatchObject({ code: 'internal_error' })
})

test('the stalled advance of a deleted merchant does not move the clock of the next merchant', async () => {
  const { engine, keys } = twin.sandbox
  const add = async (name: string) => {
    const merchant = await createMerchant(engine, { name, clock: at(NOW) })
    const { secret } = await keys.issue({ merchant: merchant.settings.ordinal, type: 'secret', name: null })
    return clientOf({ ...twin.sandbox, merchant }, secret)
  }
  const first = await add('First')
  await subscribe(first, { price: { recurring: { interval: 'day' } } })
  const makeRoom = await stall('/v1/test_helpers/clock', first)
  makeRoom()
  await deleteMerchant(engine, first.sandbox.merchant.settings.id)
  const second = await add('Second')
  await second.post('/v1/customers')
  expect(second.sandbox.merchant.clock.seq).toBe(first.sandbox.merchant.clock.seq)
  const before = bytesOf(await historyOf(second))
  await retry()
  const { seq } = second.sandbox.merchant.clock
  expect(engine.store.clocks.at(seq)).toMatchObject({ now: at(NOW), target: null })
  expect(bytesOf(await historyOf(second))).toEqual(before)
})

test('a full disk is reported once, however many advances it stalls and how often they are tried', async () => {
  const clocks = await stallMany(4)
  const reports: string[] = []
  const stalled = vi.fn()
  twin.sandbox.engine.listen({ failed: (error) => reports.push(String(error)), stalled })
  await twin.post('/v1/customers')
  const makeRoom = fillDisk(twin)
  expect(twin.sandbox.merchant.stalled.size).toBe(clocks.length)
  for (let n = 0; n < 3; n += 1) {
    stalled.mockClear()
    await retry()
    expect(stalled).toHaveBeenCalledTimes(clocks.length)
  }
  expect(reports.filter((report) => report.includes('full'))).toHaveLength(1)
  makeRoom()
  await retry()
  for (const { path } of clocks)
    expect(await twin.get(path)).toMatchObject({ status: 'ready', now: SIXTY_DAYS_LATER })
})

test('an advance that stalls for a reason of its own does not hold up the others', async () => {
  const clocks = await stallMany(3)
  const reports: string[] = []
  twin.sandbox.engine.listen({ failed: (error) => reports.push(String(error)) })
  vi.spyOn(twin.sandbox.engine.store, 'transaction').mockImplementationOnce(() => {
    throw new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR_READ')
  })
  await retry()
  const statuses = async () => {
    const shown = await Promise.all(clocks.map(({ path }) => twin.get(path)))
    return shown.map(({ status }) => status)
  }
  expect(await statuses()).toEqual(['advancing', 'ready', 'ready'])
  expect(reports).toEqual(['SqliteError: disk I/O error'])
  await retry()
  expect(await statuses()).toEqual(['ready', 'ready', 'ready'])
})

describe.each([
  ['the main clock', async () => '/v1/test_helpers/clock'],
  ['a test clock', async () => (await billedDaily(twin)).path],
])('a cancellation of a stalled advance of %s', (_, makeClock) => {
  test('ends it', async () => {
    await subscribe(twin, { price: { recurring: { interval: 'day' } } })
    const path = await makeClock()
    const makeRoom = await stall(path)
    makeRoom()
    expect(await twin.post(`${path}/cancel`)).toMatchObject({ status: 'ready', target: null, now: at(NOW) })
    await retry()
    expect(await twin.get(path)).toMatchObject({ status: 'ready', now: at(NOW) })
    expect((await twin.post(`${path}/advance`, { by: '1d' })).now).toBe(at('2026-06-02T09:00:00Z'))
  })

  test('is refused while its end cannot be written', async () => {
    const path = await makeClock()
    const makeRoom = await stall(path)
    expect(await twin.request('POST', `${path}/cancel`)).toMatchObject(REFUSED)
    expect(await twin.get(path)).toMatchObject({ status: 'advancing', target: SIXTY_DAYS_LATER })
    makeRoom()
    await retry()
    expect(await twin.get(path)).toMatchObject({ status: 'ready', now: SIXTY_DAYS_LATER })
  })

  test('takes effect later when it was accepted before the disk was full', async () => {
    await subscribe(twin, { price: { recurring: { interval: 'day' } } })
    const path = await makeClock()
    const makeRoom = fillDisk(twin, 1)
    const response = twin.request('POST', `${path}/advance`, { by: '60d' })
    while (!twin.sandbox.engine.time.isMoving) await turn()
    expect((await twin.request('POST', `${path}/cancel`)).status).toBe(200)
    expect(await response).toMatchObject(REFUSED)
    expect((await twin.get(path)).status).toBe('advancing')
    makeRoom()
    await retry()
    expect(await twin.get(path)).toMatchObject({ status: 'ready', now: at(NOW) })
    expect((await twin.post(`${path}/advance`, { by: '1d' })).now).toBe(at('2026-06-02T09:00:00Z'))
  })
})
