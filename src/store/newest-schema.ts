/**
 * The schema after all migrations, written by `npm run schema`. A new database is created with it, which takes a quarter of
 * the time of the migrations.
 */
export const NEWEST_SCHEMA = `
CREATE TABLE customer (seq integer primary key, id text not null unique, merchant integer not null, created integer not null, 
    email text, name text, description text, metadata text not null, default_payment_method text,
    invoice_prefix text not null, next_invoice_number integer not null, delinquent integer not null,
    test_clock text, deleted integer not null, newest_entry integer, entry_count integer not null default 0, balances text not null default '{}', discount text, contact text) strict;
CREATE INDEX customer_merchant on customer (merchant) where deleted = 0;
CREATE TABLE product (seq integer primary key, id text not null unique, merchant integer not null, created integer not null, name text not null, active integer not null, description text, metadata text not null, newest_entry integer, entry_count integer not null default 0, default_price text, details text) strict;
CREATE INDEX product_merchant on product (merchant);
CREATE TABLE price (seq integer primary key, id text not null unique, merchant integer not null, created integer not null, 
    product text, nickname text, currency text not null, recurring text,
    active integer not null, lookup_key text, metadata text not null, newest_entry integer, entry_count integer not null default 0, unit_amount integer, unit_amount_decimal text, tiers_mode text, tiers text, transform_quantity text) strict;
CREATE INDEX price_merchant on price (merchant);
CREATE TABLE payment_method (seq integer primary key, id text not null unique, merchant integer not null, created integer not null, 
    type text not null, customer text, card text, metadata text not null, test_card text, script text, newest_entry integer, entry_count integer not null default 0, is_set_up integer not null default 0, billing_details text) strict;
CREATE INDEX payment_method_merchant on payment_method (merchant);
CREATE TABLE payment_intent (seq integer primary key, id text not null unique, merchant integer not null, created integer not null, 
    status text not null, amount integer not null, amount_received integer not null, currency text not null,
    customer text, invoice text, payment_method text, latest_charge text, last_payment_error text,
    canceled_at integer, cancellation_reason text, description text, metadata text not null, newest_entry integer, entry_count integer not null default 0, options text) strict;
CREATE INDEX payment_intent_merchant on payment_intent (merchant);
CREATE TABLE charge (seq integer primary key, id text not null unique, merchant integer not null, created integer not null, 
    status text not null, amount integer not null, amount_refunded integer not null, currency text not null,
    customer text, payment_intent text not null, invoice text, payment_method text, failure_code text,
    failure_message text, decline_code text, metadata text not null, newest_entry integer, entry_count integer not null default 0, dispute text) strict;
CREATE INDEX charge_merchant on charge (merchant);
CREATE TABLE refund (seq integer primary key, id text not null unique, merchant integer not null, created integer not null, 
    status text not null, amount integer not null, currency text not null, charge text not null,
    payment_intent text not null, reason text, failure_reason text, metadata text not null, settles_at integer,
    test_clock text, newest_entry integer, entry_count integer not null default 0) strict;
CREATE INDEX refund_merchant on refund (merchant);
CREATE TABLE webhook_endpoint (seq integer primary key, id text not null unique, merchant integer not null, created integer not null, 
    url text not null, enabled_events text not null, description text, metadata text not null, status text not null,
    deleted integer not null, newest_entry integer, entry_count integer not null default 0, api_version text) strict;
CREATE INDEX webhook_endpoint_merchant on webhook_endpoint (merchant) where deleted = 0;
CREATE TABLE webhook_delivery (seq integer primary key, id text not null unique, merchant integer not null, created integer not null, 
    event text not null, endpoint text not null, status text not null, attempts text not null,
    attempt_count integer not null, is_ready integer not null, next_attempt integer, newest_entry integer, entry_count integer not null default 0) strict;
CREATE TABLE merchant (
    ordinal integer primary key, id text not null unique, name text not null, created integer not null,
    api_version text not null, dunning_final_action text not null, generation integer not null, notices text not null default '{}', dialect text not null default 'paytwin', retry_schedule text not null default '[1,3,5,7]', mails text not null default '[]') strict;
CREATE TABLE clock (
    seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
    is_test integer not null, name text, deleted integer not null, mode text not null, now integer not null,
    "offset" integer not null, target integer, advance text) strict;
CREATE TABLE api_key (
    id text primary key, merchant integer not null, generation integer not null, type text not null, name text,
    hash blob not null unique, hint text not null, created integer not null, last_used integer, revoked integer) strict;
CREATE TABLE journal (
    seq integer primary key, merchant integer not null, number integer, type integer, kind integer not null,
    object integer not null, created integer not null, replaced text, api_version integer not null, request text,
    idempotency_key text, previous integer) strict;
CREATE TABLE job (
    clock integer not null, due integer not null, subscription text not null, position integer not null,
    object text not null, kind integer not null, merchant integer not null,
    primary key (clock, due, subscription, position, object)) strict, without rowid;
CREATE TABLE block (
    kind integer not null, merchant integer not null, number integer not null, earliest integer not null,
    latest integer not null, types integer not null, late_types integer not null default 0, primary key (kind, merchant, number)) strict, without rowid;
CREATE TABLE price_use (
    merchant integer not null, price text not null, subscription integer not null,
    primary key (merchant, price, subscription)) strict, without rowid;
CREATE TABLE counter (
    merchant integer not null, prefix text not null, value integer not null,
    primary key (merchant, prefix)) strict, without rowid;
CREATE TABLE idempotency (
    scope text not null, key text not null, fingerprint text not null, status integer not null,
    api_version text not null, body text not null, created integer not null,
    primary key (scope, key)) strict, without rowid;
CREATE TABLE oauth_app (
    seq integer primary key, id text not null unique, name text not null, redirect_uris text not null,
    secret blob not null, created integer not null) strict;
CREATE TABLE oauth_authorization (
    seq integer primary key, id text not null unique, app text not null, merchant integer, generation integer,
    redirect_uri text not null, scope text not null, state text, code_challenge text, status text not null, created integer not null,
    expires integer not null, nonce blob unique, cookie blob, code blob unique, code_status text, code_expires integer,
    revoked integer) strict;
CREATE TABLE oauth_token (
    seq integer primary key, hash blob not null unique, kind text not null, authorization integer not null,
    app text not null, merchant integer not null, generation integer not null, scope text not null, status text not null,
    expires integer not null) strict;
CREATE TABLE setting (name text primary key, value text not null) strict, without rowid;
CREATE INDEX customer_prefix on customer (merchant, invoice_prefix);
CREATE INDEX product_active on product (merchant, active);
CREATE INDEX price_product on price (product) where product is not null;
CREATE INDEX price_currency on price (merchant, currency);
CREATE INDEX price_active on price (merchant, active);
CREATE INDEX payment_method_type on payment_method (merchant, type);
CREATE INDEX payment_method_customer on payment_method (customer);
CREATE INDEX payment_intent_customer on payment_intent (customer);
CREATE INDEX charge_customer on charge (customer);
CREATE INDEX charge_payment_intent on charge (payment_intent);
CREATE INDEX refund_charge on refund (charge);
CREATE INDEX refund_payment_intent on refund (payment_intent);
CREATE UNIQUE INDEX clock_main on clock (merchant) where is_test = 0;
CREATE INDEX clock_test on clock (merchant) where is_test = 1 and deleted = 0;
CREATE INDEX clock_advancing on clock (merchant) where is_test = 1 and target is not null;
CREATE INDEX webhook_delivery_endpoint on webhook_delivery (endpoint);
CREATE INDEX webhook_delivery_waiting on webhook_delivery (endpoint) where next_attempt is not null;
CREATE INDEX webhook_delivery_ready on webhook_delivery (endpoint, attempt_count) where is_ready = 1;
CREATE INDEX job_object on job (object) where length(subscription) = 0;
CREATE INDEX idempotency_created on idempotency (created);
CREATE INDEX oauth_authorization_app on oauth_authorization (app);
CREATE INDEX oauth_token_authorization on oauth_token (authorization);
CREATE INDEX journal_number on journal (merchant, number);
CREATE TABLE keyframe (
      entry integer primary key, merchant integer not null, kind integer not null, object integer not null,
      created integer not null, state text not null) strict;
CREATE INDEX keyframe_object on keyframe (kind, object);
CREATE INDEX keyframe_created on keyframe (kind, object, created);
CREATE TABLE customer_balance_transaction (
      seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
      customer text not null, currency text not null, type text not null, amount integer not null,
      ending_balance integer not null, invoice text, description text, metadata text not null, test_clock text,
      newest_entry integer, entry_count integer not null default 0, credit_note text) strict;
CREATE INDEX customer_balance_transaction_customer on customer_balance_transaction (customer);
CREATE TABLE fixture_name (
      merchant integer not null, kind text not null, name text not null, object text not null,
      primary key (kind, name, merchant)) strict, without rowid;
CREATE TABLE credit_note (
      seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
      status text not null, number text not null, customer text not null, invoice text not null,
      currency text not null, amount integer not null, pre_payment_amount integer not null,
      post_payment_amount integer not null, refund_amount integer not null, credit_amount integer not null,
      out_of_band_amount integer not null, refund text, customer_balance_transaction text, lines text not null,
      reason text, memo text, metadata text not null, voided_at integer, test_clock text,
      newest_entry integer, entry_count integer not null default 0) strict;
CREATE INDEX credit_note_invoice on credit_note (invoice);
CREATE INDEX credit_note_customer on credit_note (customer);
CREATE INDEX credit_note_merchant on credit_note (merchant);
CREATE TABLE dispute (
      seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
      status text not null, amount integer not null, currency text not null, charge text not null,
      payment_intent text not null, reason text not null, evidence text not null, due_by integer not null,
      submission_count integer not null, metadata text not null, test_clock text,
      newest_entry integer, entry_count integer not null default 0) strict;
CREATE INDEX dispute_charge on dispute (charge);
CREATE INDEX dispute_payment_intent on dispute (payment_intent);
CREATE INDEX dispute_merchant on dispute (merchant);
CREATE TABLE event_preview (
      entry integer primary key, merchant integer not null, invoice text not null) strict;
CREATE TABLE billing_meter (
      seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
      display_name text not null, event_name text not null, status text not null, default_aggregation text not null,
      customer_mapping text not null, value_settings text not null, updated integer not null, deactivated_at integer,
      newest_entry integer, entry_count integer not null default 0) strict;
CREATE INDEX billing_meter_merchant on billing_meter (merchant);
CREATE INDEX billing_meter_event_name on billing_meter (merchant, event_name);
CREATE INDEX billing_meter_status on billing_meter (merchant, status);
CREATE TABLE meter_event (
      seq integer primary key, merchant integer not null, customer text not null, meter text not null,
      timestamp integer not null, created integer not null, canceled integer, whole integer not null,
      fraction integer not null, identifier text not null) strict;
CREATE INDEX meter_event_usage on meter_event
      (customer, meter, timestamp, seq, created, canceled, whole, fraction);
CREATE UNIQUE INDEX meter_event_identifier on meter_event (merchant, identifier);
CREATE TABLE coupon (
      seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
      public_id text not null, name text, percent_off text, amount_off integer, currency text,
      duration text not null, duration_in_months integer, max_redemptions integer, redeem_by integer, applies_to text,
      times_redeemed integer not null, valid integer not null, metadata text not null, deleted integer not null,
      newest_entry integer, entry_count integer not null default 0) strict;
CREATE INDEX coupon_merchant on coupon (merchant) where deleted = 0;
CREATE TABLE promotion_code (
      seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
      code text not null, code_key text not null, coupon text not null, customer text, expires_at integer,
      max_redemptions integer, restrictions text not null, active integer not null, times_redeemed integer not null,
      metadata text not null, newest_entry integer, entry_count integer not null default 0) strict;
CREATE INDEX promotion_code_merchant on promotion_code (merchant);
CREATE INDEX promotion_code_customer on promotion_code (customer) where customer is not null;
CREATE INDEX promotion_code_coupon on promotion_code (coupon);
CREATE TABLE discount (
      seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
      customer text not null, subscription text, subscription_item text, invoice text, invoice_item text,
      coupon text not null, promotion_code text, terms text not null, start integer not null, "end" integer,
      used_by text, deleted integer not null, test_clock text,
      newest_entry integer, entry_count integer not null default 0) strict;
CREATE INDEX discount_customer on discount (customer);
CREATE INDEX discount_subscription on discount (subscription) where subscription is not null;
CREATE TABLE setup_intent (
      seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
      status text not null, customer text, payment_method text, usage text not null, options text not null,
      subscription text, last_setup_error text, cancellation_reason text, description text, metadata text not null,
      newest_entry integer, entry_count integer not null default 0) strict;
CREATE INDEX setup_intent_customer on setup_intent (customer);
CREATE INDEX setup_intent_payment_method on setup_intent (payment_method);
CREATE INDEX setup_intent_merchant on setup_intent (merchant);
CREATE TABLE checkout_session (
      seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
      mode text not null, status text not null, payment_status text not null, currency text, customer text,
      customer_email text, customer_details text, details_email text, accepted_terms integer not null,
      client_reference_id text,
      lines text not null, amount_total integer, discounts text not null, settings text not null,
      outcomes text not null, payment_intent text, setup_intent text, subscription text, invoice text,
      recovered_from text, expires_at integer not null, metadata text not null, test_clock text,
      newest_entry integer, entry_count integer not null default 0) strict;
CREATE INDEX checkout_session_merchant on checkout_session (merchant);
CREATE INDEX checkout_session_customer on checkout_session (customer) where customer is not null;
CREATE INDEX checkout_session_payment_intent on checkout_session (payment_intent)
      where payment_intent is not null;
CREATE INDEX checkout_session_setup_intent on checkout_session (setup_intent) where setup_intent is not null;
CREATE INDEX checkout_session_subscription on checkout_session (subscription)
      where subscription is not null;
CREATE TABLE billing_portal_configuration (
      seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
      updated integer not null, active integer not null, is_default integer not null, name text, default_return_url text,
      business_profile text not null, features text not null, metadata text not null,
      newest_entry integer, entry_count integer not null default 0) strict;
CREATE INDEX billing_portal_configuration_merchant on billing_portal_configuration (merchant);
CREATE TABLE billing_portal_session (
      seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
      customer text not null, configuration text not null, return_url text, locale text, flow text,
      is_flow_done integer not null, expires_at integer not null,
      newest_entry integer, entry_count integer not null default 0) strict;
CREATE INDEX billing_portal_session_merchant on billing_portal_session (merchant);
CREATE TABLE billed_period (
      subscription text primary key, merchant integer not null, cycle integer not null, beginning integer not null,
      through integer not null, sums text not null, corrections text not null) strict, without rowid;
CREATE INDEX webhook_delivery_by_event on webhook_delivery (event);
CREATE INDEX customer_text on customer (merchant, seq, name, email) where deleted = 0;
CREATE TABLE clock_event (
      seq integer primary key, merchant integer not null, number integer not null, type integer not null,
      created integer not null, place real not null, place_in_all real not null, clock text not null,
      api_version integer not null, request text, idempotency_key text) strict;
CREATE INDEX clock_event_place on clock_event (merchant, place);
CREATE INDEX clock_event_place_in_all on clock_event (place_in_all);
CREATE INDEX price_lookup_key on price (merchant, lookup_key) where lookup_key is not null;
CREATE INDEX coupon_public_id on coupon (merchant, public_id);
CREATE INDEX promotion_code_key on promotion_code (merchant, code_key);
CREATE INDEX promotion_code_active on promotion_code (merchant, code_key) where active = 1;
CREATE INDEX checkout_session_email on checkout_session (merchant, details_email) where details_email is not null;
CREATE INDEX checkout_session_status on checkout_session (merchant, status);
CREATE INDEX oauth_token_expiry on oauth_token (generation, expires);
CREATE INDEX oauth_authorization_pending on oauth_authorization (expires) where status = 'pending';
CREATE INDEX oauth_authorization_expiry on oauth_authorization (expires) where code_expires is null;
CREATE INDEX charge_without_invoice on charge (customer) where status = 'succeeded' and invoice is null;
CREATE INDEX price_recurring on price (merchant) where recurring is not null;
CREATE INDEX price_one_time on price (merchant) where recurring is null;
CREATE INDEX price_product_active on price (product) where active = 1;
CREATE INDEX promotion_code_activity on promotion_code (merchant, active);
CREATE INDEX promotion_code_coupon_active on promotion_code (coupon) where active = 1;
CREATE INDEX billing_portal_configuration_default on billing_portal_configuration (merchant) where is_default = 1;
CREATE INDEX webhook_delivery_failed on webhook_delivery (endpoint) where status = 'failed';
CREATE TABLE item_use (
      merchant integer not null, item text not null, subscription integer not null,
      primary key (merchant, item, subscription)) strict, without rowid;
CREATE TABLE line_credit (
      merchant integer not null, line text not null, amount integer not null,
      primary key (merchant, line)) strict, without rowid;
CREATE INDEX oauth_authorization_issued on oauth_authorization (generation, code_expires) where code_status = 'issued';
CREATE TABLE former_owner (
      merchant integer not null, customer text not null, kind integer not null, object integer not null,
      primary key (merchant, customer, kind, object)) strict, without rowid;
CREATE INDEX webhook_delivery_pending on webhook_delivery (event, attempt_count) where status = 'pending';
CREATE INDEX clock_event_by_number on clock_event (merchant, number);
CREATE INDEX oauth_authorization_unanswered on oauth_authorization (app, expires)
      where code_expires is null and merchant is null;
CREATE TABLE "subscription" (seq integer primary key, "id" text not null unique, "merchant" integer not null, "created" integer not null, "status" text not null, "customer" text not null, "currency" text not null, "collection_method" text not null, "days_until_due" integer, "default_payment_method" text, "latest_invoice" text, "newest_invoice" text, "start_date" integer not null, "billing_cycle_anchor" integer not null, "current_period_start" integer not null, "current_period_end" integer not null, "trial_start" integer, "trial_end" integer, "missing_payment_method" text not null, "cancel_at" integer, "cancel_at_period_end" integer not null, "canceled_at" integer, "ended_at" integer, "cancellation_reason" text, "pause_collection" text, "test_clock" text, "newest_entry" integer, "entry_count" integer not null default 0, "has_pending_items" integer not null default 0, "schedule" text, "notices" text, "expires_at" integer, "saves_payment_method" integer not null default 0, "pending_setup_intent" text, "payment_settings" text, "description" text, "cancellation_feedback" text, "items" text not null, "pending_update" text, "discounts" text not null default '[]', "amounts_off" text, "metadata" text not null) strict;
CREATE INDEX subscription_merchant on subscription (merchant);
CREATE INDEX subscription_customer on subscription (customer);
CREATE INDEX subscription_status on subscription (merchant, status);
CREATE INDEX subscription_collection on subscription (merchant, collection_method);
CREATE INDEX subscription_ended on subscription (merchant) where status in ('canceled', 'incomplete_expired');
CREATE INDEX subscription_present on subscription (merchant) where status <> 'canceled';
CREATE INDEX subscription_not_canceled on subscription (customer) where status <> 'canceled';
CREATE INDEX subscription_not_ended on subscription (customer)
      where status <> 'canceled' and status <> 'incomplete_expired';
CREATE TABLE "subscription_schedule" (seq integer primary key, "id" text not null unique, "merchant" integer not null, "created" integer not null, "status" text not null, "customer" text not null, "subscription" text, "released_subscription" text, "current_phase" text, "end_behavior" text not null, "canceled_at" integer, "completed_at" integer, "released_at" integer, "expiring_at" integer, "test_clock" text, "newest_entry" integer, "entry_count" integer not null default 0, "default_settings" text not null, "phases" text not null, "metadata" text not null) strict;
CREATE INDEX subscription_schedule_merchant on subscription_schedule (merchant);
CREATE INDEX subscription_schedule_customer on subscription_schedule (customer);
CREATE INDEX subscription_schedule_unfinished on subscription_schedule (customer)
      where status not in ('canceled', 'completed', 'released');
CREATE INDEX subscription_schedule_status on subscription_schedule (merchant, status);
CREATE TABLE "invoice" (seq integer primary key, "id" text not null unique, "merchant" integer not null, "created" integer not null, "status" text not null, "number" text, "customer" text not null, "subscription" text, "currency" text not null, "collection_method" text not null, "billing_reason" text not null, "total" integer not null, "amount_paid" integer not null, "attempt_count" integer not null, "attempted" integer not null, "next_payment_attempt" integer, "default_payment_method" text, "payment_intent" text, "charge" text, "days_until_due" integer, "due_date" integer, "overdue" integer not null, "period_start" integer not null, "period_end" integer not null, "finalized_at" integer, "paid_at" integer, "voided_at" integer, "marked_uncollectible_at" integer, "test_clock" text, "deleted" integer not null, "newest_entry" integer, "entry_count" integer not null default 0, "amount_due" integer not null default 0, "starting_balance" integer not null default 0, "pre_payment_credit_notes_amount" integer not null default 0, "post_payment_credit_notes_amount" integer not null default 0, "notices" text, "previous_start" integer, "begins_period" integer not null default 0, "description" text, "customer_details" text, "lines" text not null, "discounts" text not null default '[]', "metadata" text not null) strict;
CREATE INDEX invoice_merchant on invoice (merchant) where deleted = 0;
CREATE INDEX invoice_subscription on invoice (subscription);
CREATE INDEX invoice_to_retry on invoice (subscription) where next_payment_attempt is not null;
CREATE INDEX invoice_paid on invoice (customer) where status = 'paid';
CREATE INDEX invoice_owed on invoice
      (customer, subscription, currency, total, amount_paid, next_payment_attempt, due_date, overdue, status)
      where status = 'open';
CREATE INDEX invoice_outstanding_by_attempt on invoice
      (customer, attempted, overdue, subscription, collection_method, status)
      where status = 'open' and (collection_method = 'charge_automatically' or overdue = 1);
CREATE INDEX invoice_waiting on invoice (subscription, next_payment_attempt, id)
      where status = 'draft' and next_payment_attempt is not null and deleted = 0;
CREATE TABLE "invoice_item" (seq integer primary key, "id" text not null unique, "merchant" integer not null, "created" integer not null, "customer" text not null, "currency" text not null, "amount" integer not null, "quantity" integer not null, "price" text, "invoice" text, "test_clock" text, "deleted" integer not null, "newest_entry" integer, "entry_count" integer not null default 0, "subscription" text, "billed_with" text, "proration" text, "unit_amount" integer, "discountable" integer not null default 1, "description" text, "discounts" text not null default '[]', "metadata" text not null) strict;
CREATE INDEX invoice_item_merchant on invoice_item (merchant) where deleted = 0;
CREATE INDEX invoice_item_waiting on invoice_item (customer) where invoice is null and deleted = 0;
CREATE INDEX invoice_item_pending on invoice_item (merchant) where invoice is null and deleted = 0;
CREATE INDEX invoice_item_billed_with on invoice_item (billed_with) where billed_with is not null;
CREATE INDEX invoice_item_to_bill on invoice_item (customer, currency)
      where invoice is null and deleted = 0 and billed_with is null;
CREATE INDEX invoice_item_proration on invoice_item (subscription) where proration is not null;
CREATE INDEX customer_email on customer (merchant, email, deleted) where email is not null;
CREATE INDEX customer_test_clock on customer (test_clock, deleted) where test_clock is not null;
CREATE INDEX invoice_status on invoice (merchant, status, deleted);
CREATE INDEX invoice_customer on invoice (customer, deleted);
CREATE INDEX invoice_item_customer on invoice_item (customer, deleted);
CREATE INDEX invoice_item_invoice on invoice_item (invoice, deleted);
CREATE INDEX invoice_item_customer_proration on invoice_item (customer) where proration is not null;
`
