import { type ChildProcess, spawn } from 'node:child_process'
import { isSea } from 'node:sea'
import { fileURLToPath } from 'node:url'
import type { Command, Option } from 'commander'
import { examplesText } from './command.ts'
import { Ended, Failure } from './failure.ts'
import type { Io } from './io.ts'
import { type Announcement, announce, type Ready } from './ready.ts'
import { daemonOptions, VARIABLES } from './serve.ts'
import { type ServeFlags, serveOptions } from './serve-options.ts'

/** `paytwin start`: the daemon, in the background. See docs/contract/operator.md#daemon. */
export function startCommand(program: Command, io: Io): void {
  const command = program
    .command('start')
    .description(
      'Run the daemon in the background; returns when it answers. It outlives the terminal: `paytwin stop` ends it, ' +
        '`paytwin logs` shows its log.',
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
  // From before there is a daemon, so that an interruption never leaves one behind that nobody knows of.
  const interruption = new AbortController()
  const interrupt = () => interruption.abort()
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  const child = spawn(process.execPath, [...SCRIPT, 'serve', '--background', ...givenOptions(command)], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Other users can read the arguments of a process, but not its environment.
    env: { ...io.env, ...(options.secretKey !== null && { PAYTWIN_SECRET_KEY: options.secretKey }) },
  })
  const announcement = await announcementOf(child, interruption.signal)
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  child.disconnect()
  child.stderr?.destroy()
  child.unref()
  announce(announcement, io, options, howToStop(announcement.ready))
}

/** What Node is to run; the single executable is Node, and runs nothing but this program. */
const SCRIPT = isSea() ? [] : [fileURLToPath(new URL('../bin/paytwin.js', import.meta.url))]

/** The options of the command line as they were given, the secret key apart. */
function givenOptions(command: Command): string[] {
  return command.options
    .filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
    .filter((option) => option.attributeName() !== 'secretKey')
    .flatMap((option) => asArguments(option, command.getOptionValue(option.attributeName())))
}

function asArguments({ long }: Option, value: unknown): string[] {
  const name = long ?? ''
  if (value === true) return [name]
  const values: unknown[] = Array.isArray(value) ? value : [value]
  return values.map((each) => `${name}=${each}`)
}

/**
 * What the daemon has to tell once it answers.
 * @throws Ended with what it said and its status, when it does not start; Failure when it was interrupted
 */
function announcementOf(child: ChildProcess, interrupted: AbortSignal): Promise<Announcement> {
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const interrupt = () => child.kill()
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
      else if (status !== null) reject(new Ended(status, said))
      else reject(new Failure(1, `The daemon was ended by ${signal} before it answered.`))
    })
  })
}

/** One in memory has no folder that would tell its address and token to `paytwin stop`. */
const howToStop = ({ url, data, adminToken }: Ready): string[] => {
  if (data !== null) return []
  const token = adminToken === null ? 'set PAYTWIN_ADMIN_TOKEN' : `PAYTWIN_ADMIN_TOKEN=${adminToken}`
  return [
    'Nothing is on disk that would tell where it is. To end it:',
    `  ${token} paytwin stop --url ${url}`,
  ]
}
