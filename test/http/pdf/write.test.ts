import { describe, expect, test } from 'vitest'
import { encode, widthOf, wrap } from '../../../src/http/pdf/helvetica.ts'
import { type Mark, writePdf } from '../../../src/http/pdf/write.ts'
import { readPdf } from '../../pdf.ts'

const text = (value: string): Mark => ({
  kind: 'text',
  text: value,
  x: 50,
  y: 60,
  size: 10,
  font: 'regular',
  color: '0 0 0',
})
const latin = (value: string) => Buffer.from(encode(value).bytes).toString('latin1')

describe('the encoding', () => {
  test.each([
    ['Zoë Müller', 'Zoë Müller', true],
    ['€5 – “ok”…', '\u00805 \u0096 \u0093ok\u0094\u0085', true],
    ['e\u0301', 'é', true],
    ['Erdős Łukasz Đorđe', 'Erdos Lukasz Dorde', true],
    ['a\u0000b\u202ec\u200d', 'abc', true],
    ['株式会社', '????', false],
    ['ok 🎉', 'ok ?', false],
    ['\u0081\u009d', '', true],
  ])('of %j', (given, bytes, isComplete) => {
    expect(latin(given)).toBe(bytes)
    expect(encode(given).isComplete).toBe(isComplete)
  })
})

test('texts are measured with the metrics of the font', () => {
  expect(widthOf('Hi', 'regular', 10)).toBeCloseTo(9.44)
  expect(widthOf('Hi', 'bold', 10)).toBeCloseTo(10)
  expect(widthOf('€', 'regular', 1000)).toBe(556)
})

test('a text is broken between words, and a long word within', () => {
  const broken = wrap('one two  three incomprehensibilities', { font: 'regular', size: 10, width: 50 })
  expect(broken.slice(0, 2)).toEqual(['one two', 'three'])
  expect(broken.slice(2).join('')).toBe('incomprehensibilities')
  for (const line of broken) expect(widthOf(line, 'regular', 10)).toBeLessThanOrEqual(50)
  expect(wrap(' ', { font: 'regular', size: 10, width: 50 })).toEqual([])
})

test('a document is read back, also with characters that end a string', () => {
  const link: Mark = { kind: 'link', url: 'http://localhost:1/i/a', x: 1, y: 2, width: 3, height: 4 }
  const pdf = writePdf({
    title: '株 (1)',
    created: 1_769_853_600,
    pages: [[text('a) Tj (b\\'), link, { kind: 'rule', x: 0, y: 0, width: 9 }], [text('two')]],
  })
  expect(readPdf(pdf)).toEqual({
    pages: [['a) Tj (b\\'], ['two']],
    title: '株 (1)',
    links: ['http://localhost:1/i/a'],
  })
  expect(pdf.toString('latin1')).toContain('/CreationDate (D:20260131100000Z)')
})

test('a long text without width is broken in one pass', () => {
  const style = { font: 'regular', size: 9.5, width: 300 } as const
  const wide = 'W'.repeat(120)
  const started = performance.now()
  expect(wrap(`${wide}${'\u200b'.repeat(200_000)} end`, style)).toEqual(wrap(`${wide} end`, style))
  expect(performance.now() - started).toBeLessThan(5_000)
})
