import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'

// Runs the suite, and checks types and lint beside it: many tests wait for other processes, so the checks take little time. Their output
// comes at the end.

/** Waits for a process. @returns its exit status, and its output unless it is inherited */
const ended = (child) =>
  new Promise((resolve, reject) => {
    const output = []
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => output.push(data))
    child.on('error', reject)
    child.on('close', (status) => resolve({ status, output: Buffer.concat(output) }))
  })

const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))
const suite = ended(spawn(process.execPath, [vitest, 'run'], { stdio: 'inherit' }))

const failed = []
for (const name of ['types', 'lint']) {
  // On Windows, npm is a script of the shell.
  const child = spawn('npm', ['run', '--silent', name], { shell: process.platform === 'win32' })
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  const { status, output } = await ended(child)
  if (status !== 0) failed.push({ name, output })
}

const { status } = await suite
for (const { name, output } of failed) {
  console.log(`npm run ${name} failed:`)
  process.stdout.write(output)
}
process.exitCode = status === 0 && failed.length === 0 ? 0 : 1
