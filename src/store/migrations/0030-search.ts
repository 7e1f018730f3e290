import type Sqlite from 'better-sqlite3'

/**
 * Finds customers by parts of their names and email addresses. The index has them in the order of their creation, so that a new
 * customer is added at its end.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    create index customer_text on customer (merchant, seq, name, email) where deleted = 0`)
}
