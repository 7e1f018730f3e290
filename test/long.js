// Runs a test that is short in the suite for a requested time or number of rounds, as in `npm run crash -- --rounds 300 --seed 7`.
// Options become variables that the test reads: PAYTWIN_LONG_ROUNDS=300, PAYTWIN_LONG_SEED=7.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const [file, ...options] = process.argv.slice(2)
const variables = {}
for (let at = 0; at < options.length; at += 2) {
  const [, name] = /^--([a-z]+)$/.exec(options[at]) ?? []
  const value = Number(options[at + 1])
  if (name === undefined || !Number.isFinite(value)) {
    console.error(`usage: --rounds N, --minutes N or --seed N, and not ${options.slice(at).join(' ')}`)
    process.exit(2)
  }
  variables[`PAYTWIN_LONG_${name.toUpperCase()}`] = String(value)
}
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))
const reporters = ['--reporter=verbose', ...(process.env.PAYTWIN_TEST_REPORT ? ['--reporter=json'] : [])]
const args = [vitest, 'run', file, '--disable-console-intercept', ...reporters]
const { status } = spawnSync(process.execPath, args, {
  stdio: 'inherit',
  env: { ...process.env, PAYTWIN_LONG: '1', ...variables },
})
process.exit(status ?? 1)
