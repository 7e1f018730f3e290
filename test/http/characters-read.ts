import { vi } from 'vitest'
import { jsonLength } from '../../src/core/json-text.ts'
import { Statement } from '../../src/store/statements.ts'

/**
 * Counts the characters of the values that the store reads during work.
 * @param methods - of its statements
 * @returns all of them, and the most that one statement read together
 */
export async function charactersReadBy<T>(
  act: () => Promise<T>,
  methods: readonly ('get' | 'all' | 'allWithin')[] = ['all', 'allWithin', 'get'],
): Promise<{ result: T; read: number; together: number }> {
  const spies = methods.map((method) => vi.spyOn(Statement.prototype, method))
  try {
    const result = await act()
    const sizes = spies.flatMap(({ mock }) =>
      mock.results.map(({ value }) => jsonLength(value?.rows ?? value)),
    )
    return { result, read: sizes.reduce((sum, size) => sum + size, 0), together: Math.max(0, ...sizes) }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
