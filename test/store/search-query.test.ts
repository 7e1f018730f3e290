import type Sqlite from 'better-sqlite3'
import type { RawBuilder } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import {
  countQuery,
  rowsQuery,
  type Search,
  type SearchClause,
  searchQuery,
} from '../../src/store/search-query.ts'
import { Statements } from '../../src/store/statements.ts'
import type { StoredKind } from '../../src/store/stored-kind.ts'
import { firstTextQuery, placesQuery } from '../../src/store/text-places.ts'

let database: Sqlite.Database
beforeAll(async () => {
  database = await openDatabase(':memory:', 'normal')
})
afterAll(() => database.close())

const NO_BOUNDS = { isAbove: false, isBelow: false }
const all = (...clauses: SearchClause[]): Search => ({ joined: 'and', clauses })
const same = (column: string): SearchClause => ({
  operand: { column },
  comparison: { same: 'x' },
  isNegated: false,
})
const is = (column: string): SearchClause => ({
  operand: { column },
  comparison: { is: 'x' },
  isNegated: false,
})

/** Returns the steps of the plan of a search. */
const planOf = (kind: StoredKind, search: Search, bounds = NO_BOUNDS): string[] =>
  planOfQuery(searchQuery(kind, search, bounds, 11).query)

function planOfQuery(query: RawBuilder<object>): string[] {
  let text = ''
  const prepare = (sql: string) => {
    text = sql
    return database.prepare(sql)
  }
  new Statements({ prepare } as unknown as Sqlite.Database).once(query)
  const nothing = (text.match(/\?/g) ?? []).map(() => null)
  const rows = database.prepare(`explain query plan ${text}`).all(...nothing) as { detail: string }[]
  return rows.map(({ detail }) => detail)
}

describe('a search', () => {
  test.each([
    ['subscription', is('customer'), 'SEARCH subscription USING INDEX subscription_customer (customer=?)'],
    ['invoice', is('customer'), 'SEARCH invoice USING INDEX invoice_customer (customer=? AND deleted=?)'],
    ['invoice', is('subscription'), 'SEARCH invoice USING INDEX invoice_subscription (subscription=?)'],
    ['price', is('product'), 'SEARCH price USING INDEX price_product (product=?)'],
    ['charge', is('customer'), 'SEARCH charge USING INDEX charge_customer (customer=?)'],
    [
      'payment_intent',
      is('customer'),
      'SEARCH payment_intent USING INDEX payment_intent_customer (customer=?)',
    ],
  ] as const)(
    'for a %s by an indexed column reads the index, and the rows that it names',
    (kind, clause, step) => {
      const plan = planOf(kind, all(clause))
      expect(plan).toContain(step)
      expect(plan.join()).not.toContain('TEMP B-TREE')
    },
  )

  test.each([
    ['customer', 'email', ' AND deleted=?'],
    ['price', 'lookup_key', ''],
  ] as const)(
    'for a %s by a text in an index reads places in the index, and then the rows that they name',
    (kind, column, present) => {
      const index = `SEARCH ${kind} USING COVERING INDEX ${kind}_${column}`
      expect(planOfQuery(firstTextQuery(kind, column))).toEqual([`${index} (merchant=? AND ${column}>?)`])
      expect(planOfQuery(placesQuery(kind, column, 200))).toEqual([
        `${index} (merchant=? AND ${column}=?${present} AND rowid>? AND rowid<?)`,
      ])
      expect(planOfQuery(placesQuery(kind, undefined, 200))).toEqual([
        `SEARCH ${kind} USING COVERING INDEX ${kind}_merchant (merchant=? AND rowid>? AND rowid<?)`,
      ])
      for (const plan of [
        planOf(kind, all(same(column))),
        planOfQuery(rowsQuery(kind, all(same(column)), 100)),
      ]) {
        expect(plan[0]).toBe(`SEARCH ${kind} USING INTEGER PRIMARY KEY (rowid=?)`)
        expect(plan.join()).not.toContain('TEMP B-TREE')
      }
    },
  )

  test('by a status reads the newest rows with it', () => {
    const [step] = planOf('subscription', all(is('status')))
    expect(step).toBe(
      'SEARCH subscription USING COVERING INDEX subscription_status (merchant=? AND status=?)',
    )
  })

  test('by anything else reads the rows of the merchant from the newest', () => {
    const bounds = { isAbove: true, isBelow: true }
    expect(planOf('product', all(same('name')), bounds)).toEqual([
      'SEARCH product USING INDEX product_merchant (merchant=? AND rowid>? AND rowid<?)',
    ])
    expect(planOf('customer', all(same('name')), bounds)).toEqual([
      'SEARCH customer USING COVERING INDEX customer_text (merchant=? AND seq>? AND seq<?)',
    ])
  })

  test('by a creation time reads only the rows in between', () => {
    const created: SearchClause = {
      operand: { column: 'created' },
      comparison: { compare: '>', to: 5 },
      isNegated: false,
    }
    expect(planOf('customer', all(created), { isAbove: true, isBelow: true })[0]).toMatch(/rowid[<>]\?/)
  })

  test.each([
    ['customer', 'customer phone'],
    ['charge', 'billing postal_code'],
    ['charge', 'card last4'],
  ] as const)(
    'for a %s by the %s reads the rows from the newest, and parses the JSON of each once',
    (kind, nested) => {
      const clause: SearchClause = { operand: { nested }, comparison: { same: 'x' }, isNegated: false }
      for (const joined of ['and', 'or'] as const) {
        const plan = planOf(
          kind,
          { joined, clauses: Array(10).fill(clause) },
          { isAbove: true, isBelow: true },
        )
        expect(plan[0]).toContain(`SEARCH ${kind} USING`)
        expect(plan.join()).not.toContain('TEMP B-TREE')
        expect(plan.filter((step) => step.includes('VIRTUAL TABLE'))).toHaveLength(1)
      }
    },
  )

  test('counts up to a limit', () => {
    const { query } = countQuery('customer', all(same('name')), NO_BOUNDS, 10_000)
    const statement = new Statements(database).once<{ count: number }>(query)
    expect(statement.get({ merchant: 1, 'clause 0': 'x' })).toEqual({ count: 0 })
  })
})

describe('the rows of a search', () => {
  const planOfChunks = (kind: StoredKind, search: Search) => planOfQuery(rowsQuery(kind, search, 100))

  test('are divided along the index by which they are read', () => {
    expect(planOfChunks('customer', all(same('name')))).toEqual([
      'SEARCH customer USING INDEX customer_merchant (merchant=? AND rowid>? AND rowid<?)',
    ])
    for (const [kind, column, present = ''] of [
      ['subscription', 'customer'],
      ['invoice', 'customer', ' AND deleted=?'],
      ['invoice', 'subscription'],
      ['price', 'product'],
      ['charge', 'customer'],
      ['payment_intent', 'customer'],
    ] as const)
      expect(planOfChunks(kind, all(same('currency'), is(column)))).toEqual([
        `SEARCH ${kind} USING INDEX ${kind}_${column} (${column}=?${present} AND rowid>? AND rowid<?)`,
      ])
  })
})
