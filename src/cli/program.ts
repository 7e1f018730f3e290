import { Command } from 'commander'
import { escapeControls, escapeControlsByLine } from '../text/display.ts'
import { examplesText } from './command.ts'
import { VERSION } from './commands/version.ts'
import { refuseEmptyValues } from './empty-values.ts'
import { type ExitStatus, reportFailure } from './failure.ts'
import { withHint } from './hints.ts'
import type { Io } from './io.ts'
import { arrange, helpStyle, withoutSynonyms } from './overview.ts'

type Add = (program: Command, io: Io) => void

/** The commands by their first word. Each is loaded when needed, because loading all takes longer than most commands run. */
const COMMANDS: Readonly<Record<string, () => Promise<Add>>> = {
  serve: () => import('./commands/serve.ts').then(({ serveCommand }) => serveCommand),
  start: () => import('./commands/start.ts').then(({ startCommand }) => startCommand),
  stop: () => import('./commands/stop.ts').then(({ stopCommand }) => stopCommand),
  open: () => import('./commands/open.ts').then(({ openCommand }) => openCommand),
  status: () => import('./commands/status.ts').then(({ statusCommand }) => statusCommand),
  run: () => import('./commands/run.ts').then(({ runCommand }) => runCommand),
  keys: () => import('./commands/keys.ts').then(({ keyCommands }) => keyCommands),
  mail: () => import('./commands/mail.ts').then(({ mailCommands }) => mailCommands),
  merchants: () => import('./commands/merchants.ts').then(({ merchantCommands }) => merchantCommands),
  clock: () => import('./commands/clock.ts').then(({ clockCommands }) => clockCommands),
  events: () => import('./commands/events.ts').then(({ eventCommands }) => eventCommands),
  apps: () => import('./commands/apps.ts').then(({ appCommands }) => appCommands),
  oauth: () => import('./commands/oauth.ts').then(({ oauthCommands }) => oauthCommands),
  snapshots: () => import('./commands/snapshots.ts').then(({ snapshotCommands }) => snapshotCommands),
  customers: () => import('./commands/resources.ts').then(({ resourceCommands }) => resourceCommands),
  subscriptions: () => import('./commands/resources.ts').then(({ resourceCommands }) => resourceCommands),
  schedules: () => import('./commands/resources.ts').then(({ resourceCommands }) => resourceCommands),
  invoices: () => import('./commands/resources.ts').then(({ resourceCommands }) => resourceCommands),
  credit_notes: () => import('./commands/resources.ts').then(({ resourceCommands }) => resourceCommands),
  coupons: () => import('./commands/resources.ts').then(({ resourceCommands }) => resourceCommands),
  promotion_codes: () => import('./commands/resources.ts').then(({ resourceCommands }) => resourceCommands),
  meters: () => import('./commands/resources.ts').then(({ resourceCommands }) => resourceCommands),
  payment_intents: () => import('./commands/resources.ts').then(({ resourceCommands }) => resourceCommands),
  charges: () => import('./commands/resources.ts').then(({ resourceCommands }) => resourceCommands),
  refunds: () => import('./commands/resources.ts').then(({ resourceCommands }) => resourceCommands),
  disputes: () => import('./commands/resources.ts').then(({ resourceCommands }) => resourceCommands),
  checkout: () => import('./commands/checkout.ts').then(({ checkoutCommands }) => checkoutCommands),
  get: () => import('./commands/api-request.ts').then(({ getCommand }) => getCommand),
  post: () => import('./commands/api-request.ts').then(({ postCommand }) => postCommand),
  delete: () => import('./commands/api-request.ts').then(({ deleteCommand }) => deleteCommand),
  reset: () => import('./commands/reset.ts').then(({ resetCommand }) => resetCommand),
  listen: () => import('./commands/listen.ts').then(({ listenCommand }) => listenCommand),
  ids: () => import('./commands/ids.ts').then(({ idsCommand }) => idsCommand),
  logs: () => import('./commands/logs.ts').then(({ logsCommand }) => logsCommand),
  completion: () => import('./completion/completion.ts').then(({ completionCommand }) => completionCommand),
  requests: () => import('./commands/requests.ts').then(({ requestCommands }) => requestCommands),
  trigger: () => import('./commands/trigger.ts').then(({ triggerCommand }) => triggerCommand),
  faults: () => import('./commands/faults.ts').then(({ faultCommands }) => faultCommands),
  fixtures: () => import('./commands/fixtures.ts').then(({ fixtureCommands }) => fixtureCommands),
  stripe: () => import('./commands/stripe.ts').then(({ stripeCommands }) => stripeCommands),
  mcp: () => import('./commands/mcp.ts').then(({ mcpCommand }) => mcpCommand),
  why: () => import('./commands/why.ts').then(({ whyCommand }) => whyCommand),
  webhooks: () => import('./commands/webhooks.ts').then(({ webhookCommands }) => webhookCommands),
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
    await program.parseAsync([...withoutSynonyms(program, args)], { from: 'user' })
    return 0
  } catch (error) {
    return reportFailure(error, io)
  }
}

const START_HERE = `
${examplesText(['paytwin start', 'paytwin clock advance 1mo', 'paytwin events list', 'paytwin run -- npm test']).trim()}

Every command has --help with examples, and --json for scripts. Commands find the daemon by --url
or PAYTWIN_URL, otherwise by its data folder: --data or PAYTWIN_DATA, default .paytwin.
Exit status: 0 success, 1 refused by the daemon, 2 wrong usage, 3 no daemon answers.`

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
  const program: Command = new Command('paytwin')
    .description('A sandbox of a payments and recurring-billing service, with a clock that you control.')
    .version(VERSION)
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(withVisible(withHint(program, args, text))),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
    })
    .configureHelp(helpStyle)
    .exitOverride()
    // Options after the command of `run` belong to that command.
    .enablePositionalOptions()
    .addHelpText('after', START_HERE)
    .hook('preAction', (_program, command) => refuseEmptyValues(command))
  for (const add of new Set(await load(args[0]))) add(program, io)
  arrange(program)
  pointToHelp(program)
  return program
}

/** Ends errors of wrong usage with the help of the command that was called. */
function pointToHelp(command: Command, call = command.name()): void {
  command.showHelpAfterError(`(see '${call} --help')`)
  for (const child of command.commands) pointToHelp(child, `${call} ${child.name()}`)
}
