import { describe, expect, test } from 'vitest'
import { type Entry, entryOf } from '../../src/ui/entry-log.ts'
import { FOLLOWING, moved, stopped, type Viewport, windowOf } from '../../src/ui/viewport.ts'

const entries = (first: number, last: number): Entry[] =>
  Array.from({ length: last - first + 1 }, (_, index) => entryOf(first + index, ''))
const TEN = entries(1, 10)
const at = (selected: number, top: number): Viewport => ({ isFollowing: false, selected, top })

describe('of ten entries four rows show', () => {
  test.each<[what: string, viewport: Viewport, window: [number, number, number]]>([
    ['the newest, while following', FOLLOWING, [6, 10, 9]],
    ['those from its top on', at(4, 3), [2, 6, 3]],
    ['the selected one, where it lies above', at(2, 5), [1, 5, 1]],
    ['the selected one, where it lies below', at(9, 2), [5, 9, 8]],
    ['the last ones, where the top leaves rows empty', at(10, 9), [6, 10, 9]],
    ['the first that is left, for one that is gone', at(-3, -5), [0, 4, 0]],
    ['the last, for one that is still to come', at(99, 99), [6, 10, 9]],
  ])('%s', (_what, viewport, [start, end, selected]) => {
    expect(windowOf(TEN, viewport, 4)).toEqual({ start, end, selected })
  })

  test.each<[from: Viewport, by: number, to: Viewport]>([
    [FOLLOWING, 0, FOLLOWING],
    [FOLLOWING, 1, FOLLOWING],
    [FOLLOWING, -1, at(9, 7)],
    [FOLLOWING, -4, at(6, 6)],
    [FOLLOWING, Number.NEGATIVE_INFINITY, at(1, 1)],
    [at(4, 3), 1, at(5, 3)],
    [at(6, 3), 1, at(7, 4)],
    [at(3, 3), -1, at(2, 2)],
    [at(1, 1), -1, at(1, 1)],
    [at(9, 7), 3, at(10, 7)],
  ])('and moving from %o by %d leads to %o', (from, by, to) => {
    expect(moved(TEN, from, 4, by)).toEqual(to)
  })
})

test('the visible part stays in place while entries come and go', () => {
  const before = windowOf(entries(1, 10), at(5, 4), 4)
  const later = windowOf(entries(3, 30), at(5, 4), 4)
  expect(entries(1, 10).slice(before.start, before.end)).toEqual(entries(3, 30).slice(later.start, later.end))
  expect(later.selected).toBe(2)
})

test('stopping keeps the visible part', () => {
  const viewport = stopped(TEN, FOLLOWING, 4)
  expect(windowOf(TEN, viewport, 4)).toEqual(windowOf(TEN, FOLLOWING, 4))
  expect(windowOf(entries(1, 20), viewport, 4)).toEqual(windowOf(TEN, FOLLOWING, 4))
})

test('an empty list and a short list work', () => {
  expect(windowOf([], FOLLOWING, 4)).toEqual({ start: 0, end: 0, selected: -1 })
  expect(windowOf([], at(1, 1), 4)).toEqual({ start: 0, end: 0, selected: -1 })
  expect(windowOf([], moved([], FOLLOWING, 4, -1), 4).end).toBe(0)
  expect(windowOf(entries(1, 2), at(1, 1), 4)).toEqual({ start: 0, end: 2, selected: 0 })
})

test('one row works', () => {
  expect(windowOf(TEN, at(5, 1), 1)).toEqual({ start: 4, end: 5, selected: 4 })
  expect(moved(TEN, at(5, 5), 1, 1)).toEqual(at(6, 6))
})
