import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { literal, Statements } from '../../src/store/statements.ts'

test('of too many statements the first ones are dropped, and compiled again when they are needed', () => {
  const database = new Database(':memory:')
  const statements = new Statements(database, 3)
  const read = (n: number) =>
    statements.named<{ n: number }>(`number ${n}`, (db) => db.selectNoFrom(literal(n).as('n'))).get({})
  for (let n = 0; n < 10; n += 1) expect(read(n)).toEqual({ n })
  expect([...statements.texts.keys()]).toEqual(['number 7', 'number 8', 'number 9'])
  expect(read(0)).toEqual({ n: 0 })
  expect([...statements.texts.keys()]).toEqual(['number 8', 'number 9', 'number 0'])
  database.close()
})
