import { type Logger, pino } from 'pino'
import { shortened, visible } from './text/display.ts'
import { readLogRecord } from './text/log-line.ts'
import { maskSecrets, patternOf } from './text/secret.ts'

export type { Logger } from 'pino'

/** Takes lines of JSON, each with its end. */
export type LogTarget = { write(line: string): void }

/** Longer lines of JSON are shortened, by cutting the texts in them; in characters. */
const LONGEST_LINE = 8_192
const LONGEST_TEXT = 2_048

/** A log whose targets can be added while it is written. */
export type Log = { readonly logger: Logger; add(target: LogTarget): void }

/**
 * The daemon's log. Whatever a request or an error's message carried along, no target ever sees a key, a token or a secret, a
 * character that steers a terminal, or a line of unlimited length.
 * @param level - one of LOG_LEVELS
 * @param secrets - further words that are not to be written: the admin token
 * See docs/contract/operator.md#log.
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
  const patterns = new Map<string, RegExp>()
  const withoutWord = (text: string, word: string) => {
    const pattern = patterns.get(word) ?? patternOf(word)
    patterns.set(word, pattern)
    return text.replace(pattern, '…')
  }
  const write = (line: string) => {
    // First the words: a part of one may look like a secret of known form.
    const masked = maskSecrets(secrets().reduce(withoutWord, line))
    const safe = visible(withoutLongTexts(masked.trimEnd()))
    for (const target of targets) target.write(`${safe}\n`)
  }
  return { logger: pino(options, { write }), add: (target) => targets.push(target) }
}

function withoutLongTexts(line: string): string {
  if (line.length <= LONGEST_LINE) return line
  const cut = (value: unknown) => (typeof value === 'string' ? shortened(value, LONGEST_TEXT) : value)
  const record = JSON.parse(line)
  const short = JSON.stringify(record, (_name, value) => cut(value))
  if (short.length <= LONGEST_LINE) return short
  const { level, time, msg } = record
  return JSON.stringify({ level, time, msg: cut(msg), left_out: `${line.length} characters` })
}

/** stderr, so that stdout stays the ready line's: JSON lines, or lines for people. */
export const onStderr = ({ json }: { readonly json: boolean }): LogTarget => ({
  write: (line) => {
    process.stderr.write(json ? line : forPeople(line))
  },
})

function forPeople(line: string): string {
  const { time, level, text, stack } = readLogRecord(JSON.parse(line))
  const lines = [`${time} ${level.toUpperCase().padEnd(5)} ${text}`, ...stack]
  return `${lines.map(visible).join('\n')}\n`
}
