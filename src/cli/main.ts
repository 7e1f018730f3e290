import { run } from './program.ts'

// A reader that has seen enough (`paytwin events tail | head`) ends the command, quietly; so does a terminal that is gone.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
  process.exit(0)
})

const { stdout, stderr, env } = process
void run(process.argv.slice(2), { stdout, stderr, env, terminal: () => process }).then((status) => {
  process.exitCode = status
})
