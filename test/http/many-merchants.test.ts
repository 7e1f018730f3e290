import { expect, test, vi } from 'vitest'
import { startTwin } from '../twin.ts'
import { asOperator } from './support.ts'

/** Counts how often the advance of all clocks looks up whether a clock is held. */
async function lookupsOf(merchants: number): Promise<number> {
  const twin = await startTwin()
  const operator = asOperator(twin)
  for (let n = 1; n < merchants; n += 1)
    await operator('POST', 'merchants', { name: 'Other', clock: '2026-01-31T10:00:00Z' })
  const { engine } = twin.sandbox
  const lookups = [...engine.merchants.values()].flatMap(({ held }) => [
    vi.spyOn(held, 'has'),
    vi.spyOn(held, 'get'),
  ])
  const { status, body } = await operator('POST', 'clock/advance', { all: true, by: '1d' })
  expect([status, body.data.length]).toEqual([200, merchants])
  await twin.close()
  return lookups.reduce((sum, { mock }) => sum + mock.calls.length, 0)
}

test('the advance of all clocks looks each one up as often as with few merchants', async () => {
  const [few, many] = [await lookupsOf(5), await lookupsOf(50)]
  expect(many).toBe(10 * few)
})
