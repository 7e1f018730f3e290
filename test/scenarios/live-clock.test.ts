import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { LAST_INSTANT } from '../../src/core/calendar.ts'
import { openSandbox, type SandboxOptions } from '../../src/daemon/sandbox.ts'
import { createdCounts } from '../../src/engine/resources/created-counts.ts'
import { MIGRATIONS } from '../../src/store/migrations.ts'
import { codeFor, exchange, letIn, makeApp, opens } from '../http/oauth/support.ts'
import { asOperator } from '../http/support.ts'
import { writeInSchema } from '../store/older-schema.ts'
import { linesOf } from '../table.ts'
import { clientOf, type Twin } from '../twin.ts'
import { at, listAll, nowOf, openTwin, subscribe, timelineOf } from './story.ts'

const START = '2026-01-31T10:00:00Z'

/** A wall clock that is set by the test. */
function makeWall(time = START) {
  let milliseconds = at(time) * 1000
  return {
    read: () => milliseconds,
    set: (to: string) => {
      milliseconds = at(to) * 1000
    },
    setTo: (seconds: number) => {
      milliseconds = seconds * 1000
    },
  }
}

/** A twin on a live clock, with the wall clock that it follows. */
async function openLive(options: Partial<SandboxOptions> = {}) {
  const wall = makeWall()
  const twin = await openTwin({ clock: 'live', wall: wall.read, ...options })
  return { twin, wall }
}

const clockOf = (twin: Twin) => twin.get('/v1/test_helpers/clock')

describe('a live clock', () => {
  test('shows the time of the wall clock', async () => {
    const { twin, wall } = await openLive()
    expect(await clockOf(twin)).toMatchObject({ mode: 'live', status: 'ready', now: at(START) })
    wall.set('2026-01-31T10:00:42Z')
    expect(await nowOf(twin)).toBe(at('2026-01-31T10:00:42Z'))
    expect((await twin.post('/v1/customers')).created).toBe(at('2026-01-31T10:00:42Z'))
  })

  test('runs due jobs before it answers, each at its own instant', async () => {
    const { twin, wall } = await openLive()
    const { subscription } = await subscribe(twin, { outcomes: ['succeed', 'decline:lost_card'] })
    wall.set('2026-03-15T12:00:00Z')
    expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({
      status: 'active',
      current_period_start: at('2026-02-28T10:00:00Z'),
    })
    expect(timelineOf(await twin.events()).slice(6)).toEqual(
      linesOf(`
      2026-02-28T10:00:00Z invoice.created draft
      2026-02-28T10:00:00Z invoice.finalized open
      2026-02-28T10:00:00Z invoice.payment_failed open #1 next 2026-03-01T10:00:00Z
      2026-02-28T10:00:00Z payment_intent.payment_failed requires_payment_method
      2026-02-28T10:00:00Z charge.failed failed
      2026-02-28T10:00:00Z subscription.updated past_due Δ status latest_invoice current_period_start current_period_end
      2026-03-01T10:00:00Z invoice.paid paid #2
      2026-03-01T10:00:00Z payment_intent.succeeded succeeded
      2026-03-01T10:00:00Z charge.succeeded succeeded
      2026-03-01T10:00:00Z subscription.updated active Δ status
      `),
    )
    expect(await nowOf(twin)).toBe(at('2026-03-15T12:00:00Z'))
  })

  test('runs due jobs before a write too, which runs at the current time', async () => {
    const { twin, wall } = await openLive()
    await subscribe(twin)
    wall.set('2026-02-28T10:00:05Z')
    const customer = await twin.post('/v1/customers')
    expect(customer.created).toBe(at('2026-02-28T10:00:05Z'))
    const types = (await twin.events()).map(({ type }) => type)
    expect(types.slice(-2)).toEqual(['subscription.updated', 'customer.created'])
  })

  test('runs due jobs at a tick, without a request', async () => {
    const { twin, wall } = await openLive()
    await subscribe(twin)
    const emitted: string[] = []
    twin.sandbox.engine.listen({ caughtUp: (_, { jobs }) => emitted.push(`${jobs} jobs`) })
    wall.set('2026-04-01T00:00:00Z')
    await twin.sandbox.engine.runAllDueJobs()
    expect(emitted).toEqual(['2 jobs'])
    expect(createdCounts(twin.sandbox.engine).invoices).toBe(3)
  })

  test('stands still while the wall clock is behind the time that it has shown', async () => {
    const { twin, wall } = await openLive()
    wall.set('2026-01-31T11:00:00Z')
    const { created } = await twin.post('/v1/customers')
    wall.set('2026-01-31T10:30:00Z')
    expect(await nowOf(twin)).toBe(created)
    expect((await twin.post('/v1/customers')).created).toBe(created)
    wall.set('2026-01-31T11:00:01Z')
    expect(await nowOf(twin)).toBe(created + 1)
  })

  test('does not go back behind a time that was read', async () => {
    const { twin, wall } = await openLive()
    wall.set('2026-01-31T11:00:00Z')
    const seen = await nowOf(twin)
    wall.set('2026-01-31T10:30:00Z')
    expect(await nowOf(twin)).toBe(seen)
    expect((await twin.post('/v1/customers')).created).toBe(seen)
  })

  test('that was advanced continues from there', async () => {
    const { twin, wall } = await openLive()
    await subscribe(twin)
    expect((await twin.advance({ by: '1mo' })).now).toBe(at('2026-02-28T10:00:00Z'))
    wall.set('2026-01-31T10:05:00Z')
    expect(await clockOf(twin)).toMatchObject({ mode: 'live', now: at('2026-02-28T10:05:00Z') })
    wall.set('2026-03-03T10:00:00Z')
    await twin.sandbox.engine.runAllDueJobs()
    expect(await listAll(twin, '/v1/invoices')).toHaveLength(3)
  })

  test('whose catch-up is canceled goes on from the instant that it has reached', async () => {
    const { twin, wall } = await openLive()
    await subscribe(twin, { price: { recurring: { interval: 'day' } } })
    const caughtUp: string[] = []
    twin.sandbox.engine.listen({ caughtUp: (merchant) => caughtUp.push(merchant) })
    wall.set('2326-01-31T10:00:00Z')
    const write = twin.post('/v1/customers')
    const { clock } = twin.sandbox.merchant
    while (clock.instant === at(START)) await nextTurn()
    await twin.post('/v1/test_helpers/clock/cancel')
    const { created } = await write
    expect(created).toBeLessThan(at('2300-01-01'))
    expect(await clockOf(twin)).toMatchObject({ mode: 'live', status: 'ready', now: created })
    wall.set('2326-01-31T10:00:05Z')
    expect(await nowOf(twin)).toBe(created + 5)
    expect(caughtUp).toEqual([])
  })

  test('that catches up attempts deliveries at the instant that it has reached', async () => {
    const { twin, wall } = await openLive({ send: async () => ({ status: 200, body: '' }) })
    const url = 'http://localhost:9/'
    const { id } = await twin.post('/v1/webhook_endpoints', { url, enabled_events: ['invoice.paid'] })
    await subscribe(twin, { price: { recurring: { interval: 'day' } } })
    const { engine, merchant } = twin.sandbox
    await engine.outbox.deliveries?.settled(merchant)
    wall.set('2326-01-31T10:00:00Z')
    const write = twin.post('/v1/customers')
    const answered = () =>
      engine.store.deliveries
        .list(merchant.settings.ordinal, [{ field: 'endpoint', is: id }], { limit: 100, before: 0 })
        .flatMap(({ attempts }) => attempts)
    while (answered().length < 2) await nextTurn()
    await twin.post('/v1/test_helpers/clock/cancel')
    await write
    for (const { time } of answered()) expect(time).toBeLessThan(at('2300-01-01'))
  })

  test('whose catch-up is canceled leaves what had expired by the wall clock so', async () => {
    const { twin, wall } = await openLive()
    const app = await makeApp(twin)
    await subscribe(twin, { price: { recurring: { interval: 'day' } } })
    wall.set('2026-02-01T09:59:50Z')
    const [tokens, code] = [await letIn(twin, app), await codeFor(twin, app)]
    wall.set('2026-02-05T10:00:00Z')
    const { engine, merchant } = twin.sandbox
    const { clock } = merchant
    const instants = new Set<string>()
    engine.listen({
      committed: () =>
        queueMicrotask(() => {
          if (clock.target !== null)
            instants.add(`${clock.now - at('2026-02-05T10:00:00Z')} ${clock.reached}`)
          // Canceled before its first step.
          engine.time.cancel(merchant, clock)
        }),
    })
    await twin.post('/v1/customers')
    expect([...instants]).toEqual([`0 ${at('2026-02-01T09:59:50Z')}`])
    expect(await nowOf(twin)).toBe(at('2026-02-01T09:59:50Z'))
    expect(await opens(twin, tokens)).toBe(false)
    expect((await exchange(twin, app, code)).status).toBe(400)
    expect(await opens(twin, await letIn(twin, app))).toBe(true)
  })

  test('that catches up keeps its offset', async () => {
    const { twin, wall } = await openLive()
    await subscribe(twin)
    wall.set('2027-01-31T10:00:00Z')
    await twin.sandbox.engine.runAllDueJobs()
    wall.set('2027-01-31T10:00:10Z')
    expect(await nowOf(twin)).toBe(at('2027-01-31T10:00:10Z'))
  })
})

test('a live clock that catches up while the wall clock is behind keeps its offset too', async () => {
  const { twin, wall } = await openLive()
  await subscribe(twin, { collection_method: 'send_invoice', days_until_due: 0 })
  wall.set('2026-01-31T09:00:00Z')
  await twin.sandbox.engine.runAllDueJobs()
  expect((await twin.events()).at(-1)?.type).toBe('subscription.updated')
  wall.set('2026-01-31T10:00:10Z')
  expect(await nowOf(twin)).toBe(at('2026-01-31T10:00:10Z'))
})

describe('the next job of live clocks', () => {
  const nextOf = ({ sandbox }: Twin) => sandbox.engine.nextDue()
  const RENEWAL = at('2026-02-28T10:00:00Z') * 1000

  test('is due when the wall clock reaches it', async () => {
    const { twin, wall } = await openLive()
    expect(nextOf(twin)).toBe(Number.POSITIVE_INFINITY)
    await subscribe(twin)
    expect(nextOf(twin)).toBe(RENEWAL)
    wall.set('2026-02-28T10:00:07Z')
    expect(nextOf(twin)).toBe(wall.read())
    await twin.sandbox.engine.runAllDueJobs()
    expect(nextOf(twin)).toBe(at('2026-03-31T10:00:00Z') * 1000)
  })

  test('is due earlier on a clock that is ahead, and later while the wall clock is behind', async () => {
    const { twin, wall } = await openLive()
    await subscribe(twin)
    await twin.advance({ by: '1w' })
    expect(nextOf(twin)).toBe(RENEWAL - 7 * 86_400_000)
    wall.set('2026-01-31T09:00:00Z')
    expect(nextOf(twin)).toBe(RENEWAL - 7 * 86_400_000)
  })

  test('does not exist while the clock is frozen', async () => {
    const { twin } = await openLive()
    await subscribe(twin)
    await twin.post('/v1/test_helpers/clock/freeze')
    expect(nextOf(twin)).toBe(Number.POSITIVE_INFINITY)
    await twin.post('/v1/test_helpers/clock/unfreeze')
    expect(nextOf(twin)).toBe(RENEWAL)
  })

  test('is found on the clocks that each commit reports, whatever created it', async () => {
    const { twin } = await openLive()
    const { engine } = twin.sandbox
    let earliest = Number.POSITIVE_INFINITY
    const news = () => {
      const found = earliest
      earliest = Number.POSITIVE_INFINITY
      return found
    }
    engine.listen({
      committed: (clocks) => {
        earliest = Math.min(earliest, engine.time.nextDue(clocks))
      },
    })
    await subscribe(twin)
    expect(news()).toBe(RENEWAL)
    await twin.post('/v1/test_helpers/clock/freeze')
    expect(news()).toBe(Number.POSITIVE_INFINITY)
    await twin.post('/v1/test_helpers/clock/unfreeze')
    expect(news()).toBe(RENEWAL)
    await twin.advance({ by: '1d' })
    expect(news()).toBe(RENEWAL - 86_400_000)
  })

  test('is found on the clock of a merchant that is restored with its jobs', async () => {
    const { twin } = await openLive()
    const { engine } = twin.sandbox
    const found: number[] = []
    engine.listen({ committed: (clocks) => found.push(engine.time.nextDue(clocks)) })
    const shop = {
      name: 'Shop',
      clock: 'live',
      prices: [{ ref: 'pro', unit_amount: 4900, currency: 'usd', recurring: { interval: 'month' } }],
      customers: [{ ref: 'ada' }],
      payment_methods: [{ ref: 'card', customer: 'ada', test_id: 'pm_card_visa' }],
      subscriptions: [
        { customer: 'ada', currency: 'usd', default_payment_method: 'card', items: [{ price: 'pro' }] },
      ],
    }
    const files = [{ name: 'shop.json', content: { merchants: [shop] } }]
    expect((await asOperator(twin)('POST', 'fixtures', { files })).status).toBe(200)
    expect(Math.min(...found)).toBe(RENEWAL)
  })
})

describe('freezing', () => {
  test('holds the clock, and unfreezing continues from its time', async () => {
    const { twin, wall } = await openLive()
    wall.set('2026-02-01T00:00:00Z')
    expect(await twin.post('/v1/test_helpers/clock/freeze')).toMatchObject({
      mode: 'frozen',
      now: at('2026-02-01'),
    })
    wall.set('2026-06-01T00:00:00Z')
    expect(await nowOf(twin)).toBe(at('2026-02-01'))
    expect((await twin.post('/v1/customers')).created).toBe(at('2026-02-01'))
    expect(await twin.post('/v1/test_helpers/clock/unfreeze')).toMatchObject({
      mode: 'live',
      now: at('2026-02-01'),
    })
    wall.set('2026-06-01T00:01:00Z')
    expect(await nowOf(twin)).toBe(at('2026-02-01T00:01:00Z'))
  })

  test('first runs the jobs that are due', async () => {
    const { twin, wall } = await openLive()
    await subscribe(twin)
    wall.set('2026-03-01T00:00:00Z')
    await twin.post('/v1/test_helpers/clock/freeze')
    expect(await listAll(twin, '/v1/invoices')).toHaveLength(2)
    wall.set('2026-04-01T00:00:00Z')
    expect(await listAll(twin, '/v1/invoices')).toHaveLength(2)
  })

  test('a frozen clock that was advanced is unfrozen at its time', async () => {
    const wall = makeWall()
    const twin = await openTwin({ now: '2026-01-01T00:00:00Z', wall: wall.read })
    await twin.advance({ by: '1mo' })
    await twin.post('/v1/test_helpers/clock/unfreeze')
    wall.set('2026-01-31T10:00:30Z')
    expect(await nowOf(twin)).toBe(at('2026-02-01T00:00:30Z'))
  })

  test('twice, and unfreezing twice, changes nothing', async () => {
    const { twin, wall } = await openLive()
    for (const verb of ['freeze', 'freeze', 'unfreeze', 'unfreeze']) {
      await twin.post(`/v1/test_helpers/clock/${verb}`)
    }
    wall.set('2026-02-01T00:00:00Z')
    expect(await clockOf(twin)).toMatchObject({ mode: 'live', now: at('2026-02-01') })
  })
})

describe('after downtime', () => {
  /** A sandbox in a file, which is opened repeatedly. */
  function makeFile() {
    const folder = mkdtempSync(join(tmpdir(), 'paytwin-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const wall = makeWall()
    const secretKey = 'sk_test_000000000000000000000000'
    const database = join(folder, 'twin.db')
    const open = async () => clientOf(await openSandbox({ database, wall: wall.read, secretKey }), secretKey)
    return { open, wall, database }
  }

  test('a live clock runs the jobs that it missed', async () => {
    const { open, wall } = makeFile()
    const before = await open()
    const { subscription } = await subscribe(before)
    await before.close()
    wall.set('2026-05-01T00:00:00Z')
    const after = await open()
    await after.sandbox.engine.runAllDueJobs()
    const invoices = await listAll(after, '/v1/invoices')
    expect(invoices.map(({ created }) => created)).toEqual(
      [START, '2026-02-28T10:00:00Z', '2026-03-31T10:00:00Z', '2026-04-30T10:00:00Z'].map(at),
    )
    expect((await after.get(`/v1/subscriptions/${subscription.id}`)).latest_invoice).toBe(invoices.at(-1)?.id)
    await after.close()
  })

  test.each<[string, number, (twin: Twin) => Promise<{ status: number }>]>([
    ['a write', 500, (twin) => twin.request('POST', '/v1/customers')],
    ['a read', 200, (twin) => twin.request('GET', '/v1/customers')],
    ['a snapshot', 500, (twin) => asOperator(twin)('POST', 'snapshots', { name: 'late' })],
  ])('a stop leaves due jobs to the next start, and answers %s with %i', async (_, answer, ask) => {
    const { open, wall } = makeFile()
    const before = await open()
    await subscribe(before)
    await before.close()
    wall.set('2026-05-01T00:00:00Z')
    const untouched = await open()
    await untouched.close()
    const stopped = await open()
    const { engine } = stopped.sandbox
    expect(engine.nextDue()).toBeLessThanOrEqual(wall.read())
    await engine.time.stop()
    // Nothing wakes the background work up for what it must not begin.
    expect(engine.nextDue()).toBe(Number.POSITIVE_INFINITY)
    for (let count = 0; count < 2; count += 1) expect((await ask(stopped)).status).toBe(answer)
    await stopped.close()
    const after = await open()
    await Promise.all(after.sandbox.engine.time.resume(after.sandbox.engine.merchants.values()))
    await after.sandbox.engine.runAllDueJobs()
    const renewals = ['2026-02-28T10:00:00Z', '2026-03-31T10:00:00Z', '2026-04-30T10:00:00Z']
    const invoices = await listAll(after, '/v1/invoices')
    expect(invoices.map(({ created }) => created)).toEqual([START, ...renewals].map(at))
    expect(await listAll(after, '/v1/customers')).toHaveLength(1)
    await after.close()
  })

  test('a live clock that was catching up shows what it has shown, and what had expired stays so', async () => {
    const { open, wall } = makeFile()
    const before = await open()
    const tokens = await letIn(before, await makeApp(before))
    await subscribe(before, { price: { recurring: { interval: 'day' } } })
    wall.set('2326-01-31T10:00:00Z')
    const interrupted = before.request('POST', '/v1/customers')
    const read = before.request('GET', '/v1/customers')
    while (before.sandbox.merchant.clock.instant === at(START)) await nextTurn()
    expect(await opens(before, tokens)).toBe(false)
    await before.close()
    expect((await interrupted).status).toBe(500)
    expect((await read).status).toBe(200)
    const after = await open()
    const { engine, merchant } = after.sandbox
    const { clock } = merchant
    engine.time.resume(engine.merchants.values())
    expect(clock.now).toBe(at('2326-01-31T10:00:00Z'))
    expect(await opens(after, tokens)).toBe(false)
    await after.post('/v1/test_helpers/clock/cancel')
    while (clock.target !== null) await nextTurn()
    expect(clock.now).toBeLessThan(at('2300-01-01'))
    expect(await opens(after, tokens)).toBe(false)
    await after.close()
  })

  test('a catch-up that was canceled before a stop does not go on', async () => {
    const { open, wall } = makeFile()
    const before = await open()
    await subscribe(before, { price: { recurring: { interval: 'day' } } })
    wall.set('2326-01-31T10:00:00Z')
    const interrupted = before.request('POST', '/v1/customers')
    while (before.sandbox.merchant.clock.instant === at(START)) await nextTurn()
    const { engine, merchant } = before.sandbox
    engine.time.cancel(merchant, merchant.clock)
    await before.close()
    await interrupted
    const after = await open()
    expect(after.sandbox.merchant.clock.target).toBe(null)
    expect(await nowOf(after)).toBeLessThan(at('2300-01-01'))
    await after.close()
  })

  test('a clock that was ahead of the wall clock is ahead again', async () => {
    const { open, wall } = makeFile()
    const before = await open()
    await before.advance({ by: '1mo' })
    await before.close()
    wall.set('2026-01-31T11:00:00Z')
    const after = await open()
    expect(await nowOf(after)).toBe(at('2026-02-28T11:00:00Z'))
    await after.close()
  })

  test('a frozen clock has the same time', async () => {
    const { open, wall } = makeFile()
    const before = await open()
    await before.post('/v1/test_helpers/clock/freeze')
    await before.close()
    wall.set('2027-01-01T00:00:00Z')
    const after = await open()
    expect(await clockOf(after)).toMatchObject({ mode: 'frozen', now: at(START) })
    await after.close()
  })

  test('a clock that was advanced to the last instant stands still there', async () => {
    const { open, wall } = makeFile()
    const before = await open()
    await before.advance({ to: LAST_INSTANT })
    wall.set('2026-01-31T10:00:10Z')
    expect((await before.post('/v1/customers')).created).toBe(LAST_INSTANT)
    await before.close()
    const after = await open()
    expect(await clockOf(after)).toMatchObject({ mode: 'live', now: LAST_INSTANT })
    await after.close()
  })

  test.each([
    [-5, 0],
    [LAST_INSTANT + 5, LAST_INSTANT],
  ])('a clock that begins when the wall clock shows %i shows %i', async (seconds, shown) => {
    const { open, wall } = makeFile()
    wall.setTo(seconds)
    const before = await open()
    const operate = asOperator(before)
    expect((await operate('POST', 'snapshots', { name: 'first' })).status).toBe(201)
    expect((await operate('POST', 'snapshots/first/restore')).status).toBe(200)
    await before.close()
    const after = await open()
    expect(await clockOf(after)).toMatchObject({ mode: 'live', now: shown, created: shown })
    await after.close()
  })

  test('a clock that an earlier paytwin ticked beyond the last instant is set back to it', async () => {
    const { open, database } = makeFile()
    await (await open()).close()
    const older = `${database}.older`
    const migrations = Object.fromEntries(Object.entries(MIGRATIONS).slice(0, 41))
    await writeInSchema(migrations, { from: database, to: older })
    renameSync(older, database)
    const stored = new Sqlite(database)
    stored.exec(`update clock set now = ${LAST_INSTANT + 3}, created = -1`)
    stored.close()
    const after = await open()
    expect(await clockOf(after)).toMatchObject({ now: LAST_INSTANT, created: 0 })
    await after.close()
  })
})
