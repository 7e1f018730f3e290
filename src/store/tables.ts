import type { Generated } from 'kysely'
import type { Kind, Objects } from '../core/change.ts'
import type { FinalAction } from '../core/dunning.ts'
import type { OAuthAppRow, OAuthAuthorizationRow, OAuthTokenRow } from './oauth-tables.ts'

/** What stands for the journal where a kind stands for the table of its objects. */
export const JOURNAL_BLOCKS = -1

type Stored<Value> = [Exclude<Value, null>] extends [number | string]
  ? Value
  : [Exclude<Value, null>] extends [boolean]
    ? number
    : null extends Value
      ? string | null
      : string

/** An object as its row: `seq` is the order of creation, `merchant` the owner's ordinal. */
export type ObjectRow<K extends Kind> = { seq: Generated<number>; merchant: number } & ChainColumns & {
    [Field in keyof Objects[K]]: Stored<Objects[K][Field]>
  }

/** Where the chain of an object's journal entries ends, and how long it is. See place.ts. */
export type ChainColumns = {
  /** The seq of the newest entry; null when there is none. */
  newest_entry: number | null
  entry_count: number
}

/** What the tables of all kinds share, for statements that serve every kind: `kind as 'object'` names the table. */
export type AnyObjectRow = {
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
  /** The seq of the entry before it of the same object; null for the object's first. */
  previous: number | null
}

/** The public state of an object right after one of its journal entries. See keyframes.ts. */
export type KeyframeRow = {
  /** The seq of the journal entry. */
  entry: number
  merchant: number
  /** Index into KINDS. */
  kind: number
  /** The object's seq in its own table. */
  object: number
  /** The `created` of the journal entry. */
  created: number
  /** All public fields, as JSON. */
  state: string
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
  keyframe: KeyframeRow
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
