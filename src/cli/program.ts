import { Command } from 'commander'
import { visible, visibleLines } from '../text/display.ts'
import { examplesText } from './command.ts'
import { refuseEmptyValues } from './empty-values.ts'
import { type ExitStatus, reportFailure } from './failure.ts'
import type { Io } from './io.ts'
import { arrange, helpAsOption, helpStyle } from './overview.ts'
import { VERSION } from './version.ts'

type Add = (program: Command, io: Io) => void

/** What each word after the program's name stands for; loaded when it is needed, for all of it takes longer than most of it runs. */
const COMMANDS: Readonly<Record<string, () => Promise<Add>>> = {
  serve: () => import('./serve.ts').then(({ serveCommand }) => serveCommand),
  start: () => import('./start.ts').then(({ startCommand }) => startCommand),
  stop: () => import('./stop.ts').then(({ stopCommand }) => stopCommand),
  status: () => import('./status.ts').then(({ statusCommand }) => statusCommand),
  run: () => import('./run.ts').then(({ runCommand }) => runCommand),
  keys: () => import('./keys.ts').then(({ keyCommands }) => keyCommands),
  merchants: () => import('./merchants.ts').then(({ merchantCommands }) => merchantCommands),
  clock: () => import('./clock.ts').then(({ clockCommands }) => clockCommands),
  events: () => import('./events.ts').then(({ eventCommands }) => eventCommands),
  apps: () => import('./apps.ts').then(({ appCommands }) => appCommands),
  oauth: () => import('./oauth.ts').then(({ oauthCommands }) => oauthCommands),
  snapshots: () => import('./snapshots.ts').then(({ snapshotCommands }) => snapshotCommands),
  customers: () => import('./show.ts').then(({ showCommands }) => showCommands),
  subscriptions: () => import('./show.ts').then(({ showCommands }) => showCommands),
  invoices: () => import('./show.ts').then(({ showCommands }) => showCommands),
  logs: () => import('./logs.ts').then(({ logsCommand }) => logsCommand),
  completion: () => import('./completion.ts').then(({ completionCommand }) => completionCommand),
  requests: () => import('./requests.ts').then(({ requestCommands }) => requestCommands),
  trigger: () => import('./trigger.ts').then(({ triggerCommand }) => triggerCommand),
  faults: () => import('./faults.ts').then(({ faultCommands }) => faultCommands),
  fixtures: () => import('./fixtures.ts').then(({ fixtureCommands }) => fixtureCommands),
  webhooks: () => import('./webhooks.ts').then(({ webhookCommands }) => webhookCommands),
}

/** The command that is asked for, or all where that is not plain, or where all are to be told of. */
function wanted(first: string | undefined): Promise<Add[]> {
  const isOne = first !== undefined && first !== 'completion' && Object.hasOwn(COMMANDS, first)
  const words = isOne ? [first] : Object.keys(COMMANDS)
  return Promise.all(words.flatMap((word) => COMMANDS[word]?.() ?? []))
}

/**
 * Runs the command line.
 * @param args - what follows the program's name
 * @returns the exit status. See docs/contract/command-line.md#exit-status.
 */
export async function run(args: readonly string[], io: Io): Promise<ExitStatus> {
  try {
    const program = await createProgram(io, args)
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

/** A message of commander's that repeats arguments: within an argument even the end of a line is spelled out. */
function withVisible(args: readonly string[], text: string): string {
  // Whole, or as the value in --limit=x or -nx.
  const repeated = args.flatMap((arg) => [arg, arg.slice(arg.indexOf('=') + 1), arg.slice(2)])
  const spelled = repeated
    .filter((part) => part !== visible(part))
    .reduce((message, part) => message.replaceAll(part, visible(part)), text)
  return visibleLines(spelled)
}

/** @param args - what the program is to run with; without arguments it has all commands */
export async function createProgram(io: Io, args: readonly string[] = []): Promise<Command> {
  const program = new Command('paytwin')
    .description('A sandbox of a payments and recurring-billing service, with a clock that you control.')
    .version(VERSION)
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(withVisible(args, text)),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
    })
    .configureHelp(helpStyle)
    .exitOverride()
    // What follows the command of `run` is that command's own.
    .enablePositionalOptions()
    .showHelpAfterError("(see 'paytwin --help', or the command's own --help)")
    .addHelpText('after', START_HERE)
    .hook('preAction', (_program, command) => refuseEmptyValues(command))
  for (const add of new Set(await wanted(args[0]))) add(program, io)
  arrange(program)
  return program
}
