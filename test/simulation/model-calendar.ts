/**
 * The calendar of the independent model. It is written from the contract alone, as simply as possible, and imports
 * nothing from paytwin. Times are Unix seconds.
 */
export const MINUTE = 60
export const DAY = 86_400

export type Interval = {
  readonly interval: 'day' | 'week' | 'month' | 'year'
  readonly interval_count: number
}

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

/** @param month - 0 for January */
const daysOf = (year: number, month: number): number =>
  [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month] ?? Number.NaN

const daysOfYear = (year: number): number => (isLeap(year) ? 366 : 365)

/**
 * Returns year, month (0 for January), day (1 for the first) and second of the day, counted day by day from 1970.
 */
function civil(instant: number): { year: number; month: number; day: number; second: number } {
  let days = Math.floor(instant / DAY)
  let year = 1970
  while (days >= daysOfYear(year)) days -= daysOfYear(year++)
  let month = 0
  while (days >= daysOf(year, month)) days -= daysOf(year, month++)
  return { year, month, day: days + 1, second: instant - Math.floor(instant / DAY) * DAY }
}

function instantOf(year: number, month: number, day: number, second: number): number {
  let days = day - 1
  for (let before = 1970; before < year; before += 1) days += daysOfYear(before)
  for (let before = 0; before < month; before += 1) days += daysOf(year, before)
  return days * DAY + second
}

/**
 * Returns the beginning of the n-th period, counted from the anchor, in UTC. It is before the anchor if n is negative. See docs/contract/clocks.md#calendar.
 */
export function periodBegin(anchor: number, { interval, interval_count }: Interval, n: number): number {
  const count = n * interval_count
  if (interval === 'day') return anchor + count * DAY
  if (interval === 'week') return anchor + count * 7 * DAY
  const { year, month, day, second } = civil(anchor)
  const months = month + count * (interval === 'year' ? 12 : 1)
  const [inYear, inMonth] = [year + Math.floor(months / 12), ((months % 12) + 12) % 12]
  return instantOf(inYear, inMonth, Math.min(day, daysOf(inYear, inMonth)), second)
}

/** Days after the first failure, not gaps. See docs/contract/invoices.md#retry-schedule. */
const RETRY_DAYS = [1, 3, 5, 7]

/** Returns the next attempt of an invoice after so many attempts, the first one included. */
export function retryAfter(failedAt: number, attempts: number): number | null {
  const days = RETRY_DAYS[attempts - 1]
  return days === undefined ? null : failedAt + days * DAY
}
