import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { AdvanceTurns } from '../../../src/engine/machine/advance-turns.ts'
import { LimitedTurns } from '../../../src/engine/machine/limited-turns.ts'
import type { MerchantState } from '../../../src/engine/machine/merchant-state.ts'
import { Pauses } from '../../../src/engine/machine/pauses.ts'
import { SharedOwner, Steps } from '../../../src/engine/machine/steps.ts'
import { Turns } from '../../../src/engine/machine/turns.ts'
import {
  STEP_LIMITS,
  TIME_LIMITS,
  TURN_LIMIT,
  type WorkLimits,
} from '../../../src/engine/machine/work-limits.ts'
import { type StoppedWatch, stopStopwatch } from '../../stopwatch.ts'
import { startTwin } from '../../twin.ts'
import { startReceiver } from '../../webhooks/sockets.ts'

let watch: StoppedWatch
beforeEach(() => {
  watch = stopStopwatch()
})

const LONG = { name: 'long' }
const OTHER = { name: 'other' }

/** Opens the pauses between steps, of which those of 30 ms are long. */
function openPauses(steps = new Steps(30)) {
  const pauses = new Pauses(steps)
  const work = (owner: object, ms: number) =>
    pauses.measure([owner], () => {
      watch.now += ms
    })
  return { steps, pauses, work, isPausing: pauses.isPausing }
}

/** Passes the turn of a step, and those in which requests are received. */
async function receive(): Promise<void> {
  for (let turns = 0; turns < 5; turns += 1) await turn()
}

describe('after a long step, its owner pauses', () => {
  test('for as long, while others work a little', async () => {
    const { work, isPausing } = openPauses()
    work(LONG, 100)
    await receive()
    for (let ms = 0; ms < 100; ms += 5) {
      work(OTHER, 1)
      expect([isPausing(LONG), isPausing(OTHER)]).toEqual([true, false])
      watch.now += 4
    }
    expect(isPausing(LONG)).toBe(false)
  })

  test('until nobody else has worked for a tenth of that time', async () => {
    const { work, isPausing } = openPauses()
    work(LONG, 100)
    await receive()
    work(OTHER, 1)
    watch.now += 9
    expect(isPausing(LONG)).toBe(true)
    watch.now += 1
    expect(isPausing(LONG)).toBe(false)
  })

  test('only until the requests that have arrived are received, if nobody else works', async () => {
    const { work, isPausing } = openPauses()
    work(OTHER, 1)
    work(LONG, 1)
    watch.now += 1_000
    work(LONG, 100)
    expect(isPausing(LONG)).toBe(true)
    await receive()
    expect(isPausing(LONG)).toBe(false)
  })

  test('for a second at most, such as after the process was stopped', async () => {
    const { work, isPausing } = openPauses()
    work(LONG, 60_000)
    await receive()
    for (let ms = 0; ms < 1_000; ms += 50) {
      work(OTHER, 20)
      expect(isPausing(LONG)).toBe(true)
      watch.now += 30
    }
    expect(isPausing(LONG)).toBe(false)
  })

  test('also while others do long steps, which do not count: those with short ones have their share', async () => {
    const { work, isPausing } = openPauses()
    const ANOTHER = { name: 'another' }
    work(OTHER, 1)
    work(LONG, 100)
    work(ANOTHER, 200)
    await receive()
    // Nobody could do a short step meanwhile.
    expect([isPausing(LONG), isPausing(ANOTHER)]).toEqual([true, true])
    for (let ms = 0; ms < 95; ms += 5) {
      work(OTHER, 1)
      expect([isPausing(LONG), isPausing(ANOTHER)]).toEqual([true, true])
      watch.now += 4
    }
    work(OTHER, 1)
    watch.now += 4
    expect([isPausing(LONG), isPausing(ANOTHER)]).toEqual([false, true])
  })

  test('but not if all others do long steps too', async () => {
    const { work, isPausing } = openPauses()
    work(LONG, 100)
    work(OTHER, 100)
    await receive()
    expect([isPausing(LONG), isPausing(OTHER)]).toEqual([false, false])
  })

  test("but not after one of several owners, which is the operator's", async () => {
    const { pauses, work, isPausing } = openPauses()
    work(OTHER, 1)
    pauses.measure([LONG, OTHER], () => {
      watch.now += 100
    })
    expect([isPausing(LONG), isPausing(OTHER)]).toEqual([false, false])
  })

  test('but not after a step that was short', () => {
    const { work, isPausing } = openPauses()
    work(OTHER, 1)
    work(LONG, 29)
    expect(isPausing(LONG)).toBe(false)
  })

  test('but not the operator, or callers that are unknown: the time of their long steps passes for the pauses of others', async () => {
    const { work, isPausing } = openPauses()
    const shared = new SharedOwner()
    work(OTHER, 1)
    work(LONG, 100)
    await receive()
    for (let ms = 0; ms < 100; ms += 50) {
      expect([isPausing(LONG), isPausing(shared)]).toEqual([true, false])
      work(shared, 50)
    }
    expect(isPausing(LONG)).toBe(false)
  })

  test('but not between steps of another kind, which would wait as long as the first kind has more', async () => {
    const reads = openPauses()
    const commands = openPauses(reads.steps)
    reads.work(LONG, 100)
    commands.work(OTHER, 1)
    expect([reads.isPausing(LONG), commands.isPausing(LONG)]).toEqual([true, false])
    await receive()
    commands.work(OTHER, 9)
    expect(reads.isPausing(LONG)).toBe(true)
  })

  test('also after a commit, in which nobody could do a step', async () => {
    const { pauses, work, isPausing } = openPauses()
    work(OTHER, 1)
    work(LONG, 100)
    await receive()
    watch.now += 20
    pauses.exclude(20)
    expect(isPausing(LONG)).toBe(true)
    watch.now += 10
    expect(isPausing(LONG)).toBe(false)
  })

  test('although it has done the latest short step', async () => {
    const { work, isPausing } = openPauses()
    work(LONG, 100)
    await receive()
    work(OTHER, 1)
    work(LONG, 1)
    watch.now += 8
    expect(isPausing(LONG)).toBe(true)
    watch.now += 1
    expect(isPausing(LONG)).toBe(false)
  })

  test('but not when the process stops', () => {
    const { steps, work, isPausing } = openPauses()
    work(LONG, 100)
    expect(isPausing(LONG)).toBe(true)
    steps.stop()
    expect(isPausing(LONG)).toBe(false)
  })
})

test('a step ends when another one begins', () => {
  const { pauses, isPausing } = openPauses()
  const step = pauses.begin([LONG])
  watch.now += 20
  pauses.begin([OTHER])
  watch.now += 20
  pauses.end(step)
  expect([isPausing(LONG), isPausing(OTHER)]).toEqual([false, false])
  watch.now += 20
  pauses.begin([LONG])
  expect([isPausing(LONG), isPausing(OTHER)]).toEqual([false, true])
})

test('a step whose function throws ends', () => {
  const { pauses, isPausing } = openPauses()
  const fail = () => {
    throw new Error('failed')
  }
  expect(() => pauses.measure([LONG], fail)).toThrow('failed')
  watch.now += 100
  pauses.begin([OTHER])
  expect(isPausing(LONG)).toBe(false)
})

test('turns are not given to owners that pause, and their items keep their order', () => {
  const turns = new Turns<string, string>()
  for (const item of ['a1', 'a2', 'b1', 'b2']) turns.add([item.slice(0, 1)], item)
  const isPausing = (owner: string) => owner === 'a'
  expect(Array.from({ length: 3 }, () => turns.take(isPausing))).toEqual(['b1', 'b2', undefined])
  expect([turns.isEmpty, turns.has('a'), turns.has('b')]).toEqual([false, true, false])
  expect(Array.from({ length: 3 }, () => turns.take())).toEqual(['a1', 'a2', undefined])
  expect(turns.isEmpty).toBe(true)
})

test('an item of several owners waits for no pause of only one of them: each could begin a new one before the other ends', () => {
  const turns = new Turns<string, string>()
  turns.add(['a', 'b'], 'ab')
  for (const item of ['a', 'b']) turns.add([item], item)
  expect(turns.take(() => true)).toBeUndefined()
  const isPausing = (owner: string) => owner === 'a'
  expect(Array.from({ length: 3 }, () => turns.take(isPausing))).toEqual(['ab', 'b', undefined])
})

function workFor(ms: number, begun: () => void = () => undefined): void {
  begun()
  watch.now += ms
}

/** Starts a sandbox, and returns how to send a command that takes some time of the stopwatch, in milliseconds. */
async function startCommands(limits: WorkLimits) {
  const twin = await startTwin({ limits })
  onTestFinished(() => twin.close())
  const { engine, merchant } = twin.sandbox
  const send = ({ ms, ...options }: { ms: number; turnOf?: MerchantState }, begun: () => void) =>
    engine.operatorCommand(() => {
      begun()
      watch.now += ms
    }, options)
  return { send, merchant }
}

/** Returns the numbers of short steps between two long ones. */
const gaps = (order: readonly string[]) =>
  order
    .join()
    .split('long')
    .slice(1, -1)
    .map((part) => part.split('short').length - 1)

/** Runs three steps of 100 ms and, one after the other, forty of 10 ms. @returns their order */
async function orderOf(step: (name: 'long' | 'short') => Promise<void>): Promise<string[]> {
  const order: string[] = []
  const run = async (name: 'long' | 'short') => {
    await step(name)
    order.push(name)
    watch.now += name === 'long' ? 100 : 10
  }
  const others = async () => {
    for (let count = 0; count < 40; count += 1) await run('short')
  }
  await Promise.all([run('long'), run('long'), run('long'), others()])
  return order
}

describe('between two long steps of a merchant come as long ones of others', () => {
  test('of reads', async () => {
    const turns = new LimitedTurns(TURN_LIMIT, new Steps(30))
    const order = await orderOf((name) => turns.next(name === 'long' ? LONG : OTHER))
    expect(order).toHaveLength(43)
    expect(Math.min(...gaps(order))).toBeGreaterThanOrEqual(9)
  })

  test('of reads that run at once', async () => {
    const turns = new LimitedTurns(TURN_LIMIT, new Steps(30))
    expect(turns.isFreeFor(LONG)).toBe(true)
    watch.now += 100
    await turn()
    expect([turns.isFreeFor(LONG), turns.isFreeFor(OTHER)]).toEqual([false, true])
  })

  test('of batches of advances', async () => {
    const turns = new AdvanceTurns(new Steps(30))
    const merchants = { long: {} as MerchantState, short: {} as MerchantState }
    const order = await orderOf((name) => turns.nextBatch(merchants[name], () => true))
    expect(order).toHaveLength(43)
    expect(Math.min(...gaps(order))).toBeGreaterThanOrEqual(9)
  })

  /** Sends three commands of 100 ms of one merchant, and forty of 10 ms of the operator. @returns their order */
  async function orderOfCommands(limits: WorkLimits): Promise<string[]> {
    const { send, merchant } = await startCommands(limits)
    const order: string[] = []
    const others = async () => {
      for (let count = 0; count < 40; count += 1) await send({ ms: 10 }, () => order.push('short'))
    }
    const long = () => send({ turnOf: merchant, ms: 100 }, () => order.push('long'))
    await Promise.all([long(), long(), long(), others()])
    return order
  }

  test('of commands', async () => {
    const order = await orderOfCommands(TIME_LIMITS)
    expect(order).toHaveLength(43)
    expect(Math.min(...gaps(order))).toBeGreaterThanOrEqual(9)
  })

  test('but not in the process of a test: there, the order does not depend on time', async () => {
    const order = await orderOfCommands(STEP_LIMITS)
    expect(order).toHaveLength(43)
    expect(Math.max(...gaps(order))).toBeLessThanOrEqual(1)
  })
})

describe('what waits for a pause runs when it has ended, although nothing else does:', () => {
  type Run = (owner: 'long' | 'other', ms: number, begun?: () => void) => Promise<unknown>

  async function checkResumed(run: Run): Promise<void> {
    await run('other', 1)
    await run('long', 100)
    await run('other', 1)
    let hasRun = false
    const waiting = run('long', 1, () => {
      hasRun = true
    })
    await wait(20)
    expect(hasRun).toBe(false)
    watch.now += 10
    await waiting
    expect(hasRun).toBe(true)
  }

  test('a read', async () => {
    const turns = new LimitedTurns(TURN_LIMIT, new Steps(30))
    const owners = { long: LONG, other: OTHER }
    await checkResumed((owner, ms, begun) => turns.next(owners[owner]).then(() => workFor(ms, begun)))
  })

  test('a batch of an advance', async () => {
    const turns = new AdvanceTurns(new Steps(30))
    const owners = { long: {} as MerchantState, other: {} as MerchantState }
    await checkResumed(async (owner, ms, begun) => {
      await turns.nextBatch(owners[owner], () => true)
      workFor(ms, begun)
    })
  })

  test('a command', async () => {
    const { send, merchant } = await startCommands(TIME_LIMITS)
    await checkResumed((owner, ms, begun = () => undefined) =>
      send({ ms, ...(owner === 'long' && { turnOf: merchant }) }, begun),
    )
  })
})

describe('without a timer of the system', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
  })

  test('long steps of one owner follow each other if nobody else works', async () => {
    const turns = new LimitedTurns(TURN_LIMIT, new Steps(30))
    for (let count = 0; count < 3; count += 1) {
      await turns.next(LONG)
      workFor(100)
    }
    expect(vi.getTimerCount()).toBe(0)
  })

  test('a queue in which all owners pause does nothing, and has one timer', async () => {
    const { send, merchant } = await startCommands(TIME_LIMITS)
    await send({ ms: 1 }, () => undefined)
    await send({ turnOf: merchant, ms: 100 }, () => undefined)
    await send({ ms: 1 }, () => undefined)
    await receive()
    const waiting: Promise<unknown>[] = []
    for (let count = 0; count < 3; count += 1) {
      waiting.push(send({ turnOf: merchant, ms: 1 }, () => undefined))
      await receive()
    }
    const taken = vi.spyOn(Turns.prototype, 'take')
    onTestFinished(() => taken.mockRestore())
    for (let turns = 0; turns < 20; turns += 1) await turn()
    expect([taken.mock.calls.length, vi.getTimerCount()]).toEqual([0, 1])
    watch.now += 100
    vi.runAllTimers()
    await Promise.all(waiting)
  })
})

test('a read that could run at once does not come before those of its owner that wait for a pause', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const turns = new LimitedTurns(TURN_LIMIT, new Steps(30))
  await turns.next(LONG)
  workFor(100)
  await receive()
  await turns.next(OTHER)
  const waiting = turns.next(LONG)
  await turn()
  watch.now += 100
  await turn()
  expect([turns.isFreeFor(OTHER), turns.isFreeFor(LONG)]).toEqual([true, false])
  vi.advanceTimersByTime(1)
  await waiting
})

test('the steps of all kinds of a merchant are measured together', async () => {
  const twin = await startTwin({ now: '2026-01-01T00:00:00Z' })
  const { engine, merchant, app } = twin.sandbox
  const begun = vi.spyOn(engine.steps, 'begin')
  const { url } = await startReceiver((_, response) => void response.end())
  onTestFinished(() => twin.close())
  const headers = { Authorization: `Bearer ${twin.secretKey}`, Accept: 'text/event-stream' }
  const { body } = await app.request('/v1/events', { headers })
  await twin.post('/v1/webhook_endpoints', { url, enabled_events: ['*'] })
  await twin.get('/v1/customers')
  for (let count = 0; count < 2; count += 1)
    await twin.request('POST', '/v1/customers', {}, { 'Idempotency-Key': 'once' })
  await twin.advance({ by: '1d', await_webhooks: true })
  await body?.cancel()
  const kinds = begun.mock.calls.filter(([owners]) => owners.includes(merchant)).map(([, onLong]) => onLong)
  // Reads, commands, advances, replays, event streams, bodies of webhooks, and what receivers send.
  expect(new Set(kinds).size).toBe(7)
})

test('nobody pauses while a sandbox closes', async () => {
  const twin = await startTwin()
  await twin.close()
  expect(twin.sandbox.engine.steps.isStopping).toBe(true)
})
