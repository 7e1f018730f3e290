import { type Command, Option } from 'commander'
import type { Daemon, DaemonOptions } from '../daemon.ts'
import { LOG_LEVELS } from '../text/log-line.ts'
import { examplesText, optionWithChoices } from './command.ts'
import { Failure } from './failure.ts'
import type { Io } from './io.ts'
import { announce, whatIsReady } from './ready.ts'
import { OAUTH_ERRORS, type ServeFlags, serveOptions } from './serve-options.ts'

/** `paytwin serve`: the daemon, in the foreground. See docs/contract/operator.md#daemon. */
export function serveCommand(program: Command, io: Io): void {
  const command = program
    .command('serve')
    .description('Run the daemon in the foreground, until SIGINT, SIGTERM or `paytwin stop`.')
  daemonOptions(command)
    .addOption(new Option('--background', 'as a child of `paytwin start`').hideHelp())
    .addHelpText('after', HELP)
    .action((flags: ServeFlags) => serve(flags, io))
}

/** The options of every command that starts a daemon. See docs/contract/operator.md#options. */
export const daemonOptions = (command: Command): Command =>
  command
    .option('--port <N>', 'the port; 0 for any free one (default 4242)')
    .option('--host <HOST>', 'the address to listen on (default 127.0.0.1)')
    .option('--data <DIR>', 'the folder for database, admin token and address (default .paytwin)')
    .option('--ephemeral', 'keep everything in memory, and nothing on disk')
    .option(
      '--admin-token-file <FILE>',
      'a file with the admin token, of at least 32 characters (made if none is given)',
    )
    .option('--clock <live|TIME>', "the default merchant's clock: live (the default), or frozen at a time")
    .option('--seed <N>', 'make all ids from this seed (default random)')
    .option('--secret-key <KEY>', "the default merchant's first key, sk_test_… (made if none is given)")
    .option('--fixtures <FILE...>', 'files of objects to begin with, loaded when the database is new')
    .option('--durability <normal|full>', 'full also survives a power cut (default normal)')
    .option('--allowed-host <NAME...>', 'further names by which the daemon may be called')
    .option(
      '--webhook-allow <CIDR...>',
      'ranges of private addresses to which webhooks may go when the daemon listens beyond this machine',
    )
    .option('--rate-limit <N>', 'allow each merchant so many requests a second (default: no limit)')
    .option('--key-cache-ttl <S>', 'let a revoked key work for up to so many seconds, 0 to 60 (default 0)')
    .option('--strict-params', 'refuse unknown parameters instead of ignoring them')
    .addOption(
      optionWithChoices(
        '--oauth-errors <FORM>',
        "how apps are told of OAuth's errors (default envelope; rfc6749 is its flat form)",
        OAUTH_ERRORS,
      ),
    )
    .addOption(optionWithChoices('--log-level <LEVEL>', 'how much is logged (default info)', LOG_LEVELS))
    .option('--json', 'the ready line and the log as JSON lines')

/** What the help of a command that starts a daemon says below its options. */
export const VARIABLES = `
Each option can also be set as a variable, such as PAYTWIN_PORT or PAYTWIN_FIXTURES (paths
separated by commas); the option wins. The admin token itself can be set as PAYTWIN_ADMIN_TOKEN.
`

const HELP =
  VARIABLES +
  examplesText([
    'paytwin serve',
    'paytwin serve --fixtures fixtures/default.json',
    'paytwin serve --ephemeral --port 0 --clock 2026-01-31T10:00:00Z --seed 1 --json',
  ])

async function serve(flags: ServeFlags & { readonly background?: boolean }, io: Io): Promise<void> {
  const { background = false } = flags
  const options = { ...serveOptions(flags, io), background }
  const stopped = stopSignal()
  const daemon = await startHere(options)
  if (background) leaveToItself(daemon)
  else announce(whatIsReady(daemon, process.pid), io, options)
  // When it was asked to end, the connection that asked stays open, and closes with this process.
  await Promise.race([stopped.then(() => daemon.close()), daemon.ended()])
}

/** Starts a daemon in this process. @throws Failure with its exit status when it does not start */
export async function startHere(options: DaemonOptions): Promise<Daemon> {
  // Loaded only here: no other command needs the daemon, and each would have to wait for it.
  const { startDaemon, StartRefused } = await import('../daemon.ts')
  return startDaemon(options).catch((error: unknown) => {
    throw error instanceof StartRefused ? new Failure(error.exitCode, error.message, error.others) : error
  })
}

/**
 * Resolves when the process is asked to end. The handlers stay: a second signal, such as the one that npm passes on
 * after a Ctrl-C, must not break off the closing.
 */
const stopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    process.on('SIGINT', resolve).on('SIGTERM', resolve)
  })

/** Tells the process that started this one what it has to show; from then on nobody reads what is said here. */
function leaveToItself(daemon: Daemon): void {
  process.stderr.on('error', () => undefined)
  process.on('uncaughtException', (error) => {
    daemon.crashed(error)
    process.exit(1)
  })
  if (!process.connected) return
  process.send?.(whatIsReady(daemon, process.pid), () => process.disconnect())
}
