import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { chromiumPath } from './test/browser/chromium.ts'
import { hasPytest } from './test/docs/pytest.ts'
import { hasFaketime } from './test/faked-wall.ts'

// Node reads these certificates at each start, for 50 ms. No test connects to a host whose certificate they sign.
delete process.env.NODE_EXTRA_CA_CERTS

// A script that wants the counts names a file for them.
const report = process.env.PAYTWIN_TEST_REPORT

/** Tests that drive a terminal are there where tmux is; .ci/run sees to it. */
const tmuxTests = ['test/ui/tmux.test.ts']
const hasTmux = spawnSync('tmux', ['-V']).status === 0

/**
 * In continuous integration there has to be a browser: these tests fail without one. Elsewhere they run where there is one.
 */
const browserTests = ['test/browser/**', 'test/compat/browser/**']
const hasBrowser = chromiumPath() !== undefined || process.env.CI !== undefined

/** The wall clock is set in front of a running daemon with libfaketime. In continuous integration it has to be there. */
const faketimeTests = ['test/cli/wall-clock.test.ts']

/** The examples in Python are run by pytest. In continuous integration it has to be there. */
const pytestTests = ['test/docs/pytest.test.ts']
const canRunPytest = process.env.CI !== undefined || hasPytest()

/**
 * The single executable is for Linux, and has a Node within that is one file: that of some distributions is several. In continuous
 * integration it has to be built.
 */
const executableTests = ['test/packaging/single-executable.test.ts', 'test/store/native-part.test.ts']
const isShared = (process.config.variables as Record<string, unknown>).node_shared === true
const hasExecutable = (process.platform === 'linux' && !isShared) || process.env.CI !== undefined

/** Other clients and tools are a package of their own, which `npm ci` in the root does not install. `npm run compat` installs and runs it. */
const compatTests = ['test/compat/**', 'test/bench/**']
const hasCompat = existsSync(new URL('test/compat/node_modules/.package-lock.json', import.meta.url))

/** What is excluded, and what would include it. */
const skipped = [
  { has: hasTmux, tests: tmuxTests, missing: 'tmux is not installed' },
  { has: hasBrowser, tests: browserTests, missing: 'Chromium is not installed' },
  { has: hasFaketime, tests: faketimeTests, missing: 'faketime is not installed' },
  { has: canRunPytest, tests: pytestTests, missing: 'pytest is not installed' },
  { has: hasExecutable, tests: executableTests, missing: 'this Node cannot be built into an executable' },
  { has: hasCompat, tests: compatTests, missing: "'npm run compat' installs what they need, and runs them" },
].filter(({ has }) => !has)
// Vitest evaluates this file once more for each project.
if (process.env.VITEST_SKIPPED_SHOWN === undefined) {
  for (const { tests, missing } of skipped) console.warn(`Skipped: ${tests.join(', ')} (${missing})`)
  process.env.VITEST_SKIPPED_SHOWN = 'shown'
}

const all = ['test/**/*.test.{ts,tsx}']

/**
 * Tests that replace a module run in a process of their own. All others share processes, and the modules that are loaded there:
 * loading them again for each file took a fifth of the suite's processor time.
 */
const apart = [
  ...readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.test\.tsx?$/.test(path) && !path.includes('node_modules'))
    .map((path) => join('test', path))
    .filter((path) => /\bvi\.(mock|doMock|resetModules)\b/.test(readFileSync(path, 'utf8'))),
  // It loads the native part of SQLite once more, which a process can do only once.
  'test/store/native-part.test.ts',
]
const exclude = [...configDefaults.exclude, ...skipped.flatMap(({ tests }) => tests)]

export default defineConfig({
  test: {
    setupFiles: ['test/crash-guard.ts', 'test/seed.ts'],
    projects: [
      { extends: true, test: { name: 'apart', include: apart, exclude } },
      {
        extends: true,
        test: { name: 'together', include: all, exclude: [...exclude, ...apart], isolate: false },
      },
    ],
    // None takes more than some seconds; others may have the machine meanwhile.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Many tests wait for a process that they started, or for time to pass: another file uses the processor meanwhile.
    maxWorkers: availableParallelism() * 2,
    reporters: report ? ['default', 'json'] : ['default'],
    ...(report && { outputFile: { json: report } }),
  },
})
