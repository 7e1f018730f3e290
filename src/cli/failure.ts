import { CommanderError } from 'commander'
import { Refused, Unreachable } from '../client/errors.ts'
import type { Io } from './io.ts'
import { visible } from './text.ts'

/**
 * 0 done; 1 the daemon refused; 2 wrong usage; 3 no daemon answers. Further ones are other programs' (`paytwin run`), or
 * 128 and the number of the signal that broke off what was asked for.
 * Source: operator.md, Command line; paytwin: signals as a shell reports them.
 */
export type ExitStatus = number

/** Why a command ends without having done its work, as a sentence. */
export class Failure extends Error {
  readonly exitStatus: ExitStatus

  constructor(exitStatus: ExitStatus, message: string) {
    super(message)
    this.exitStatus = exitStatus
  }
}

export const wrongUsage = (message: string): Failure => new Failure(2, message)

/** A command ends as another process or a signal has it, and there is no more to say than what that has said. */
export class Ended extends Error {
  readonly exitStatus: ExitStatus

  /** @param said - what goes to stderr as it is */
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
    if (error.message !== '') stderr.write(error.message)
    return error.exitStatus
  }
  const { exitStatus, message } = explain(error)
  stderr.write(`error: ${message}\n`)
  return exitStatus
}

function explain(error: unknown): { exitStatus: ExitStatus; message: string } {
  if (error instanceof Failure) return { exitStatus: error.exitStatus, message: visible(error.message) }
  if (error instanceof Refused) return { exitStatus: 1, message: visible(refusal(error)) }
  if (error instanceof Unreachable) return { exitStatus: 3, message: visible(absence(error)) }
  return {
    exitStatus: 1,
    message: `this is a mistake in paytwin\n${error instanceof Error ? error.stack : error}`,
  }
}

function refusal({ status, code, message }: Refused): string {
  if (status !== 401) return code === null ? message : `${message} (${code})`
  return `${message}. Set PAYTWIN_ADMIN_TOKEN to the daemon's admin token, or name its data folder with --data.`
}

const absence = ({ message, isConnected }: Unreachable): string =>
  isConnected ? `${message}.` : `${message}. Start one with 'paytwin serve', or name another with --url.`
