import { vi } from 'vitest'
import { jsonLength } from '../../src/core/json-text.ts'
import { Statement } from '../../src/store/statements.ts'

/** Counts the characters of the values that the store reads during work. @param methods - of its statements */
export async function charactersReadBy<T>(
  act: () => Promise<T>,
  methods: readonly ('get' | 'all' | 'allWithin')[] = ['all', 'allWithin', 'get'],
): Promise<{ result: T; read: number }> {
  const spies = methods.map((method) => vi.spyOn(Statement.prototype, method))
  try {
    const result = await act()
    const rows = spies.flatMap(({ mock }) => mock.results.flatMap(({ value }) => value?.rows ?? value ?? []))
    return { result, read: rows.reduce((sum: number, row: unknown) => sum + jsonLength(row), 0) }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
