import type Sqlite from 'better-sqlite3'

/**
 * Adds prorations and the balances of customers. Keyframes get the initial values of the new fields, and the history of a
 * draft's total becomes that of its amount due, because a field that an entry lacks is shown with its current value.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    alter table customer add column balances text not null default '{}';
    alter table subscription add column has_pending_items integer not null default 0;
    alter table invoice add column amount_due integer not null default 0;
    alter table invoice add column starting_balance integer not null default 0;
    update invoice set amount_due = total;
    alter table invoice_item add column subscription text;
    alter table invoice_item add column billed_with text;
    alter table invoice_item add column proration text;
    create index invoice_item_billed_with on invoice_item (billed_with) where billed_with is not null;
    create table customer_balance_transaction (
      seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
      customer text not null, currency text not null, type text not null, amount integer not null,
      ending_balance integer not null, invoice text, description text, metadata text not null, test_clock text,
      newest_entry integer, entry_count integer not null default 0) strict;
    create index customer_balance_transaction_customer on customer_balance_transaction (customer);
    update keyframe set state = json_set(state, '$.balances', json('{}')) where kind = 0;
    update keyframe set state = json_set(
      state, '$.amount_due', json_extract(state, '$.total'), '$.starting_balance', 0)
      where kind = 5;
    update keyframe set state = json_set(state, '$.subscription', null, '$.proration', null) where kind = 9;
    update journal set replaced = json_set(replaced, '$.amount_due', json_extract(replaced, '$.total'))
      where kind = 5 and json_type(replaced, '$.total') is not null`)
}
