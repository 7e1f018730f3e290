import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { paytwin } from './executable.ts'

const EXAMPLE = fileURLToPath(new URL('../example', import.meta.url))
/** How long paytwin may take for itself, in milliseconds: to have the command running, and to end after it. */
const OWN_MS = 3_000

/** What a project keeps; vitest has its cache in node_modules. */
const filesOf = (folder: string) => readdirSync(folder).filter((name) => name !== 'node_modules')

test('a project tests its billing with one command', async () => {
  const before = filesOf(EXAMPLE)
  const { status, stdout } = await paytwin(
    ['run', '--clock', '2026-01-31T10:00:00Z', '--', 'npx', 'vitest', 'run'],
    { cwd: EXAMPLE, env: { NO_COLOR: '1' } },
  )
  expect(stdout).toMatch(/Tests {2}2 passed \(2\)/)
  expect(status).toBe(0)
  expect(filesOf(EXAMPLE)).toEqual(before)
}, 60_000)

test('a failing test of the project fails the command', async () => {
  // Without --clock the merchant's clock is live, and shows another day.
  const { status, stdout } = await paytwin(['run', '--', 'npx', 'vitest', 'run'], {
    cwd: EXAMPLE,
    env: { NO_COLOR: '1' },
  })
  expect(stdout).toMatch(/Tests {2}1 failed/)
  expect(status).toBe(1)
}, 60_000)

test(`paytwin itself takes less than ${OWN_MS / 1000} seconds of that`, async () => {
  const begun = Date.now()
  const { stdout } = await paytwin(['run', '--', process.execPath, '-p', 'Date.now()'])
  const ended = Date.now()
  const running = Number(stdout)
  expect(running).toBeGreaterThan(begun)
  expect(ended - begun).toBeLessThan(OWN_MS)
})
