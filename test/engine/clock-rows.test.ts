import { afterEach, beforeEach, expect, test } from 'vitest'
import { Clock } from '../../src/engine/machine/clock.ts'
import { createMerchant, deleteMerchant } from '../../src/engine/resources/merchant.ts'
import { startTwin, type Twin } from '../twin.ts'

let twin: Twin
beforeEach(async () => {
  twin = await startTwin()
})
afterEach(() => twin.close())

test('the clock of a deleted merchant does not overwrite the clock that has its seq now', async () => {
  const { engine } = twin.sandbox
  const first = await createMerchant(engine, { name: 'First', clock: 1_000 })
  await deleteMerchant(engine, first.settings.id)
  const second = await createMerchant(engine, { name: 'Second', clock: 2_000 })
  expect(second.clock.seq).toBe(first.clock.seq)
  first.clock.moveTo(9_000)
  engine.store.transaction(() => engine.store.clocks.update(first.clock.state))
  expect(engine.store.clocks.main(second.settings.ordinal)).toMatchObject({ id: second.clock.id, now: 2_000 })
})

test('a clock that was restored to its stored state has nothing to write', () => {
  const clock = new Clock({ ...twin.sandbox.merchant.clock.state }, () => 0)
  const { state } = clock
  clock.begin(clock.now + 60, '{}')
  clock.restore(state)
  expect(clock.takeDirty()).toBeUndefined()
  clock.moveTo(clock.now + 60)
  expect(clock.takeDirty()).toBe(clock.state)
  expect(clock.takeDirty()).toBeUndefined()
})
