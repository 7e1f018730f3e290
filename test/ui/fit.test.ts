import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { escapeControls } from '../../src/text/display.ts'
import { cut, fitted, padded, painted, spread, widthOf, widthOfAll, wrapped } from '../../src/ui/fit.ts'
import { textOf } from '../../src/ui/span.ts'

vi.mock('string-width', { spy: true })

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

describe('however long a text is', () => {
  test.each([
    ['é', 'é'.repeat(2000)],
    ['日', '日'.repeat(2000)],
    ['👍', '👍'.repeat(2000)],
    ['e\u0301', 'e\u0301'.repeat(2000)],
  ])('%j is measured at most once', (_name, text) => {
    vi.mocked(stringWidth).mockClear()
    expect(wrapped(text, 20).join('')).toBe(text)
    widthOf(text)
    cut(text, 1000)
    expect(vi.mocked(stringWidth).mock.calls.length).toBeLessThanOrEqual(1)
  })

  test('it is segmented once, in short parts', () => {
    const segment = vi.spyOn(Intl.Segmenter.prototype, 'segment')
    onTestFinished(() => segment.mockRestore())
    const text = '👍日e\u0301'.repeat(1000)
    wrapped(text, 20)
    const lengths = segment.mock.calls.map(([part]) => part.length)
    expect(lengths.reduce((sum, length) => sum + length)).toBeLessThan(1.1 * text.length)
    expect(Math.max(...lengths)).toBeLessThan(100)
  })
})

describe('a text is wrapped as if each character were segmented and measured alone', () => {
  const segmenter = new Intl.Segmenter()

  /** Wraps a text in the plainest way. */
  function plainlyWrapped(text: string, columns: number): string[] {
    const pieces: string[] = []
    let piece = ''
    let left = columns
    for (const { segment } of segmenter.segment(text)) {
      const width = stringWidth(segment)
      if (width > left) {
        if (piece !== '') pieces.push(piece)
        if (width > columns) return [...pieces, '']
        piece = ''
        left = columns
      }
      piece += segment
      left -= width
    }
    return [...pieces, piece]
  }

  function expectPlain(text: string, columns: number): void {
    const lines = plainlyWrapped(text, columns)
    expect(wrapped(text, columns)).toEqual(lines)
    expect(cut(text, columns)).toBe(lines[0])
    expect(widthOf(text)).toBe(stringWidth(text))
  }

  test('with each character of the basic plane', () => {
    for (let first = 0; first < 0x1_0000; first += 16) {
      const codes = Array.from({ length: 16 }, (_, index) => first + index)
      expectPlain(escapeControls(String.fromCharCode(...codes)), 9)
    }
  })

  test.each([63, 64, 65, 66, 200])('with a character that goes on after %d others', (count) => {
    for (const long of ['👍🏽', '🇩🇪', '👩‍👩‍👧‍👦', `e${'\u0301'.repeat(300)}`, '\ud83d'])
      for (const start of ['日', 'e\u0301'])
        for (let less = 0; less < 12; less++) expectPlain(`${start}${'x'.repeat(count - less)}${long}b`, 7)
  })

  test('with characters that join, in any order', () => {
    const joining = [
      '\u0301',
      '\u200d',
      '\ufe0f',
      '👩',
      '🇩',
      '🇪',
      '👍',
      '🏽',
      '1',
      '\u20e3',
      'ᄀ',
      'ᅡ',
      'ᆨ',
      '가',
    ]
    const others = [
      'a',
      'é',
      '日',
      'ｶ',
      'ﾞ',
      'か',
      '\u3099',
      'न',
      '\u094d',
      'ि',
      '\u0600',
      '\ud83d',
      '\udc4d',
      '…',
    ]
    const unit = fc.oneof(fc.constantFrom(...joining, ...others), fc.string({ unit: 'binary', maxLength: 2 }))
    const texts = fc.array(unit, { maxLength: 60 }).map((units) => escapeControls(units.join('')))
    fc.assert(fc.property(texts, fc.integer({ min: 1, max: 12 }), expectPlain), { numRuns: 200 })
  })
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
