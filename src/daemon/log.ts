import { type Logger, pino } from 'pino'
import { escapeControls, shortened } from '../text/display.ts'
import { readLogRecord } from '../text/log-line.ts'
import { mapTexts } from '../text/map-texts.ts'
import { maskSecrets, patternOfSecret } from '../text/secret.ts'

export type { Logger } from 'pino'

/** A destination for lines of JSON, each with its line end. */
export type LogTarget = { write(line: string): void }

/** In longer lines, long texts are truncated. Both limits are in characters. */
const MAX_LINE_LENGTH = 8_192
const MAX_TEXT_LENGTH = 2_048

/** A log to which targets can be added at any time. */
export type Log = { readonly logger: Logger; add(target: LogTarget): void }

/**
 * Creates the daemon's log. Keys, tokens and secrets are masked, control characters are escaped, and long lines are truncated.
 * @param level - one of LOG_LEVELS
 * @param secrets - further words to mask: the admin token
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
    const pattern = patterns.get(word) ?? patternOfSecret(word)
    patterns.set(word, pattern)
    return text.replace(pattern, '…')
  }
  // Words first, because a part of one may look like a secret of known form.
  const masked = (text: string) => maskSecrets(secrets().reduce(withoutWord, text))
  const write = (line: string) => {
    const record = mapTexts(JSON.parse(line), masked) as LogRecord
    const safe = escapeControls(withoutLongTexts(record))
    for (const target of targets) target.write(`${safe}\n`)
  }
  return { logger: pino(options, { write }), add: (target) => targets.push(target) }
}

type LogRecord = Readonly<Record<string, unknown>>

/** Returns the line of a record, in which texts are shortened if it is long. */
function withoutLongTexts(record: LogRecord): string {
  const line = JSON.stringify(record)
  if (line.length <= MAX_LINE_LENGTH) return line
  const cut = (value: unknown) => (typeof value === 'string' ? shortened(value, MAX_TEXT_LENGTH) : value)
  const short = JSON.stringify(record, (_name, value) => cut(value))
  if (short.length <= MAX_LINE_LENGTH) return short
  const { level, time, msg } = record
  return JSON.stringify({ level, time, msg: cut(msg), left_out: `${line.length} characters` })
}

/** The number of bytes that may wait for the reader of stderr. */
const MAX_UNREAD = 262_144

/**
 * Writes to stderr, because stdout has the ready line: JSON lines, or readable lines. Without a reader, with one that does not read, or
 * with a full disk, lines are lost, which does not stop the daemon. The first line that can be written again says how many.
 */
export function onStderr({ json }: { readonly json: boolean }): LogTarget {
  if (process.stderr.listenerCount('error', ignore) === 0) process.stderr.on('error', ignore)
  const format = json ? (line: string) => line : readableLine
  let lost = 0
  return {
    write: (line) => {
      if (process.stderr.writableLength > MAX_UNREAD) {
        lost += 1
        return
      }
      const before = lost
      const text = (before > 0 ? format(lineOfLost(before, line)) : '') + format(line)
      lost = 0
      process.stderr.write(text, (error) => {
        if (error) lost += before + 1
      })
    },
  }
}

/** Each write gets the errors of stderr itself. */
const ignore = (): void => undefined

/** @param next - the next line, from which the time is */
function lineOfLost(lost: number, next: string): string {
  const { time } = JSON.parse(next)
  const msg = `${lost} earlier lines of the log could not be written to stderr`
  return `${JSON.stringify({ level: 'warn', time, msg })}\n`
}

function readableLine(line: string): string {
  const { time, level, text, stack } = readLogRecord(JSON.parse(line))
  const lines = [`${time} ${level.toUpperCase().padEnd(5)} ${text}`, ...stack]
  return `${lines.map(escapeControls).join('\n')}\n`
}
