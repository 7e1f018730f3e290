/** @jsxImportSource hono/jsx */
import { formatInstant } from '../../core/calendar.ts'

/** Formats an instant for people: `2026-02-28 10:00`, with seconds if it has some. Always in UTC. */
export const instantText = (at: number): string =>
  formatInstant(at)
    .replace('T', ' ')
    .replace(/(:00)?Z$/, '')

export const Time = ({ at }: { at: number | null }) =>
  at === null ? <>–</> : <time datetime={formatInstant(at)}>{instantText(at)}</time>
