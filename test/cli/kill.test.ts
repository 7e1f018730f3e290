import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { api, type RunningDaemon, startDaemon, temporaryFolder } from './executable.ts'

const SUBSCRIPTIONS = Array.from({ length: 400 }, (_, n) => `n${n}`)
const KILLS = 2
const KEY = 'sk_test_killedandstartedagain000001'

type Clock = { status: string; now: number }
type Page = { data: { id: string }[]; has_more: boolean }

const folder = temporaryFolder()
const original = join(folder.path, 'original')

const start = async (data: string): Promise<RunningDaemon> => ({
  ...(await startDaemon(['--data', data], { env: { PAYTWIN_SECRET_KEY: KEY } })),
  secret_key: KEY,
})

/** Half of the cards fail at some renewals, so that the advance is full of retries. */
const FIXTURES = {
  prices: [{ ref: 'monthly', unit_amount: 2000, currency: 'usd', recurring: { interval: 'month' } }],
  customers: SUBSCRIPTIONS.map((ref) => ({ ref })),
  payment_methods: SUBSCRIPTIONS.map((ref, n) => ({
    ref,
    customer: ref,
    test_id: 'pm_card_visa',
    outcomes: ['succeed', ...Array(n % 2 === 0 ? 0 : n % 7).fill('decline:insufficient_funds')],
  })),
  subscriptions: SUBSCRIPTIONS.map((ref) => ({
    customer: ref,
    currency: 'usd',
    default_payment_method: ref,
    items: [{ price: 'monthly' }],
  })),
}

beforeAll(async () => {
  const fixtures = join(folder.path, 'fixtures.json')
  writeFileSync(fixtures, JSON.stringify(FIXTURES))
  const options = ['--clock', '2026-01-31T10:00:00Z', '--seed', '1', '--fixtures', fixtures]
  const daemon = await startDaemon(['--data', original, ...options], { env: { PAYTWIN_SECRET_KEY: KEY } })
  expect(await daemon.stop()).toBe(0)
}, 60_000)
afterAll(() => folder.remove())

/** Returns all listed data except the ids of requests, which are random. */
async function history(daemon: RunningDaemon): Promise<string[]> {
  const all: string[] = []
  for (const name of ['events', 'subscriptions', 'invoices', 'payment_intents', 'charges', 'customers']) {
    let cursor = ''
    for (let more = true; more; ) {
      const status = name === 'subscriptions' ? '&status=all' : ''
      const page: Page = await api<Page>(daemon, `/v1/${name}?limit=100${status}${cursor}`)
      all.push(...page.data.map((entry) => JSON.stringify({ ...entry, request: null })))
      cursor = `&starting_after=${page.data.at(-1)?.id}`
      more = page.has_more
    }
  }
  return all
}

const clockOf = (daemon: RunningDaemon) => api<Clock>(daemon, '/v1/test_helpers/clock')

async function until(daemon: RunningDaemon, reached: (clock: Clock) => boolean): Promise<Clock> {
  for (;;) {
    const clock = await clockOf(daemon)
    if (reached(clock)) return clock
  }
}

test('a repeatedly killed advance reaches its target with the same history as an undisturbed one', async () => {
  const calmFolder = join(folder.path, 'calm')
  cpSync(original, calmFolder, { recursive: true })
  const calm = await start(calmFolder)
  const target = 1774951200 // 2026-03-31T10:00:00Z
  await api(calm, '/v1/test_helpers/clock/advance', { to: target })
  const expected = await history(calm)
  await calm.stop()

  let killed = await start(original)
  const response = api(killed, '/v1/test_helpers/clock/advance', { to: target }).then(
    () => 'answered',
    () => 'lost',
  )
  let { now } = await until(killed, ({ status }) => status === 'advancing')
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = now
    now = (await until(killed, (clock) => clock.now > before)).now
    expect(await killed.stop('SIGKILL')).toBeNull()
    killed = await start(original)
    expect((await clockOf(killed)).status).toBe('advancing')
  }
  expect(await response).toBe('lost')
  expect(await until(killed, ({ status }) => status === 'ready')).toMatchObject({ now: target })
  expect(await history(killed)).toEqual(expected)
  expect(await killed.stop()).toBe(0)
}, 120_000)
