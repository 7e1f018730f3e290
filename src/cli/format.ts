import { formatInstant } from '../core/calendar.ts'

/** An instant in UTC ISO 8601, or a dash for none. See docs/contract/command-line.md#output. */
export const instant = (seconds: number | null): string => (seconds === null ? '–' : formatInstant(seconds))
