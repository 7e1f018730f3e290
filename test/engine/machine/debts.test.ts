import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { nextStep } from '../../../src/engine/machine/arrivals.ts'
import { Debts } from '../../../src/engine/machine/debts.ts'
import { LimitedTurns } from '../../../src/engine/machine/gate.ts'
import {
  STEP_LIMITS,
  TIME_LIMITS,
  TURN_LIMIT,
  type WorkLimits,
} from '../../../src/engine/machine/work-limits.ts'
import { startTwin } from '../../twin.ts'

/** The time of the stopwatch, in milliseconds. */
let now = 0
beforeEach(() => {
  const hrtime = vi
    .spyOn(process, 'hrtime')
    .mockImplementation(() => [Math.floor(now / 1_000), (now % 1_000) * 1_000_000])
  onTestFinished(() => hrtime.mockRestore())
})

/** Lets others work for some time. */
async function stepOf(ms: number): Promise<void> {
  await nextStep()
  now += ms
  await turn()
}

const [LONG, SHORT] = [{}, {}]

describe('the owner of a long step', () => {
  test('waits until others have worked for as long', async () => {
    const debts = new Debts(20)
    await nextStep()
    now += 100
    debts.charge(LONG, 100)
    await turn()
    for (const ms of [10, 30, 59]) {
      await stepOf(ms)
      expect([debts.owes(LONG), debts.owes(SHORT)]).toEqual([true, false])
    }
    await stepOf(1)
    expect(debts.owes(LONG)).toBe(false)
  })

  test('waits no longer once nobody has wanted to work for a twentieth of that time, in ten turns', async () => {
    const debts = new Debts(20)
    await stepOf(100)
    debts.charge(LONG, 60)
    for (let idle = 0; idle < 10; idle += 1) await stepOf(0)
    now += 2
    expect(debts.owes(LONG)).toBe(true)
    now += 1
    expect(debts.owes(LONG)).toBe(false)
  })

  test('waits longer than that while a single turn of the event loop takes long', async () => {
    const debts = new Debts(20)
    await stepOf(100)
    debts.charge(LONG, 100)
    for (let idle = 0; idle < 9; idle += 1) await stepOf(0)
    now += 50
    expect(debts.owes(LONG)).toBe(true)
    await stepOf(0)
    expect(debts.owes(LONG)).toBe(false)
  })

  test('waits for nobody if the step was short', async () => {
    const debts = new Debts(20)
    await stepOf(19)
    debts.charge(LONG, 19)
    expect(debts.owes(LONG)).toBe(false)
  })
})

test('reads of others come before the next one of the owner of a long read, for as long', async () => {
  const turns = new LimitedTurns<object>(TURN_LIMIT, new Debts(20))
  const order: string[] = []
  const read = async (owner: object, name: string, ms: number) => {
    await turns.next(owner)
    order.push(name)
    now += ms
  }
  const others = async () => {
    for (let count = 0; count < 15; count += 1) await read(SHORT, 'short', 10)
  }
  await Promise.all([read(LONG, 'long', 100), read(LONG, 'long', 100), others()])
  const between = order.slice(order.indexOf('long') + 1, order.lastIndexOf('long'))
  expect(between.length).toBeGreaterThanOrEqual(10)
  expect(new Set(between)).toEqual(new Set(['short']))
  expect(order.filter((name) => name === 'long')).toHaveLength(2)
})

describe('commands', () => {
  /** Sends three commands of 100 ms of one merchant, and thirty of 10 ms of another, one after the other. @returns their order */
  async function commandsWith(limits: WorkLimits): Promise<string[]> {
    const twin = await startTwin({ limits })
    onTestFinished(() => twin.close())
    const { engine, merchant } = twin.sandbox
    const order: string[] = []
    const send = (turnOf: typeof merchant | undefined, name: string, ms: number) =>
      engine.operatorCommand(() => {
        order.push(name)
        now += ms
      }, turnOf && { turnOf })
    const others = async () => {
      for (let count = 0; count < 30; count += 1) await send(undefined, 'short', 10)
    }
    const long = Array.from({ length: 3 }, () => send(merchant, 'long', 100))
    await Promise.all([...long, others()])
    return order
  }

  /** Returns the numbers of short commands between the long ones. */
  const gaps = (order: readonly string[]) =>
    order
      .join()
      .split('long')
      .slice(1, -1)
      .map((part) => part.split('short').length - 1)

  test('of others come before the next one of the owner of a long one, for as long', async () => {
    const order = await commandsWith(TIME_LIMITS)
    expect(order).toHaveLength(33)
    expect(Math.min(...gaps(order))).toBeGreaterThanOrEqual(9)
  })

  test('run in an order that does not depend on time in the process of a test', async () => {
    const order = await commandsWith(STEP_LIMITS)
    expect(order).toHaveLength(33)
    expect(Math.max(...gaps(order))).toBeLessThanOrEqual(1)
  })
})
