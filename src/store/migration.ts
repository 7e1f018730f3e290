import type Sqlite from 'better-sqlite3'

/** A step from one schema to the next, within a transaction. */
export type Migration = { readonly up: (database: Sqlite.Database) => void }

/** Migrations by name, in order. A database's version is the number of its migrations. */
export type Migrations = Readonly<Record<string, Migration>>

export const versionOf = (migrations: Migrations): number => Object.keys(migrations).length

/** All migrations, and the schema that they make if it is known. */
export type Schemas = { readonly migrations: Migrations; readonly newestSchema: string | undefined }
