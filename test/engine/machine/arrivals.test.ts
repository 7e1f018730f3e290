import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { connectionArrived, nextStep } from '../../../src/engine/machine/arrivals.ts'
import { LimitedTurns } from '../../../src/engine/machine/limited-turns.ts'
import { startTwin } from '../../twin.ts'

/** Owners. */
const A = {}
const READER = {}

/** The time of the stopwatch, in milliseconds. */
let now = 0
beforeEach(() => {
  const hrtime = vi
    .spyOn(process, 'hrtime')
    .mockImplementation(() => [Math.floor(now / 1_000), (now % 1_000) * 1_000_000])
  onTestFinished(() => hrtime.mockRestore())
})

/** Runs a step that takes some time. */
async function stepOf(ms: number): Promise<void> {
  await nextStep()
  now += ms
  await turn()
}

/**
 * Lets a connection arrive in each turn of the event loop until work is done.
 * @param given.each - the time that each takes, in milliseconds
 * @returns how many had arrived when it ended
 */
async function arrivalsDuring(
  begin: () => Promise<unknown>,
  { most = 200, each = 0 }: { most?: number; each?: number } = {},
): Promise<number> {
  let arrived = 0
  let isDone = false
  const arrive = () => {
    if (isDone || arrived === most) return
    connectionArrived()
    arrived += 1
    now += each
    setImmediate(arrive)
  }
  arrive()
  await begin().finally(() => {
    isDone = true
  })
  const end = arrived
  await turn()
  await turn()
  return end
}

/** Starts a sandbox, which is closed after the test. */
async function startSandbox() {
  const twin = await startTwin()
  onTestFinished(() => twin.close())
  const { engine, merchant } = twin.sandbox
  return { twin, engine, merchant }
}

test('after a long step, a read waits until no more connections arrive', async () => {
  const turns = new LimitedTurns()
  await stepOf(100)
  expect(turns.isFreeFor(A)).toBe(true)
  await turn()
  await stepOf(100)
  connectionArrived()
  expect(turns.isFreeFor(A)).toBe(false)
  expect(await arrivalsDuring(() => turns.next(A), { most: 20 })).toBe(20)
  expect(turns.isFreeFor(A)).toBe(true)
})

test('connections that keep arriving hold a read up for a third of the time of the step before, at most for 20 ms', async () => {
  const turns = new LimitedTurns()
  const held = []
  for (const ms of [15, 30, 300]) {
    await stepOf(ms)
    held.push(await arrivalsDuring(() => turns.next(A), { each: 1 }))
  }
  expect(held).toEqual([5, 10, 20])
})

test('after short steps no connection is accepted first', async () => {
  const turns = new LimitedTurns()
  await stepOf(1)
  for (let step = 0; step < 10; step += 1) {
    connectionArrived()
    expect(turns.isFreeFor(A)).toBe(true)
    now += 1
    await turn()
  }
})

test('a transaction waits while connections arrive', async () => {
  const { engine, merchant } = await startSandbox()
  await stepOf(100)
  expect(await arrivalsDuring(() => engine.command(merchant, null, () => undefined), { most: 20 })).toBe(20)
})

test('a batch of an advance waits while connections arrive', async () => {
  const { twin, merchant } = await startSandbox()
  const advanced = twin.advance({ by: '1d' })
  while (merchant.held.size === 0) await turn()
  now += 1_000
  const ended = async () => {
    while (merchant.held.size > 0) await turn()
  }
  expect(await arrivalsDuring(ended, { most: 20 })).toBe(20)
  await advanced
})

test('exclusive work waits while connections arrive', async () => {
  const { engine } = await startSandbox()
  await stepOf(100)
  expect(await arrivalsDuring(() => engine.runExclusively(() => undefined), { most: 20 })).toBe(20)
})

test('while connections keep arriving, steps of which there are always more do not come before all others', async () => {
  const ran: string[] = []
  const steps = async (kind: string, count: number) => {
    for (let step = 0; step < count; step += 1) {
      await nextStep()
      now += 20
      ran.push(kind)
    }
  }
  await stepOf(20)
  const both = () => Promise.all([steps('long', 6), steps('other', 3)])
  await arrivalsDuring(both, { each: 1, most: 1_000 })
  expect(ran).toEqual(['long', 'other', 'long', 'other', 'long', 'other', 'long', 'long', 'long'])
})

test('while connections keep arriving, reads that could run at once do not come before steps that wait', async () => {
  const turns = new LimitedTurns()
  await stepOf(20)
  let hasRun = false
  const step = () => nextStep().then(() => (hasRun = true))
  let reads = 0
  const flood = async () => {
    const waited = step()
    for (; !hasRun && reads < 100; reads += 1) {
      turns.run(READER, () => {
        now += 20
      })
      await turn()
    }
    await waited
  }
  await arrivalsDuring(flood, { each: 1, most: 1_000 })
  expect(reads).toBeLessThan(20)
})
