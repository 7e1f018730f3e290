import { CommanderError } from 'commander'
import { Refused, Unreachable } from '../client/errors.ts'
import type { Io } from './io.ts'
import { visible } from './text.ts'

/** 0 done; 1 the daemon refused; 2 wrong usage; 3 no daemon answers. Source: operator.md, Command line. */
export type ExitStatus = 0 | 1 | 2 | 3

/** Why a command ends without having done its work, as a sentence. */
export class Failure extends Error {
  readonly exitStatus: ExitStatus

  constructor(exitStatus: ExitStatus, message: string) {
    super(message)
    this.exitStatus = exitStatus
  }
}

export const wrongUsage = (message: string): Failure => new Failure(2, message)

/** Says on stderr what went wrong. @returns the exit status that it means */
export function reportFailure(error: unknown, { stderr }: Pick<Io, 'stderr'>): ExitStatus {
  // Commander has already said what it has to say.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
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
