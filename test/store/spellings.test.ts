import { expect, test } from 'vitest'
import { spellingsOf } from '../../src/store/spellings.ts'

const byBytes = (left: string, right: string) => Buffer.compare(Buffer.from(left), Buffer.from(right))

/** Finds the spellings of a text in a sorted list, and counts the reads. */
function findIn(sorted: readonly string[], text: string) {
  let reads = 0
  const found = spellingsOf(text, (from) => {
    reads += 1
    return sorted.find((each) => byBytes(each, from) >= 0)
  })
  return { found, reads }
}

const LETTERS = ['', 'a', 'A', 'b', '[', '\u00e9', '\u{1f375}']
const SHORT = LETTERS.flatMap((first) =>
  LETTERS.flatMap((second) => LETTERS.map((third) => first + second + third)),
)
const fold = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

test('all spellings that differ in the case of ASCII letters are found, and no others', () => {
  const texts = [...new Set(SHORT)].toSorted(byBytes)
  for (const text of texts) {
    const expected = texts.filter((each) => fold(each) === fold(text))
    expect(new Set(findIn(texts, text).found)).toEqual(new Set(expected))
  }
})

test('texts in between are skipped', () => {
  const texts = Array.from({ length: 5_000 }, (_, n) => `user${n}@example.com`)
  const { found, reads } = findIn([...texts, 'User77@Example.com'].toSorted(byBytes), 'USER77@example.com')
  expect(found).toEqual(['User77@Example.com', 'user77@example.com'])
  expect(reads).toBeLessThan(10)
})

test('the search for spellings ends if there are very many, or very many texts between them', () => {
  const cases = (n: number) =>
    [...'abcdefghij'].map((each, place) => (n & (1 << place) ? each.toUpperCase() : each))
  const many = Array.from({ length: 1_024 }, (_, n) => cases(n).join('')).toSorted(byBytes)
  expect(findIn(many, 'abcdefghij')).toEqual({ found: undefined, reads: 17 })
  const between = many.map((each) => `${each.slice(0, -1)}!`).toSorted(byBytes)
  expect(findIn(between, 'abcdefghij')).toEqual({ found: undefined, reads: 200 })
})
