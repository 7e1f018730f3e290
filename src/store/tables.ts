import type { Generated } from 'kysely'
import type { Dialect } from '../core/dialect.ts'
import type { FinalAction } from '../core/dunning.ts'
import type { OAuthAppRow, OAuthAuthorizationRow, OAuthTokenRow } from './oauth-tables.ts'
import type { StoredKind, StoredObjects } from './stored-kind.ts'

/** The numbers of the tables of events where `block` has the number of a kind. */
export const EVENT_BLOCKS = { journal: -1, clock_event: -2 } as const
export type EventTableName = keyof typeof EVENT_BLOCKS

type Stored<Value> = [Exclude<Value, null>] extends [number | string]
  ? Value
  : [Exclude<Value, null>] extends [boolean]
    ? number
    : null extends Value
      ? string | null
      : string

/** The row of an object: `seq` is the order of creation, `merchant` the owner's ordinal. */
type ObjectRow<K extends StoredKind> = { seq: Generated<number>; merchant: number } & ChainColumns & {
    [Field in keyof StoredObjects[K]]: Stored<StoredObjects[K][Field]>
  }

/** The end and the length of the chain of an object's journal entries. See place.ts. */
type ChainColumns = {
  /** The seq of the newest entry; null when there is none. */
  newest_entry: number | null
  entry_count: number
}

/** The columns that the tables of all kinds share. Statements for every kind use `kind as 'object'` as the table. */
type AnyObjectRow = {
  seq: Generated<number>
  merchant: number
  id: string
  created: number
} & ChainColumns &
  Record<string, unknown>

export type MerchantRow = {
  ordinal: Generated<number>
  id: string
  name: string
  created: number
  api_version: string
  dunning_final_action: FinalAction
  /** The retry schedule, as JSON. */
  retry_schedule: string
  /** The days of each notice, as JSON. */
  notices: string
  /** The current and earlier settings for mail, as JSON. */
  mails: string
  dialect: Dialect
  /** A number that is unique among all merchants of this database, including earlier ones with the same ordinal. */
  generation: number
}

/** A clock: `offset` is added to the wall clock by a live one, `now` is the time of a frozen one (Unix seconds). */
export type ClockRow = {
  seq: Generated<number>
  id: string
  merchant: number
  created: number
  /** 1 for a test clock of single customers; 0 for a merchant's main clock. */
  is_test: number
  name: string | null
  deleted: number
  mode: 'live' | 'frozen'
  now: number
  offset: number
  /** The end of the advance in progress; null when there is none. */
  target: number | null
  /** The options and the progress of the advance in progress, as JSON. */
  advance: string | null
}

export type KeyRow = {
  id: string
  merchant: number
  /** The merchant's generation: the key does not open a later merchant with the same ordinal. */
  generation: number
  type: 'secret' | 'publishable'
  name: string | null
  hash: Buffer
  /** The prefix and the last four characters of the key. */
  hint: string
  created: number
  last_used: number | null
  revoked: number | null
}

/** One change of a public object. See journal.ts. */
export type JournalRow = {
  seq: Generated<number>
  merchant: number
  /** The running number of a public event within its merchant, which determines its id; null for a silent change. */
  number: number | null
  /** Index into ALL_EVENT_TYPES; null for a silent change. */
  type: number | null
  /** The number of a kind: see core/kinds.ts. */
  kind: number
  /** The object's seq in its own table. */
  object: number
  created: number
  /** The values that this change replaced, as JSON; null when it replaced none. */
  replaced: string | null
  /** The merchant's API version at the time of the event, as an index into the known versions. */
  api_version: number
  request: string | null
  idempotency_key: string | null
  /** The seq of the same object's previous entry; null for its first. */
  previous: number | null
}

/** The public state of an object right after one of its journal entries. See keyframes.ts. */
type KeyframeRow = {
  /** The seq of the journal entry. */
  entry: number
  merchant: number
  /** The number of a kind: see core/kinds.ts. */
  kind: number
  /** The object's seq in its own table. */
  object: number
  /** The `created` of the journal entry. */
  created: number
  /** All public fields, as JSON. */
  state: string
}

/** The invoice that an event shows in place of its object. See event-previews.ts. */
type EventPreviewRow = {
  /** The seq of the journal entry. */
  entry: number
  merchant: number
  /** The invoice, as JSON. */
  invoice: string
}

/** An event of a test clock. See clock-events.ts. */
export type ClockEventRow = {
  seq: Generated<number>
  merchant: number
  /** Its running number within its merchant, which determines its id. */
  number: number
  /** Index into CLOCK_EVENT_TYPES. */
  type: number
  created: number
  /** Its place among the events of its merchant, between the running numbers of two events of the journal. */
  place: number
  /** Its place among the events of all merchants, between the seqs of two entries of the journal. */
  place_in_all: number
  /** The clock right after the event, as JSON. */
  clock: string
  /** As in the journal. */
  api_version: number
  request: string | null
  idempotency_key: string | null
}

/** The summary of a full block of rows: see blocks.ts. */
type BlockRow = {
  /** The number of a kind (see `storedNumber`), or one of EVENT_BLOCKS. */
  kind: number
  /** The merchant's ordinal; 0 for the events of all merchants. */
  merchant: number
  /** The number of the block: its first row is at number × BLOCK_ROWS. */
  number: number
  /** The first and the last `created` of its rows; in the journal, of its events only. */
  earliest: number
  latest: number
  /** A bit for each of the first 53 types of ALL_EVENT_TYPES, or for each of CLOCK_EVENT_TYPES. */
  types: number
  /** A bit for each further type. */
  late_types: number
}

/** A subscription (seq) with an item of a price (id). */
type PriceUseRow = { merchant: number; price: string; subscription: number }

/** A subscription (seq) with an item (id). */
type ItemUseRow = { merchant: number; item: string; subscription: number }

/** The sum that issued credit notes credit of a line (id) of an invoice. */
type LineCreditRow = { merchant: number; line: string; amount: number }

/** A customer (id) from whom an object (seq) of a kind moved. */
type FormerOwnerRow = { merchant: number; customer: string; kind: number; object: number }

/** A due job, derived from an object's state: see core/jobs.ts. Its key is the order of execution. */
export type JobRow = {
  clock: number
  due: number
  /** '' for the jobs of no subscription, which run first. */
  subscription: string
  /** The position of its kind (core/jobs.ts); for the jobs of no subscription the order of creation. */
  position: number
  object: string
  /** Index into JOB_KINDS. */
  kind: number
  merchant: number
}

/** The number of ids of a prefix that a merchant has used. Merchant 0 counts ids that belong to no merchant. */
type CounterRow = { merchant: number; prefix: string; value: number }

/** A response stored under an idempotency key. `created` is wall time. */
export type IdempotencyRow = {
  scope: string
  key: string
  fingerprint: string
  status: number
  api_version: string
  body: string
  created: number
}

/** The sums that were billed in a period of a subscription: see billed-periods.ts. */
type BilledPeriodRow = {
  subscription: string
  merchant: number
  /** The start of the period, in Unix seconds. */
  cycle: number
  /** The seq of the invoice that bills the whole period, and that of the newest one that is summed; 0 for none. */
  beginning: number
  through: number
  /** Sums of the lines for the whole period, and of the invoice items that correct it, as JSON. */
  sums: string
  corrections: string
}

/** A reported usage of a customer. Events have no journal: see meter-events.ts. Times are on the customer's clock, in Unix seconds. */
export type MeterEventRow = {
  seq: Generated<number>
  merchant: number
  customer: string
  meter: string
  timestamp: number
  created: number
  /** When it was canceled; null if it counts. */
  canceled: number | null
  /** The whole units of its value. */
  whole: number
  /** The rest of its value, in units of 10⁻¹². */
  fraction: number
  identifier: string
}

/** The name that fixtures gave to an object (id) of a merchant. */
export type FixtureNameRow = { merchant: number; kind: string; name: string; object: string }

type SettingRow = { name: string; value: string }

export type Tables = { [K in StoredKind]: ObjectRow<K> } & {
  object: AnyObjectRow
  merchant: MerchantRow
  clock: ClockRow
  api_key: KeyRow
  journal: JournalRow
  keyframe: KeyframeRow
  event_preview: EventPreviewRow
  clock_event: ClockEventRow
  block: BlockRow
  price_use: PriceUseRow
  item_use: ItemUseRow
  line_credit: LineCreditRow
  former_owner: FormerOwnerRow
  job: JobRow
  counter: CounterRow
  idempotency: IdempotencyRow
  oauth_app: OAuthAppRow
  oauth_authorization: OAuthAuthorizationRow
  oauth_token: OAuthTokenRow
  fixture_name: FixtureNameRow
  meter_event: MeterEventRow
  billed_period: BilledPeriodRow
  setting: SettingRow
}
