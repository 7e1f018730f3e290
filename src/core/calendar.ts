import { assert } from './errors.ts'

export const SECONDS_PER_DAY = 86_400

export const INTERVAL_UNITS = ['day', 'week', 'month', 'year'] as const
export type IntervalUnit = (typeof INTERVAL_UNITS)[number]

/** The interval of a recurring price: `interval_count` × `interval`. */
export type Recurring = { readonly interval: IntervalUnit; readonly interval_count: number }

/** Reports whether periods of two intervals are equally long. */
export const isSameInterval = (left: Recurring, right: Recurring): boolean =>
  left.interval === right.interval && left.interval_count === right.interval_count

/** A span of time in Unix seconds. `start` is inclusive, `end` exclusive. */
export type Period = { readonly start: number; readonly end: number }

const DAYS: Record<'day' | 'week', number> = { day: 1, week: 7 }
const MONTHS: Record<'month' | 'year', number> = { month: 1, year: 12 }

const isDays = (unit: IntervalUnit): unit is 'day' | 'week' => unit === 'day' || unit === 'week'

/**
 * Adds n intervals to the anchor, in UTC. A month without the anchor's day ends on its last day; later months that have
 * the anchor's day use it again.
 * @param anchor - Unix seconds
 * @param n - whole intervals, may be 0 or negative
 * @returns Unix seconds
 * See docs/contract/clocks.md#calendar.
 */
export function addIntervals(anchor: number, { interval, interval_count }: Recurring, n: number): number {
  return isDays(interval)
    ? anchor + n * interval_count * DAYS[interval] * SECONDS_PER_DAY
    : addMonths(anchor, n * interval_count * MONTHS[interval])
}

/**
 * Returns the first boundary `anchor + n × interval` after an instant: the end of the period that contains the instant.
 * @param anchor - Unix seconds, at most `after`
 * @param after - Unix seconds
 * See docs/contract/clocks.md#calendar.
 */
export function nextBoundary(anchor: number, recurring: Recurring, after: number): number {
  assert(after >= anchor, 'a period cannot start before its anchor')
  let n = Math.max(1, intervalsBetween(anchor, recurring, after))
  while (addIntervals(anchor, recurring, n) <= after) n += 1
  return addIntervals(anchor, recurring, n)
}

/** Returns a lower bound of the whole intervals between two instants, at most two too low. */
function intervalsBetween(anchor: number, { interval, interval_count }: Recurring, after: number): number {
  if (isDays(interval))
    return Math.floor((after - anchor) / (DAYS[interval] * SECONDS_PER_DAY * interval_count))
  const from = new Date(anchor * 1000)
  const to = new Date(after * 1000)
  const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth()
  return Math.floor((months - 1) / (MONTHS[interval] * interval_count))
}

/** Adds months to an instant: the same time of day, clamped to the last day of the month. */
function addMonths(instant: number, months: number): number {
  const date = new Date(instant * 1000)
  const year = date.getUTCFullYear()
  const month = date.getUTCMonth() + months
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const midnight = Date.UTC(year, month, Math.min(date.getUTCDate(), lastDay)) / 1000
  // A Date cannot represent the result, but comparisons still need a value.
  if (Number.isNaN(midnight)) return Number.POSITIVE_INFINITY
  return midnight + (((instant % SECONDS_PER_DAY) + SECONDS_PER_DAY) % SECONDS_PER_DAY)
}

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: SECONDS_PER_DAY, w: 7 * SECONDS_PER_DAY }

/**
 * Adds a duration to an instant: a number with a unit (`90s 15m 36h 3d 2w 1mo 1y`) or an ISO 8601 duration (`P1M`,
 * `P1Y6M`, `PT36H`). Months and years are added first and clamped to the month's end.
 * @param from - Unix seconds
 * @returns Unix seconds (Infinity beyond the range of Date), or undefined when the text is not a duration
 * See docs/contract/clocks.md#targets.
 */
export function addDuration(from: number, text: string): number | undefined {
  const short = /^(\d{1,9})(s|m|h|d|w|mo|y)$/.exec(text)
  if (short) {
    const [, amount, unit = ''] = short
    const n = Number(amount)
    if (unit === 'mo') return addMonths(from, n)
    if (unit === 'y') return addMonths(from, 12 * n)
    return from + n * (SECONDS[unit] ?? 0)
  }
  const iso =
    /^P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(
      text,
    )
  if (!iso) return undefined
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = iso
    .slice(1)
    .map((part) => Number(part ?? 0))
  return (
    addMonths(from, 12 * years + months) +
    (7 * weeks + days) * SECONDS_PER_DAY +
    hours * 3600 +
    minutes * 60 +
    seconds
  )
}

/** The last second of the year 9999, which is the last that ISO 8601 writes with four digits. */
export const LAST_INSTANT = 253_402_300_799

/**
 * Parses Unix seconds or ISO 8601: a date, or a date and time with an optional offset (UTC if absent).
 * @returns Unix seconds, or undefined when the text is not an instant between 1970 and 9999
 */
export function parseInstant(text: string): number | undefined {
  if (/^\d{1,12}$/.test(text)) return inRange(Number(text))
  const iso =
    /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/.exec(
      text,
    )
  if (!iso) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', zone = 'Z'] = iso
  const utc = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  )
  // Date.UTC turns 31 February into March; such a date is rejected as a typing error.
  const rolled = new Date(utc)
  const isDate =
    rolled.getUTCFullYear() === Number(year) &&
    rolled.getUTCMonth() === Number(month) - 1 &&
    rolled.getUTCDate() === Number(day)
  if (!isDate) return undefined
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  return inRange(utc / 1000 - offsetSeconds(zone))
}

const inRange = (instant: number) => (instant >= 0 && instant <= LAST_INSTANT ? instant : undefined)

function offsetSeconds(zone: string): number {
  if (zone === 'Z') return 0
  const [hours = 0, minutes = 0] = zone.slice(1).split(':').map(Number)
  return (zone.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60)
}

/** Formats an instant as UTC ISO 8601 without fractions: `2026-01-31T10:00:00Z`. */
export const formatInstant = (instant: number): string =>
  new Date(instant * 1000).toISOString().replace('.000', '')

/** Formats the UTC date of an instant: `2026-01-31`. */
export const formatDate = (instant: number): string => formatInstant(instant).slice(0, 10)
