import type Sqlite from 'better-sqlite3'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import { arg, Statements } from '../../src/store/statements.ts'
import { contains } from '../../src/store/text-search.ts'

let database: Sqlite.Database
beforeAll(async () => {
  database = await openDatabase(':memory:', 'normal')
})
afterAll(() => database.close())

const isFound = (text: string | null, part: string): unknown => {
  const query = contains(arg('text'), arg('part'))
  const statement = new Statements(database).once<{ found: number | null }>(sql`select ${query} as found`)
  return statement.get({ text, part })?.found
}

// Short texts are searched by SQLite, long ones by a function of paytwin.
test.each([0, 500, 5_000])(
  'a part is found regardless of the case of ASCII letters, among %i others',
  (length) => {
    const around = (text: string) => `${'x'.repeat(length)}${text}${'Y'.repeat(length)}`
    for (const [text, part, found] of [
      ['Ada Lovelace', 'LOVE', 1],
      ['Ada Lovelace', 'a l', 1],
      ['Ada Lovelace', 'loves', 0],
      ['Käthe Ärmel', 'THE Ä', 1],
      ['Käthe Ärmel', 'the ä', 0],
      ['İstanbul 100%', 'İSTANBUL 100%', 1],
      ['100 of 100', '100%', 0],
      ['a_b', 'a_b', 1],
      ['a-b', 'a_b', 0],
    ] as const)
      expect([text, part, isFound(around(text), part)]).toEqual([text, part, found])
  },
)

test('each text is searched anew', () => {
  const [one, other] = ['one', 'other'].map((word) => word.repeat(200)) as [string, string]
  expect([isFound(one, 'one'), isFound(other, 'one'), isFound(one, 'one')]).toEqual([1, 0, 1])
})

test('a long text is converted to lower case once, also with short ones between', () => {
  const [long, short] = ['Äa'.repeat(1_000), 'Äb'.repeat(200)] as [string, string]
  const replace = vi.spyOn(String.prototype, 'replace')
  const found = [isFound(long, 'aä'), isFound(short, 'bÄ'), isFound(long, 'aÄ'), isFound(short, 'bä')]
  const converted = replace.mock.contexts.map(String)
  replace.mockRestore()
  expect(found).toEqual([0, 1, 1, 0])
  expect([long, short].map((text) => converted.filter((each) => each === text).length)).toEqual([1, 2])
})

test('no text contains nothing', () => {
  expect(isFound(null, 'any')).toBeNull()
})
