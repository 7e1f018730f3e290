import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { asOperator, contents } from '../http/support.ts'
import { EVERYWHERE, PLACES } from '../places.ts'
import { at, openTwin, subscribe } from '../scenarios/story.ts'
import { type Body, startTwin, type Twin } from '../twin.ts'

test('a refused first start leaves the database new', async () => {
  const database = PLACES['on disk']()
  const refused = startTwin({ database, seed: '1', now: '2026-01-31T10:00:00Z', secretKey: 'sk_live_short' })
  await expect(refused).rejects.toMatchObject({ code: 'parameter_invalid', param: 'secret' })
  // Options that count when the database is made can still be others.
  const twin = await openTwin({ database, seed: '2', now: '2030-01-01T00:00:00Z' })
  expect((await twin.get('/v1/test_helpers/clock')).now).toBe(1_893_456_000)
  expect((await asOperator(twin)('GET', 'merchants')).body.data).toHaveLength(1)
})

test('the API version of the default merchant is kept by a reset and the next start', async () => {
  const database = PLACES['on disk']()
  const given = { database, seed: '1', dialect: 'stripe' } as const
  const unknown = { code: 'parameter_invalid', param: 'api_version' }
  await expect(startTwin({ ...given, apiVersion: '2026-03-09' })).rejects.toMatchObject(unknown)
  const first = await startTwin({ ...given, apiVersion: '2024-06-20' })
  const versions = async (twin: Twin) =>
    (await asOperator(twin)('GET', 'merchants')).body.data.map(({ api_version }: Body) => api_version)
  expect(await versions(first)).toEqual(['2024-06-20'])
  expect((await asOperator(first)('POST', 'reset')).status).toBe(200)
  expect(await versions(first)).toEqual(['2024-06-20'])
  await first.close()
  const other = startTwin({ database, seed: null, clock: null, apiVersion: '2024-04-10' })
  await expect(other).rejects.toThrow(
    '--api-version differs from the value that this database was created with',
  )
  const again = await openTwin({ database, seed: null, clock: null, apiVersion: '2024-06-20' })
  expect(await versions(again)).toEqual(['2024-06-20'])
})

test.each([
  ["delete from setting where name = 'seed'", 'its seed is missing'],
  ["delete from setting where name = 'clock'", 'the start of its clock is missing'],
  ["update setting set value = 'lime' where name = 'clock'", 'the setting clock is invalid'],
  ["delete from setting where name in ('seed', 'clock')", 'its seed is missing'],
])('a used database is refused and keeps its content after: %s', async (damage, why) => {
  const database = PLACES['on disk']()
  const twin = await openTwin({ database, seed: '1' })
  await twin.post('/v1/customers', { name: 'Ada' })
  await twin.close()
  new Sqlite(database).exec(damage).close()
  const refused = startTwin({ database, seed: null, clock: null })
  await expect(refused).rejects.toThrow(`${database} is damaged or not a paytwin database (${why})`)
  const kept = new Sqlite(database)
  expect(kept.prepare('select name from customer').pluck().all()).toEqual(['Ada'])
  kept.close()
})

test.each([
  ["update merchant set notices = 'x'", 'the value notices of the merchant mer_[A-Za-z0-9]+ is invalid'],
  ["update merchant set mails = '{}'", 'the value mails of the merchant mer_[A-Za-z0-9]+ is invalid'],
  ['delete from merchant', 'its default merchant is missing'],
  ['update merchant set generation = 2', 'its default merchant is missing'],
  ['delete from clock where is_test = 0', 'the merchant mer_[A-Za-z0-9]+ has no clock'],
  ["update clock set mode = 'x' where is_test = 1", 'the state of the clock [a-z_A-Z0-9]+ is invalid'],
  ["update api_key set type = 'x'", 'the type of the key key_[A-Za-z0-9]+ is invalid'],
  ["update setting set value = '1' where name = 'state'", 'the setting state is invalid'],
  ["update setting set value = '[' where name = 'fixtures'", 'the setting fixtures is invalid'],
  ["insert into setting values ('dialect', 'x')", 'the setting dialect is invalid'],
])('a database is refused, and no byte of it or its log changes, after: %s', async (damage, why) => {
  const [database, killed] = [PLACES['on disk'](), PLACES['on disk']()]
  const fixtures = () => [{ name: 'a.json', content: { customers: [{ name: 'Ada' }] } }]
  const twin = await openTwin({ database, seed: '1', fixtures })
  await twin.post('/v1/test_helpers/test_clocks', { frozen_time: at('2026-02-01') })
  await twin.close()
  const damaged = new Sqlite(database)
  damaged.pragma('journal_mode = wal')
  expect(damaged.prepare(damage).run().changes).toBeGreaterThan(0)
  for (const end of ['', '-wal']) copyFileSync(database + end, killed + end)
  damaged.close()
  for (const path of [database, killed]) {
    const files = [path, `${path}-wal`].filter((file) => existsSync(file))
    const bytes = () => files.map((file) => readFileSync(file).toString('base64'))
    const before = bytes()
    const refused = startTwin({ database: path, seed: null, clock: null })
    await expect(refused).rejects.toThrow(
      new RegExp(
        `^${path} is damaged or not a paytwin database \\(${why}\\)\\. It was not changed\\. Restore a copy`,
      ),
    )
    expect(bytes()).toEqual(before)
  }
})

describe.each(EVERYWHERE)('%s a reset that fails midway', (place) => {
  test('changes nothing, and the next start succeeds', async () => {
    const errors: unknown[] = []
    const reportError = (error: unknown) => errors.push(error)
    const twin = await openTwin({ database: PLACES[place](), reportError })
    const first = await contents(twin)
    await subscribe(twin)
    const before = await contents(twin)
    const { clocks } = twin.sandbox.engine.store
    const add = clocks.add.bind(clocks)
    clocks.add = () => {
      throw new Error('the disk is full')
    }
    expect((await asOperator(twin)('POST', 'reset')).status).toBe(500)
    expect(String(errors)).toContain('the disk is full')
    clocks.add = add
    expect(await contents(twin)).toEqual(before)
    expect((await asOperator(twin)('POST', 'reset')).status).toBe(200)
    expect(await contents(twin)).toEqual(first)
  })
})
