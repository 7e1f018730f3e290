import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { Command, type Option } from 'commander'
import type { Daemon, DaemonOptions } from '../daemon.ts'
import { examplesText } from './command.ts'
import { ExitWith, Failure } from './failure.ts'
import { type Io, variable } from './io.ts'
import { daemonOptions, startHere, VARIABLES } from './serve.ts'
import { type ServeFlags, serveOptions } from './serve-options.ts'

/** Adds `paytwin run`, which runs a daemon for as long as a command runs. See docs/contract/operator.md#run. */
export function runCommand(program: Command, io: Io): void {
  const command = program
    .command('run')
    .usage('[options] -- COMMAND...')
    .argument('<COMMAND...>', 'the command to run, with its arguments')
    .description(
      "Run a command with an in-memory daemon, and exit with the command's status. The command's environment has " +
        'PAYTWIN_URL, PAYTWIN_SECRET_KEY and PAYTWIN_ADMIN_TOKEN.',
    )
    .passThroughOptions()
  for (const option of daemonOptions(new Command()).options) {
    Object.assign(option, OWN_DEFAULTS[option.attributeName()])
    if (!FIXED.has(option.attributeName())) command.addOption(option)
  }
  command
    .option('--json', "print the daemon's log as JSON lines")
    .addHelpText('after', ABOUT + VARIABLES + examplesText(EXAMPLES))
    .action((_command: readonly string[], flags: ServeFlags) => runWithDaemon(command.args, flags, io))
}

/** Options of `serve` that `run` does not have: its daemon is in memory, and stdout belongs to the command. */
const FIXED: ReadonlySet<string> = new Set(['data', 'ephemeral', 'json'])

const OWN_DEFAULTS: Readonly<Record<string, Partial<Option>>> = {
  port: { description: 'the port to listen on (default any free port)' },
  logLevel: { defaultValueDescription: 'warn' },
}

const ABOUT = `
The log goes to stderr. Signals are forwarded to the command. The exit status is the command's, or
128 plus the signal number if a signal ended it, or 127 if the command was not found.
`

const EXAMPLES = [
  'paytwin run -- npm test',
  'paytwin run --clock 2026-01-31T10:00:00Z --seed 1 -- npm test',
  `paytwin run -- sh -c 'curl -s $PAYTWIN_URL/v1/customers -u $PAYTWIN_SECRET_KEY:'`,
]

/** Starts a daemon, runs the command, and closes the daemon. @throws ExitWith the command's status, unless it is 0 */
async function runWithDaemon(args: readonly string[], flags: ServeFlags, io: Io): Promise<void> {
  const options = runOptions(flags, io)
  const signals = new Signals(io)
  const daemon = await startHere(options)
  try {
    const env = { ...io.env, ...addressOf(daemon, options, io) }
    const status = signals.early ? statusOf(null, signals.early) : await runToItsEnd(args, env, signals)
    if (status !== 0) throw new ExitWith(status)
  } finally {
    await daemon.close()
  }
}

/** Returns the options of `serve` with the defaults of `run`: in memory, any free port, log level warn. */
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

/** Runs a command with this process's standard streams. @returns its exit status as a shell reports it */
function runToItsEnd(
  [file = '', ...args]: readonly string[],
  env: Io['env'],
  signals: Signals,
): Promise<number> {
  const child = spawn(file, args, { stdio: 'inherit', env })
  signals.forwardTo(child)
  return new Promise((resolve, reject) => {
    child.once('exit', (status, signal) => resolve(statusOf(status, signal)))
    child.once('error', (error: NodeJS.ErrnoException) => reject(cannotRun(file, error)))
  })
}

const statusOf = (status: number | null, signal: NodeJS.Signals | null): number =>
  signal === null ? (status ?? 1) : 128 + constants.signals[signal]

function cannotRun(file: string, { code, message }: NodeJS.ErrnoException): Failure {
  if (code === 'ENOENT')
    return new Failure(127, `Command '${file}' was not found. Give a command on the PATH, or a path.`)
  return new Failure(126, `Command '${file}' cannot be run: ${message}`)
}

/** Forwards signals of this process to the command that runs. */
class Signals {
  /** A signal that arrived before the command was started. */
  early: NodeJS.Signals | undefined
  #child: ChildProcess | undefined
  readonly #hasTerminal: boolean

  constructor({ stdout, stderr }: Io) {
    this.#hasTerminal = [process.stdin, stdout, stderr].some(({ isTTY }) => isTTY)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => this.#forward(signal))
  }

  forwardTo(child: ChildProcess): void {
    this.#child = child
  }

  #forward(signal: NodeJS.Signals): void {
    // Ctrl-C reaches all processes of a terminal. Forwarded, it would arrive twice, and many commands then abort at once.
    if (signal === 'SIGINT' && this.#hasTerminal && this.#child) return
    if (this.#child) this.#child.kill(signal)
    else this.early = signal
  }
}
