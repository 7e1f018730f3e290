import { spawnSync } from 'node:child_process'
import { configDefaults, defineConfig } from 'vitest/config'

// A script that wants the counts names a file for them.
const report = process.env.PAYTWIN_TEST_REPORT

/** Tests that drive a terminal are there where tmux is; .ci/run sees to it. */
const needTmux = ['test/ui/tmux.test.ts']
const hasTmux = spawnSync('tmux', ['-V']).status === 0

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    exclude: [...configDefaults.exclude, ...(hasTmux ? [] : needTmux)],
    testTimeout: 30_000,
    reporters: report ? ['default', 'json'] : ['default'],
    ...(report && { outputFile: { json: report } }),
  },
})
