import { run } from './program.ts'

// A reader that has seen enough (`paytwin events tail | head`) ends the command, quietly.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

process.exitCode = await run(process.argv.slice(2), process)
