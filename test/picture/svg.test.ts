import { expect, test } from 'vitest'
import { cellsOf } from './cells.ts'
import { svgOf } from './svg.ts'
import { THEME } from './theme.ts'

const CAPTION = { window: 'a <b>', title: 'A "title"', description: 'What & why' }
/** The picture of lines with `<1;31>` for a sequence of styles. */
const draw = (lines: readonly string[], columns = 20) =>
  svgOf(cellsOf(lines.map((line) => line.replace(/<([\d;]*)>/g, '\u001b[$1m'))), columns, CAPTION)

type Drawn = { readonly name: string; readonly text: string } & Readonly<Record<string, string>>

/** The elements of a picture, by their attributes, after the window's title. */
const drawnIn = (svg: string): Drawn[] =>
  [...(svg.split('a &lt;b&gt;</text>\n')[1]?.matchAll(/<(\w+) ([^>]*?)(?:\/>|>(.*?)<\/\1>)/g) ?? [])].map(
    ([, name = '', attributes = '', text = '']) => ({
      ...Object.fromEntries(
        [...attributes.matchAll(/([\w-]+)="(.*?)"/g)].map(([, key, value]) => [key, value]),
      ),
      name,
      text,
    }),
  )
const texts = (...lines: string[]) =>
  drawnIn(draw(lines))
    .filter(({ name }) => name === 'text')
    .map(({ text, x, textLength }) => [text, Number(x), Number(textLength)])
const boxes = (...lines: string[]) =>
  drawnIn(draw(lines))
    .filter(({ name }) => name === 'rect')
    .map(({ x, y, width, height, fill }) => [x, y, width, height, fill].join(' '))

test('words stand at their columns, with blanks between them only where there is one', () => {
  expect(texts('  one two   three ')).toEqual([
    ['one two', 32.8, 58.8],
    ['three', 116.8, 42],
  ])
})

test('a character that another font may have to lend stands by itself', () => {
  expect(texts('a → b日c')).toEqual([
    ['a', 16, 8.4],
    ['→', 32.8, 8.4],
    ['b', 49.6, 8.4],
    ['日', 58, 16.8],
    ['c', 74.8, 8.4],
  ])
})

test('what is styled alike is one text, however often that is said', () => {
  expect(texts('<31>a<31>b<1>c<0>d').map(([text]) => text)).toEqual(['ab', 'c', 'd'])
  expect(drawnIn(draw(['<31>a<1>b<0>c'])).map((drawn) => [drawn.fill, drawn['font-weight']])).toEqual([
    [THEME.sixteen[1], undefined],
    [THEME.sixteen[1], 'bold'],
    [THEME.text, undefined],
  ])
})

test('lines lie below each other', () => {
  const [first, second] = drawnIn(draw(['a', 'b']))
  expect(Number(second?.y) - Number(first?.y)).toBe(20)
  expect(draw(['a', '', ''])).toContain('width="200" height="128" viewBox="0 0 200 128"')
})

test('grounds fill their columns and their line, beneath all texts of it', () => {
  expect(boxes('a<41>b <0> <44>日')).toEqual(['24.4 52 16.8 20 #ff7b72', '49.6 52 16.8 20 #6cb0ff'])
  expect(drawnIn(draw(['a<41>b'])).map(({ name }) => name)).toEqual(['rect', 'text', 'text'])
})

test('inverse exchanges colour and ground, of blanks too', () => {
  expect(boxes('<7> ', '<31>x')).toEqual([`16 52 8.4 20 ${THEME.text}`, `16 72 8.4 20 ${THEME.sixteen[1]}`])
  expect(drawnIn(draw(['<7;31>x'])).at(-1)?.fill).toBe(THEME.ground)
})

test('underlined is a line below, also below blanks', () => {
  expect(boxes('<4>a b')).toEqual([`16 68.5 25.2 1 ${THEME.text}`])
})

test.each([
  ['38;5;16', '#000000'],
  ['38;5;21', '#0000ff'],
  ['38;5;208', '#ff8700'],
  ['38;5;231', '#ffffff'],
  ['38;5;232', '#080808'],
  ['38;5;255', '#eeeeee'],
  ['38;5;9', THEME.sixteen[9]],
  ['38;2;18;52;86', '#123456'],
])('the colour %s is %s', (codes, fill) => {
  expect(drawnIn(draw([`<${codes}>x`]))[0]?.fill).toBe(fill)
})

test('what is written is escaped, wherever it stands', () => {
  const svg = draw(['a && b > c'])
  expect(svg).toContain('>a &amp;&amp; b &gt; c</text>')
  expect(svg).toContain('>a &lt;b&gt;</text>')
  expect(svg).toContain('<title id="title">A &quot;title&quot;</title>')
  expect(svg).toContain('<desc id="description">What &amp; why</desc>')
})

test('a picture says what it is, and needs nothing from elsewhere', () => {
  const svg = draw(['a'])
  expect(svg).toMatch(
    /^<svg xmlns="[^"]+" .* role="img" aria-labelledby="title description">\n<title id="title">/,
  )
  expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(
    /https?:|url\(|href|<(script|style|image|use|foreignObject)\b/,
  )
})
