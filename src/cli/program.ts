import { Command } from 'commander'
import { appCommands } from './apps.ts'
import { clockCommands } from './clock.ts'
import { examplesText } from './command.ts'
import { completionCommand } from './completion.ts'
import { eventCommands } from './events.ts'
import { type ExitStatus, reportFailure } from './failure.ts'
import { faultCommands } from './faults.ts'
import { fixtureCommands } from './fixtures.ts'
import type { Io } from './io.ts'
import { keyCommands } from './keys.ts'
import { logsCommand } from './logs.ts'
import { merchantCommands } from './merchants.ts'
import { oauthCommands } from './oauth.ts'
import { arrange, helpAsOption, helpStyle } from './overview.ts'
import { requestCommands } from './requests.ts'
import { runCommand } from './run.ts'
import { serveCommand } from './serve.ts'
import { showCommands } from './show.ts'
import { snapshotCommands } from './snapshots.ts'
import { startCommand } from './start.ts'
import { statusCommand } from './status.ts'
import { stopCommand } from './stop.ts'
import { triggerCommand } from './trigger.ts'
import { VERSION } from './version.ts'
import { webhookCommands } from './webhooks.ts'

const COMMANDS: readonly ((program: Command, io: Io) => void)[] = [
  serveCommand,
  startCommand,
  stopCommand,
  statusCommand,
  runCommand,
  keyCommands,
  merchantCommands,
  clockCommands,
  eventCommands,
  appCommands,
  oauthCommands,
  snapshotCommands,
  showCommands,
  logsCommand,
  completionCommand,
  requestCommands,
  triggerCommand,
  faultCommands,
  fixtureCommands,
  webhookCommands,
]

/**
 * Runs the command line.
 * @param args - what follows the program's name
 * @returns the exit status. Source: operator.md, Command line.
 */
export async function run(args: readonly string[], io: Io): Promise<ExitStatus> {
  try {
    const program = createProgram(io)
    await program.parseAsync([...helpAsOption(program, args)], { from: 'user' })
    return 0
  } catch (error) {
    return reportFailure(error, io)
  }
}

const START_HERE = `
${examplesText(['paytwin start', 'paytwin clock advance 1mo', 'paytwin events list', 'paytwin run -- npm test']).trim()}

Every command has --help with examples, and --json for programs. The daemon is found by --url or
PAYTWIN_URL, else by its data folder: --data or PAYTWIN_DATA, default .paytwin.
Exit status: 0 done, 1 the daemon refused, 2 wrong usage, 3 no daemon answers.`

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
    .configureHelp(helpStyle)
    .exitOverride()
    // What follows the command of `run` is that command's own.
    .enablePositionalOptions()
    .showHelpAfterError("(see 'paytwin --help', or the command's own --help)")
    .addHelpText('after', START_HERE)
  for (const add of COMMANDS) add(program, io)
  arrange(program)
  return program
}
