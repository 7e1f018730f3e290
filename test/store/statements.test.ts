import Database from 'better-sqlite3'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { arg, literal, Statements } from '../../src/store/statements.ts'

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

test('a statement for one row fails if there is no such row', () => {
  const database = new Database(':memory:')
  database.exec('create table setting (name text primary key, value text)')
  database.exec("insert into setting values ('seed', '1')")
  const remove = new Statements(database).named('remove', (db) =>
    db.deleteFrom('setting').where('name', '=', arg<string>('name')),
  )
  remove.runOnOne({ name: 'seed' })
  expect(() => remove.runOnOne({ name: 'seed' })).toThrow('a statement for one row changes 0')
  database.close()
})

test('a query is compiled once for all databases', () => {
  const build = vi.fn(() => sql`select 1 as n`)
  for (let n = 0; n < 2; n += 1) {
    const database = new Database(':memory:')
    const one = new Statements(database).named('one', (db) => ({ compile: () => build().compile(db) }))
    expect(one.get({})).toEqual({ n: 1 })
    database.close()
  }
  expect(build).toHaveBeenCalledOnce()
})
