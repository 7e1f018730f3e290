import { describe, expect, test } from 'vitest'
import { type Cell, cellsOf, PLAIN, type Style } from './cells.ts'

const ESC = '\u001b'
/** Lines with `<1;31>` for a sequence of styles. */
const styled = (line: string) => line.replace(/<([\d;]*)>/g, `${ESC}[$1m`)
const read = (...lines: string[]) => cellsOf(lines.map(styled))
const text = (cells: readonly Cell[] | undefined) => cells?.map((cell) => cell.text).join('')
/** What differs from a plain character, of each character. */
const stylesOf = (cells: readonly Cell[] | undefined) =>
  cells?.map(({ style }) =>
    Object.fromEntries(Object.entries(style).filter(([name, value]) => PLAIN[name as keyof Style] !== value)),
  )

test('a line without codes is plain', () => {
  expect(read('a b', '')).toEqual([
    ['a', ' ', 'b'].map((character) => ({ text: character, columns: 1, style: PLAIN })),
    [],
  ])
})

test.each<[codes: string, style: Partial<Style>]>([
  ['1', { isBold: true }],
  ['2', { isDim: true }],
  ['4', { isUnderlined: true }],
  ['7', { isInverse: true }],
  ['31', { colour: 1 }],
  ['47', { ground: 7 }],
  ['90', { colour: 8 }],
  ['107', { ground: 15 }],
  ['38;5;208', { colour: 208 }],
  ['48;5;0', { ground: 0 }],
  ['38;2;255;0;9', { colour: '#ff0009' }],
  ['48;2;1;2;3', { ground: '#010203' }],
  ['38;5;208;1;48;2;1;2;3;4', { colour: 208, isBold: true, ground: '#010203', isUnderlined: true }],
  ['1;2;22', {}],
  ['4;24', {}],
  ['7;27', {}],
  ['31;39', {}],
  ['41;49', {}],
  ['1;2;4;7;31;41;0', {}],
  ['1;', {}],
  ['', {}],
])('after %j a character is %j', (codes, style) => {
  expect(stylesOf(read(`<${codes}>x`)[0])).toEqual([style])
})

test('a style lasts until it is changed, over the ends of lines', () => {
  const lines = read('a<31>b<1>c', 'd<39>e', '', 'f<>g')
  expect(lines.map(text)).toEqual(['abc', 'de', '', 'fg'])
  expect(lines.map(stylesOf)).toEqual([
    [{}, { colour: 1 }, { colour: 1, isBold: true }],
    [{ colour: 1, isBold: true }, { isBold: true }],
    [],
    [{ isBold: true }, {}],
  ])
})

test('a character is what a person sees, with the columns that it takes', () => {
  expect(read('é日→👩‍👩‍👧')[0]?.map((cell) => [cell.text, cell.columns])).toEqual([
    ['é', 1],
    ['日', 2],
    ['→', 1],
    ['👩‍👩‍👧', 2],
  ])
})

describe('what is not known is refused', () => {
  test.each([
    ['a code', 'a<3>b', /^the style "3" has 3, which is not known$/],
    ['a colour of the table that does not exist', '<38;5;256>', /"38;5;256" has 38/],
    ['a colour that breaks off', '<38;2;1;2>', /"38;2;1;2" has 38/],
    ['a colour of another kind', '<48;3;1;2;3>', /"48;3;1;2;3" has 48/],
    ['a sequence that moves', `${ESC}[2Ja`, /^line 2 holds "\\u001b\[2Ja", which is neither text nor style$/],
    ['a style with colons', `${ESC}[4:3m`, /line 2 holds "\\u001b\[4:3m"/],
    ['a link', `${ESC}]8;;http://a${ESC}\\`, /line 2 holds "\\u001b\]8;;http:/],
    ['another set of characters', '\u000eqqq', /line 2 holds "\\u000e"/],
    ['a tabulator', 'a\tb', /line 2 holds "\\t"/],
  ])('%s', (_what, line, message) => {
    expect(() => read('fine', line)).toThrow(message)
  })
})
