import { isDeepStrictEqual } from 'node:util'
import { expect as vitestExpect } from 'vitest'

/**
 * Checks a value as vitest's `expect` does, which takes many times as long for what holds and fails with a readable message for
 * what does not. For invariants that are checked very often.
 */
export const expect = (is: unknown) => ({
  toBe(expected: unknown): void {
    if (!Object.is(is, expected)) vitestExpect(is).toBe(expected)
  },
  toEqual(expected: unknown): void {
    if (!isDeepStrictEqual(is, expected)) vitestExpect(is).toEqual(expected)
  },
  toHaveLength(expected: number): void {
    vitestExpect(is).toHaveLength(expected)
  },
  toBeGreaterThan(bound: number): void {
    if (!(typeof is === 'number' && is > bound)) vitestExpect(is).toBeGreaterThan(bound)
  },
  toBeGreaterThanOrEqual(bound: number): void {
    if (!(typeof is === 'number' && is >= bound)) vitestExpect(is).toBeGreaterThanOrEqual(bound)
  },
  toBeLessThanOrEqual(bound: number): void {
    if (!(typeof is === 'number' && is <= bound)) vitestExpect(is).toBeLessThanOrEqual(bound)
  },
  get not() {
    return vitestExpect(is).not
  },
})
