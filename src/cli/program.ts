import { Command } from 'commander'
import { clockCommands } from './clock.ts'
import { examplesText } from './command.ts'
import { eventCommands } from './events.ts'
import { type ExitStatus, reportFailure } from './failure.ts'
import { faultCommands } from './faults.ts'
import { fixtureCommands } from './fixtures.ts'
import type { Io } from './io.ts'
import { keyCommands } from './keys.ts'
import { merchantCommands } from './merchants.ts'
import { requestCommands } from './requests.ts'
import { serveCommand } from './serve.ts'
import { statusCommand } from './status.ts'
import { triggerCommand } from './trigger.ts'
import { VERSION } from './version.ts'

/** In the order in which help shows them. */
const COMMANDS: readonly ((program: Command, io: Io) => void)[] = [
  serveCommand,
  statusCommand,
  keyCommands,
  merchantCommands,
  clockCommands,
  eventCommands,
  requestCommands,
  triggerCommand,
  faultCommands,
  fixtureCommands,
]

/**
 * Runs the command line.
 * @param args - what follows the program's name
 * @returns the exit status. Source: operator.md, Command line.
 */
export async function run(args: readonly string[], io: Io): Promise<ExitStatus> {
  try {
    await createProgram(io).parseAsync([...args], { from: 'user' })
    return 0
  } catch (error) {
    return reportFailure(error, io)
  }
}

export function createProgram(io: Io): Command {
  const program = new Command('paytwin')
    .description('A sandbox of a payments and recurring-billing service, with a clock that you control.')
    .version(VERSION)
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
    })
    .exitOverride()
    .showHelpAfterError("(see 'paytwin --help', or the command's own --help)")
    .addHelpText('after', examplesText(['paytwin serve', 'paytwin clock advance 1mo', 'paytwin events tail']))
  for (const add of COMMANDS) add(program, io)
  return program
}
