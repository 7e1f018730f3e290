import { type Logger, pino } from 'pino'
import { readLogRecord } from './core/log-line.ts'
import { maskSecrets } from './core/secret.ts'

export type { Logger } from 'pino'

/** Takes lines of JSON, each with its end. */
export type LogTarget = { write(line: string): void }

/** A log whose targets can be added while it is written. */
export type Log = { readonly logger: Logger; add(target: LogTarget): void }

/**
 * The daemon's log. Whatever an error's message may have carried along, no target ever sees a key, a token or a secret.
 * @param level - one of LOG_LEVELS
 * @param secrets - further words that are not to be written: the admin token
 * Source: operator.md, "Daemon".
 */
export function createLog({
  level,
  secrets,
}: {
  readonly level: string
  readonly secrets: () => readonly string[]
}): Log {
  const targets: LogTarget[] = []
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  const write = (line: string) => {
    const safe = secrets().reduce((text, secret) => text.replaceAll(secret, '…'), maskSecrets(line))
    for (const target of targets) target.write(safe)
  }
  return { logger: pino(options, { write }), add: (target) => targets.push(target) }
}

/** stderr, so that stdout stays the ready line's: JSON lines, or lines for people. */
export const onStderr = ({ json }: { readonly json: boolean }): LogTarget => ({
  write: (line) => {
    process.stderr.write(json ? line : forPeople(line))
  },
})

function forPeople(line: string): string {
  const { time, level, text, stack } = readLogRecord(JSON.parse(line))
  return `${[`${time} ${level.toUpperCase().padEnd(5)} ${text}`, ...stack].join('\n')}\n`
}
