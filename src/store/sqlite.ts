import Sqlite from 'better-sqlite3'
import { type NativePart, nativePart } from './native-part.ts'

/** The options of better-sqlite3; its types lack exports as `nativeBinding`. */
type Options = Omit<Sqlite.Options, 'nativeBinding'> & { readonly nativeBinding: NativePart }
const Database: new (path: string, options: Options) => Sqlite.Database = Sqlite as never

/** Opens a database file, or a database in memory: ':memory:'. @throws Sqlite.SqliteError, NativePartUnusable */
export const openSqlite = (path: string, options: Sqlite.Options = {}): Sqlite.Database =>
  new Database(path, { ...options, nativeBinding: nativePart() })
