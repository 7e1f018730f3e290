import { describe, expect, onTestFinished, test } from 'vitest'
import { CommandRefused } from '../../src/engine/machine/unit.ts'
import { createTestClock, deleteTestClock } from '../../src/engine/resources/test-clock.ts'
import { fillDisk } from '../disk.ts'
import { startTwin, type Twin } from '../twin.ts'

const PATH = '/v1/test_helpers/test_clocks'

/** Returns the id that the next test clock will have. */
async function nextId({ sandbox: { engine, merchant } }: Twin): Promise<string> {
  let id = ''
  const rolledBack = engine.command(merchant, null, (unit) => {
    id = createTestClock(unit, { frozen_time: 5 }).id
    throw new CommandRefused()
  })
  await expect(rolledBack).rejects.toThrow(CommandRefused)
  return id
}

test('a deleted test clock is not kept in memory, and is still found', async () => {
  const twin = await startTwin()
  onTestFinished(() => twin.close())
  const { engine, merchant } = twin.sandbox
  const { id } = await engine.command(merchant, null, (unit) => createTestClock(unit, { frozen_time: 5 }))
  const clock = merchant.testClocks.named(id)
  const failing = engine.command(merchant, null, (unit) => {
    deleteTestClock(unit, id)
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  expect(merchant.testClocks.find(id)).toBe(clock)
  const found = await engine.command(merchant, null, (unit) => {
    deleteTestClock(unit, id)
    return merchant.testClocks.find(id)
  })
  expect(found).toBe(clock)
  const [first, second] = [merchant.testClocks.find(id), merchant.testClocks.find(id)]
  expect(first).toMatchObject({ id, isDeleted: true, instant: 5 })
  expect(first).not.toBe(clock)
  expect(second).not.toBe(first)
})

describe('a test clock whose creation is rolled back does not exist', () => {
  test('although another command of the same transaction has used it', async () => {
    const twin = await startTwin({ reportError: () => undefined })
    onTestFinished(() => twin.close())
    const kept = await twin.post(PATH, { frozen_time: 1 })
    const { testClocks } = twin.sandbox.merchant
    const known = testClocks.named(kept.id)
    const id = await nextId(twin)
    const makeRoom = fillDisk(twin)
    const responses = await Promise.all([
      twin.request('POST', PATH, { frozen_time: 5 }),
      twin.request('POST', '/v1/customers', { test_clock: id }),
      twin.request('POST', '/v1/customers', { test_clock: kept.id }),
    ])
    expect(responses.map(({ status }) => status)).toEqual([500, 500, 500])
    makeRoom()
    expect((await twin.request('GET', `${PATH}/${id}`)).status).toBe(404)
    expect(await twin.post(PATH, { frozen_time: 7 })).toMatchObject({ id, now: 7 })
    expect(await twin.get(`${PATH}/${id}`)).toMatchObject({ id, now: 7 })
    expect(await twin.post('/v1/customers', { test_clock: id })).toMatchObject({ created: 7 })
    // A clock that was known before remains the one object that others may wait for.
    expect(testClocks.named(kept.id)).toBe(known)
  })

  test('although its own command, or a rehearsal, has used it', async () => {
    const twin = await startTwin()
    onTestFinished(() => twin.close())
    const { engine, merchant } = twin.sandbox
    const { testClocks } = merchant
    let id = ''
    const refused = engine.command(merchant, null, (unit) => {
      id = createTestClock(unit, { frozen_time: 5 }).id
      expect(testClocks.named(id).instant).toBe(5)
      throw new CommandRefused()
    })
    const rehearsed = engine.command(merchant, null, (unit) => {
      const seen = unit.rehearse((rehearsal) =>
        testClocks.named(createTestClock(rehearsal, { frozen_time: 6 }).id),
      )
      return [seen.id, seen.instant, testClocks.find(seen.id)]
    })
    await expect(refused).rejects.toThrow(CommandRefused)
    expect(await rehearsed).toEqual([id, 6, undefined])
    expect(testClocks.find(id)).toBeUndefined()
  })
})
