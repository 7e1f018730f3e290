import { expect, test } from 'vitest'
import {
  counted,
  escapeControls,
  escapeControlsByLine,
  formatSpan,
  indentedJson,
  shortened,
  toJson,
} from '../../src/text/display.ts'

test.each([
  ['plain text, ümläuts and 日本 stay', 'plain text, ümläuts and 日本 stay'],
  ['\u001b[31mred', '\\u001b[31mred'],
  ['one\ntwo\r\tthree', 'one\\u000atwo\\u000d\\u0009three'],
  ['\u009b31m and \u007f', '\\u009b31m and \\u007f'],
  ['right \u202e to left', 'right \\u202e to left'],
  ['a line\u2028ends', 'a line\\u2028ends'],
])('control characters are written as escapes: %j', (text, shown) => {
  expect(escapeControls(text)).toBe(shown)
})

test('line breaks are kept, other control characters are escaped', () => {
  expect(escapeControlsByLine('one \u001b[31m\ntwo\r')).toBe('one \\u001b[31m\ntwo\\u000d')
})

test.each([
  ['short', 5, 'short'],
  ['longer', 5, 'longe… (1 more characters)'],
])('%j shortened to %i characters', (text, most, short) => {
  expect(shortened(text, most)).toBe(short)
})

test('escaped JSON parses to the same value', () => {
  const value = { name: '\u001b[31m \u009b \u007f \u202e \u2028 "quoted" \n ü' }
  expect(JSON.parse(toJson(value, 2))).toEqual(value)
  expect(toJson(value)).toBe('{"name":"\\u001b[31m \\u009b \\u007f \\u202e \\u2028 \\"quoted\\" \\n ü"}')
})

test.each([
  [0, '0 s'],
  [0.4, '0 s'],
  [59, '59 s'],
  [125, '2 min 5 s'],
  [3600, '1 h'],
  [90_061, '1 d 1 h'],
  [-5, '0 s'],
])('%d seconds are shown as %s', (seconds, shown) => {
  expect(formatSpan(seconds)).toBe(shown)
})

test.each([
  [0, '0 jobs'],
  [1, '1 job'],
  [12_345, '12,345 jobs'],
])('%d is counted as %s', (count, shown) => {
  expect(counted(count, 'job')).toBe(shown)
})

test.each([1_000, 30_000])('JSON that is nested %s levels deep is shown as it is', (levels) => {
  const text = `${'['.repeat(levels)}${']'.repeat(levels)}`
  expect(indentedJson(text)).toBe(text)
})
