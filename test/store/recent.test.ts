import { expect, test } from 'vitest'
import { Recent } from '../../src/store/recent.ts'

const KEYS = Array.from({ length: 10 }, (_, n) => `key ${n}`)

test('the last used values are kept, up to the size of a generation', () => {
  const recent = new Recent<number>(4)
  KEYS.forEach((key, n) => {
    recent.set(key, n)
    KEYS.slice(Math.max(0, n - 3), n + 1).forEach((last) => {
      expect(recent.get(last)).toBe(KEYS.indexOf(last))
    })
  })
})

test('at most two generations are kept', () => {
  const recent = new Recent<number>(3)
  for (const [n, key] of KEYS.entries()) recent.set(key, n)
  expect(KEYS.filter((key) => recent.get(key) !== undefined).length).toBeLessThanOrEqual(6)
})

test('a value in use stays while others are dropped', () => {
  const recent = new Recent<number>(2)
  recent.set('used', 0)
  for (const [n, key] of KEYS.entries()) {
    recent.set(key, n)
    expect(recent.get('used')).toBe(0)
  }
})

test('a value that is set again replaces the previous one', () => {
  const recent = new Recent<number>(2)
  for (const value of [1, 2, 3]) {
    recent.set('again', value)
    recent.set(`other ${value}`, 0)
    expect(recent.get('again')).toBe(value)
  }
})

test('clearing removes everything, and a size of 0 keeps nothing', () => {
  const cleared = new Recent<number>(2)
  const without = new Recent<number>(0)
  for (const key of KEYS) {
    cleared.set(key, 1)
    without.set(key, 1)
  }
  cleared.clear()
  expect(KEYS.map((key) => [cleared.get(key), without.get(key)])).toEqual(
    KEYS.map(() => [undefined, undefined]),
  )
})

test('long values are dropped earlier, however few they are', () => {
  const recent = new Recent<string>(4, { maxLength: 10, lengthOf: ({ length }) => length })
  for (const key of KEYS) recent.set(key, 'x'.repeat(6))
  expect(KEYS.filter((key) => recent.get(key) !== undefined)).toEqual(KEYS.slice(-2))
  recent.set('grows', 'x')
  recent.set('other', 'x')
  recent.set('grows', 'x'.repeat(20))
  expect(recent.get('grows')).toHaveLength(20)
  recent.set('next', 'x')
  recent.set('more', 'x'.repeat(10))
  expect(recent.get('grows')).toBeUndefined()
})

test('the length of a replaced value no longer counts', () => {
  const recent = new Recent<string>(4, { maxLength: 10, lengthOf: ({ length }) => length })
  recent.set('first', 'x')
  for (const _ of KEYS) recent.set('again', 'x'.repeat(6))
  expect(recent.get('first')).toBe('x')
})
