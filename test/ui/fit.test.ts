import { describe, expect, test } from 'vitest'
import { cut, fitted, padded, painted, spread, widthOf, widthOfAll, wrapped } from '../../src/ui/fit.ts'
import { textOf } from '../../src/ui/span.ts'

describe('a text takes columns', () => {
  test.each([
    ['plain', 5],
    ['', 0],
    ['日本', 4],
    ['é', 1],
    ['👩‍👩‍👧‍👦', 2],
    ['→ …', 3],
  ])('%j: %d', (text, columns) => {
    expect(widthOf(text)).toBe(columns)
  })
})

test.each([
  ['plain', 3, 'pla'],
  ['plain', 9, 'plain'],
  ['日本語', 3, '日'],
  ['日本語', 4, '日本'],
  ['a👩‍👩‍👧‍👦b', 2, 'a'],
  ['a👩‍👩‍👧‍👦b', 3, 'a👩‍👩‍👧‍👦'],
  ['plain', 0, ''],
  ['plain', -1, ''],
])('%j is cut to %d columns without cutting a character in two', (text, columns, kept) => {
  expect(cut(text, columns)).toBe(kept)
})

test.each([
  ['abcdefg', 3, ['abc', 'def', 'g']],
  ['日本語', 4, ['日本', '語']],
  ['', 4, ['']],
  ['日', 1, ['']],
])('%j is wrapped into lines of %d columns', (text, columns, lines) => {
  expect(wrapped(text, columns)).toEqual(lines)
})

describe('spans that have to fit', () => {
  const spans = [{ text: 'red', colour: 'red' } as const, ' and ', '日本語']
  test.each([
    [20, 'red and 日本語'],
    [14, 'red and 日本語'],
    [13, 'red and 日本…'],
    [12, 'red and 日…'],
    [8, 'red and…'],
    [3, 're…'],
    [1, '…'],
    [0, ''],
  ])('in %d columns', (columns, text) => {
    const kept = fitted(spans, columns)
    expect(kept.map(textOf).join('')).toBe(text)
    expect(widthOfAll(kept)).toBeLessThanOrEqual(columns)
    if (columns > 0) expect(kept[0]).toMatchObject({ colour: 'red' })
  })

  test('are escaped', () => {
    expect(painted(fitted(['\u001b[2J', { text: 'a\nb', colour: 'red' }], 80), true)).toBe(
      '\\u001b[2J\u001b[31ma\\u000ab\u001b[0m',
    )
  })

  test('have no colour codes without colours', () => {
    expect(painted(fitted(spans, 80), false)).toBe('red and 日本語')
  })
})

test.each([
  [12, 'left   right'],
  [10, 'le…  right'],
  [6, 'left'],
])('in %d columns the right part is complete or omitted', (columns, text) => {
  expect(spread(['left'], ['right'], columns).map(textOf).join('')).toBe(text)
})

test.each([
  ['日本語', 5, '日本 '],
  ['ab', 4, 'ab  '],
  ['abcde', 4, 'abcd'],
])('%j takes a column of %d', (text, columns, cell) => {
  expect(padded(text, columns)).toBe(cell)
})
