import type Sqlite from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Objects } from '../../src/core/kinds.ts'
import { codecOf } from '../../src/store/codec.ts'
import { RowDamaged } from '../../src/store/damage.ts'
import { openDatabase } from '../../src/store/database.ts'
import { KEYFRAME_ENTRIES } from '../../src/store/keyframes.ts'
import { Place } from '../../src/store/place.ts'
import { SnapshotsInMemory } from '../../src/store/snapshots-in-memory.ts'
import { Store } from '../../src/store/store.ts'

type Product = Objects['product']
/** The state after a journal entry. */
type Recorded = { readonly seq: number; readonly created: number; readonly products: readonly Product[] }

const CONTEXT = { merchant: 1, api_version: 0, request: null, idempotency_key: null } as const
const NEW: Product = {
  id: '',
  created: 0,
  name: 'new',
  active: true,
  description: null,
  default_price: null,
  metadata: {},
  details: null,
}

/** A store with some products, and a list of their states after each journal entry. */
async function openStore(count = 3) {
  const database = await openDatabase(':memory:', 'normal')
  const store = new Store(database, new SnapshotsInMemory(database))
  onTestFinished(() => store.close())
  const recorded: Recorded[] = []
  const products = Array.from({ length: count }, (_, n): Product => ({ ...NEW, id: `prod_${n}` }))
  const append = (place: Place, created: number, after: Product, replaced: Partial<Product> | null) => {
    const previous = place.link(store.journal.next)
    const { entryCount } = place
    const event = { type: 'product.updated', number: store.journal.next } as const
    const text = replaced && JSON.stringify(replaced)
    const links = { place, previous, entryCount }
    return { kind: 'product', ...links, after: () => after, replaced: text, event, created } as const
  }
  const record = (created: number) =>
    recorded.push({ seq: store.journal.head(null), created, products: [...products] })
  store.transaction(() => {
    for (const product of products) {
      const place = new Place()
      const entry = append(place, 0, product, null)
      store.objects.insert('product', 1, product, place)
      store.journal.append({ ...CONTEXT, created: 0, entries: [entry] })
      record(0)
    }
  })
  /** Changes a product at an instant: its name and, every third time, its metadata. */
  const update = (n: number, created: number) => {
    const before = products[n] ?? NEW
    const change = {
      name: `${created}-${recorded.length}`,
      ...(recorded.length % 3 === 0 && { metadata: { n: String(recorded.length) } }),
    }
    const after = { ...before, ...change }
    const replaced = Object.fromEntries(
      Object.keys(change).map((name) => [name, before[name as keyof Product]]),
    )
    const place = store.objects.placeOf('product', 1, after.id)
    const entry = append(place, created, after, replaced)
    store.objects.update('product', 1, { before, after }, place)
    store.journal.append({ ...CONTEXT, created, entries: [entry] })
    products[n] = after
    record(created)
  }
  return { database, store, recorded, products, update }
}

type World = Awaited<ReturnType<typeof openStore>>

/** Changes one product much more often than the others, several times at each instant. */
const fill = ({ store, update }: World, count: number) =>
  store.transaction(() => {
    for (let n = 0; n < count; n += 1) update(n % 10 === 0 ? 1 + ((n / 10) % 2) : 0, Math.floor(n / 7))
  })

/**
 * Opens a second store that counts the journal rows that SQLite reads, also within a statement. Its journal is a view that
 * counts the reads of a column that every query needs.
 */
function countingStore(database: Sqlite.Database): { store: Store; take: () => number } {
  let count = 0
  database.function('counted', { deterministic: false }, (value: unknown) => {
    count += 1
    return value
  })
  const columns = (database.pragma('table_info(journal)') as { name: string }[]).map(({ name }) =>
    name === 'previous' ? 'counted(previous) as previous' : `"${name}"`,
  )
  database.exec(`create temp view journal as select ${columns.join(', ')} from main.journal`)
  const store = new Store(database, new SnapshotsInMemory(database))
  const take = () => {
    const taken = count
    count = 0
    return taken
  }
  return { store, take }
}

const ORDERS: readonly (readonly [string, (entries: readonly Recorded[]) => readonly Recorded[]])[] = [
  ['newest first', (entries) => entries.toReversed()],
  ['oldest first', (entries) => entries],
  ['in any order', (entries) => entries.map((_, n) => entries[(n * 37) % entries.length] as Recorded)],
]

describe('an object as of a journal entry', () => {
  test.each(ORDERS)('has its state at that time, read %s', async (_order, inOrder) => {
    const world = await openStore()
    fill(world, 500)
    const one = world.store.openHistory()
    for (const { seq, products } of inOrder(world.recorded)) {
      for (const [n, product] of products.entries()) {
        if (seq < n + 1) continue
        expect(one.asOf('product', n + 1, seq)).toEqual(product)
        expect(world.store.openHistory().asOf('product', n + 1, seq)).toEqual(product)
      }
    }
  })

  test('before its first entry has the state that this entry created', async () => {
    const world = await openStore()
    fill(world, 30)
    expect(world.store.openHistory().asOf('product', 3, 1)).toEqual({ ...NEW, id: 'prod_2' })
  })

  test('has its fields in the order of an object that was just read', async () => {
    const world = await openStore()
    fill(world, 300)
    const names = codecOf('product').fields.map(({ name }) => name)
    for (const seq of [1, 100, 303])
      expect(Object.keys(world.store.openHistory().asOf('product', 1, seq))).toEqual(names)
  })
})

describe('an object as of an instant', () => {
  test('has the state after the last entry until then', async () => {
    const world = await openStore()
    fill(world, 500)
    const one = world.store.openHistory()
    for (let instant = 71; instant >= 0; instant -= 1) {
      const then = world.recorded.findLast(({ created }) => created <= instant)
      for (const n of [0, 1, 2]) {
        const product = then?.products[n]
        expect(one.at('product', n + 1, instant)).toEqual(product)
        expect(world.store.openHistory().at('product', n + 1, instant)).toEqual(product)
      }
    }
  })

  test('is undefined before it was created', async () => {
    const world = await openStore()
    fill(world, 500)
    expect(world.store.openHistory().at('product', 1, -1)).toBeUndefined()
  })
})

describe('the chain of an object', () => {
  test('continues from its previous end after a rollback', async () => {
    const world = await openStore()
    fill(world, 200)
    const { store, recorded, products, update } = world
    store.transaction(() => {
      update(0, 90)
      const [length, before] = [recorded.length, [...products]]
      expect(() =>
        store.savepoint(() => {
          for (let n = 0; n < 100; n += 1) update(n % 3, 91)
          throw new Error('rolled back')
        }),
      ).toThrow('rolled back')
      recorded.length = length
      products.splice(0, 3, ...before)
      for (let n = 0; n < 100; n += 1) update(n % 3, 92)
    })
    const history = store.openHistory()
    for (const { seq, products } of recorded.slice(10))
      expect([1, 2, 3].map((n) => history.asOf('product', n, seq))).toEqual(products)
  })

  test('has a keyframe at every 64th entry', async () => {
    const { store, database, update } = await openStore(1)
    store.transaction(() => {
      for (let n = 0; n < 3 * KEYFRAME_ENTRIES; n += 1) update(0, n)
    })
    const entries = database.prepare('select entry from keyframe order by entry').pluck().all()
    expect(entries).toEqual([1, 2, 3].map((n) => n * KEYFRAME_ENTRIES))
  })
})

/** Inserts a row with values in all columns that may not be null. @returns its id */
function insertSubscription(database: Sqlite.Database): string {
  const columns = database
    .prepare('select name, type from pragma_table_info(\'subscription\') where "notnull" or pk')
    .all() as { name: string; type: string }[]
  const names = columns.map(({ name }) => name).join()
  const values = columns.map(({ type }) => (type === 'TEXT' ? "'{}'" : 1)).join()
  database.exec(`insert into subscription (${names}) values (${values})`)
  return '{}'
}

/** Entries of the first subscription, one for every second from 1 on. */
function appendEntries(store: Store, count: number): void {
  const place = new Place(1)
  const after = () => ({ id: '' }) as Objects['subscription']
  for (let created = 1; created <= count; created += 1) {
    const previous = place.link(store.journal.next)
    const links = { place, previous, entryCount: place.entryCount }
    const entry = { kind: 'subscription', ...links, after, replaced: null, event: null } as const
    store.journal.append({ ...CONTEXT, created, entries: [entry] })
  }
}

describe('the number of journal rows read', () => {
  const LENGTH = 20_000
  const PAGE = 100

  test('is the same for every page, whatever its position and order', async () => {
    const world = await openStore(1)
    world.store.transaction(() => {
      for (let n = 0; n < LENGTH; n += 1) world.update(0, n)
    })
    const { store, take } = countingStore(world.database)
    for (const first of [1, 2, 5_000, LENGTH / 2, LENGTH - PAGE]) {
      for (const [, inOrder] of ORDERS) {
        const history = store.openHistory()
        for (const { seq, products } of inOrder(world.recorded.slice(first, first + PAGE)))
          expect(history.asOf('product', 1, seq)).toEqual(products[0])
        expect(take()).toBeLessThanOrEqual(PAGE + KEYFRAME_ENTRIES)
      }
    }
  })

  test('is small for any instant', async () => {
    const world = await openStore(1)
    world.store.transaction(() => {
      for (let n = 0; n < LENGTH; n += 1) world.update(0, n)
    })
    const { store, take } = countingStore(world.database)
    for (const instant of [0, 1, 70, LENGTH / 2, LENGTH - 2]) {
      const then = world.recorded.findLast(({ created }) => created <= instant)
      expect(store.openHistory().at('product', 1, instant)).toEqual(then?.products[0])
      // Once to find the entry, once to undo the later ones.
      expect(take()).toBeLessThanOrEqual(2 * KEYFRAME_ENTRIES)
    }
  })

  test('is small for the newest changes until any instant', async () => {
    const { database, store } = await openStore(0)
    const id = insertSubscription(database)
    store.transaction(() => appendEntries(store, LENGTH))
    database.exec(`update subscription set newest_entry = ${LENGTH}, entry_count = ${LENGTH}`)
    const { store: counting, take } = countingStore(database)
    for (const until of [PAGE, LENGTH / 2, LENGTH, undefined]) {
      const entries = counting.past.entries({ kind: 'subscription', id }, { until, limit: PAGE })
      const last = until ?? LENGTH
      expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: PAGE }, (_, n) => last - n))
      // Each is read twice: in the chain, and for its content.
      expect(take()).toBeLessThanOrEqual(2 * (PAGE + KEYFRAME_ENTRIES))
    }
  })
})

describe('without one of the entries', () => {
  const LOST = 20
  const OBJECT = 1
  /** A store in which an entry of the first product is missing, as if the end of its page were overwritten. */
  async function openDamaged() {
    const world = await openStore()
    fill(world, 40)
    const { database, store } = world
    const { changes } = database.prepare('delete from journal where seq = ? and object = ?').run(LOST, OBJECT)
    expect(changes).toBe(1)
    return store
  }

  test('a state from before it cannot be reconstructed', async () => {
    const store = await openDamaged()
    const place = { kind: 'product', object: OBJECT } as const
    expect(() => store.openHistory().asOf('product', OBJECT, LOST - 3)).toThrow(RowDamaged)
    const loaded = store.openHistory()
    loaded.load([
      { ...place, entry: LOST - 3 },
      { ...place, entry: LOST + 3 },
    ])
    expect(() => loaded.asOf('product', OBJECT, LOST - 3)).toThrow(RowDamaged)
    expect(() => store.openHistory().at('product', OBJECT, 0)).toThrow(RowDamaged)
  })

  test('a state from after it can', async () => {
    const store = await openDamaged()
    expect(store.openHistory().asOf('product', OBJECT, LOST + 3)).toMatchObject({ id: 'prod_0' })
    expect(store.openHistory().at('product', OBJECT, 5)).toMatchObject({ id: 'prod_0' })
  })

  test.each(['newest first', 'oldest first'] as const)(
    'the events of the object are not listed, %s',
    async (order) => {
      const store = await openDamaged()
      const newestEntry = store.objects.placeOf('product', 1, 'prod_0').newestEntry ?? 0
      const query = {
        kind: 'product',
        object: OBJECT,
        newestEntry,
        types: [],
        created: [],
        limit: 100,
        order,
      } as const
      expect(() => store.journal.eventsOfObject(query)).toThrow(RowDamaged)
      expect(store.journal.eventsOfObject({ ...query, above: LOST }).length).toBeGreaterThan(10)
    },
  )
})
