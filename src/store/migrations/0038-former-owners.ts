import type Sqlite from 'better-sqlite3'

/**
 * Adds a table of the customers from which payment methods (kind 3) and payment intents (kind 6) moved, in place of two indexes with
 * an expression on the journal. An expression can fail, so SQLite kept a journal of its own for each statement that appends entries, to
 * which it copied the pages that the statement changes. In a command that changes many pages, each such statement took time for
 * all of them.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    create table former_owner (
      merchant integer not null, customer text not null, kind integer not null, object integer not null,
      primary key (merchant, customer, kind, object)) strict, without rowid;
    insert into former_owner (merchant, customer, kind, object)
      select distinct merchant, json_extract(replaced, '$.customer'), kind, object from journal indexed by journal_detached
      where kind = 3 and json_extract(replaced, '$.customer') > ''
      union select merchant, json_extract(replaced, '$.customer'), kind, object from journal indexed by journal_moved
      where kind = 6 and json_extract(replaced, '$.customer') is not null;
    drop index journal_detached;
    drop index journal_moved;`)
}
