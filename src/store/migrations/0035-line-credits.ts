import type Sqlite from 'better-sqlite3'

/**
 * Adds the sum that issued credit notes credit of each line of an invoice, so that the next credit note does not read all earlier
 * ones.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    create table line_credit (
      merchant integer not null, line text not null, amount integer not null,
      primary key (merchant, line)) strict, without rowid;
    insert into line_credit (merchant, line, amount)
      select merchant, line.value ->> '$.invoice_line_item', sum(line.value ->> '$.amount')
      from credit_note, json_each(credit_note.lines) as line
      where status = 'issued' and line.value ->> '$.invoice_line_item' is not null
      group by 1, 2`)
}
