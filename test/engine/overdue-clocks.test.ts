import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createdCounts } from '../../src/engine/resources/created-counts.ts'
import { anotherMerchant, asOperator } from '../http/support.ts'
import { at, openTwin, subscribe } from '../scenarios/story.ts'
import { clientOf } from '../twin.ts'

const MERCHANTS = 24

/** Merchants whose live clocks are all overdue by one renewal, and a stopwatch that runs 1 ms each time it is read. */
async function overdueTogether() {
  let wall = at('2026-01-31T10:00:00Z') * 1_000
  const twin = await openTwin({ clock: 'live', wall: () => wall })
  const { engine } = twin.sandbox
  const ids: string[] = []
  for (let count = 0; count < MERCHANTS; count += 1) {
    const { merchant, secretKey } = await anotherMerchant(twin, 'live')
    await subscribe(clientOf(twin.sandbox, secretKey))
    ids.push(merchant.id)
  }
  const saved = await asOperator(twin)('POST', 'snapshots', { name: 'before' })
  expect(saved.status).toBe(201)
  const caughtUp: string[] = []
  const failures: unknown[] = []
  engine.listen({ caughtUp: (id) => caughtUp.push(id), failed: (error) => failures.push(error) })
  wall = at('2026-02-28T10:00:00Z') * 1_000
  let passed = 0
  const clock = vi.spyOn(process, 'hrtime').mockImplementation(() => {
    passed += 1
    return [passed / 1_000, 0]
  })
  onTestFinished(() => clock.mockRestore())
  const begun = () =>
    [...engine.merchants.values()].filter((merchant) => merchant.clock.target !== null).length
  return { twin, engine, ids, caughtUp, failures, begun }
}

test('many overdue clocks begin to catch up in turns, in the order of the merchants', async () => {
  const { engine, ids, caughtUp, begun } = await overdueTogether()
  const done = engine.runAllDueJobs()
  expect(begun()).toBeGreaterThan(0)
  expect(begun()).toBeLessThan(MERCHANTS / 2)
  await done
  expect(caughtUp).toEqual(ids)
})

test('each overdue clock catches up once if wake-ups overlap', async () => {
  const { engine, ids, caughtUp } = await overdueTogether()
  const first = engine.runAllDueJobs()
  await turn()
  await Promise.all([first, engine.runAllDueJobs(), engine.runAllDueJobs()])
  expect([...caughtUp].sort()).toEqual([...ids].sort())
})

test('a merchant that is deleted before its clock begins is left out', async () => {
  const { twin, engine, ids, caughtUp } = await overdueTogether()
  const done = engine.runAllDueJobs()
  const last = ids.at(-1)
  const { status } = await asOperator(twin)('DELETE', `merchants/${last}`)
  expect(status).toBe(200)
  await done
  expect(caughtUp).toEqual(ids.slice(0, -1))
})

test('a restore meanwhile replaces what has begun, and no replaced clock begins', async () => {
  const { twin, engine, ids, failures } = await overdueTogether()
  const done = engine.runAllDueJobs()
  const restored = await asOperator(twin)('POST', 'snapshots/before/restore')
  expect(restored.status).toBe(200)
  await done
  expect(failures).toEqual([])
  // The restored clocks go on from the instant of the snapshot, at which nothing is due.
  expect(createdCounts(engine).invoices).toBe(ids.length)
})

test('no further clock begins when the daemon ends meanwhile', async () => {
  const { twin, engine, caughtUp, failures } = await overdueTogether()
  const done = engine.runAllDueJobs()
  await twin.close()
  await done
  expect(failures).toEqual([])
  expect(caughtUp.length).toBeLessThan(MERCHANTS)
})
