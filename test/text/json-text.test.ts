import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonSyntaxError, parseJsonFile, parseJsonText } from '../../src/text/json-text.ts'

const mistakeIn = (given: string | Buffer): string => {
  try {
    if (typeof given === 'string') parseJsonText(given)
    else parseJsonFile(given)
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

describe('a file of hand-written JSON', () => {
  const BOM = '\ufeff'
  const latin1 = (text: string) => Buffer.from(text, 'latin1')

  test.each<[string, Buffer, string]>([
    ['in UTF-16', Buffer.from(`${BOM}{}`, 'utf16le'), 'f:1:1: this file is UTF-16; save it as UTF-8'],
    [
      'in UTF-16 with the other byte order',
      Buffer.from(`${BOM}{}`, 'utf16le').swap16(),
      'f:1:1: this file is UTF-16; save it as UTF-8',
    ],
    ['in Latin-1', latin1('{\n "name": "Ren\u00e9"\n}'), 'f:2:14: this is not UTF-8'],
    ['in Latin-1 on the third line', latin1('[\r\n1,\r"\u00e9"]'), 'f:3:2: this is not UTF-8'],
    [
      'with a broken byte after characters of several',
      Buffer.concat([Buffer.from(`${BOM}["é\u{1f600}\ufffd\ufffd`), latin1('\u00ef\u00bf"]')]),
      'f:1:8: this is not UTF-8',
    ],
    ['that is cut within a character', Buffer.from('"é').subarray(0, 2), 'f:1:2: this is not UTF-8'],
    ['with a surrogate', latin1('"\u00ed\u00a0\u0080"'), 'f:1:2: this is not UTF-8'],
    ['that is empty', Buffer.alloc(0), 'f:1:1: expected a value, but the file ends here'],
  ])('%s is refused', (_, content, mistake) => {
    expect(mistakeIn(content)).toBe(mistake)
  })

  test('in UTF-8 is read, with or without a byte order mark, also with replacement characters', () => {
    for (const mark of ['', BOM])
      expect(parseJsonFile(Buffer.from(`${mark}["é\ufffd\u{1f600}"]`))).toEqual(['é\ufffd\u{1f600}'])
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
