import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openSandbox, type Sandbox } from '../../src/daemon/sandbox.ts'
import { STEP_LIMITS, type WorkLimits } from '../../src/engine/machine/work-limits.ts'
import { clientOf, type Twin } from '../twin.ts'
import { at, bytesOf, historyOf, listAll, openTwin, subscribe } from './story.ts'

const NOW = at('2026-06-01T09:00:00Z')
const END = at('2026-06-08T09:00:00Z')
const SUBSCRIPTIONS = 80
/** An advance has several batches. */
const LIMITS: WorkLimits = { ...STEP_LIMITS, jobs: { ms: Number.POSITIVE_INFINITY, steps: 30 } }
const SECRET_KEY = 'sk_test_000000000000000000000000'

/** A third of the cards declines sometimes, so that an advance has other jobs beside renewals. */
const SCRIPTS = [
  [],
  ['succeed', 'decline:lost_card'],
  ['succeed', 'succeed', ...Array(9).fill('decline:expired_card')],
]

const openAt = (database: string): Promise<Sandbox> =>
  openSandbox({ database, clock: NOW, seed: '7', secretKey: SECRET_KEY, limits: LIMITS })

async function open(database: string): Promise<Twin> {
  const sandbox = await openAt(database)
  onTestFinished(() => sandbox.close())
  return clientOf(sandbox, SECRET_KEY)
}

async function prepare(twin: Twin): Promise<void> {
  const { subscription } = await subscribe(twin, {
    price: { recurring: { interval: 'day', interval_count: 3 } },
  })
  const items = [{ price: subscription.items.data[0].price.id }]
  const one = async (index: number) => {
    const customer = await twin.post('/v1/customers', { name: `Customer ${index}` })
    const method = await twin.post('/v1/payment_methods/pm_card_visa/attach', { customer: customer.id })
    const outcomes = SCRIPTS[index % SCRIPTS.length]
    await twin.post(`/v1/test_helpers/payment_methods/${method.id}/outcomes`, { outcomes })
    const params = { customer: customer.id, currency: 'usd', default_payment_method: method.id, items }
    await twin.post('/v1/subscriptions', params)
  }
  for (let index = 1; index < SUBSCRIPTIONS; index += 1) await one(index)
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'paytwin-crash-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/**
 * Copies a database at the n-th commit from here, as a crash right after it would leave the files behind: the log is
 * not moved into the database, and nothing was closed.
 * @returns whether that commit has come
 */
function copyAtCommit(
  { engine }: Sandbox,
  n: number,
  { from, to }: { from: string; to: string },
): () => boolean {
  let commits = 0
  engine.listen({
    committed: () => {
      commits += 1
      if (commits !== n) return
      for (const suffix of ['', '-wal']) {
        if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix)
      }
    },
  })
  return () => commits >= n
}

test('an advance that a crash interrupts ends at its target with the same history', {
  timeout: 120_000,
}, async () => {
  const folder = makeFolder()
  const [original, crashed, crashedAgain] = ['original', 'crashed', 'crashed-again'].map((name) =>
    join(folder, `${name}.db`),
  ) as [string, string, string]

  // The original continues without a crash; the others must get the same history.
  const first = await open(original)
  await prepare(first)
  // The first commit is that of the request, the following ones are batches.
  const isCopied = copyAtCommit(first.sandbox, 3, { from: original, to: crashed })
  const { summary } = await first.advance({ to: END })
  expect(isCopied()).toBe(true)
  const history = bytesOf(await historyOf(first))

  const second = await open(crashed)
  const clock = await second.get('/v1/test_helpers/clock')
  expect(clock).toMatchObject({ status: 'advancing', target: END })
  expect(clock.progress.jobs).toBeGreaterThan(0)
  expect(clock.progress.jobs).toBeLessThan(summary.jobs)
  const isCopiedAgain = copyAtCommit(second.sandbox, 1, { from: crashed, to: crashedAgain })
  const { engine } = second.sandbox
  const [resumed] = await Promise.all(engine.time.resume(engine.merchants.values()))
  expect(resumed).toEqual(summary)
  expect(isCopiedAgain()).toBe(true)
  expect(bytesOf(await historyOf(second))).toEqual(history)

  const third = await open(crashedAgain)
  const again = third.sandbox.engine
  expect(await Promise.all(again.time.resume(again.merchants.values()))).toEqual([summary])
  expect(await third.get('/v1/test_helpers/clock')).toMatchObject({ status: 'ready', target: null, now: END })
  expect(bytesOf(await historyOf(third))).toEqual(history)
})

test('an interrupted advance that continues, and is canceled, has no summary of its end', async () => {
  const folder = makeFolder()
  const [original, crashed] = [join(folder, 'original.db'), join(folder, 'crashed.db')]
  const first = await open(original)
  await subscribe(first)
  const isCopied = copyAtCommit(first.sandbox, 1, { from: original, to: crashed })
  await first.advance({ to: END })
  expect(isCopied()).toBe(true)

  const { engine, merchant } = (await open(crashed)).sandbox
  const resumed = engine.time.resume(engine.merchants.values())
  engine.time.cancel(merchant, merchant.clock)
  expect(await Promise.all(resumed)).toEqual([undefined])
})

test.each([
  ['', 'clock'],
  ['of a test clock ', 'test_clock'],
])('an advance %sthat a crash interrupts is not repeated by its idempotency key', async (_, kind) => {
  const folder = makeFolder()
  const [original, crashed] = [join(folder, 'original.db'), join(folder, 'crashed.db')]
  const first = await open(original)
  await subscribe(first)
  const { id } = await first.post('/v1/test_helpers/test_clocks', { frozen_time: NOW })
  const path = `/v1/test_helpers/${kind === 'clock' ? 'clock' : `test_clocks/${id}`}`
  const advance = (twin: Twin) =>
    twin.request('POST', `${path}/advance`, { by: '1w' }, { 'Idempotency-Key': 'a week later' })
  // Only the request of the advance is committed.
  const isCopied = copyAtCommit(first.sandbox, 1, { from: original, to: crashed })
  expect((await advance(first)).body).toMatchObject({ status: 'ready', now: END })
  expect(isCopied()).toBe(true)

  const second = await open(crashed)
  const { engine } = second.sandbox
  await Promise.all(engine.time.resume(engine.merchants.values()))
  const { status, body, headers } = await advance(second)
  expect([status, headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
  expect(body).toMatchObject({ status: 'advancing', now: NOW, target: END })
  expect(await second.get(path)).toMatchObject({ status: 'ready', now: END })
})

test('an advance that fails can be repeated with its idempotency key', async () => {
  const reported: unknown[] = []
  const twin = await openTwin({ now: '2026-06-01T09:00:00Z', reportError: (error) => reported.push(error) })
  await subscribe(twin)
  const advance = () =>
    twin.request('POST', '/v1/test_helpers/clock/advance', { by: '1w' }, { 'Idempotency-Key': 'again' })
  vi.spyOn(twin.sandbox.engine.store.jobs, 'first').mockImplementationOnce(() => {
    throw new Error('the disk is on fire')
  })
  expect(await advance()).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } })
  expect(String(reported[0])).toBe('Error: the disk is on fire')
  const { status, body, headers } = await advance()
  expect([status, headers.get('Idempotent-Replayed')]).toEqual([200, null])
  expect(body).toMatchObject({ status: 'ready', now: END })
})

test('an advance that a stop interrupts admits no write, and continues at the next start', async () => {
  const folder = makeFolder()
  const database = join(folder, 'stopped.db')
  const sandbox = await openAt(database)
  const twin = clientOf(sandbox, SECRET_KEY)
  await prepare(twin)
  // The event that stops the advance, also after a restart, comes after two renewals of every subscription.
  const last = (await listAll(twin, '/v1/subscriptions')).at(-1)
  await twin.post(`/v1/subscriptions/${last?.id}`, { cancel_at: at('2026-06-07T12:00:00Z') })
  const advance = twin.advance({ to: END, stop_on: ['subscription.deleted'] })
  await new Promise((resolve) => sandbox.engine.listen({ committed: () => resolve(null) }))
  const waiting = twin.request('POST', '/v1/customers')
  const { held, clock } = sandbox.merchant
  while (held.get(clock)?.length === 0) await turn()
  await sandbox.engine.time.stop()
  const late = twin.request('POST', '/v1/customers')
  const turnedAway = { status: 500, body: { error: { code: 'internal_error' } } }
  expect(await waiting).toMatchObject(turnedAway)
  expect(await late).toMatchObject(turnedAway)
  await sandbox.close()
  expect((await advance).summary.stopped_on).toBeNull()

  const next = await open(database)
  const { engine } = next.sandbox
  const resuming = engine.time.resume(engine.merchants.values())
  // The request runs after the interrupted advance.
  const after = next.post('/v1/customers')
  expect(await Promise.all(resuming)).toMatchObject([{ stopped_on: 'subscription.deleted' }])
  expect((await after).created).toBe(at('2026-06-07T12:00:00Z'))
  expect(await listAll(next, '/v1/customers')).toHaveLength(SUBSCRIPTIONS + 1)
})
