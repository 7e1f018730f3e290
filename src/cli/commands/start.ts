import { type ChildProcess, spawn } from 'node:child_process'
import { isSea } from 'node:sea'
import { fileURLToPath } from 'node:url'
import type { Command, Option } from 'commander'
import { examplesText } from '../command.ts'
import { type Announcement, announce, type Ready } from '../daemon/ready.ts'
import { type ServeFlags, serveOptions } from '../daemon/serve-options.ts'
import { ExitWith, Failure } from '../failure.ts'
import type { Io } from '../io.ts'
import { daemonOptions, VARIABLES } from './serve.ts'

/** Adds `paytwin start`, which runs the daemon in the background. See docs/contract/operator.md#daemon. */
export function startCommand(program: Command, io: Io): void {
  const command = program
    .command('start')
    .description(
      'Start the daemon in the background, and return when it answers. It keeps running when the terminal closes: ' +
        '`paytwin stop` stops it, and `paytwin logs` shows its log.',
    )
  daemonOptions(command)
    .addHelpText(
      'after',
      VARIABLES + examplesText(['paytwin start', 'paytwin start --port 0 --clock 2026-01-31 --json']),
    )
    .action((flags: ServeFlags) => start(command, flags, io))
}

async function start(command: Command, flags: ServeFlags, io: Io): Promise<void> {
  const options = serveOptions(flags, io)
  // The handlers are installed before the daemon is spawned, so that an interrupted start leaves no daemon running.
  const interruption = new AbortController()
  const interrupt = () => interruption.abort()
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  const child = spawn(process.execPath, [...SCRIPT, 'serve', '--background', ...givenOptions(command)], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Other users can read a process's arguments, but not its environment.
    env: { ...io.env, ...(options.secretKey !== null && { PAYTWIN_SECRET_KEY: options.secretKey }) },
  })
  const announcement = await waitUntilReady(child, interruption.signal)
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  child.disconnect()
  child.stderr?.destroy()
  child.unref()
  announce(announcement, io, options, howToStop(announcement.ready))
}

/** The script that Node runs. The single executable needs none, because it always runs this program. */
const SCRIPT = isSea() ? [] : [fileURLToPath(new URL('../bin/paytwin.js', import.meta.url))]

/** The options given on the command line, except the secret key. */
function givenOptions(command: Command): string[] {
  return command.options
    .filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
    .filter((option) => !['secretKey', 'secretKeyFile'].includes(option.attributeName()))
    .flatMap((option) => asArguments(option, command.getOptionValue(option.attributeName())))
}

function asArguments({ long }: Option, value: unknown): string[] {
  const name = long ?? ''
  if (value === true) return [name]
  const values: unknown[] = Array.isArray(value) ? value : [value]
  return values.map((each) => `${name}=${each}`)
}

/**
 * Waits until the daemon answers. @returns its announcement
 * @throws ExitWith its status and its output on stderr if it does not start; Failure if the start was interrupted
 */
function waitUntilReady(child: ChildProcess, interrupted: AbortSignal): Promise<Announcement> {
  let output = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const interrupt = () => {
    // Without a process ID, `kill` would signal this process's own group.
    if (child.pid !== undefined) child.kill()
  }
  if (interrupted.aborted) interrupt()
  interrupted.addEventListener('abort', interrupt)
  return new Promise((resolve, reject) => {
    child.once('message', (message) => {
      if (!interrupted.aborted) resolve(message as Announcement)
    })
    child.once('error', (error) => reject(new Failure(1, `The daemon cannot be started: ${error.message}`)))
    child.once('close', (status, signal) => {
      if (interrupted.aborted)
        reject(new Failure(1, 'The start was interrupted; no daemon was left running.'))
      else if (status !== null) reject(new ExitWith(status, output))
      else reject(new Failure(1, `The daemon was killed by ${signal} before it answered.`))
    })
  })
}

/** Explains how to stop an ephemeral daemon, which has no folder where `paytwin stop` would find its URL and token. */
const howToStop = ({ url, data, adminToken }: Ready): string[] => {
  if (data !== null) return []
  const token = adminToken === null ? 'set PAYTWIN_ADMIN_TOKEN' : `PAYTWIN_ADMIN_TOKEN=${adminToken}`
  return [
    'An ephemeral daemon cannot be found by its data folder. To stop it:',
    `  ${token} paytwin stop --url ${url}`,
  ]
}
