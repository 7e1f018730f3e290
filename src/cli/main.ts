import { run } from './program.ts'

// When the reader closes the pipe (`paytwin events tail | head`) or the terminal is gone, the command ends without an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE' || error.code === 'EIO') process.exit(0)
  process.stderr.on('error', () => process.exit(1))
  process.stderr.write(`error: The output cannot be written: ${error.message}\n`)
  process.exit(1)
})

const { stdout, stderr, env } = process
void run(process.argv.slice(2), { stdout, stderr, env, terminal: () => process }).then((status) => {
  process.exitCode = status
})
