import { expect, onTestFinished, test } from 'vitest'
import { createTestClock, deleteTestClock } from '../../src/engine/resources/test-clock.ts'
import { startTwin } from '../twin.ts'

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
