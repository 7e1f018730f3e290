import { addDuration, parseInstant } from '../core/calendar.ts'
import { wrongUsage } from './failure.ts'

/** The words for each unit of a duration, by the ISO 8601 unit. Units smaller than a day follow a T. */
const UNITS: readonly (readonly [iso: string, words: RegExp])[] = [
  ['Y', /^y(ears?|rs?)?$/],
  ['M', /^mo(nths?)?$/],
  ['W', /^w(eeks?)?$/],
  ['D', /^d(ays?)?$/],
  ['TH', /^h(ours?|rs?)?$/],
  ['TM', /^m(in(ute)?s?)?$/],
  ['TS', /^s(ec(ond)?s?)?$/],
]

/**
 * Converts a duration to a form that the API takes: `1 month`, `2 weeks 3 days` and `1mo` as well as ISO 8601.
 * @throws Failure 2
 */
export function durationOf(text: string): string {
  const duration = addDuration(0, text) === undefined ? isoDuration(text.toLowerCase()) : text
  if (duration !== undefined && addDuration(0, duration) !== undefined) return duration
  const hint = /^\d+$/.test(text) ? `add a unit, as in ${text}d, or` : 'use a form such as 90s, 15m, 36h, 3d,'
  const rest = /^\d+$/.test(text)
    ? 'use --to for a time'
    : "2w, 1mo, 1y or '1 month', or ISO 8601 such as P1M"
  throw wrongUsage(`'${text}' is not a duration: ${hint} ${rest}.`)
}

/** Converts amounts with units to ISO 8601: `2 weeks 3 days` → P2W3D. Undefined if a unit is unknown or given twice. */
function isoDuration(text: string): string | undefined {
  const parts = [...text.matchAll(/(\d{1,9})\s*([a-z]+)[\s,]*/gy)]
  if (parts.length === 0 || parts.reduce((sum, [part]) => sum + part.length, 0) !== text.length)
    return undefined
  const found = parts.map(([, amount, word = '']) => ({
    place: UNITS.findIndex(([, words]) => words.test(word)),
    amount,
  }))
  const places = found.map(({ place }) => place)
  if (places.includes(-1) || new Set(places).size < places.length) return undefined
  const units = found
    .sort((left, right) => left.place - right.place)
    .map(({ place, amount }) => {
      const [iso = ''] = UNITS[place] ?? []
      return { isOfDay: iso.startsWith('T'), text: `${amount}${iso.at(-1)}` }
    })
  const joined = (isOfDay: boolean) =>
    units.flatMap((unit) => (unit.isOfDay === isOfDay ? [unit.text] : [])).join('')
  return `P${joined(false)}${joined(true) === '' ? '' : `T${joined(true)}`}`
}

/** Completes a year or a month to its first day. So `2027` is a year, and not a second of 1970. */
const withDay = (text: string): string =>
  text.replace(/^(\d{4})$/, '$1-01-01').replace(/^(\d{4}-\d\d)$/, '$1-01')

/**
 * Parses a time: a year, a month, a date, ISO 8601 or Unix seconds of at least five digits.
 * @returns Unix seconds, or undefined if the text is not a time
 */
export const parseTime = (text: string): number | undefined => parseInstant(withDay(text))

/** Parses the time of an option. @throws Failure 2 */
export function timeOf(option: string, text: string): number {
  const seconds = parseTime(text)
  if (seconds !== undefined) return seconds
  throw wrongUsage(
    `${option}: '${text}' is not a time: use ISO 8601, such as 2026-02-28 or 2026-02-28T10:00:00Z, or Unix seconds.`,
  )
}

/** Returns the real time in Unix seconds. Signatures carry it, because receivers check their age. See docs/contract/clocks.md#which-clock. */
export const wallSeconds = (): number => Math.floor((performance.timeOrigin + performance.now()) / 1000)
