import { isatty } from 'node:tty'
import { run } from './program.ts'

/** How long a command whose output nobody reads may take to end in order, such as to delete its webhook endpoint. */
const ENDING_MS = 5_000

const { stdout, stderr, env } = process
const isAtTerminal = () => isatty(0) || isatty(1)
const wasAtTerminal = isAtTerminal()
let isUnread = false

// When the reader closes the pipe (`paytwin events tail | head`) or the terminal is gone, the command ends without an error.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE' || error.code === 'EIO') return endUnread()
  stderr.on('error', () => process.exit(1))
  stderr.write(`error: The output cannot be written: ${error.message}\n`)
  process.exit(1)
})

/** Ends a command as SIGTERM does, with some seconds for its cleanup. The exit status is 0. */
function endUnread(): void {
  if (isUnread) return
  isUnread = true
  if (!process.emit('SIGTERM', 'SIGTERM')) exitUnread()
  else setTimeout(exitUnread, ENDING_MS).unref()
}

function exitUnread(): void {
  endWithTerminal()
  process.exit(0)
}

/** Node restores the settings of the terminal at its exit, and aborts if it is gone. So the process ends by SIGHUP instead. */
function endWithTerminal(): void {
  if (!wasAtTerminal || isAtTerminal()) return
  process.removeAllListeners('SIGHUP')
  process.kill(process.pid, 'SIGHUP')
}

void run(process.argv.slice(2), { stdout, stderr, env, terminal: () => process }).then((status) => {
  process.exitCode = isUnread ? 0 : status
  endWithTerminal()
})
