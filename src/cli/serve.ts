import type { Command } from 'commander'
import type { Daemon } from '../daemon.ts'
import { examplesText } from './command.ts'
import { Failure } from './failure.ts'
import type { Io } from './io.ts'
import { firstSteps, readyLine, readyObject } from './ready.ts'
import { type ServeFlags, serveOptions } from './serve-options.ts'
import { toJson, visible } from './text.ts'
import { VERSION } from './version.ts'

/** `paytwin serve`: the daemon, in the foreground. Source: operator.md, Daemon. */
export function serveCommand(program: Command, io: Io): void {
  program
    .command('serve')
    .description('Run the daemon in the foreground, until SIGINT or SIGTERM.')
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
    .option('--log-level <LEVEL>', 'trace, debug, info, warn, error, fatal or silent (default info)')
    .option('--json', 'the ready line and the log as JSON lines')
    .addHelpText('after', HELP)
    .action((flags: ServeFlags) => serve(flags, io))
}

const HELP = `
Each option can also be set as a variable, such as PAYTWIN_PORT or PAYTWIN_FIXTURES (paths separated by commas); the option
wins. The admin token itself can be set as PAYTWIN_ADMIN_TOKEN.
${examplesText([
  'paytwin serve',
  'paytwin serve --fixtures fixtures/default.json',
  'paytwin serve --ephemeral --port 0 --clock 2026-01-31T10:00:00Z --seed 1 --json',
])}`

async function serve(flags: ServeFlags, io: Io): Promise<void> {
  const options = serveOptions(flags, io)
  // Loaded only here: no other command needs the daemon, and each would have to wait for it.
  const { startDaemon, StartRefused } = await import('../daemon.ts')
  const stopped = stopSignal()
  const daemon = await startDaemon(options).catch((error: unknown) => {
    throw error instanceof StartRefused ? new Failure(error.exitCode, error.message, error.others) : error
  })
  announce(daemon, io, options)
  await stopped
  await daemon.close()
}

/**
 * Resolves when the process is asked to end. The handlers stay: a second signal, such as the one that npm passes on
 * after a Ctrl-C, must not break off the closing.
 */
const stopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    process.on('SIGINT', resolve).on('SIGTERM', resolve)
  })

/** One line on stdout; what a person needs besides goes below it on a terminal, else to stderr. */
function announce(daemon: Daemon, { stdout, stderr }: Io, { json }: { json: boolean }): void {
  if (json) {
    stdout.write(`${toJson(readyObject(daemon, { version: VERSION, pid: process.pid }))}\n`)
    return
  }
  stdout.write(`${visible(readyLine(daemon, VERSION))}\n`)
  const aside = stdout.isTTY ? stdout : stderr
  for (const line of firstSteps(daemon)) aside.write(`${visible(line)}\n`)
}
