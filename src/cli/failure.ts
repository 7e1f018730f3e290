import { CommanderError } from 'commander'
import { Refused, Unreachable } from '../client/errors.ts'
import { mistakeText, type ToldMistake } from '../core/fixture-mistakes.ts'
import { visible, visibleLines } from '../text/display.ts'
import type { Io } from './io.ts'

/**
 * 0 done; 1 the daemon refused; 2 wrong usage; 3 no daemon answers. Further ones are other programs' (`paytwin run`), or
 * 128 and the number of the signal that broke off what was asked for.
 * See docs/contract/command-line.md#exit-status; paytwin: signals as a shell reports them.
 */
export type ExitStatus = number

/** Why a command ends without having done its work, as a sentence or several. */
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

/** A command ends as another process or a signal has it, and there is no more to say than what that has said. */
export class Ended extends Error {
  readonly exitStatus: ExitStatus

  /** @param said - what goes to stderr, in lines */
  constructor(exitStatus: ExitStatus, said = '') {
    super(said)
    this.exitStatus = exitStatus
  }
}

/** Says on stderr what went wrong. @returns the exit status that it means */
export function reportFailure(error: unknown, { stderr }: Pick<Io, 'stderr'>): ExitStatus {
  // Commander has already said what it has to say.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof Ended) {
    if (error.message !== '') stderr.write(visibleLines(error.message))
    return error.exitStatus
  }
  const { exitStatus, message, others = [] } = explain(error)
  for (const line of [message, ...others]) stderr.write(`error: ${line}\n`)
  return exitStatus
}

type Explained = {
  readonly exitStatus: ExitStatus
  readonly message: string
  readonly others?: readonly string[]
}

function explain(error: unknown): Explained {
  if (error instanceof Failure) {
    const { exitStatus, message, others } = error
    return { exitStatus, message: visible(message), others: others.map(visible) }
  }
  if (error instanceof Refused) {
    const [message = refusal(error), ...others] = error.mistakes.map(mistake)
    return { exitStatus: 1, message: visible(message), others: others.map(visible) }
  }
  if (error instanceof Unreachable) return { exitStatus: 3, message: visible(absence(error)) }
  return {
    exitStatus: 1,
    message: visibleLines(`this is a mistake in paytwin\n${error instanceof Error ? error.stack : error}`),
  }
}

function refusal({ status, code, message }: Refused): string {
  if (status !== 401) return code === null ? message : `${message} (${code})`
  return `${message}. Set PAYTWIN_ADMIN_TOKEN to the daemon's admin token, or name its data folder with --data.`
}

const mistake = (told: ToldMistake): string => `${mistakeText(told)} (${told.code})`

const absence = ({ message, isConnected }: Unreachable): string =>
  isConnected ? `${message}.` : `${message}. Start one with 'paytwin serve', or name another with --url.`
