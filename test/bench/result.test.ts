import { describe, expect, test } from 'vitest'
import {
  atLeast,
  atMost,
  type Goal,
  inTurns,
  isMet,
  median,
  quantile,
  ratioAtLeast,
  ratioAtMost,
  ratiosOf,
} from './result.ts'

const measured = (paytwin: number[], floor: number[], goals: Goal[]) => ({
  what: 'a thing',
  unit: '/s' as const,
  paytwin,
  floor,
  goals,
})

describe('whether goals are met', () => {
  test.each([
    ['the median is enough', [9, 11, 30], [10, 10, 10], [atLeast(11)], true],
    ['one good round is not', [9, 10, 30], [10, 10, 10], [atLeast(11)], false],
    ['the median is little enough', [1, 2, 90], [1, 1, 1], [atMost(2)], true],
    ['the median is too much', [1, 3, 3], [1, 1, 1], [atMost(2)], false],
    ['the ratio is of the same round', [8, 16, 80], [10, 20, 100], [ratioAtLeast(0.8)], true],
    ['the ratio is too small', [8, 15, 70], [10, 20, 100], [ratioAtLeast(0.8)], false],
    ['the ratio is too great', [30, 30], [10, 10], [ratioAtMost(2)], false],
    ['one of two goals is missed', [12], [20], [atLeast(10), ratioAtLeast(0.8)], false],
    ['both are met', [18], [20], [atLeast(10), ratioAtLeast(0.8)], true],
    ['no goal', [18], [20], [], null],
    ['nothing measured', [], [], [atMost(1)], null],
  ])('%s', (_, paytwin, floor, goals, met) => {
    expect(isMet(measured(paytwin, floor, goals))).toBe(met)
  })

  test('without a floor there are no ratios', () => {
    expect(ratiosOf({ what: 'a thing', unit: 'ms', paytwin: [1, 2], goals: [] })).toEqual([])
  })
})

describe('the median', () => {
  test.each([
    [[3, 1, 2], 0.5, 2],
    [[1, 2, 3, 4], 0.5, 3],
    [[10, 9], 1, 10],
    [Array.from({ length: 200 }, (_, index) => index), 0.99, 198],
  ])('%j at %d', (values, share, wanted) => {
    expect(quantile(values, share)).toBe(wanted)
  })

  test('does not exist without numbers', () => {
    expect(median([])).toBeNaN()
  })
})

test('tasks run in turns', async () => {
  const order: string[] = []
  const work = (name: string) => async () => order.push(name)
  const results = await inTurns(2, { a: work('a'), b: work('b') })
  expect(order).toEqual(['a', 'b', 'a', 'b'])
  expect(results).toEqual({ a: [1, 3], b: [2, 4] })
})
