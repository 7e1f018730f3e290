import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { Command } from 'commander'
import type { Daemon, DaemonOptions } from '../daemon.ts'
import { examplesText } from './command.ts'
import { Ended, Failure } from './failure.ts'
import { type Io, variable } from './io.ts'
import { daemonOptions, startHere, VARIABLES } from './serve.ts'
import { type ServeFlags, serveOptions } from './serve-options.ts'

/** `paytwin run`: a daemon for as long as a command runs. See docs/contract/operator.md#run. */
export function runCommand(program: Command, io: Io): void {
  const command = program
    .command('run')
    .usage('[options] -- COMMAND...')
    .argument('<COMMAND...>', 'what to run, with its arguments')
    .description(
      'Run a command with a daemon of its own in memory, and exit as it does. The command finds PAYTWIN_URL, ' +
        'PAYTWIN_SECRET_KEY and PAYTWIN_ADMIN_TOKEN in its environment.',
    )
    .passThroughOptions()
  for (const option of daemonOptions(new Command()).options) {
    option.description = OWN_DEFAULTS[option.attributeName()] ?? option.description
    if (!FIXED.has(option.attributeName())) command.addOption(option)
  }
  command
    .option('--json', "the daemon's log as JSON lines")
    .addHelpText('after', ABOUT + VARIABLES + examplesText(EXAMPLES))
    .action((_command: readonly string[], flags: ServeFlags) => runWithDaemon(command.args, flags, io))
}

/** What is no choice here: the daemon is in memory, and stdout is the command's. */
const FIXED: ReadonlySet<string> = new Set(['data', 'ephemeral', 'json'])

const OWN_DEFAULTS: Readonly<Record<string, string>> = {
  port: 'the port (default: any free one)',
  logLevel: 'how much is logged (default warn)',
}

const ABOUT = `
The log goes to stderr. Signals are passed on to the command. Exit status: the command's; 128 and
the signal's number if a signal ended it; 127 if there is no such command.
`

const EXAMPLES = [
  'paytwin run -- npm test',
  'paytwin run --clock 2026-01-31T10:00:00Z --seed 1 -- npm test',
  `paytwin run -- sh -c 'curl -s $PAYTWIN_URL/v1/customers -u $PAYTWIN_SECRET_KEY:'`,
]

/** @throws Ended with the command's status, unless that is 0 */
async function runWithDaemon(args: readonly string[], flags: ServeFlags, io: Io): Promise<void> {
  const options = runOptions(flags, io)
  const signals = new Signals(io)
  const daemon = await startHere(options)
  try {
    const env = { ...io.env, ...addressOf(daemon, options, io) }
    const status = signals.early ? statusOf(null, signals.early) : await runToItsEnd(args, env, signals)
    if (status !== 0) throw new Ended(status)
  } finally {
    await daemon.close()
  }
}

/** As for `serve`, but in memory, on any free port and with less to say, unless another port or more is asked for. */
function runOptions(flags: ServeFlags, io: Io): DaemonOptions {
  const port = flags.port ?? variable(io, 'PAYTWIN_PORT') ?? '0'
  const logLevel = flags.logLevel ?? variable(io, 'PAYTWIN_LOG_LEVEL') ?? 'warn'
  return serveOptions({ ...flags, ephemeral: true, port, logLevel }, io)
}

function addressOf(daemon: Daemon, { secretKey, adminToken, adminTokenFile }: DaemonOptions, io: Io) {
  const fromFile = () => (adminTokenFile === null ? undefined : readFileSync(adminTokenFile, 'utf8').trim())
  return {
    PAYTWIN_URL: daemon.url,
    PAYTWIN_SECRET_KEY: daemon.secretKey ?? secretKey ?? variable(io, 'PAYTWIN_SECRET_KEY'),
    PAYTWIN_ADMIN_TOKEN: daemon.adminToken ?? adminToken ?? fromFile(),
  }
}

/** Runs a command with this process's own streams. @returns the exit status that a shell would give for it */
function runToItsEnd(
  [file = '', ...args]: readonly string[],
  env: Io['env'],
  signals: Signals,
): Promise<number> {
  const child = spawn(file, args, { stdio: 'inherit', env })
  signals.passOnTo(child)
  return new Promise((resolve, reject) => {
    child.once('exit', (status, signal) => resolve(statusOf(status, signal)))
    child.once('error', (error: NodeJS.ErrnoException) => reject(cannotRun(file, error)))
  })
}

const statusOf = (status: number | null, signal: NodeJS.Signals | null): number =>
  signal === null ? (status ?? 1) : 128 + constants.signals[signal]

function cannotRun(file: string, { code, message }: NodeJS.ErrnoException): Failure {
  if (code === 'ENOENT')
    return new Failure(127, `There is no command '${file}': give one that is on the PATH, or its path.`)
  return new Failure(126, `The command '${file}' cannot be run: ${message}`)
}

/** Signals that come in while a command runs, which gets them instead of this process. */
class Signals {
  /** One that came before there was a command. */
  early: NodeJS.Signals | undefined
  #child: ChildProcess | undefined
  readonly #hasTerminal: boolean

  constructor({ stdout, stderr }: Io) {
    this.#hasTerminal = [process.stdin, stdout, stderr].some(({ isTTY }) => isTTY)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => this.#take(signal))
  }

  passOnTo(child: ChildProcess): void {
    this.#child = child
  }

  #take(signal: NodeJS.Signals): void {
    // Ctrl-C reaches all processes of a terminal: passed on, it would come twice, which many commands take for impatience.
    if (signal === 'SIGINT' && this.#hasTerminal && this.#child) return
    if (this.#child) this.#child.kill(signal)
    else this.early = signal
  }
}
