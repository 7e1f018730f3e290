import { expect, onTestFinished, test, vi } from 'vitest'
import type { Charge } from '../../src/core/charge.ts'
import { NO_ADDRESS } from '../../src/core/contact.ts'
import { openDatabase } from '../../src/store/database.ts'
import type { Comparison, Operand, Search } from '../../src/store/search-query.ts'
import { SnapshotsInMemory } from '../../src/store/snapshots-in-memory.ts'
import { Statement } from '../../src/store/statements.ts'
import { Store } from '../../src/store/store.ts'
import { aCard, aCustomer, anOpenInvoice, NOW } from '../core/objects.ts'

const OWNER = 1
const ROWS = 10
/** A text of the maximum length, which is six times as long in JSON. */
const LONG = '\u0001'.repeat(5_000)
const LONG_ADDRESS = { ...NO_ADDRESS, city: LONG, line1: LONG, line2: LONG, state: LONG, postal_code: LONG }

const CARD = { last4: '1234', exp_month: 11, exp_year: 2098, fingerprint: 'large' }

const aCharge = (given: Partial<Charge>): Charge => ({
  id: 'ch_1',
  created: NOW,
  status: 'succeeded',
  amount: 1_000,
  amount_refunded: 0,
  currency: 'usd',
  customer: 'cus_1',
  payment_intent: 'pi_1',
  invoice: null,
  payment_method: 'pm_1',
  failure_code: null,
  failure_message: null,
  decline_code: null,
  dispute: null,
  metadata: {},
  ...given,
})

/** Stores customers, invoices, and charges of one payment method. */
async function openStore({ isLarge }: { readonly isLarge: boolean }): Promise<Store> {
  const database = await openDatabase(':memory:', 'normal')
  const store = new Store(database, new SnapshotsInMemory(database))
  onTestFinished(() => store.close())
  const [text, address] = isLarge ? [LONG, LONG_ADDRESS] : ['short', NO_ADDRESS]
  const shipping = { address, name: text, phone: text }
  const contact = { address, phone: `${text}123`, preferred_locales: [], shipping }
  const { objects } = store
  const { card } = aCard()
  const details = { address: { ...address, postal_code: `${text}456` }, email: null, name: text, phone: text }
  const large = aCard({ id: 'pm_1', card: card && { ...card, ...CARD }, billing_details: details })
  objects.insert('payment_method', OWNER, large)
  objects.insert(
    'payment_method',
    OWNER,
    aCard({ id: 'pm_2', card: card && { ...card, brand: 'mastercard' } }),
  )
  for (let n = 0; n < ROWS; n += 1) {
    objects.insert('customer', OWNER, aCustomer({ id: `cus_${n}`, contact }))
    objects.insert('charge', OWNER, aCharge({ id: `ch_${n}` }))
    const [line] = anOpenInvoice().lines
    const lines = isLarge && line ? Array(500).fill(line) : anOpenInvoice().lines
    objects.insert('invoice', OWNER, anOpenInvoice({ id: `in_${n}`, lines }))
  }
  objects.insert('customer', OWNER, aCustomer({ id: 'cus_none' }))
  for (const payment_method of ['pm_2', 'pm_unknown', null])
    objects.insert('charge', OWNER, aCharge({ id: `ch_${payment_method}`, payment_method }))
  return store
}

type SearchedKind = 'customer' | 'charge' | 'invoice'

/** Values in large JSON, or in columns behind it. */
const VALUES: readonly (readonly [SearchedKind, Operand, Comparison])[] = [
  ['customer', { nested: 'customer phone' }, { contains: '123' }],
  ['charge', { nested: 'billing postal_code' }, { contains: '456' }],
  ['charge', { nested: 'card brand' }, { is: 'visa' }],
  ['charge', { nested: 'card last4' }, { is: '1234' }],
  ['charge', { nested: 'card exp_month' }, { is: 11 }],
  ['charge', { nested: 'card exp_year' }, { compare: '<', to: 2099 }],
  ['charge', { nested: 'card fingerprint' }, { is: 'large' }],
  ['invoice', { column: 'total' }, { compare: '>', to: 1 }],
]

/** Runs a search of ten clauses, of which the last one finds objects, and counts its steps. */
function idsOf(store: Store, kind: SearchedKind, operand: Operand, comparison: Comparison) {
  const none = { operand, comparison: { is: 'none' }, isNegated: false }
  const search: Search = {
    joined: 'or',
    clauses: [...Array(9).fill(none), { operand, comparison, isNegated: false }],
  }
  const steps = store.search.list(kind, OWNER, search, { limit: 100 })
  for (let count = 1; ; count += 1) {
    const step = steps.next()
    if (step.done) return { count, ids: step.value.rows.map(({ id }) => id) }
  }
}

test.each(VALUES)(
  'a step of a search for a %s by %j reads one large row',
  async (kind, operand, comparison) => {
    const [large, small] = [await openStore({ isLarge: true }), await openStore({ isLarge: false })].map(
      (store) => idsOf(store, kind, operand, comparison),
    )
    expect(large?.ids).toHaveLength(ROWS)
    expect(large?.count).toBeGreaterThanOrEqual(ROWS)
    expect(small).toEqual({ count: 2, ids: large?.ids })
  },
)

test('objects without a value in JSON are found by its absence', async () => {
  const store = await openStore({ isLarge: false })
  const found = (kind: SearchedKind, operand: Operand) => idsOf(store, kind, operand, { isNull: true }).ids
  expect(found('customer', { nested: 'customer phone' })).toEqual(['cus_none'])
  expect(found('charge', { nested: 'card last4' })).toEqual(['ch_null', 'ch_pm_unknown'])
  expect(found('charge', { nested: 'billing postal_code' })).toEqual(['ch_null', 'ch_pm_unknown', 'ch_pm_2'])
})

/** Runs steps, and returns the result with the most rows that one of them reads from statements. */
function mostRows<T>(steps: Generator<void, T>): { result: T; most: number } {
  let [read, most] = [0, 0]
  for (const method of ['all', 'allWithin'] as const) {
    const real = Statement.prototype[method] as (...given: unknown[]) => unknown
    const counting = function (this: unknown, ...given: unknown[]) {
      const found = Reflect.apply(real, this, given) as unknown[] | { rows: unknown[] }
      read += 'rows' in found ? found.rows.length : found.length
      return found
    }
    vi.spyOn(Statement.prototype, method).mockImplementation(counting as never)
  }
  for (;;) {
    read = 0
    const step = steps.next()
    most = Math.max(most, read)
    if (!step.done) continue
    vi.restoreAllMocks()
    return { result: step.value, most }
  }
}

const byEmail = (email: string): Search => ({
  joined: 'and',
  clauses: [{ operand: { column: 'email' }, comparison: { same: email }, isNegated: false }],
})

const spelled = (n: number) =>
  [...'abcdefgh'].map((letter, place) => (n & (1 << place) ? letter.toUpperCase() : letter)).join('')

test.each([
  ['one spelling', 1],
  ['four spellings', 4],
  ['very many spellings', 256],
])('no step of a search by an email address with %s reads many rows', async (_, spellings) => {
  const store = await openStore({ isLarge: false })
  for (let n = 0; n < 3_000; n += 1) {
    const email = n % 3 === 0 ? `other${n}@example.com` : `${spelled(n % spellings)}@example.com`
    store.objects.insert('customer', OWNER, aCustomer({ id: `cus_of_${n}`, email }))
  }
  const expected = Array.from({ length: 3_000 }, (_, n) => 2_999 - n).filter((n) => n % 3 !== 0)
  const search = byEmail('aBcdefgh@example.com')
  const count = mostRows(store.search.count('customer', OWNER, search, 10_000))
  expect(count.result).toBe(2_000)
  const list = mostRows(store.search.list('customer', OWNER, search, { limit: 101 }))
  expect(list.result.rows.map(({ id }) => id)).toEqual(expected.slice(0, 101).map((n) => `cus_of_${n}`))
  expect(Math.max(count.most, list.most)).toBeLessThan(1_500)
})

test('a search lists objects as they are when it ends, without those that were deleted meanwhile', async () => {
  const store = await openStore({ isLarge: false })
  const customer = (n: number) => aCustomer({ id: `cus_of_${n}`, name: n % 300 === 0 ? 'Ada' : 'Bob' })
  for (let n = 0; n < 1_201; n += 1) store.objects.insert('customer', OWNER, customer(n))
  const search: Search = {
    joined: 'and',
    clauses: [{ operand: { column: 'name' }, comparison: { same: 'ada' }, isNegated: false }],
  }
  const steps = store.search.list('customer', OWNER, search, { limit: 3 })
  // The first two are found.
  for (let step = 0; step < 2; step += 1) expect(steps.next().done).toBe(false)
  store.objects.update('customer', OWNER, {
    before: customer(1_200),
    after: { ...customer(1_200), deleted: true },
  })
  store.objects.update('customer', OWNER, { before: customer(900), after: { ...customer(900), name: 'Eve' } })
  for (;;) {
    const { done, value } = steps.next()
    if (!done) continue
    expect(value.rows.map(({ id, name }) => [id, name])).toEqual([
      ['cus_of_900', 'Eve'],
      ['cus_of_600', 'Ada'],
      ['cus_of_300', 'Ada'],
    ])
    return
  }
})
