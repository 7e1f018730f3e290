import { expect, test } from 'vitest'
import { monotonicWallClock } from '../../../src/engine/machine/clock.ts'

/** Changes between two readings, in milliseconds: a step of the wall clock, and time that passes, awake or in a sleep. */
type ClockChange = { readonly step?: number; readonly pass?: number; readonly sleep?: number }

/** Reads a clock after each change. @returns what it shows, since its beginning */
function readings(...changes: readonly ClockChange[]): number[] {
  const begun = 1_000_000
  let [wall, elapsed] = [begun, 5]
  const read = monotonicWallClock({ wall: () => wall, elapsed: () => elapsed })
  return changes.map(({ step = 0, pass = 0, sleep = 0 }) => {
    wall += step + pass + sleep
    elapsed += pass
    return read() - begun
  })
}

test.each<[string, ClockChange[], number[]]>([
  ['follows the wall clock', [{ pass: 5 }, { pass: 7 }, {}], [5, 12, 12]],
  ['follows a step forward, and a sleep', [{ step: 100 }, { sleep: 50 }, { pass: 1 }], [100, 150, 151]],
  ['goes on by the stopwatch after a step back', [{ step: -100 }, { pass: 5 }, { pass: 7 }], [0, 5, 12]],
  [
    'meets a wall clock that catches up',
    [{ step: -100 }, { pass: 5 }, { step: 100 }, { pass: 7 }],
    [0, 5, 5, 12],
  ],
  ['meets a wall clock that goes further', [{ step: -100 }, { pass: 5 }, { step: 150 }], [0, 5, 55]],
  [
    'goes on through further steps',
    [{ step: -100 }, { step: -100, pass: 5 }, { step: 100, pass: 5 }],
    [0, 5, 10],
  ],
  [
    'is not moved by round trips',
    [{ step: -9 }, { step: 9 }, { step: -9 }, { step: 9 }, { pass: 1 }],
    [0, 0, 0, 0, 1],
  ],
  [
    'stays ahead after a step forward by mistake',
    [{ step: 100 }, { step: -100 }, { pass: 5 }],
    [100, 100, 105],
  ],
  [
    'makes the same mistake once',
    [{ step: 100 }, { step: -100 }, { step: 100 }, { step: -100 }],
    [100, 100, 100, 100],
  ],
  ['stands still in a sleep while it is ahead', [{ step: -100 }, { sleep: 60 }, { sleep: 60 }], [0, 0, 20]],
  ['shows whole milliseconds', [{ step: -100 }, { pass: 0.6 }, { pass: 0.6 }], [0, 0, 1]],
])('%s', (_, happenings, shown) => {
  expect(readings(...happenings)).toEqual(shown)
})
