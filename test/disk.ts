import Sqlite from 'better-sqlite3'
import { vi } from 'vitest'
import type { Twin } from './twin.ts'

/**
 * Fills the disk of a sandbox: no transaction commits until there is room again.
 * @param after - how many transactions still commit before that
 * @returns makes room again
 */
export function fillDisk({ sandbox }: Pick<Twin, 'sandbox'>, after = 0): () => void {
  const { store } = sandbox.engine
  const transact = store.transaction.bind(store)
  let left = after
  const spy = vi.spyOn(store, 'transaction').mockImplementation((work) => {
    left -= 1
    if (left >= 0) return transact(work)
    return transact(() => {
      work()
      throw new Sqlite.SqliteError('database or disk is full', 'SQLITE_FULL')
    })
  })
  return () => spy.mockRestore()
}
