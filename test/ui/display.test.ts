import { describe, expect, test } from 'vitest'
import { Client } from '../../src/client/client.ts'
import type { Clock } from '../../src/client/types.ts'
import { watchClocks } from '../../src/ui/clock-watch.ts'
import { Display } from '../../src/ui/display.ts'
import type { Timing } from '../../src/ui/frame-loop.ts'
import { Store } from '../../src/ui/state-store.ts'
import type { Action } from '../../src/ui/step.ts'
import { NOW, sampleClock, sampleEvents, started } from './samples.ts'

/** A fake clock and timer, which a test moves. */
class TestTime implements Timing {
  #at = 1_000
  #timers: { readonly at: number; readonly work: () => void }[] = []

  readonly now = () => this.#at

  readonly later = (work: () => void, delayMs: number) => {
    const timer = { at: this.#at + delayMs, work }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  /** Runs what becomes due, and what follows from it. */
  async pass(ms: number): Promise<void> {
    const end = this.#at + ms
    for (;;) {
      const next = this.#timers.toSorted((a, b) => a.at - b.at).find(({ at }) => at <= end)
      if (!next) break
      this.#timers = this.#timers.filter((timer) => timer !== next)
      this.#at = next.at
      next.work()
      await new Promise(setImmediate)
    }
    this.#at = end
  }
}

/** A display of a state without a terminal. */
function shown(...actions: readonly Action[]) {
  const time = new TestTime()
  const laidOut: string[][] = []
  const painted: string[] = []
  const failures: unknown[] = []
  const failed = (error: unknown) => void failures.push(error)
  const store = new Store(
    started(),
    { commanded: failed, changed: () => display.request(), failed },
    time.now,
  )
  const display = new Display(
    {
      isColoured: false,
      begin: () => {
        store.dispatch({ kind: 'drawing' })
        return store.state
      },
      layOut: ({ header, body, panel, status }) => laidOut.push([...header, ...body, ...panel, status]),
      paintLine: (row, line) => painted.push(`${row} ${line}`),
      failed,
    },
    time,
  )
  for (const action of actions) store.dispatch(action)
  return { time, display, laidOut, painted, failures, dispatch: store.dispatch }
}

const clockOf = (clock: Clock): Action => ({ kind: 'clocks', clocks: [clock] })
const FROZEN = clockOf(sampleClock())
const LIVE = clockOf(sampleClock({ mode: 'live' }))
const MINUTE = 60_000

describe('While nothing happens', () => {
  test('repeated readings of a frozen clock draw nothing', async () => {
    const { time, laidOut, painted, dispatch } = shown(FROZEN)
    await time.pass(1_000)
    expect(laidOut).toHaveLength(1)
    for (let n = 0; n < 30; n += 1) {
      dispatch(FROZEN)
      await time.pass(2_000)
    }
    expect({ layouts: laidOut.length, lines: painted }).toEqual({ layouts: 1, lines: [] })
  })

  test('of a live clock one line is painted each second, and nothing is laid out', async () => {
    const { time, laidOut, painted } = shown(LIVE)
    await time.pass(MINUTE)
    expect(laidOut).toHaveLength(1)
    expect(painted).toHaveLength(60)
    expect(painted.every((line) => line.startsWith('0 Default merchant'))).toBe(true)
    expect(painted[0]).toContain('2026-01-31T10:00:01Z live')
    expect(painted[59]).toContain('2026-01-31T10:01:00Z live')
  })

  test('the daemon is asked for its clocks every two seconds', async () => {
    const time = new TestTime()
    const asked: number[] = []
    const client = new Client({ url: 'http://127.0.0.1:1', token: null })
    client.clocks = async () => {
      asked.push(time.now())
      return { object: 'list', data: [sampleClock()], has_more: false, url: '', livemode: false }
    }
    const until = new AbortController()
    const clocks = watchClocks(client, undefined, {
      signal: until.signal,
      onClocks: () => {},
      failed: (error) => expect(error).toBeUndefined(),
      timing: time,
    })
    await time.pass(MINUTE)
    expect(asked.length).toBeLessThanOrEqual(31)
    asked.length = 0
    for (let n = 0; n < 600; n += 1) {
      clocks.pollSoon()
      await time.pass(100)
    }
    expect(asked.length).toBeGreaterThan(55)
    expect(asked.length).toBeLessThanOrEqual(61)
    until.abort()
    asked.length = 0
    await time.pass(MINUTE)
    expect(asked).toEqual([])
  })
})

describe('What changes by itself is drawn', () => {
  test('a rate falls to nothing', async () => {
    const { time, painted } = shown(FROZEN, { kind: 'arrived', events: sampleEvents(4) })
    await time.pass(MINUTE)
    expect(painted.map((line) => /(\S+)\/s/.exec(line)?.[1])).toEqual(['0'])
  })

  test('a notice goes', async () => {
    const { time, laidOut } = shown(FROZEN, { kind: 'notice', text: 'Frozen.', isError: false })
    await time.pass(MINUTE)
    expect(laidOut.map((lines) => lines.at(-1)?.includes('Frozen.'))).toEqual([true, false])
  })

  test('the menu shows where an advance of a live clock leads by then', async () => {
    const { time, laidOut, dispatch } = shown(LIVE)
    await time.pass(100)
    dispatch({ kind: 'key', key: 'a' })
    await time.pass(3_000)
    expect(laidOut.at(-1)?.join('\n')).toContain('Advance the clock from 2026-01-31T10:00:03Z')
  })
})

test('a change is drawn, and an empty screen is drawn completely', async () => {
  const { time, display, laidOut, dispatch, failures } = shown(FROZEN)
  await time.pass(1_000)
  dispatch({ kind: 'arrived', events: sampleEvents(1) })
  await time.pass(100)
  dispatch({ kind: 'key', key: 'j' })
  await time.pass(100)
  const drawn = laidOut.length
  expect(laidOut.at(-1)?.join('\n')).toContain('customer.created')
  display.forget()
  await time.pass(100)
  expect(laidOut).toHaveLength(drawn + 1)
  display.end()
  dispatch(clockOf(sampleClock({ now: NOW + 60 })))
  await time.pass(MINUTE)
  expect(laidOut).toHaveLength(drawn + 1)
  expect(failures).toEqual([])
})
