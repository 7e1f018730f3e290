import { expect, test } from 'vitest'
import { eachSeparator } from '../../src/text/separators.ts'

function separatorsIn(text: string, most = Number.POSITIVE_INFINITY): string {
  let found = ''
  eachSeparator(text, (separator, at) => {
    found += `${separator}${at} `
    return found.split(' ').length <= most
  })
  return found.trim()
}

test.each([
  ['', ''],
  ['{"a":[1,2]}', '{0 [5 ,7 ]9 }10'],
  ['{"a,[":"]}"}', '{0 }11'],
  ['["\\"],","\\\\",3]', '[0 ,7 ,12 ]14'],
  ['"open ,', ''],
])('of %s are found outside of strings', (text, expected) => {
  expect(separatorsIn(text)).toBe(expected)
})

test('are found until enough are', () => {
  expect(separatorsIn('[1,2,3]', 2)).toBe('[0 ,2')
})
