import type { Generated } from 'kysely'
import type { Kind, Objects } from '../core/change.ts'
import type { OAuthAppRow, OAuthAuthorizationRow, OAuthTokenRow } from './oauth-tables.ts'

/** How a field is kept in its column: booleans as 0 and 1, nested values as JSON text. */
type ColumnType<Value> = [Exclude<Value, null>] extends [number]
  ? 'integer'
  : [Exclude<Value, null>] extends [string]
    ? 'text'
    : [Exclude<Value, null>] extends [boolean]
      ? 'boolean'
      : 'json'

export type Columns<T> = { readonly [Field in keyof T]-?: ColumnType<T[Field]> }

/**
 * The columns of every public object, by kind: each field of the domain object is the column of the same name. A field
 * that is missing here, or of another type, does not compile. The order of the kinds is their number in the journal.
 */
export const COLUMNS: { readonly [K in Kind]: Columns<Objects[K]> } = {
  customer: {
    id: 'text',
    created: 'integer',
    email: 'text',
    name: 'text',
    description: 'text',
    metadata: 'json',
    default_payment_method: 'text',
    invoice_prefix: 'text',
    next_invoice_number: 'integer',
    delinquent: 'boolean',
    test_clock: 'text',
    deleted: 'boolean',
  },
  product: {
    id: 'text',
    created: 'integer',
    name: 'text',
    active: 'boolean',
    description: 'text',
    metadata: 'json',
  },
  price: {
    id: 'text',
    created: 'integer',
    product: 'text',
    nickname: 'text',
    unit_amount: 'integer',
    currency: 'text',
    recurring: 'json',
    active: 'boolean',
    lookup_key: 'text',
    metadata: 'json',
  },
  payment_method: {
    id: 'text',
    created: 'integer',
    type: 'text',
    customer: 'text',
    card: 'json',
    metadata: 'json',
    test_card: 'text',
    script: 'json',
  },
  subscription: {
    id: 'text',
    created: 'integer',
    status: 'text',
    customer: 'text',
    currency: 'text',
    collection_method: 'text',
    days_until_due: 'integer',
    default_payment_method: 'text',
    description: 'text',
    items: 'json',
    latest_invoice: 'text',
    newest_invoice: 'text',
    start_date: 'integer',
    billing_cycle_anchor: 'integer',
    current_period_start: 'integer',
    current_period_end: 'integer',
    trial_start: 'integer',
    trial_end: 'integer',
    missing_payment_method: 'text',
    cancel_at: 'integer',
    cancel_at_period_end: 'boolean',
    canceled_at: 'integer',
    ended_at: 'integer',
    cancellation_reason: 'text',
    pause_collection: 'json',
    metadata: 'json',
    test_clock: 'text',
  },
  invoice: {
    id: 'text',
    created: 'integer',
    status: 'text',
    number: 'text',
    customer: 'text',
    subscription: 'text',
    currency: 'text',
    collection_method: 'text',
    billing_reason: 'text',
    lines: 'json',
    total: 'integer',
    amount_paid: 'integer',
    attempt_count: 'integer',
    attempted: 'boolean',
    next_payment_attempt: 'integer',
    default_payment_method: 'text',
    payment_intent: 'text',
    charge: 'text',
    days_until_due: 'integer',
    due_date: 'integer',
    overdue: 'boolean',
    period_start: 'integer',
    period_end: 'integer',
    finalized_at: 'integer',
    paid_at: 'integer',
    voided_at: 'integer',
    marked_uncollectible_at: 'integer',
    description: 'text',
    metadata: 'json',
    test_clock: 'text',
    deleted: 'boolean',
  },
  payment_intent: {
    id: 'text',
    created: 'integer',
    status: 'text',
    amount: 'integer',
    amount_received: 'integer',
    currency: 'text',
    customer: 'text',
    invoice: 'text',
    payment_method: 'text',
    latest_charge: 'text',
    last_payment_error: 'json',
    canceled_at: 'integer',
    cancellation_reason: 'text',
    description: 'text',
    metadata: 'json',
  },
  charge: {
    id: 'text',
    created: 'integer',
    status: 'text',
    amount: 'integer',
    amount_refunded: 'integer',
    currency: 'text',
    customer: 'text',
    payment_intent: 'text',
    invoice: 'text',
    payment_method: 'text',
    failure_code: 'text',
    failure_message: 'text',
    decline_code: 'text',
    metadata: 'json',
  },
  refund: {
    id: 'text',
    created: 'integer',
    status: 'text',
    amount: 'integer',
    currency: 'text',
    charge: 'text',
    payment_intent: 'text',
    reason: 'text',
    failure_reason: 'text',
    metadata: 'json',
    settles_at: 'integer',
    test_clock: 'text',
  },
  invoice_item: {
    id: 'text',
    created: 'integer',
    customer: 'text',
    currency: 'text',
    amount: 'integer',
    unit_amount: 'integer',
    quantity: 'integer',
    price: 'text',
    description: 'text',
    invoice: 'text',
    metadata: 'json',
    test_clock: 'text',
    deleted: 'boolean',
  },
  webhook_endpoint: {
    id: 'text',
    created: 'integer',
    url: 'text',
    enabled_events: 'json',
    description: 'text',
    metadata: 'json',
    status: 'text',
    deleted: 'boolean',
  },
  webhook_delivery: {
    id: 'text',
    created: 'integer',
    event: 'text',
    endpoint: 'text',
    status: 'text',
    attempts: 'json',
    attempt_count: 'integer',
    is_ready: 'boolean',
    next_attempt: 'integer',
  },
}

/** What stands for the journal where a kind stands for the table of its objects. */
export const JOURNAL_BLOCKS = -1

export const KINDS = Object.keys(COLUMNS) as readonly Kind[]

/** Fields that only paytwin knows: a change of nothing else is no change of the public object. */
export const PRIVATE_FIELDS: { readonly [K in Kind]: readonly (keyof Objects[K])[] } = {
  customer: ['next_invoice_number'],
  product: [],
  price: [],
  payment_method: ['script'],
  subscription: ['newest_invoice'],
  invoice: ['overdue'],
  payment_intent: [],
  charge: [],
  refund: ['settles_at'],
  invoice_item: [],
  webhook_endpoint: [],
  webhook_delivery: ['attempt_count', 'is_ready'],
}

type Stored<Value> = [Exclude<Value, null>] extends [number | string]
  ? Value
  : [Exclude<Value, null>] extends [boolean]
    ? number
    : null extends Value
      ? string | null
      : string

/** An object as its row: `seq` is the order of creation, `merchant` the owner's ordinal. */
export type ObjectRow<K extends Kind> = { seq: Generated<number>; merchant: number } & {
  [Field in keyof Objects[K]]: Stored<Objects[K][Field]>
}

/** What the tables of all kinds share, for statements that serve every kind: `kind as 'object'` names the table. */
export type AnyObjectRow = { seq: Generated<number>; merchant: number; id: string; created: number } & Record<
  string,
  unknown
>

export type MerchantRow = {
  ordinal: Generated<number>
  id: string
  name: string
  created: number
  api_version: string
  dunning_final_action: 'cancel' | 'mark_unpaid' | 'leave_past_due'
  /** Tells it from every other merchant of this database, also from one that had its ordinal before. */
  birth: number
}

/** A clock: `offset` is what a live one adds to the wall clock, `now` where a frozen one stands (Unix seconds). */
export type ClockRow = {
  seq: Generated<number>
  id: string
  merchant: number
  created: number
  /** 1 for a clock of single customers; 0 for a merchant's main clock. */
  is_test: number
  name: string | null
  deleted: number
  mode: 'live' | 'frozen'
  now: number
  offset: number
  /** Where the advance under way ends; null when there is none. */
  target: number | null
  /** What the advance under way was asked for and has done so far, as JSON. */
  advance: string | null
}

export type KeyRow = {
  id: string
  merchant: number
  /** The merchant's: whoever takes up its ordinal after it is not opened by the key. */
  birth: number
  type: 'secret' | 'publishable'
  name: string | null
  hash: Buffer
  /** The full prefix and the last four characters: all that is left of the key. */
  hint: string
  created: number
  last_used: number | null
  revoked: number | null
}

/** One change of a public object. See journal.ts. */
export type JournalRow = {
  seq: Generated<number>
  merchant: number
  /** The running number of a public event within its merchant, from which its id follows; null for a silent change. */
  number: number | null
  /** Index into EVENT_TYPES; null for a silent change. */
  type: number | null
  /** Index into KINDS. */
  kind: number
  /** The object's seq in its own table. */
  object: number
  created: number
  /** The values that this change replaced, as JSON; null when it replaced none. */
  replaced: string | null
  /** The merchant's API version when an event was made, as an index into the known versions. */
  api_version: number
  request: string | null
  idempotency_key: string | null
}

/** What is in a full block of rows: see blocks.ts. */
export type BlockRow = {
  /** Index into KINDS, or JOURNAL_BLOCKS. */
  kind: number
  /** Its ordinal; 0 for the events of all. */
  merchant: number
  /** Which block of the table: its rows are at number × BLOCK_ROWS and after. */
  number: number
  /** The first and the last `created` of its rows, of events only in the journal. */
  earliest: number
  latest: number
  /** A bit for each index into EVENT_TYPES. */
  types: number
}

/** That a subscription, told by its seq, has an item of a price, told by its id. */
export type PriceUseRow = { merchant: number; price: string; subscription: number }

/** A due instant that follows from an object's state: see core/jobs.ts. Its key is the order of execution. */
export type JobRow = {
  clock: number
  due: number
  /** '' for the jobs of no subscription, which run first. */
  subscription: string
  /** Index into JOB_KINDS; for the jobs of no subscription the order in which they were made. */
  position: number
  object: string
  /** Index into JOB_KINDS. */
  kind: number
  merchant: number
}

/** How many ids of a prefix a merchant has used; merchant 0 counts what belongs to none. */
export type CounterRow = { merchant: number; prefix: string; value: number }

/** An answer given under an idempotency key. `created` is wall time. */
export type IdempotencyRow = {
  scope: string
  key: string
  fingerprint: string
  status: number
  api_version: string
  body: string
  created: number
}

export type SettingRow = { name: string; value: string }

export type Tables = { [K in Kind]: ObjectRow<K> } & {
  object: AnyObjectRow
  merchant: MerchantRow
  clock: ClockRow
  api_key: KeyRow
  journal: JournalRow
  block: BlockRow
  price_use: PriceUseRow
  job: JobRow
  counter: CounterRow
  idempotency: IdempotencyRow
  oauth_app: OAuthAppRow
  oauth_authorization: OAuthAuthorizationRow
  oauth_token: OAuthTokenRow
  setting: SettingRow
}
