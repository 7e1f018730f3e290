import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonSyntaxError, parseJsonText } from '../../src/text/json-text.ts'

const mistakeIn = (text: string): string => {
  try {
    parseJsonText(text)
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.in('f')
    throw error
  }
  return 'none'
}

describe('hand-written JSON', () => {
  test.each<[string, string]>([
    ['', 'f:1:1: expected a value, but the file ends here'],
    ['{', "f:1:2: expected '}', but the file ends here"],
    ['{"a": 1', "f:1:8: expected '}', but the file ends here"],
    ['{"a" 1}', "f:1:6: expected ':'"],
    ['{1: 1}', 'f:1:2: expected a name in double quotes'],
    ['{a: 1}', 'f:1:2: this is not valid JSON'],
    ["{'a': 1}", 'f:1:2: this is not valid JSON'],
    ['{\n  "a": 1,\n}', "f:2:9: expected no ',' before '}'"],
    ['[1,\n 2,]', "f:2:3: expected no ',' before ']'"],
    ['[1 2]', "f:1:4: expected ','"],
    ['[1', "f:1:3: expected ']', but the file ends here"],
    ['[1, , 2]', 'f:1:5: expected a value'],
    ['{"a": tru}', 'f:1:7: this is not valid JSON'],
    ['{"a": 01}', "f:1:8: expected ','"],
    ['{"a": 1.}', 'f:1:7: this number is incomplete'],
    ['{"a": +1}', 'f:1:7: this is not valid JSON'],
    ['{"a": NaN}', 'f:1:7: this is not valid JSON'],
    ['{"a": "b\nc"}', 'f:1:7: this string does not end on its line'],
    ['{"a": "b\tc"}', 'f:1:7: this string contains a control character that must be escaped'],
    ['{"a": "\\x"}', 'f:1:7: this string contains an invalid escape'],
    ['{"a": "b}', 'f:1:7: this string does not end on its line'],
    ['{} // done', 'f:1:4: comments are not allowed'],
    ['{} []', 'f:1:4: expected the end of the file'],
    ['// hello\n{}', 'f:1:1: comments are not allowed'],
    ['\ufeff[1,]', "f:1:3: expected no ',' before ']'"],
    ['{"a": 1,\n "b": 2,\n "a": 3}', "f:3:2: the name 'a' occurs twice"],
    ['{"a": {"b": [{"c": 1, "c": 1}]}}', "f:1:23: the name 'c' occurs twice"],
    [`${'['.repeat(101)}`, 'f:1:101: expected at most 100 levels'],
  ])('%j is refused with its place', (text, message) => {
    expect(mistakeIn(text)).toBe(message)
  })

  test.each<[string, unknown]>([
    ['{}', {}],
    [' [ 1 , -2.5e3 , true , false , null , "\\u00e9\\n" ] ', [1, -2500, true, false, null, 'é\n']],
    ['\ufeff{"a": 1}\r\n', { a: 1 }],
    ['{"a": {"b": 1}, "c": {"b": 2}}', { a: { b: 1 }, c: { b: 2 } }],
    ['"only"', 'only'],
  ])('%j is read', (text, value) => {
    expect(parseJsonText(text)).toEqual(value)
  })

  test('a name of the language is a name like any other', () => {
    const value = parseJsonText('{"__proto__": {"a": 1}}') as object
    expect(Object.getOwnPropertyNames(value)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  test('a long string is read', () => {
    const long = 'x\\"'.repeat(200_000)
    expect(parseJsonText(`"${long}"`)).toBe(JSON.parse(`"${long}"`))
  })

  test('a string of millions of escapes is read', () => {
    const text = `["${'\\n\\"'.repeat(2_500_000)}"]`
    expect(parseJsonText(text)).toEqual(JSON.parse(text))
    expect(mistakeIn(text.slice(0, -2))).toBe('f:1:2: this string does not end on its line')
    expect(mistakeIn('"\\')).toBe('f:1:1: this string does not end on its line')
  })
})

test('every JSON value is read as JSON.parse reads it, indented or not', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2, '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      expect(parseJsonText(text)).toEqual(JSON.parse(text))
    }),
  )
})

test('what JSON.parse refuses is refused, and nothing else but a name given twice', () => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"b"',
    '1',
    '-',
    'e',
    '.',
    'null',
    ' ',
    '\n',
    '\\',
    '"',
  )
  const isJson = (text: string) => {
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  }
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (some) => {
      const text = some.join('')
      const mistake = mistakeIn(text)
      expect(mistake === 'none' || mistake.endsWith('occurs twice')).toBe(isJson(text))
    }),
    { numRuns: 2_000 },
  )
})
