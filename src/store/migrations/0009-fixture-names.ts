import type Sqlite from 'better-sqlite3'

/** Stores the names that fixtures give to objects, so that commands can find the objects by them. */
export function up(database: Sqlite.Database): void {
  database.exec(`
    create table fixture_name (
      merchant integer not null, kind text not null, name text not null, object text not null,
      primary key (kind, name, merchant)) strict, without rowid`)
}
