/** The log levels, from the most verbose to none. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** A line of the daemon's log, split into its parts. */
export type LogLine = {
  readonly time: string
  readonly level: string
  /** The message, and the details as name=value. */
  readonly text: string
  /** The stack of an error, one entry a line. Indented, so that no error message looks like a line of the log. */
  readonly stack: readonly string[]
}

const RESERVED: ReadonlySet<string> = new Set(['level', 'time', 'msg'])

/** Parses a JSON record of the log: an error's stack goes to lines of its own, everything else into the text. */
export function readLogRecord(record: Readonly<Record<string, unknown>>): LogLine {
  const details = Object.entries(record).filter(([name]) => !RESERVED.has(name))
  const stack = details.flatMap(([, value]) => stackOf(value))
  const rest = details
    .filter(([, value]) => stackOf(value).length === 0)
    .map(([name, value]) => detail(name, value))
  return {
    time: shown(record.time),
    level: shown(record.level),
    text: [...(record.msg === undefined ? [] : [shown(record.msg)]), ...rest]
      .filter((part) => part !== '')
      .join(' '),
    stack,
  }
}

function stackOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || !('stack' in value)) return []
  return shown(value.stack)
    .split('\n')
    .map((line) => `  ${line}`)
}

const detail = (name: string, value: unknown): string => `${name}=${shown(value)}`

/** Shows a value of a record. A damaged one can have any: `String` would fail for an object with a `toString` of its own. */
const shown = (value: unknown): string => (typeof value === 'string' ? value : String(JSON.stringify(value)))
