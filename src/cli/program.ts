import { Command } from 'commander'
import { escapeControls, escapeControlsByLine } from '../text/display.ts'
import { examplesText } from './command.ts'
import { refuseEmptyValues } from './empty-values.ts'
import { type ExitStatus, reportFailure } from './failure.ts'
import type { Io } from './io.ts'
import { arrange, helpAsOption, helpStyle } from './overview.ts'
import { VERSION } from './version.ts'

type Add = (program: Command, io: Io) => void

/** The commands by their first word. Each is loaded when needed, because loading all takes longer than most commands run. */
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

/** Loads the named command, or all commands if the name is unknown or the command lists all (`completion`). */
function load(first: string | undefined): Promise<Add[]> {
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

Every command has --help with examples, and --json for scripts. Commands find the daemon by --url
or PAYTWIN_URL, otherwise by its data folder: --data or PAYTWIN_DATA, default .paytwin.
Exit status: 0 done, 1 refused by the daemon, 2 wrong usage, 3 no daemon answers.`

/** The suggestion at the end of a message of commander. It names commands or options of paytwin. */
const SUGGESTION = /\n\(Did you mean [^\n]*\?\)$/

/**
 * Escapes control characters and line ends in a message of commander, which repeats arguments or parts of them. Only the
 * line end before a suggestion and the last one are commander's own.
 */
function withVisible(text: string): string {
  const message = text.replace(/\n$/, '')
  const at = SUGGESTION.exec(message)?.index ?? message.length
  return `${escapeControls(message.slice(0, at))}${escapeControlsByLine(message.slice(at))}\n`
}

/** Creates the program. @param args - the arguments it will run with; without arguments it has all commands */
export async function createProgram(io: Io, args: readonly string[] = []): Promise<Command> {
  const program = new Command('paytwin')
    .description('A sandbox of a payments and recurring-billing service, with a clock that you control.')
    .version(VERSION)
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(withVisible(text)),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
    })
    .configureHelp(helpStyle)
    .exitOverride()
    // Options after the command of `run` belong to that command.
    .enablePositionalOptions()
    .showHelpAfterError("(see 'paytwin --help', or the command's own --help)")
    .addHelpText('after', START_HERE)
    .hook('preAction', (_program, command) => refuseEmptyValues(command))
  for (const add of new Set(await load(args[0]))) add(program, io)
  arrange(program)
  return program
}
