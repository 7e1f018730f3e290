import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ROOT } from './dockerfile.ts'

const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')
const isCompatInstalled = existsSync(join(ROOT, 'test/compat/node_modules/.package-lock.json'))

test('tests whose programs or packages are missing are skipped, and vitest says which', async () => {
  // Without a PATH there is neither tmux nor faketime.
  const env = { HOME: process.env.HOME, PATH: '', NO_COLOR: '1' }
  const listing = [VITEST, 'list', '--filesOnly', 'test/ui', 'test/compat']
  const { stdout, stderr } = await promisify(execFile)(process.execPath, listing, { cwd: ROOT, env })
  expect(stderr).toContain('Skipped: test/ui/tmux.test.ts (tmux is not installed)')
  expect(stderr).toContain('Skipped: test/cli/wall-clock.test.ts (faketime is not installed)')
  expect(stderr.match(/faketime is not installed/g)).toHaveLength(1)
  expect(stdout).toContain('test/ui/app.test.tsx')
  expect(stdout).not.toContain('test/ui/tmux.test.ts')
  expect(stdout.includes('test/compat/stripe.test.ts')).toBe(isCompatInstalled)
  expect(stderr.includes('Skipped: test/compat/**')).toBe(!isCompatInstalled)
})
