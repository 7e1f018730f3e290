import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { connectionArrived, mustAcceptFirst, nextStep } from '../../../src/engine/machine/arrivals.ts'
import { Gate, TimedTurns } from '../../../src/engine/machine/gate.ts'
import { startTwin } from '../../twin.ts'

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
  const turns = new TimedTurns<string>()
  await stepOf(100)
  expect(turns.isFree).toBe(true)
  await turn()
  await stepOf(100)
  connectionArrived()
  expect(turns.isFree).toBe(false)
  expect(await arrivalsDuring(() => turns.next('a'), { most: 20 })).toBe(20)
  expect(turns.isFree).toBe(true)
})

test('connections that keep arriving hold a read up for a third of the time of the step before, at most for 20 ms', async () => {
  const turns = new TimedTurns<string>()
  const held = []
  for (const ms of [15, 30, 300]) {
    await stepOf(ms)
    held.push(await arrivalsDuring(() => turns.next('a'), { each: 1 }))
  }
  expect(held).toEqual([5, 10, 20])
})

test('after short steps no connection is accepted first', async () => {
  const turns = new TimedTurns<string>()
  await stepOf(1)
  for (let step = 0; step < 10; step += 1) {
    connectionArrived()
    expect(turns.isFree).toBe(true)
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

test('the pause after exclusive work does not count as steps', async () => {
  await stepOf(0)
  const gate: Gate<string> = new Gate((command) => void gate.letsPass(command))
  await gate.alone(async () => gate.hold('held back'), Promise.resolve())
  for (let paused = 0; paused < 5; paused += 1) {
    connectionArrived()
    now += 100
    expect(mustAcceptFirst()).toBe(false)
    await turn()
  }
})
