import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BLOCK_ROWS, Blocks } from '../../src/store/blocks.ts'
import { openDatabase } from '../../src/store/database.ts'
import type { Filter } from '../../src/store/list-query.ts'
import { SnapshotsInMemory } from '../../src/store/snapshots-in-memory.ts'
import { Store } from '../../src/store/store.ts'
import { aSubscription } from '../core/objects.ts'

const SMALL = BLOCK_ROWS * 8
const TIMES = 16
/** See growth.test.ts. */
const MOST_TIMES = 2.5
const ROUNDS = 10
/** One is too short to be measured. */
const CALLS = 50

let small: Store
let large: Store

beforeAll(async () => {
  small = await openStore(SMALL)
  large = await openStore(SMALL * TIMES)
}, 60_000)
afterAll(() => {
  small.close()
  large.close()
})

/**
 * A store with as many events, events of test clocks, deliveries that are ready, to two endpoints, and subscriptions of one customer that
 * have ended.
 */
async function openStore(rows: number): Promise<Store> {
  const database = await openDatabase(':memory:', 'normal')
  const store = new Store(database, new SnapshotsInMemory(database))
  database.exec(`
    create temp table n as with recursive n (n) as (select 1 union all select n + 1 from n where n < ${rows}) select n from n;
    insert into journal (seq, merchant, number, type, kind, object, created, api_version) select n, 1, n, 0, 0, 1, n, 0 from n;
    insert into clock_event (seq, merchant, number, type, created, place, place_in_all, clock, api_version)
      select n, 1, n, 1, n, n + 0.5, n + 0.5, '{}', 0 from n;
    insert into webhook_delivery (id, merchant, created, event, endpoint, status, attempts, attempt_count, is_ready)
      select 'whd_' || n, 1, 0, 'evt_1', 'we_' || (n % 2), 'pending', '[]', 0, 1 from n`)
  const ended = ['canceled', 'incomplete_expired'] as const
  for (let n = 0; n < rows; n += 1)
    store.objects.insert(
      'subscription',
      1,
      aSubscription({ id: `sub_${n}`, status: ended[n % 2] ?? 'canceled' }),
    )
  const blocks = new Blocks(store.statements)
  for (let seq = BLOCK_ROWS - 1; seq <= rows; seq += BLOCK_ROWS)
    for (const table of ['journal', 'clock_event'] as const)
      blocks.addedEvent(table, { seq, merchant: 1, created: seq }, 0)
  return store
}

const { customer: CUSTOMER } = aSubscription()
const PRESENT: Filter[] = [
  { field: 'customer', is: CUSTOMER },
  { field: 'status', isNot: 'canceled' },
  { field: 'status', isNot: 'incomplete_expired' },
]

const STEPS: Readonly<Record<string, (store: Store) => unknown>> = {
  "a merchant's newest event at an early time": ({ journal }) => journal.numberAt(1, 10),
  "a merchant's newest event of a test clock at an early time": ({ clockEvents }) =>
    clockEvents.headAt(1, 10),
  'the billed currency of a customer with ended subscriptions': ({ objects }) =>
    objects.billedCurrency(CUSTOMER),
  'the subscriptions of such a customer that have not ended': ({ objects }) =>
    objects.idsOfPresentSubscriptions(CUSTOMER),
  'the next due ones': ({ objects }) => objects.nextDueSubscriptions(CUSTOMER, 10),
  'those on a page of the customer portal': ({ objects }) =>
    objects.listPage('subscription', 1, PRESENT, { limit: 11 }),
  'the endpoints with many ready deliveries': ({ deliveries }) => deliveries.endpointsWithReady(),
}

test.each(Object.entries(STEPS))(
  'the processor time to find %s does not grow with the history',
  (_, step) => {
    const least = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY }
    for (let round = 0; round < ROUNDS; round += 1) {
      least.small = Math.min(
        least.small,
        processorTime(() => step(small)),
      )
      least.large = Math.min(
        least.large,
        processorTime(() => step(large)),
      )
    }
    expect(least.large / least.small).toBeLessThan(MOST_TIMES)
  },
)

function processorTime(work: () => unknown): number {
  const before = process.cpuUsage()
  for (let call = 0; call < CALLS; call += 1) work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

test('each endpoint with ready deliveries is found once', () => {
  expect(small.deliveries.endpointsWithReady()).toEqual([
    { endpoint: 'we_0', merchant: 1 },
    { endpoint: 'we_1', merchant: 1 },
  ])
  small.statements
    .once({ compile: (db) => sql`update webhook_delivery set is_ready = 0`.compile(db) })
    .run({})
  expect(small.deliveries.endpointsWithReady()).toEqual([])
})
