import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command, type Option } from 'commander'
import type { Daemon, DaemonOptions } from '../../daemon/daemon.ts'
import { escapeControls } from '../../text/display.ts'
import { shellWord } from '../../text/shell-word.ts'
import { examplesText } from '../command.ts'
import { tokenOfFile } from '../daemon/connection.ts'
import { PRELOAD } from '../daemon/preload.ts'
import { type RunAddress, runEnvironment } from '../daemon/run-environment.ts'
import { newRunFolder, removeRunFolder } from '../daemon/run-folder.ts'
import { type ServeFlags, serveOptions } from '../daemon/serve-options.ts'
import { temporaryFolder, userFolder } from '../daemon/temporary-folder.ts'
import { ExitWith, Failure } from '../failure.ts'
import { type Io, variable } from '../io.ts'
import { forOwnerOnly, withUmask } from '../umask.ts'
import { daemonOptions, exitThoughUnread, startHere, VARIABLES } from './serve.ts'

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
    .option('--keep', 'keep the data in a new folder, and print the commands to inspect it')
    .option(
      '--forward-to <URL>',
      'send all events to this webhook URL of your application; http:// can be omitted',
    )
    .option('--shift-date', "shift the dates in Node processes to the merchant's clock")
    .option('--no-strict-params', 'ignore unknown parameters, with a warning')
    .option('--json', "print the daemon's log as JSON lines")
    .addHelpText('after', ABOUT + VARIABLES + examplesText(EXAMPLES))
    .action((_command: readonly string[], flags: RunFlags) =>
      forOwnerOnly((umask) => runWithDaemon({ args: command.args, umask }, flags, io)),
    )
}

type RunFlags = ServeFlags & {
  readonly keep?: boolean
  readonly forwardTo?: string
  readonly shiftDate?: boolean
}

/** The command that `run` runs, and the umask that it gets. */
type CommandLine = { readonly args: readonly string[]; readonly umask: number }

/** Options of `serve` that `run` does not have, because it chooses the data folder, and stdout belongs to the command. */
const FIXED: ReadonlySet<string> = new Set(['data', 'ephemeral', 'json'])

const OWN_DEFAULTS: Readonly<Record<string, Partial<Option>>> = {
  port: { description: 'the port to listen on (default any free port)' },
  logLevel: { defaultValueDescription: 'warn' },
  strictParams: { description: 'reject unknown parameters (default)' },
}

const ABOUT = `
The log goes to stderr. Signals are forwarded to the command. The exit status is the command's, or
128 plus the signal number if a signal ended it, or 127 if the command was not found.

With --dialect stripe, the command's environment also has STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY,
STRIPE_WEBHOOK_SECRET and STRIPE_API_BASE. In Node, Stripe's library uses the daemon without any change.
`

const EXAMPLES = [
  'paytwin run -- npm test',
  'paytwin run --clock 2026-01-31T10:00:00Z --seed 1 -- npm test',
  'paytwin run --keep -- npm test',
  'paytwin run --dialect stripe -- npm test',
  'paytwin run --dialect stripe --forward-to localhost:3000/api/webhooks -- npm test',
  `paytwin run -- sh -c 'curl -s $PAYTWIN_URL/v1/customers -u $PAYTWIN_SECRET_KEY:'`,
]

/** Starts a daemon, runs the command, and closes the daemon. @throws ExitWith the command's status, unless it is 0 */
async function runWithDaemon(line: CommandLine, flags: RunFlags, io: Io): Promise<void> {
  const shared = newFolderOfCommand(flags, io)
  // Created last: if the other one cannot be created, no later run would remove this one.
  const kept = flags.keep ? newFolder('The folder for --keep', newKeptFolder) : null
  const signals = new Signals(io)
  const { daemon, options } = await startDaemon(flags, { kept, shared }, io).catch((error: unknown) => {
    if (kept !== null) rmSync(kept, { recursive: true, force: true })
    if (shared !== null) removeRunFolder(shared)
    throw error
  })
  try {
    const env = { ...io.env, ...(await environmentOf(daemon, options, { shared, flags, io })) }
    const status = signals.early ? statusOf(null, signals.early) : await runCommandLine(line, env, signals)
    if (status !== 0) throw new ExitWith(status)
  } finally {
    await daemon.close()
    if (shared !== null) removeRunFolder(shared)
    if (kept !== null) io.stderr.write(keptText(kept))
    exitThoughUnread()
  }
}

/** Creates the folder for the files that the command's processes load; null if they load none, or only those of the package. */
function newFolderOfCommand({ shiftDate, dialect }: RunFlags, io: Io): string | null {
  const isStripe = (dialect ?? variable(io, 'PAYTWIN_DIALECT')) === 'stripe'
  if (!shiftDate && !(isStripe && PRELOAD === null)) return null
  return newFolder("The folder for the command's processes", () => newRunFolder(userFolder()))
}

async function startDaemon(
  flags: RunFlags,
  { kept, shared }: { readonly kept: string | null; readonly shared: string | null },
  io: Io,
) {
  const dateFile = flags.shiftDate && shared !== null ? join(shared, 'date') : undefined
  const options = { ...runOptions(flags, kept, io), dateFile }
  return { options, daemon: await startHere(options) }
}

const environmentOf = (
  daemon: Daemon,
  options: DaemonOptions,
  { shared, flags, io }: { readonly shared: string | null; readonly flags: RunFlags; readonly io: Io },
) =>
  runEnvironment(addressOf(daemon, options, io), {
    merchant: daemon.merchant,
    dialect: options.dialect,
    forwardTo: flags.forwardTo,
    dateFile: options.dateFile,
    folder: shared,
    nodeOptions: variable(io, 'NODE_OPTIONS'),
  })

/** Explains how to inspect the data of a finished run. */
function keptText(folder: string): string {
  const word = shellWord(folder)
  return `
The data is in ${escapeControls(folder)}. To inspect it:
  paytwin start --data ${word} --port 0
  paytwin events list --data ${word}
  paytwin stop --data ${word}
`
}

const newKeptFolder = (): string => mkdtempSync(join(temporaryFolder(), 'paytwin-run-'))

/** Creates a folder in the folder for temporary files. @throws Failure */
function newFolder(what: string, create: () => string): string {
  try {
    return create()
  } catch (error) {
    throw new Failure(1, `${what} cannot be created in ${resolve(tmpdir())}: ${(error as Error).message}`)
  }
}

/**
 * Returns the options of `serve` with the defaults of `run`: any free port, log level warn, strict parameters. The token is read
 * here, because both the daemon and the command need it, and a pipe can be read only once.
 * @param folder - null for memory
 */
function runOptions(flags: ServeFlags, folder: string | null, io: Io): DaemonOptions {
  const port = flags.port ?? variable(io, 'PAYTWIN_PORT') ?? '0'
  const logLevel = flags.logLevel ?? variable(io, 'PAYTWIN_LOG_LEVEL') ?? 'warn'
  const isUnset = flags.strictParams === undefined && variable(io, 'PAYTWIN_STRICT_PARAMS') === undefined
  const strict = isUnset && { strictParams: true }
  const place = folder === null ? { ephemeral: true } : { data: folder }
  const options = serveOptions({ ...flags, ...strict, ...place, port, logLevel }, io)
  const { adminToken, adminTokenFile } = options
  if (adminToken !== null || adminTokenFile === null) return options
  return { ...options, adminToken: tokenOfFile(adminTokenFile), adminTokenFile: null }
}

function addressOf(daemon: Daemon, { secretKey, adminToken }: DaemonOptions, io: Io): RunAddress {
  const { adminTokenFile: file } = daemon
  return {
    PAYTWIN_URL: daemon.url,
    PAYTWIN_SECRET_KEY: daemon.secretKey ?? secretKey ?? variable(io, 'PAYTWIN_SECRET_KEY'),
    PAYTWIN_ADMIN_TOKEN: daemon.adminToken ?? adminToken ?? (file === null ? undefined : tokenOfFile(file)),
  }
}

/** Runs a command with this process's standard streams. @returns its exit status as a shell reports it */
function runCommandLine(
  { args: [file = '', ...args], umask }: CommandLine,
  env: Io['env'],
  signals: Signals,
): Promise<number> {
  // `spawn` would throw another error.
  if (file === '') throw notFound(file)
  const child = withUmask(umask, () => spawn(file, args, { stdio: 'inherit', env }))
  signals.forwardTo(child)
  return new Promise((resolve, reject) => {
    child.once('exit', (status, signal) => resolve(statusOf(status, signal)))
    child.once('error', (error: NodeJS.ErrnoException) => reject(cannotRun(file, error)))
  })
}

const statusOf = (status: number | null, signal: NodeJS.Signals | null): number =>
  signal === null ? (status ?? 1) : 128 + constants.signals[signal]

const notFound = (file: string): Failure =>
  new Failure(127, `Command '${file}' was not found. Give a command on the PATH, or a path.`)

function cannotRun(file: string, { code, message }: NodeJS.ErrnoException): Failure {
  if (code === 'ENOENT') return notFound(file)
  return new Failure(126, `Command '${file}' cannot be run: ${message}`)
}

/** Forwards the signals that this process receives to the running command. */
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

  /** @param child - is ignored if it was not started: without a process ID, `kill` would signal this process's own group */
  forwardTo(child: ChildProcess): void {
    if (child.pid !== undefined) this.#child = child
  }

  #forward(signal: NodeJS.Signals): void {
    // Ctrl-C reaches all processes of a terminal. Forwarded, it would arrive twice, and many commands then abort at once.
    if (signal === 'SIGINT' && this.#hasTerminal && this.#child) return
    if (this.#child) this.#child.kill(signal)
    else this.early = signal
  }
}
