import type Sqlite from 'better-sqlite3'
import { LAST_INSTANT } from '../core/calendar.ts'
import { DIALECTS } from '../core/dialect.ts'
import { FINAL_ACTIONS } from '../core/dunning.ts'
import { MAIL_KINDS } from '../core/mail-kinds.ts'
import { NOTICE_KINDS } from '../core/notices.ts'
import { FIRST_GENERATION, type Merchant } from './directory.ts'

/** A value, or an entry of an index, that paytwin has not written. SQLite finds damage of its pages, but not of what is in them. */
export class ValueDamaged extends Error {}

/** Describes the first damaged value; undefined without any. */
type Check = (database: Sqlite.Database) => string | undefined

/**
 * Checks the values of merchants, clocks, keys and settings, and the index of advancing clocks, without which the daemon cannot start.
 * Values of objects are checked when a request reads them.
 * @param database - has the newest schema
 * @throws ValueDamaged
 */
export function checkValues(database: Sqlite.Database): void {
  for (const check of CHECKS) {
    const damage = check(database)
    if (damage !== undefined) throw new ValueDamaged(damage)
  }
}

/** The columns of a merchant with JSON. */
type JsonColumn = {
  [K in keyof Merchant]: Merchant[K] extends string | number | null ? never : K
}[keyof Merchant]

const isInteger = (value: unknown): boolean => Number.isSafeInteger(value)
const isOneOf = (names: readonly string[], value: unknown): boolean => names.includes(value as string)
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isListOf = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isItem)

/** Reports whether a text is JSON with a property. */
function isJson(text: unknown, isValid: (value: unknown) => boolean): boolean {
  try {
    return isValid(JSON.parse(String(text)))
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

const JSON_OF_MERCHANTS: Readonly<Record<JsonColumn, (value: unknown) => boolean>> = {
  notices: (value) =>
    isObject(value) &&
    Object.entries(value).every(
      ([kind, days]) => isOneOf(NOTICE_KINDS, kind) && (days === null || isInteger(days)),
    ),
  mails: (value) =>
    isListOf(
      value,
      (period) =>
        isObject(period) &&
        isInteger(period.after) &&
        isListOf(period.on, (kind) => isOneOf(MAIL_KINDS, kind)),
    ),
  retry_schedule: (value) => value === 'smart' || isListOf(value, isInteger),
}

const VALUES_OF_MERCHANTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  dialect: (value) => isOneOf(DIALECTS, value),
  dunning_final_action: (value) => isOneOf(FINAL_ACTIONS, value),
  ...Object.fromEntries(
    Object.entries(JSON_OF_MERCHANTS).map(([column, isValid]) => [
      column,
      (value: unknown) => isJson(value, isValid),
    ]),
  ),
}

const checkMerchants: Check = (database) => {
  // The first start writes its settings and the default merchant together, and no request can delete either.
  const isWithoutDefault = database
    .prepare(
      "select exists (select 1 from setting where name = 'seed') and not exists (select 1 from merchant where generation = ?)",
    )
    .pluck()
    .get(FIRST_GENERATION)
  if (isWithoutDefault === 1) return 'its default merchant is missing'
  for (const [column, isValid] of Object.entries(VALUES_OF_MERCHANTS)) {
    // Merchants have few different values.
    const rows = database.prepare(`select id, ${column} from merchant group by ${column}`).raw()
    for (const [id, value] of rows.iterate() as Iterable<unknown[]>)
      if (!isValid(value)) return `the value ${column} of the merchant ${id} is invalid`
  }
  return undefined
}

const isAdvance = (value: unknown): boolean =>
  isObject(value) &&
  isListOf(value.stop_on ?? [], (type) => typeof type === 'string') &&
  isObject(value.summary ?? {})

const checkClocks: Check = (database) => {
  const first = (query: string) => database.prepare(query).pluck().get()
  const merchant = first(
    'select id from merchant where not exists (select 1 from clock where merchant = ordinal and is_test = 0)',
  )
  if (merchant !== undefined) return `the merchant ${merchant} has no clock`
  const outside = (column: string) => `${column} not between 0 and ${LAST_INSTANT}`
  const clock = first(
    `select id from clock where mode not in ('live', 'frozen') or (target is null) <> (advance is null)
     or ${['created', 'now', 'target'].map(outside).join(' or ')}`,
  )
  if (clock !== undefined) return `the state of the clock ${clock} is invalid`
  const advances = database.prepare('select id, advance from clock where advance is not null').raw()
  for (const [id, advance] of advances.iterate() as Iterable<unknown[]>)
    if (!isJson(advance, isAdvance)) return `the advance of the clock ${id} is invalid`
  return undefined
}

const checkKeys: Check = (database) => {
  const key = database
    .prepare("select id from api_key where type not in ('secret', 'publishable')")
    .pluck()
    .get()
  return key === undefined ? undefined : `the type of the key ${key} is invalid`
}

const SETTINGS: Readonly<Record<string, (value: string) => boolean>> = {
  clock: (value) => value === 'live' || (/^\d+$/.test(value) && Number(value) <= LAST_INSTANT),
  dialect: (value) => isOneOf(DIALECTS, value),
  api_version: (value) => /^\d{4}-\d{2}-\d{2}(\.[a-z]+)?$/.test(value),
  generations: (value) => /^\d+$/.test(value),
  state: (value) => /^\S+ \S+$/.test(value) && Number.isFinite(Number(value.split(' ')[1])),
  fixture_apps: (value) => isJson(value, (ids) => isListOf(ids, (id) => typeof id === 'string')),
  fixtures: (value) => isJson(value, isObject),
}

const checkSettings: Check = (database) => {
  const rows = database.prepare('select name, value from setting').raw()
  for (const [name = '', value = ''] of rows.iterate() as Iterable<string[]>)
    if (SETTINGS[name]?.(value) === false) return `the setting ${name} is invalid`
  return undefined
}

/**
 * Compares the partial index of clocks, which a start reads, with its table: `quick_check` does not compare an index with its table.
 * @throws SqliteError for an entry without a row
 */
const checkAdvancing: Check = (database) => {
  const count = (how: string) =>
    database
      .prepare(
        `select count(*) || ' ' || count(target) from clock ${how} where is_test = 1 and target is not null`,
      )
      .pluck()
      .get()
  const isRight = count('indexed by clock_advancing') === count('not indexed')
  return isRight ? undefined : 'the index clock_advancing has wrong entries'
}

const CHECKS: readonly Check[] = [checkMerchants, checkClocks, checkAdvancing, checkKeys, checkSettings]
