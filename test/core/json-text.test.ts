import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSameJson, jsonLength } from '../../src/core/json-text.ts'

const json = fc.jsonValue({ maxDepth: 3 })

test('values are the same if their JSON is', () => {
  const withField = fc.dictionary(fc.constantFrom('a', 'b', '1'), json, { noNullPrototype: true })
  fc.assert(
    fc.property(fc.oneof(json, withField), fc.oneof(json, withField), (left, right) => {
      expect(isSameJson(left, right)).toBe(JSON.stringify(left) === JSON.stringify(right))
      expect(isSameJson(left, structuredClone(left))).toBe(true)
    }),
  )
})

test.each([
  ['fields in another order', { a: 1, b: 2 }, { b: 2, a: 1 }, false],
  ['a field that is undefined', { a: 1, b: undefined }, { a: 1 }, true],
  ['a list and an object', ['a'], { 0: 'a' }, false],
  ['an empty list and an empty object', [], {}, false],
  ['null and an object', null, {}, false],
])('%s', (_, left, right, isSame) => {
  expect(isSameJson(left, right)).toBe(isSame)
  expect(isSameJson({ nested: [left] }, { nested: [right] })).toBe(isSame)
})

test('what two values share is not looked at', () => {
  const large = {
    get text(): string {
      throw new Error('read')
    },
  }
  expect(isSameJson({ large, changed: 1 }, { large, changed: 2 })).toBe(false)
  expect(isSameJson([{ large }], [{ large }])).toBe(true)
})

test.each([
  ['plain text', 'x'],
  ['control characters', '\u0001'],
  ['quotes', '"'],
  ['lone surrogates', '\ud800'],
])('a large value is about as long as its JSON: %s', (_, character) => {
  const large = Object.fromEntries(
    Array.from({ length: 50 }, (_each, key) => [`${key}${character.repeat(30)}`, character.repeat(500)]),
  )
  const length = JSON.stringify([large]).length
  expect(Math.abs(jsonLength([large]) - length)).toBeLessThan(length / 50)
})
