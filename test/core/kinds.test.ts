import { expect, test } from 'vitest'
import { EVENTS, KINDS, kindNumber, kindOfId, kindOfNumber, nounOf, prefixOf } from '../../src/core/kinds.ts'
import { STORED_KINDS, storedNumber } from '../../src/store/columns.ts'

test('event types are numbered from 0 without gaps', () => {
  expect(EVENTS.map(({ number }) => number)).toEqual(EVENTS.map((_, index) => index))
})

test('no two kinds, deliveries included, have the same number', () => {
  const numbers = STORED_KINDS.map(storedNumber)
  expect(numbers).toHaveLength(new Set(numbers).size)
})

test('no two kinds have the same id prefix', () => {
  const prefixes = [...KINDS.map(prefixOf), 'whd', 'evt']
  expect(prefixes).toHaveLength(new Set(prefixes).size)
})

test.each(KINDS)('%s is found by its number and by its ids', (kind) => {
  expect(kindOfNumber(kindNumber(kind))).toBe(kind)
  expect(kindOfId(`${prefixOf(kind)}_000001abcdefgh`)).toBe(kind)
})

test('a number or an id of no kind is not one of a kind', () => {
  expect(() => kindOfNumber(11)).toThrow('11 is the number of no kind')
  expect(kindOfId('evt_000001abcdefgh')).toBeUndefined()
  expect(kindOfId('cus')).toBeUndefined()
})

test('the name of a kind in messages has spaces', () => {
  expect(nounOf('payment_method')).toBe('payment method')
})
