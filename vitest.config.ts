import { configDefaults, defineConfig } from 'vitest/config'
import { chromiumPath } from './test/browser/chromium.ts'

// A script that wants the counts names a file for them.
const report = process.env.PAYTWIN_TEST_REPORT

// In continuous integration there has to be a browser: these tests fail without one. Elsewhere they run where there is one.
const runsBrowser = chromiumPath() !== undefined || process.env.CI !== undefined

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(runsBrowser ? [] : ['test/browser/**'])],
    testTimeout: 30_000,
    reporters: report ? ['default', 'json'] : ['default'],
    ...(report && { outputFile: { json: report } }),
  },
})
