import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'

// Many tests wait for other processes, so checking types and lint beside them takes little time. Their output comes at the end.

/** Runs a script of the package. @returns its exit status, and what it has written if that is kept */
const runScript = (name, { isKept }) =>
  new Promise((resolve, reject) => {
    const output = []
    // On Windows, npm is started by the shell.
    const child = spawn('npm', ['run', '--silent', name], {
      shell: process.platform === 'win32',
      stdio: isKept ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    })
    if (isKept && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
    child.stdout?.on('data', (data) => output.push(data))
    child.stderr?.on('data', (data) => output.push(data))
    child.on('error', reject)
    child.on('close', (status) => resolve({ status: status ?? 1, output: Buffer.concat(output) }))
  })

const inTurn = async (names) => {
  const results = []
  for (const name of names) results.push({ name, ...(await runScript(name, { isKept: true })) })
  return results
}

const [suite, checks] = await Promise.all([runScript('suite', { isKept: false }), inTurn(['types', 'lint'])])
for (const { name, status, output } of checks) {
  console.log(`npm run ${name}: ${status === 0 ? 'passed' : 'failed'}`)
  if (status !== 0) process.stdout.write(output)
}
process.exitCode = [suite, ...checks].some(({ status }) => status !== 0) ? 1 : 0
