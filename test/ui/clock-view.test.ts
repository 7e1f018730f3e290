import { expect, test } from 'vitest'
import type { Clock } from '../../src/client/types.ts'
import { type ClockView, nowOf, progressOf, withClocks } from '../../src/ui/clock-view.ts'
import { NOW, sampleClock } from './samples.ts'

const one = (clock: Clock, at = 0, from = clock.now) => ({ known: 'one', clock, at, from }) as const
const advancing = (now: number, target: number) => sampleClock({ status: 'advancing', now, target })

test.each<[what: string, clocks: Clock[], view: ClockView]>([
  ['one clock is meant', [sampleClock()], one(sampleClock(), 7)],
  ['of several none is', [sampleClock(), sampleClock({ id: 'clock_2' })], { known: 'several', count: 2 }],
  ['of a merchant that is gone there is none', [], { known: 'none' }],
])('%s', (_what, clocks, view) => {
  expect(withClocks({ known: 'not yet' }, clocks, 7)).toEqual(view)
})

test.each<[what: string, clock: Clock, at: number, now: number]>([
  ['a live clock goes on by itself', sampleClock({ mode: 'live' }), 4_900, NOW + 2],
  ['and does not go back', sampleClock({ mode: 'live' }), 1_000, NOW],
  ['a frozen one stands', sampleClock(), 60_000, NOW],
  [
    'one that is advanced is where it was seen last',
    { ...advancing(NOW, NOW + 99), mode: 'live' },
    9_000,
    NOW,
  ],
])('%s', (_what, clock, at, now) => {
  expect(nowOf(one(clock, 2_000), at)).toBe(now)
})

test('progress starts at the first time seen of the advance', () => {
  const ready = withClocks({ known: 'not yet' }, [sampleClock()], 0)
  const first = withClocks(ready, [advancing(NOW + 25, NOW + 100)], 1)
  const second = withClocks(first, [advancing(NOW + 50, NOW + 100)], 2)
  expect([first, second].map((view) => view.known === 'one' && progressOf(view))).toEqual([0.25, 0.5])
  const another = withClocks(second, [advancing(NOW + 150, NOW + 200)], 3)
  expect(another.known === 'one' && [another.from, progressOf(another)]).toEqual([NOW + 50, 100 / 150])
})

test('progress of an advance that was already running starts at the first time seen; without a target it is complete', () => {
  const view = withClocks({ known: 'not yet' }, [advancing(NOW, NOW + 100)], 0)
  expect(view.known === 'one' && progressOf(view)).toBe(0)
  expect(progressOf(one(sampleClock()))).toBe(1)
})

test('a live clock shows the later one of two readings, until the clock is set', () => {
  const live = (now: number) => [sampleClock({ mode: 'live', now })]
  const readings: readonly (readonly [now: number, at: number])[] = [
    [NOW, 100],
    [NOW + 2, 2_900],
    [NOW + 4, 4_050],
    [NOW + 90, 6_000],
    [NOW + 10, 7_000],
  ]
  let view = withClocks({ known: 'not yet' }, live(NOW), 0)
  const shown = readings.map(([now, at]) => {
    view = withClocks(view, live(now), at)
    return view.known === 'one' && nowOf(view, at + 950) - NOW
  })
  // The reading at 100 ms is behind the first one. By the first one it is second 3 at 3,000 ms; by the reading at 2,900 ms, at 3,900 ms.
  expect(shown).toEqual([1, 3, 5, 90, 10])
})
