import Sqlite from 'better-sqlite3'
import { explained, type NativePart, nativePart } from './native-part.ts'

/** The options of better-sqlite3. Its types do not allow a loaded addon as `nativeBinding`. */
type Options = Omit<Sqlite.Options, 'nativeBinding'> & { readonly nativeBinding: NativePart }
const Database: new (path: string, options: Options) => Sqlite.Database = Sqlite as never

/** Opens a database file, or a database in memory: ':memory:'. @throws Sqlite.SqliteError, NativePartUnusable */
export function openSqlite(path: string, options: Sqlite.Options = {}): Sqlite.Database {
  const nativeBinding = nativePart()
  try {
    return new Database(path, { ...options, nativeBinding })
  } catch (error) {
    // The first database loads the addon, which may have been built for another Node.
    throw explained(error)
  }
}
