import { type Command, Option } from 'commander'
import { DEFAULT_DIALECT, DIALECTS } from '../../core/dialect.ts'
import type { Daemon, DaemonOptions } from '../../daemon/daemon.ts'
import { LOG_LEVELS } from '../../text/log-line.ts'
import { examplesText, optionWithChoices } from '../command.ts'
import { announce, announcementOf } from '../daemon/ready.ts'
import {
  API_VERSION_HELP,
  DIALECT_HELP,
  OAUTH_ERRORS,
  type ServeFlags,
  serveOptions,
} from '../daemon/serve-options.ts'
import { Failure } from '../failure.ts'
import type { Io } from '../io.ts'
import { forOwnerOnly } from '../umask.ts'

/** Adds `paytwin serve`, which runs the daemon in the foreground. See docs/contract/operator.md#daemon. */
export function serveCommand(program: Command, io: Io): void {
  const command = program
    .command('serve')
    .description('Run the daemon in the foreground, until SIGINT, SIGTERM or `paytwin stop`.')
  daemonOptions(command)
    .addOption(new Option('--background', 'run as a child process of `paytwin start`').hideHelp())
    .addHelpText('after', HELP)
    .action((flags: ServeFlags) => forOwnerOnly(() => serve(flags, io)))
}

/** Adds the options of every command that starts a daemon. See docs/contract/operator.md#options. */
export const daemonOptions = (command: Command): Command =>
  command
    .option('--port <N>', 'the port to listen on; 0 for any free port (default 4242)')
    .option('--host <HOST>', 'the address to listen on (default 127.0.0.1)')
    .option(
      '--public-url <URL>',
      'the address at which browsers open the pages (default: that of the daemon)',
    )
    .option('--data <DIR>', 'the data folder, with the database, admin token and log (default .paytwin)')
    .option('--ephemeral', 'keep all data in memory and write nothing to disk')
    .option(
      '--admin-token-file <FILE>',
      'a file with the admin token, 32 to 1024 characters (default: generate a token)',
    )
    .option(
      '--generate-admin-token',
      'generate and print an admin token even if --host is not a loopback address',
    )
    .option('--clock <live|TIME>', "the default merchant's clock: live, or frozen at a time (default live)")
    .addOption(
      optionWithChoices('--dialect <NAME>', DIALECT_HELP, { choices: DIALECTS, byDefault: DEFAULT_DIALECT }),
    )
    .option('--api-version <DATE>', API_VERSION_HELP)
    .option('--seed <N>', 'the seed of all generated IDs (default random)')
    .option('--secret-key <KEY>', "the default merchant's first key, sk_test_… (default: generate a key)")
    .option('--secret-key-file <FILE>', 'a file with that key, which keeps it out of the process list')
    .option('--fixtures <FILE...>', 'fixtures files to load when the database is new')
    .option(
      '--durability <normal|full>',
      'normal survives a crash of the daemon, full also a power loss (default normal)',
    )
    .option('--allowed-host <NAME...>', 'further host names to accept in requests')
    .option(
      '--webhook-allow <CIDR...>',
      'private address ranges that webhooks may reach if --host is not a loopback address',
    )
    .option('--rate-limit <N>', 'maximum requests per second for each merchant (default unlimited)')
    .option('--key-cache-ttl <S>', 'seconds for which a revoked key may still work, 0 to 60 (default 0)')
    .option('--strict-params', 'reject unknown parameters instead of ignoring them')
    .addOption(
      optionWithChoices(
        '--oauth-errors <FORM>',
        'the format of OAuth errors, the error envelope or that of RFC 6749',
        {
          choices: OAUTH_ERRORS,
          byDefault: 'envelope',
        },
      ),
    )
    .addOption(
      optionWithChoices('--log-level <LEVEL>', 'the log level', { choices: LOG_LEVELS, byDefault: 'info' }),
    )
    .option('--json', 'print the ready line and the log as JSON lines')

/** The help text below the options of every command that starts a daemon. */
export const VARIABLES = `
Each option can also be set as an environment variable, such as PAYTWIN_PORT or PAYTWIN_FIXTURES
(paths separated by commas). The option takes precedence. PAYTWIN_ADMIN_TOKEN sets the admin token.
`

const HELP =
  VARIABLES +
  examplesText([
    'paytwin serve',
    'paytwin serve --fixtures fixtures/default.json',
    'paytwin serve --ephemeral --port 0 --clock 2026-01-31T10:00:00Z --seed 1 --json',
  ])

/** How long a daemon that has ended waits for the reader of its output. */
const UNREAD_MS = 1_000

async function serve(flags: ServeFlags & { readonly background?: boolean }, io: Io): Promise<void> {
  const { background = false } = flags
  const options = { ...serveOptions(flags, io), background }
  const stopped = stopSignal()
  const daemon = await startHere(options)
  if (background) detach(daemon)
  else announce(announcementOf(daemon, process.pid), io, options)
  // The connection of a shutdown request stays open until this process ends.
  await Promise.race([stopped.then(() => daemon.close()), daemon.ended()])
  exitThoughUnread()
}

/** Lets the process end although nobody reads the last lines of its log, which would keep it alive. */
export function exitThoughUnread(): void {
  if (process.stderr.writableLength > 0) setTimeout(() => process.exit(), UNREAD_MS).unref()
}

/** Starts a daemon in this process. @throws Failure with the exit status if it cannot start */
export async function startHere(options: DaemonOptions): Promise<Daemon> {
  // Loaded only here, because loading the daemon would delay every other command.
  const { startDaemon, StartRefused } = await import('../../daemon/daemon.ts')
  return startDaemon(options).catch((error: unknown) => {
    throw error instanceof StartRefused ? new Failure(error.exitCode, error.message, error.others) : error
  })
}

/**
 * Resolves on SIGINT or SIGTERM. The handlers stay installed: a second signal, such as the one that npm forwards after
 * Ctrl-C, must not interrupt the shutdown.
 */
const stopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    process.on('SIGINT', resolve).on('SIGTERM', resolve)
  })

/** Sends the announcement to the parent process and disconnects from it. From then on, stderr has no reader. */
function detach(daemon: Daemon): void {
  process.stderr.on('error', () => undefined)
  process.on('uncaughtException', (error) => {
    daemon.crashed(error)
    process.exit(1)
  })
  if (!process.connected) return
  process.send?.(announcementOf(daemon, process.pid), () => process.disconnect())
}
