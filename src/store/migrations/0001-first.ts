import type Sqlite from 'better-sqlite3'

/**
 * Creates the first schema. Object tables hold the current state of each object, a column for each field. `seq` is the
 * order of creation, which lists follow. `merchant` is the owner's ordinal.
 */
const OBJECT_TABLES: Readonly<Record<string, string>> = {
  customer: `
    email text, name text, description text, metadata text not null, default_payment_method text,
    invoice_prefix text not null, next_invoice_number integer not null, delinquent integer not null,
    test_clock text, deleted integer not null`,
  product: 'name text not null, active integer not null, description text, metadata text not null',
  price: `
    product text, nickname text, unit_amount integer not null, currency text not null, recurring text,
    active integer not null, lookup_key text, metadata text not null`,
  payment_method: `
    type text not null, customer text, card text, metadata text not null, test_card text, script text`,
  subscription: `
    status text not null, customer text not null, currency text not null, collection_method text not null,
    days_until_due integer, default_payment_method text, description text, items text not null, latest_invoice text,
    newest_invoice text, start_date integer not null, billing_cycle_anchor integer not null,
    current_period_start integer not null, current_period_end integer not null, trial_start integer,
    trial_end integer, missing_payment_method text not null, cancel_at integer,
    cancel_at_period_end integer not null, canceled_at integer, ended_at integer, cancellation_reason text,
    pause_collection text, metadata text not null, test_clock text`,
  invoice: `
    status text not null, number text, customer text not null, subscription text, currency text not null,
    collection_method text not null, billing_reason text not null, lines text not null, total integer not null,
    amount_paid integer not null, attempt_count integer not null, attempted integer not null,
    next_payment_attempt integer, default_payment_method text, payment_intent text, charge text, days_until_due integer,
    due_date integer, overdue integer not null, period_start integer not null, period_end integer not null, finalized_at integer,
    paid_at integer, voided_at integer, marked_uncollectible_at integer, description text, metadata text not null, test_clock text,
    deleted integer not null`,
  payment_intent: `
    status text not null, amount integer not null, amount_received integer not null, currency text not null,
    customer text, invoice text, payment_method text, latest_charge text, last_payment_error text,
    canceled_at integer, cancellation_reason text, description text, metadata text not null`,
  charge: `
    status text not null, amount integer not null, amount_refunded integer not null, currency text not null,
    customer text, payment_intent text not null, invoice text, payment_method text, failure_code text,
    failure_message text, decline_code text, metadata text not null`,
  refund: `
    status text not null, amount integer not null, currency text not null, charge text not null,
    payment_intent text not null, reason text, failure_reason text, metadata text not null, settles_at integer,
    test_clock text`,
  invoice_item: `
    customer text not null, currency text not null, amount integer not null, unit_amount integer not null,
    quantity integer not null, price text, description text, invoice text, metadata text not null,
    test_clock text, deleted integer not null`,
  webhook_endpoint: `
    url text not null, enabled_events text not null, description text, metadata text not null, status text not null,
    deleted integer not null`,
  webhook_delivery: `
    event text not null, endpoint text not null, status text not null, attempts text not null,
    attempt_count integer not null, is_ready integer not null, next_attempt integer`,
}

const OTHER_TABLES: readonly string[] = [
  `create table merchant (
    ordinal integer primary key, id text not null unique, name text not null, created integer not null,
    api_version text not null, dunning_final_action text not null, birth integer not null) strict`,
  `create table clock (
    seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
    is_test integer not null, name text, deleted integer not null, mode text not null, now integer not null,
    "offset" integer not null, target integer, advance text) strict`,
  `create table api_key (
    id text primary key, merchant integer not null, birth integer not null, type text not null, name text,
    hash blob not null unique, hint text not null, created integer not null, last_used integer, revoked integer) strict`,
  `create table journal (
    seq integer primary key, merchant integer not null, number integer, type integer, kind integer not null,
    object integer not null, created integer not null, replaced text, api_version integer not null, request text,
    idempotency_key text) strict`,
  `create table job (
    clock integer not null, due integer not null, subscription text not null, position integer not null,
    object text not null, kind integer not null, merchant integer not null,
    primary key (clock, due, subscription, position, object)) strict, without rowid`,
  `create table block (
    kind integer not null, merchant integer not null, number integer not null, earliest integer not null,
    latest integer not null, types integer not null, primary key (kind, merchant, number)) strict, without rowid`,
  `create table price_use (
    merchant integer not null, price text not null, subscription integer not null,
    primary key (merchant, price, subscription)) strict, without rowid`,
  `create table counter (
    merchant integer not null, prefix text not null, value integer not null,
    primary key (merchant, prefix)) strict, without rowid`,
  `create table idempotency (
    scope text not null, key text not null, fingerprint text not null, status integer not null,
    api_version text not null, body text not null, created integer not null,
    primary key (scope, key)) strict, without rowid`,
  `create table oauth_app (
    seq integer primary key, id text not null unique, name text not null, redirect_uris text not null,
    secret blob not null, created integer not null) strict`,
  `create table oauth_authorization (
    seq integer primary key, id text not null unique, app text not null, merchant integer, birth integer,
    redirect_uri text not null, scope text not null, state text, code_challenge text, status text not null, created integer not null,
    expires integer not null, nonce blob unique, cookie blob, code blob unique, code_status text, code_expires integer,
    revoked integer) strict`,
  `create table oauth_token (
    seq integer primary key, hash blob not null unique, kind text not null, authorization integer not null,
    app text not null, merchant integer not null, birth integer not null, scope text not null, status text not null,
    expires integer not null) strict`,
  'create table setting (name text primary key, value text not null) strict, without rowid',
]

const INDEXES: readonly string[] = [
  'create index customer_email on customer (email) where email is not null',
  'create index customer_prefix on customer (merchant, invoice_prefix)',
  'create index product_active on product (merchant, active)',
  'create index price_product on price (product) where product is not null',
  'create index price_lookup_key on price (lookup_key) where lookup_key is not null',
  'create index price_currency on price (merchant, currency)',
  'create index price_active on price (merchant, active)',
  'create index payment_method_type on payment_method (merchant, type)',
  'create index payment_method_customer on payment_method (customer)',
  'create index customer_test_clock on customer (test_clock) where test_clock is not null',
  'create index subscription_customer on subscription (customer)',
  'create index subscription_status on subscription (merchant, status)',
  'create index subscription_collection on subscription (merchant, collection_method)',
  "create index subscription_ended on subscription (merchant) where status in ('canceled', 'incomplete_expired')",
  "create index subscription_present on subscription (merchant) where status <> 'canceled'",
  'create index invoice_status on invoice (merchant, status)',
  'create index invoice_customer on invoice (customer)',
  'create index invoice_subscription on invoice (subscription)',
  "create index invoice_open on invoice (customer) where status = 'open'",
  'create index payment_intent_customer on payment_intent (customer)',
  'create index charge_customer on charge (customer)',
  'create index charge_payment_intent on charge (payment_intent)',
  'create index refund_charge on refund (charge)',
  'create index refund_payment_intent on refund (payment_intent)',
  'create index invoice_item_customer on invoice_item (customer)',
  'create index invoice_item_invoice on invoice_item (invoice)',
  'create unique index clock_main on clock (merchant) where is_test = 0',
  'create index clock_test on clock (merchant) where is_test = 1 and deleted = 0',
  'create index clock_advancing on clock (merchant) where is_test = 1 and target is not null',
  'create index webhook_delivery_endpoint on webhook_delivery (endpoint)',
  'create index webhook_delivery_waiting on webhook_delivery (endpoint) where next_attempt is not null',
  "create index webhook_delivery_event on webhook_delivery (event) where status = 'pending'",
  'create index webhook_delivery_ready on webhook_delivery (endpoint, attempt_count) where is_ready = 1',
  'create index job_object on job (object) where length(subscription) = 0',
  'create index idempotency_created on idempotency (created)',
  'create index oauth_authorization_app on oauth_authorization (app)',
  'create index oauth_token_authorization on oauth_token (authorization)',
  'create index journal_number on journal (merchant, number)',
  'create index journal_object on journal (kind, object)',
  // Finds former owners of payment methods (kind 3): their rows have only the current owner.
  "create index journal_detached on journal (json_extract(replaced, '$.customer')) where kind = 3",
]

export function up(database: Sqlite.Database): void {
  for (const [name, columns] of Object.entries(OBJECT_TABLES)) {
    const common =
      'seq integer primary key, id text not null unique, merchant integer not null, created integer not null'
    database.exec(`create table ${name} (${common}, ${columns}) strict`)
    // The index of lists leaves out deleted objects.
    const where = columns.includes('deleted integer') ? ' where deleted = 0' : ''
    // Deliveries are many, are written twice each, and are listed only by endpoint.
    if (name !== 'webhook_delivery')
      database.exec(`create index ${name}_merchant on ${name} (merchant)${where}`)
  }
  for (const statement of [...OTHER_TABLES, ...INDEXES]) database.exec(statement)
}
