import { expect, test } from 'vitest'
import { beginningOf } from '../../src/text/beginning.ts'
import { keptBytes } from '../kept-memory.ts'

test('a text is cut to a number of characters', () => {
  expect(beginningOf('paytwin', 7)).toBe('paytwin')
  expect(beginningOf('paytwin', 3)).toBe('pay')
  expect(beginningOf('héllo', 2)).toBe('hé')
  expect(beginningOf('a😀b', 3)).toBe('a😀')
  expect(beginningOf('a😀b', 2)).toBe('a\ufffd')
})

test('the beginning does not keep the whole text in memory', async () => {
  const kept: string[] = []
  const add = () => {
    for (let number = 0; number < 50; number += 1)
      kept.push(beginningOf(Buffer.alloc(1_000_000, 'x').toString(), 100))
  }
  expect(await keptBytes(add)).toBeLessThan(5_000_000)
  expect(kept).toHaveLength(50)
})
