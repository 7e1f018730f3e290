/** @jsxImportSource hono/jsx */
import { formatInstant } from '../../core/calendar.ts'

/** Formats an instant for people: `2026-02-28 10:00`, with seconds if it has some. Always in UTC. */
export const instantText = (at: number): string =>
  formatInstant(at)
    .replace('T', ' ')
    .replace(/(:00)?Z$/, '')

/** An instant in a text, with its seconds if they are not 0. */
const INSTANT = /\b(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::00|(:\d\d))Z/g

/** Formats the instants in a text like those beside it: `2026-02-28T10:00:00Z` → `2026-02-28 10:00`. */
export const withInstants = (text: string): string =>
  text.replace(INSTANT, (_, date, minute, seconds = '') => `${date} ${minute}${seconds}`)

export const Time = ({ at }: { at: number | null }) =>
  at === null ? <>–</> : <time datetime={formatInstant(at)}>{instantText(at)}</time>
