import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contentTables } from '../../src/store/contents.ts'
import { api, paytwin, type RunningDaemon, startDaemon, temporaryFolder } from './executable.ts'

const SUBSCRIPTIONS = Array.from({ length: 400 }, (_, n) => `n${n}`)
const FIXTURES = {
  prices: [{ ref: 'monthly', unit_amount: 2000, currency: 'usd', recurring: { interval: 'month' } }],
  customers: SUBSCRIPTIONS.map((ref) => ({ ref, email: `${ref}@example.com` })),
  subscriptions: SUBSCRIPTIONS.map((ref) => ({
    customer: ref,
    currency: 'usd',
    default_payment_method: 'pm_card_visa',
    items: [{ price: 'monthly' }],
  })),
}
const KEY = 'sk_test_killedandstartedagain000001'
const ROUNDS = 3

const folder = temporaryFolder()
const data = join(folder.path, 'data')
const start = async (options: readonly string[] = []): Promise<RunningDaemon> => ({
  ...(await startDaemon(['--data', data, ...options], { env: { PAYTWIN_SECRET_KEY: KEY } })),
  secret_key: KEY,
})
const run = (...args: string[]) => paytwin([...args, '--data', data])

/** Returns a digest of a closed database, which is equal for equal rows. */
function digestOf(file: string): string {
  const database = new Sqlite(file)
  try {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
    const hash = createHash('sha256')
    for (const table of contentTables(database)) {
      for (const row of database.prepare(`select * from ${table}`).iterate()) hash.update(JSON.stringify(row))
    }
    return hash.digest('hex')
  } finally {
    database.close()
  }
}

const wal = join(data, 'paytwin.db-wal')
const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0
const live = () => digestOf(join(data, 'paytwin.db'))

/** The digests of three states: the first one, and those of the snapshots `old` and `new`. */
const states: Record<string, string> = {}

beforeAll(async () => {
  const first = await start(['--clock', '2026-01-31T10:00:00Z', '--seed', '1'])
  await first.stop()
  states.first = live()
  const daemon = await start()
  const fixtures = join(folder.path, 'fixtures.json')
  writeFileSync(fixtures, JSON.stringify(FIXTURES))
  expect(await run('fixtures', 'load', fixtures)).toMatchObject({ status: 0, stderr: '' })
  await run('snapshots', 'save', 'old')
  await run('clock', 'advance', '3mo')
  await run('snapshots', 'save', 'new')
  await daemon.stop()
  for (const name of ['old', 'new']) states[name] = digestOf(join(data, 'snapshots', `${name}.db`))
  expect(live()).toBe(states.new)
  expect(new Set(Object.values(states)).size).toBe(3)
}, 60_000)
afterAll(() => folder.remove())

/** Sends a request, and kills the daemon when a sign appears or when it has responded. */
async function killDuring(daemon: RunningDaemon, path: string, body: object, sign: () => boolean) {
  const token = readFileSync(join(data, 'admin-token'), 'utf8').trim()
  let isAnswered = false
  const response = fetch(`${daemon.url}/_paytwin/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).then(
    () => {
      isAnswered = true
    },
    () => undefined,
  )
  while (!isAnswered && !sign()) await turn()
  expect(await daemon.stop('SIGKILL')).toBeNull()
  await response
  return isAnswered
}

test('a killed restore leaves either the old or the new state', async () => {
  let current = 'new'
  for (let round = 0; round < ROUNDS; round += 1) {
    const daemon = await start()
    const wanted = current === 'new' ? 'old' : 'new'
    const before = sizeOf(wal)
    // Each time a little later: from the first page that is written to all of them.
    const threshold = before + round * 400_000
    await killDuring(daemon, `snapshots/${wanted}/restore`, {}, () => sizeOf(wal) > threshold)
    const digest = live()
    const state = Object.keys(states).find((name) => states[name] === digest)
    expect(['old', 'new']).toContain(state)
    current = state ?? ''
  }
  const daemon = await start()
  for (const name of ['old', 'new']) expect((await run('snapshots', 'restore', name)).status).toBe(0)
  expect(await daemon.stop()).toBe(0)
  expect(live()).toBe(states.new)
}, 60_000)

test('a killed save leaves either the old or the new snapshot', async () => {
  const shelf = join(data, 'snapshots')
  const saving = join(shelf, '.saving.db')
  let leftovers = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    cpSync(join(shelf, 'old.db'), join(shelf, 'target.db'))
    const daemon = await start()
    expect(readdirSync(shelf).toSorted()).toEqual(['new.db', 'old.db', 'target.db'])
    await killDuring(daemon, 'snapshots', { name: 'target' }, () => sizeOf(saving) > round * 200_000)
    if (existsSync(saving)) leftovers += 1
    expect([states.old, states.new]).toContain(digestOf(join(shelf, 'target.db')))
    expect(live()).toBe(states.new)
  }
  expect(leftovers).toBeGreaterThan(0)
  const daemon = await start()
  expect(readdirSync(shelf).toSorted()).toEqual(['new.db', 'old.db', 'target.db'])
  expect((await run('snapshots', 'restore', 'target')).status).toBe(0)
  expect(await daemon.stop()).toBe(0)
}, 60_000)

test('a killed reset leaves either the old or the first state', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const daemon = await start()
    expect((await run('snapshots', 'restore', 'new')).status).toBe(0)
    const before = sizeOf(wal)
    await killDuring(daemon, 'reset', {}, () => sizeOf(wal) > before + round * 100_000)
    expect([states.new, states.first]).toContain(live())
  }
  const daemon = await start()
  expect((await run('snapshots', 'reset', '--yes')).status).toBe(0)
  expect(await api(daemon, '/v1/customers', {})).toMatchObject({ object: 'customer' })
  expect((await run('snapshots', 'reset', '--yes')).status).toBe(0)
  expect(await daemon.stop()).toBe(0)
  expect(live()).toBe(states.first)
}, 60_000)
