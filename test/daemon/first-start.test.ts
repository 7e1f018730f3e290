import { describe, expect, test } from 'vitest'
import { asOperator, contents } from '../http/support.ts'
import { EVERYWHERE, PLACES } from '../places.ts'
import { openTwin, subscribe } from '../scenarios/story.ts'
import { startTwin } from '../twin.ts'

test('a refused first start leaves the database new', async () => {
  const database = PLACES['on disk']()
  const refused = startTwin({ database, seed: '1', now: '2026-01-31T10:00:00Z', secretKey: 'sk_test_short' })
  await expect(refused).rejects.toMatchObject({ code: 'parameter_invalid', param: 'secret' })
  // Options that count when the database is made can still be others.
  const twin = await openTwin({ database, seed: '2', now: '2030-01-01T00:00:00Z' })
  expect((await twin.get('/v1/test_helpers/clock')).now).toBe(1_893_456_000)
  expect((await asOperator(twin)('GET', 'merchants')).body.data).toHaveLength(1)
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
