import { formatInstant } from '../core/calendar.ts'

/** An instant in UTC ISO 8601, or a dash for none. Source: operator.md, Command line. */
export const instant = (seconds: number | null): string => (seconds === null ? '–' : formatInstant(seconds))
