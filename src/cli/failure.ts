import { CommanderError } from 'commander'
import { Refused, Unreachable } from '../client/errors.ts'
import { mistakeText, type ReportedMistake } from '../core/fixture-mistakes.ts'
import { escapeControls, escapeControlsByLine } from '../text/display.ts'
import { listCommandFor } from './hints.ts'
import type { Io } from './io.ts'

/**
 * 0 success; 1 the daemon refused; 2 wrong usage; 3 no daemon answers. `paytwin run` exits with the status of its command. A
 * command that a signal interrupted exits with 128 plus the signal's number, as shells report it.
 * See docs/contract/command-line.md#exit-status.
 */
export type ExitStatus = number

/** A failed command, with the reason in one or more sentences. */
export class Failure extends Error {
  readonly exitStatus: ExitStatus
  readonly others: readonly string[]

  constructor(exitStatus: ExitStatus, message: string, others: readonly string[] = []) {
    super(message)
    this.exitStatus = exitStatus
    this.others = others
  }
}

export const wrongUsage = (message: string): Failure => new Failure(2, message)

/** Ends a command with the exit status of another process or a signal, without an error message of its own. */
export class ExitWith extends Error {
  readonly exitStatus: ExitStatus

  /** @param output - complete lines to write to stderr */
  constructor(exitStatus: ExitStatus, output = '') {
    super(output)
    this.exitStatus = exitStatus
  }
}

/** Writes an error to stderr. @returns the exit status for it */
export function reportFailure(error: unknown, { stderr }: Pick<Io, 'stderr'>): ExitStatus {
  // Commander has already printed its message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof ExitWith) {
    if (error.message !== '') stderr.write(escapeControlsByLine(error.message))
    return error.exitStatus
  }
  const { exitStatus, message, others = [] } = explain(error)
  for (const line of [message, ...others]) stderr.write(`error: ${line}\n`)
  return exitStatus
}

/** Returns the command or tool that lists the valid IDs, for an error about an unknown ID; undefined for other errors. */
type ListFor = (message: string) => string | undefined

/**
 * Returns the message of an error, with each further mistake on its own line.
 * @param listFor - names the list of existing objects
 */
export function messageOf(error: unknown, listFor: ListFor): string {
  const { message, others = [] } = explain(error, listFor)
  return [message, ...others].join('\n')
}

type Explained = {
  readonly exitStatus: ExitStatus
  readonly message: string
  readonly others?: readonly string[]
}

function explain(error: unknown, listFor: ListFor = listCommandFor): Explained {
  if (error instanceof Failure) {
    const { exitStatus, message, others } = error
    return { exitStatus, message: escapeControls(message), others: others.map(escapeControls) }
  }
  if (error instanceof Refused) {
    const [message = refusal(error, listFor), ...others] = error.mistakes.map(mistake)
    return { exitStatus: 1, message: escapeControls(message), others: others.map(escapeControls) }
  }
  if (error instanceof Unreachable) return { exitStatus: 3, message: escapeControls(`${error.message}.`) }
  return {
    exitStatus: 1,
    message: escapeControlsByLine(
      `internal error in paytwin\n${error instanceof Error ? error.stack : error}`,
    ),
  }
}

function refusal({ status, code, message }: Refused, listFor: ListFor): string {
  if (status !== 401) {
    const list = listFor(message)
    const hint = list === undefined ? '' : `. List the existing ones with '${list}'.`
    return code === null ? message : `${message} (${code})${hint}`
  }
  return `${message}. Set PAYTWIN_ADMIN_TOKEN to the daemon's admin token, or give its data folder with --data.`
}

const mistake = (reported: ReportedMistake): string => `${mistakeText(reported)} (${reported.code})`
