import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type TestContext, test } from 'vitest'
import { FakedWall } from '../faked-wall.ts'
import { api, type RunningDaemon, startDaemon, temporaryFolder } from './executable.ts'

/** How long the daemon is watched after a step: what ran each second before it would have run by then. */
const WATCH_MS = 3_000
/** The timeout of a response. It takes milliseconds; a daemon that ran through every missed second would take minutes. */
const PATIENCE_MS = 15_000

/** Starts a daemon with a fake wall clock, which ends with the test. */
async function start(
  clock: string,
  { onTestFinished }: TestContext,
): Promise<{ daemon: RunningDaemon; wall: FakedWall }> {
  const folder = temporaryFolder()
  onTestFinished(() => folder.remove())
  const wall = new FakedWall(join(folder.path, 'wall'))
  const daemon = await startDaemon(['--ephemeral', '--clock', clock], { env: wall.env })
  onTestFinished(async () => void (await daemon.stop('SIGKILL')))
  return { daemon, wall }
}

/** Polls the clock for a while, and ignores missing responses. @returns the times that the clock showed */
async function watch(
  { url, secret_key }: RunningDaemon,
  { expect }: Pick<TestContext, 'expect'>,
): Promise<number[]> {
  const shown: number[] = []
  const end = performance.now() + WATCH_MS
  while (performance.now() < end) {
    const response = await fetch(`${url}/v1/events?limit=1`, {
      headers: { authorization: `Bearer ${secret_key}` },
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    expect(response.status).toBe(200)
    shown.push(Number(response.headers.get('paytwin-now')))
    await delay(100)
  }
  return shown
}

/** A customer with a subscription that is renewed each day. */
async function subscribeDaily(daemon: RunningDaemon): Promise<void> {
  const recurring = { interval: 'day' }
  const price = await api(daemon, '/v1/prices', { unit_amount: 100, currency: 'usd', recurring })
  const customer = await api(daemon, '/v1/customers', {})
  const card = await api(daemon, '/v1/payment_methods/pm_card_visa/attach', { customer: customer.id })
  await api(daemon, '/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: card.id,
    items: [{ price: price.id }],
  })
}

const periodsOf = async (daemon: RunningDaemon): Promise<number[]> => {
  const { data } = await api<{ data: { period_start: number }[] }>(daemon, '/v1/invoices?limit=100')
  return data.map(({ period_start }) => period_start)
}

// These tests mostly wait, so they run concurrently, each with its own daemon.

test.concurrent('after a sleep of ten days requests are answered at once, and all due jobs have run', async (context) => {
  const { expect } = context
  const { daemon, wall } = await start('live', context)
  await subscribeDaily(daemon)
  // Beyond the first second of a daemon, after which its background work starts.
  await watch(daemon, context)
  wall.set('+10d')
  await watch(daemon, context)
  const periods = await periodsOf(daemon)
  expect(periods).toHaveLength(11)
  expect(periods.map((period) => ((periods[0] ?? 0) - period) / 86_400)).toEqual([...Array(11).keys()])
  expect(await daemon.stop()).toBe(0)
})

test.concurrent('after a sleep of a year a frozen clock has not moved, and requests are answered at once', async (context) => {
  const { expect } = context
  const { daemon, wall } = await start('2026-01-31T10:00:00Z', context)
  await watch(daemon, context)
  wall.set('+365d')
  expect(new Set(await watch(daemon, context))).toEqual(new Set([Date.UTC(2026, 0, 31, 10) / 1_000]))
  expect(await daemon.stop()).toBe(0)
})

test.concurrent('while the wall clock is set forward and back, a live clock never moves back, and no event is repeated', async (context) => {
  const { expect } = context
  const { daemon, wall } = await start('live', context)
  await subscribeDaily(daemon)
  const shown: number[] = []
  for (const offset of ['+30h', '-5h', '+29h', '+0', '+54h', '-30d', '+53h']) {
    wall.set(offset)
    shown.push(...(await watch(daemon, context)))
  }
  expect(shown).toEqual(shown.toSorted((left, right) => left - right))
  const periods = await periodsOf(daemon)
  expect([periods.length, new Set(periods).size]).toEqual([3, 3])
  const { uptime } = JSON.parse(
    execFileSync(process.execPath, ['bin/paytwin.js', 'status', '--json'], {
      env: { ...process.env, ...daemon.env },
      encoding: 'utf8',
    }),
  )
  expect(uptime).toBeGreaterThanOrEqual(0)
  expect(uptime).toBeLessThan(600)
  expect(await daemon.stop()).toBe(0)
})
