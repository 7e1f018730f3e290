import { formatInstant } from '../../core/calendar.ts'

/** Formats an instant as ISO 8601 in UTC, and null as a dash. See docs/contract/command-line.md#output. */
export const instant = (seconds: number | null): string => (seconds === null ? '–' : formatInstant(seconds))
