import { type DestinationStream, type Logger, pino } from 'pino'

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type { Logger } from 'pino'

const RESERVED: ReadonlySet<string> = new Set(['level', 'time', 'msg'])

/**
 * The daemon's log, on stderr so that stdout stays the ready line's: JSON lines, or lines for people.
 * Source: operator.md, "Daemon".
 */
export function createLog({ level, json }: { level: string; json: boolean }): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  return json ? pino(options, pino.destination({ dest: 2, sync: true })) : pino(options, forPeople)
}

const forPeople: DestinationStream = {
  write(line) {
    const { level, time, msg, ...rest } = JSON.parse(line) as Record<string, unknown>
    const details = Object.entries(rest)
      .filter(([name]) => !RESERVED.has(name))
      .map(([name, value]) => detail(name, value))
    process.stderr.write(`${[time, String(level).toUpperCase().padEnd(5), msg, ...details].join(' ')}\n`)
  },
}

/** An error with its stack on lines of its own, everything else as name=value. */
function detail(name: string, value: unknown): string {
  if (typeof value === 'object' && value !== null && 'stack' in value) return `\n${String(value.stack)}`
  return `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`
}
