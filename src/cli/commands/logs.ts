import { join } from 'node:path'
import type { Command } from 'commander'
import { hasMoreLevels } from '../../text/display.ts'
import { readLogRecord } from '../../text/log-line.ts'
import { examplesText, wholeNumber } from '../command.ts'
import { DEFAULT_DATA } from '../daemon/connection.ts'
import { LogTail } from '../daemon/log-tail.ts'
import { Failure } from '../failure.ts'
import { untilInterrupted } from '../interruption.ts'
import { type Io, variable } from '../io.ts'
import { type Colour, Output, type Span } from '../show/output.ts'

type Options = {
  readonly data?: string
  readonly limit: number
  readonly follow?: boolean
  readonly json?: boolean
}

/**
 * Adds `paytwin logs`. It reads the file without a daemon, because a log is most useful when the daemon does not answer.
 * See docs/contract/operator.md#log.
 */
export function logsCommand(program: Command, io: Io): void {
  program
    .command('logs')
    .description("Show the daemon's log from its data folder. The daemon need not be running.")
    .option(
      '-f, --follow',
      'print new lines as they are written, across restarts of the daemon, until Ctrl-C',
    )
    .option('-n, --limit <N>', 'how many of the last lines to show', wholeNumber, 100)
    .option('--json', 'print the lines as they are in the file, each a JSON object')
    .option('--data <DIR>', 'the data folder (PAYTWIN_DATA; default .paytwin)')
    .addHelpText('after', examplesText(['paytwin logs', 'paytwin logs -f', 'paytwin logs -n 1000 --json']))
    .action((options: Options) => show(options, io))
}

async function show(options: Options, io: Io): Promise<void> {
  const out = new Output(io, options)
  const tail = openLog(options.data ?? variable(io, 'PAYTWIN_DATA') ?? DEFAULT_DATA)
  try {
    if (options.follow) await untilInterrupted((signal) => follow(tail, options.limit, out, signal))
    else for (const line of tail.last(options.limit)) print(line, out)
  } finally {
    tail.close()
  }
}

/** Opens the log of a data folder. @throws Failure 3 if it does not exist */
function openLog(folder: string): LogTail {
  const path = join(folder, 'daemon.log')
  try {
    return new LogTail(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw new Failure(1, `The log cannot be read: ${message}`)
    throw new Failure(
      3,
      `No log found at ${path}. Give the daemon's data folder with --data. An ephemeral daemon has no log.`,
    )
  }
}

async function follow(tail: LogTail, limit: number, out: Output, signal: AbortSignal): Promise<void> {
  for (const line of tail.last(limit)) print(line, out)
  for await (const line of tail.follow(signal)) {
    print(line, out)
    await out.room(signal)
  }
}

/** Prints a log line in readable form, with an error's stack below it. With --json, or if it is no record, unchanged. */
function print(line: string, out: Output): void {
  const record = recordIn(line)
  if (!record || out.isJson) {
    out.line(line)
    return
  }
  const { time, level, text, stack } = readLogRecord(record)
  out.line({ text: time, colour: 'dim' }, ' ', ofLevel(level), ` ${text}`)
  for (const frame of stack) out.line({ text: frame, colour: 'dim' })
}

/** paytwin: the maximum nesting of a record. The daemon's have few levels; JSON with thousands of them cannot be formatted. */
const MAX_LEVELS = 64

function recordIn(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    const isRecord = typeof value === 'object' && value !== null && !hasMoreLevels(value, MAX_LEVELS)
    return isRecord ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

const COLOURS: Readonly<Record<string, Colour>> = {
  fatal: 'red',
  error: 'red',
  warn: 'yellow',
  info: 'green',
}

const ofLevel = (level: string): Span => ({
  text: level.toUpperCase().padEnd(5),
  colour: COLOURS[level] ?? 'dim',
})
