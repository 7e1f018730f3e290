import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  ALL_EVENT_TYPES,
  CLOCK_EVENT_TYPES,
  type ClockEventType,
  type EventType,
} from '../../src/core/kinds.ts'
import { BLOCK_ROWS, Blocks, type CreatedBound } from '../../src/store/blocks.ts'
import type { ClockEventQuery } from '../../src/store/clock-events.ts'
import { openDatabase } from '../../src/store/database.ts'
import type { EventQuery } from '../../src/store/event-query.ts'
import { up } from '../../src/store/migrations/0043-clock-event-blocks.ts'
import { Place } from '../../src/store/place.ts'
import { SnapshotsInMemory } from '../../src/store/snapshots-in-memory.ts'
import { Store } from '../../src/store/store.ts'

const MERCHANTS = [1, 2]
const ROUNDS = 150
const ROWS = BLOCK_ROWS * 5 + 40

/** Creates pseudo-random numbers that are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

type Event = { merchant: number; number: number; seq: number; type: EventType; created: number }
type ClockEvent = Omit<Event, 'type'> & { type: ClockEventType; place: number; placeInAll: number }
type Product = { id: string; merchant: number; seq: number; created: number; active: boolean }

/** A store, and the same rows as a list. Time moves forward, except for some rows, as with test clocks. */
async function openStore() {
  const database = await openDatabase(':memory:', 'normal')
  const store = new Store(database, new SnapshotsInMemory(database))
  onTestFinished(() => store.close())
  const events: Event[] = []
  const clockEvents: ClockEvent[] = []
  const products: Product[] = []
  const pick = numbers(7)
  const heads = new Map<number, number>()
  const add = (count: number, among: readonly number[] = MERCHANTS) =>
    store.transaction(() => {
      for (let n = 0; n < count; n += 1) {
        const merchant = among[pick(among.length)] ?? 1
        const created = products.length + (pick(40) === 0 ? pick(3_000) : 0)
        const id = `prod_${products.length}_${pick(1e9)}`
        const active = pick(50) !== 0
        const product = {
          id,
          created,
          name: '',
          active,
          description: null,
          default_price: null,
          metadata: {},
          details: null,
        }
        const place = new Place()
        const previous = place.link(store.journal.next)
        store.objects.insert('product', merchant, product, place)
        products.push({ id, merchant, seq: place.seq, created, active })
        // Rare types only at the beginning, and sometimes a silent change.
        const type = ALL_EVENT_TYPES[pick(events.length < 300 ? ALL_EVENT_TYPES.length : 4)] ?? 'invoice.paid'
        const isSilent = pick(5) === 0
        const number = (heads.get(merchant) ?? 0) + 1
        const event = isSilent ? null : { type, number }
        const links = { place, previous, entryCount: place.entryCount }
        const entries = [{ kind: 'product', ...links, after: () => product, replaced: null, event }] as const
        const rest = { api_version: 0, request: null, idempotency_key: null }
        store.journal.append({ merchant, created, ...rest, entries })
        if (isSilent) continue
        heads.set(merchant, number)
        events.push({ merchant, number, seq: store.journal.head(null), type, created })
      }
    })
  const clock = { id: 'clock_1', created: 0, name: null, now: 0, target: null }
  const addClockEvents = (count: number, among: readonly number[] = MERCHANTS) =>
    store.transaction(() => {
      for (let n = 0; n < count; n += 1) {
        const merchant = among[pick(among.length)] ?? 1
        const created = clockEvents.length + (pick(40) === 0 ? pick(3_000) : 0)
        const type = CLOCK_EVENT_TYPES[pick(clockEvents.length < 300 ? 4 : 2)] ?? CLOCK_EVENT_TYPES[0]
        const number = clockEvents.filter((event) => event.merchant === merchant).length + 1
        const rest = { api_version: 0, request: null, idempotency_key: null, clock }
        const entry = events.length + pick(2)
        store.clockEvents.add({ merchant, number, type, created, ...rest }, { number: entry, entry })
        const row = store.clockEvents.event(merchant, number)
        if (!row) throw new Error('the event was added')
        const { seq, place, place_in_all } = row
        clockEvents.push({ merchant, number, seq, type, created, place, placeInAll: place_in_all })
      }
    })
  const forget = (merchant: number) => {
    store.transaction(() =>
      store.deleteMerchant({ ordinal: merchant, generation: merchant, id: `mer_${merchant}` }),
    )
    for (const list of [events, clockEvents, products])
      list.splice(0, list.length, ...(list.filter((row) => row.merchant !== merchant) as never[]))
    heads.delete(merchant)
  }
  /** The places among the events of all are others after a merchant was deleted. */
  const refreshPlaces = () => {
    for (const event of clockEvents)
      event.placeInAll = store.clockEvents.event(event.merchant, event.number)?.place_in_all ?? 0
  }
  const summaries = () => database.prepare('select * from block order by kind, merchant, number').all()
  return {
    database,
    store,
    events,
    clockEvents,
    products,
    add,
    addClockEvents,
    refreshPlaces,
    forget,
    pick,
    summaries,
  }
}

type World = Awaited<ReturnType<typeof openStore>>

const COMPARE: Readonly<Record<CreatedBound['compare'], (left: number, right: number) => boolean>> = {
  '=': (left, right) => left === right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
}

const meets = (created: number, bounds: readonly CreatedBound[]) =>
  bounds.every(({ compare, to }) => COMPARE[compare](created, to))

function someBounds({ pick }: World): CreatedBound[] {
  const compares = Object.keys(COMPARE) as CreatedBound['compare'][]
  return Array.from({ length: pick(3) }, () => ({ compare: compares[pick(5)] ?? '=', to: pick(ROWS + 400) }))
}

/** Lists the seqs of the events that a query wants, by looking at all. */
function scan<Type, Each extends { readonly seq: number; readonly type: Type; readonly created: number }>(
  events: readonly Each[],
  {
    types,
    created,
    below,
    above,
    order,
    limit,
  }: Omit<EventQuery, 'types'> & { readonly types: readonly Type[] },
  placeOf: (event: Each) => number,
): number[] {
  const wanted = events.filter(
    (event) =>
      (types.length === 0 || types.includes(event.type)) &&
      meets(event.created, created) &&
      (below === undefined || placeOf(event) < below) &&
      (above === undefined || placeOf(event) > above),
  )
  if (order === 'newest first') wanted.reverse()
  return wanted.slice(0, limit).map(({ seq }) => seq)
}

function compareEvents(world: World): void {
  const { store, events, pick } = world
  const merchant = [null, 1, 2][pick(3)] ?? null
  const placeOf = (event: Event) => (merchant === null ? event.seq : event.number)
  const mine = events.filter((event) => merchant === null || event.merchant === merchant)
  const cursor = mine[pick(mine.length)]
  const query: EventQuery = {
    merchant,
    types: ALL_EVENT_TYPES.filter(() => pick(8) === 0),
    created: someBounds(world),
    limit: 1 + pick(20),
    order: pick(2) === 0 ? 'newest first' : 'oldest first',
    ...(cursor && pick(2) === 0 && { [pick(2) === 0 ? 'below' : 'above']: placeOf(cursor) }),
  }
  const wanted = scan<EventType, Event>(mine, query, placeOf)
  const found = store.journal.events(query).map(({ seq }) => seq)
  expect(found, JSON.stringify(query)).toEqual(wanted)
}

function compareClockEvents(world: World): void {
  const { store, clockEvents, pick } = world
  const merchant = [null, 1, 2][pick(3)] ?? null
  const placeOf = ({ place, placeInAll }: ClockEvent) => (merchant === null ? placeInAll : place)
  const mine = clockEvents.filter((event) => merchant === null || event.merchant === merchant)
  const cursor = mine[pick(mine.length)]
  // Between two events too.
  const place = cursor && placeOf(cursor) + (pick(2) === 0 ? 2 ** -21 : 0)
  const query: ClockEventQuery = {
    merchant,
    types: CLOCK_EVENT_TYPES.filter(() => pick(3) === 0),
    created: someBounds(world),
    limit: 1 + pick(20),
    order: pick(2) === 0 ? 'newest first' : 'oldest first',
    ...(place !== undefined && pick(2) === 0 && { [pick(2) === 0 ? 'below' : 'above']: place }),
  }
  const wanted = scan<ClockEventType, ClockEvent>(mine, query, placeOf)
  const found = store.clockEvents.events(query).map(({ seq }) => seq)
  expect(found, JSON.stringify(query)).toEqual(wanted)
}

function compareHeads(world: World): void {
  const { store, events, clockEvents, pick } = world
  const merchant = 1 + pick(2)
  const place = pick(ROWS) + (pick(2) === 0 ? 2 ** -20 : 0)
  const [newest] = events.filter((event) => event.merchant === merchant && event.seq <= place).slice(-1)
  expect(store.journal.numberAt(merchant, place)).toBe(newest?.number ?? 0)
  const [newestOfClocks] = clockEvents
    .filter((event) => event.merchant === merchant && event.placeInAll <= place)
    .slice(-1)
  expect(store.clockEvents.headAt(merchant, place)).toBe(newestOfClocks?.place ?? 0)
}

function compareProducts(world: World): void {
  const { store, products, pick } = world
  const merchant = 1 + pick(2)
  const created = someBounds(world)
  const isActive = pick(3)
  const mine = products.filter((product) => product.merchant === merchant)
  const cursor = mine[pick(mine.length)]?.seq
  const [after, before] = [undefined, cursor, undefined, undefined].slice(pick(3))
  const limit = 1 + pick(20)
  const wanted = mine.filter(
    (product) =>
      (isActive === 2 || product.active === (isActive === 1)) &&
      meets(product.created, created) &&
      (after === undefined || product.seq < after) &&
      (before === undefined || product.seq > before),
  )
  if (before === undefined) wanted.reverse()
  const filters = [
    ...(isActive === 2 ? [] : [{ field: 'active', is: isActive }]),
    ...created.map((bound) => ({ field: 'created' as const, ...bound })),
  ]
  const found = store.objects.list('product', merchant, filters, { limit, after, before })
  expect(
    found.map(({ id }) => id),
    JSON.stringify(filters),
  ).toEqual(wanted.slice(0, limit).map(({ id }) => id))
}

function compare(world: World): void {
  for (let round = 0; round < ROUNDS; round += 1) {
    compareEvents(world)
    compareClockEvents(world)
    compareHeads(world)
    compareProducts(world)
  }
}

describe('lists that skip blocks of rows', () => {
  test('find the same as a scan of all rows', async () => {
    const world = await openStore()
    world.add(ROWS)
    world.addClockEvents(ROWS)
    compare(world)
  })

  test.each([0, 1, BLOCK_ROWS - 2, BLOCK_ROWS - 1, BLOCK_ROWS, BLOCK_ROWS + 1])(
    'find it among %i rows',
    async (rows) => {
      const world = await openStore()
      world.add(rows)
      world.addClockEvents(rows)
      compare(world)
    },
  )

  test('find it after the merchant with the last rows was deleted and their seqs were reused', async () => {
    const world = await openStore()
    world.add(BLOCK_ROWS + 50)
    world.add(BLOCK_ROWS * 2, [2])
    world.addClockEvents(BLOCK_ROWS + 50)
    world.addClockEvents(BLOCK_ROWS * 2, [2])
    world.forget(2)
    world.refreshPlaces()
    compare(world)
    world.add(BLOCK_ROWS * 2)
    world.addClockEvents(BLOCK_ROWS * 2)
    compare(world)
  })

  test('find it after a rollback', async () => {
    const world = await openStore()
    world.add(BLOCK_ROWS - 20)
    const [events, products] = [[...world.events], [...world.products]]
    const takeBack = () =>
      world.store.transaction(() => {
        world.store.savepoint(() => {
          for (let n = 0; n < 30; n += 1) {
            const product = { name: '', active: true, description: null, default_price: null, metadata: {} }
            const details = null
            world.store.objects.insert('product', 1, { id: `no_${n}`, created: 9_999, ...product, details })
          }
          throw new Error('taken back')
        })
      })
    expect(takeBack).toThrow('taken back')
    expect([world.events, world.products]).toEqual([events, products])
    world.add(60)
    compare(world)
  })
})

test('a block is summed up alike whether or not all of its rows were added by this process', async () => {
  const [whole, interrupted] = [await openStore(), await openStore()]
  for (let added = 0; added < ROWS; added += 100) {
    for (const world of [whole, interrupted]) {
      world.add(100)
      world.addClockEvents(100)
    }
    // After a rollback, the rows of the newest block are read again.
    const rolledBack = () =>
      interrupted.store.transaction(() => {
        throw new Error('rolled back')
      })
    expect(rolledBack).toThrow('rolled back')
  }
  expect(whole.summaries().length).toBeGreaterThan(20)
  expect(interrupted.summaries()).toEqual(whole.summaries())
})

test('the types of events are told apart, and a block without any of them is skipped', async () => {
  const database = await openDatabase(':memory:', 'normal')
  const store = new Store(database, new SnapshotsInMemory(database))
  onTestFinished(() => store.close())
  const insert = database.prepare(
    'insert into journal (merchant, number, type, kind, object, created, api_version) values (1, ?, ?, 0, 1, 0, 0)',
  )
  for (let number = 1; number < BLOCK_ROWS; number += 1) insert.run(number, number % 100 === 0 ? 1 : 55)
  const newest = { seq: BLOCK_ROWS - 1, merchant: 1, created: 0 }
  new Blocks(store.statements).addedEvent('journal', newest, 55)
  const numbersOf = (...types: readonly number[]) =>
    store.journal
      .events({
        ...{ merchant: 1, created: [], limit: 3, order: 'newest first' },
        types: types.map((type) => ALL_EVENT_TYPES[type] as EventType),
      })
      .map(({ number }) => number)
  expect([numbersOf(1), numbersOf(55), numbersOf(1, 55)]).toEqual([
    [200, 100],
    [255, 254, 253],
    [255, 254, 253],
  ])
  // The block is not read: its summary has none of these types, whose bits were shared before.
  database.exec('update journal set type = 2 where type = 55')
  expect(numbersOf(2)).toEqual([])
  database.exec('update journal set type = 54 where type = 1')
  expect(numbersOf(54)).toEqual([])
})

test('blocks of events of test clocks without any of the types or instants are skipped', async () => {
  const { store, addClockEvents, clockEvents } = await openStore()
  addClockEvents(BLOCK_ROWS * 2)
  const [type] = CLOCK_EVENT_TYPES
  const found = (query: Partial<ClockEventQuery>) =>
    store.clockEvents.events({
      ...{ merchant: 1, types: [], created: [], limit: BLOCK_ROWS, order: 'newest first' },
      ...query,
    }).length
  expect(found({ types: [type] })).toBeGreaterThan(0)
  // The summaries no longer say that the blocks have these events, so only those of the newest block, which has none, are found.
  store.statements.once({ compile: (db) => sql`update block set types = 0, latest = 0`.compile(db) }).run({})
  const inTail = (event: ClockEvent) => event.merchant === 1 && event.seq >= BLOCK_ROWS * 2
  expect(found({ types: [type] })).toBe(clockEvents.filter((e) => inTail(e) && e.type === type).length)
  expect(found({ created: [{ compare: '>', to: 0 }] })).toBe(clockEvents.filter(inTail).length)
})

test.each([1, BLOCK_ROWS - 2, BLOCK_ROWS - 1, ROWS])(
  'a migration sums up %i earlier events of test clocks',
  async (rows) => {
    const { database, addClockEvents, summaries } = await openStore()
    addClockEvents(rows)
    const before = summaries()
    database.exec(`
      delete from block;
      drop index clock_event_by_number;
      create index clock_event_number on clock_event (merchant, number)`)
    up(database)
    expect(summaries()).toEqual(before)
    expect(before.length > 0).toBe(rows >= BLOCK_ROWS - 1)
  },
)
