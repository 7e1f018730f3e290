/** How much is logged, from all to nothing. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** A line of the daemon's log, taken apart for people. */
export type LogLine = {
  readonly time: string
  readonly level: string
  /** What happened, and the details as name=value. */
  readonly text: string
  /** Where an error came from, a line each, indented so that no error's message passes for a line of the log; empty for most. */
  readonly stack: readonly string[]
}

const RESERVED: ReadonlySet<string> = new Set(['level', 'time', 'msg'])

/** Reads a record of the log, which is JSON: an error's stack goes to lines of its own, everything else into the text. */
export function readLogRecord(record: Readonly<Record<string, unknown>>): LogLine {
  const details = Object.entries(record).filter(([name]) => !RESERVED.has(name))
  const stack = details.flatMap(([, value]) => stackOf(value))
  const rest = details
    .filter(([, value]) => stackOf(value).length === 0)
    .map(([name, value]) => detail(name, value))
  return {
    time: String(record.time),
    level: String(record.level),
    text: [record.msg, ...rest].filter((part) => part !== undefined && part !== '').join(' '),
    stack,
  }
}

function stackOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || !('stack' in value)) return []
  return String(value.stack)
    .split('\n')
    .map((line) => `  ${line}`)
}

const detail = (name: string, value: unknown): string =>
  `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`
