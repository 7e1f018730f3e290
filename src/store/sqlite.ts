import { createRequire } from 'node:module'
import Sqlite from 'better-sqlite3'

/** The native part, where npm has put it. better-sqlite3 would look for it in a dozen places, and load a library for that. */
const nativeBinding = createRequire(import.meta.url).resolve(
  'better-sqlite3/build/Release/better_sqlite3.node',
)

/** Opens a database file, or one in memory: ':memory:'. @throws Sqlite.SqliteError */
export const openSqlite = (path: string, options: Sqlite.Options = {}): Sqlite.Database =>
  new Sqlite(path, { ...options, nativeBinding })
