import { defineConfig } from 'vitest/config'

// A script that wants the counts names a file for them.
const report = process.env.PAYTWIN_TEST_REPORT

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    testTimeout: 30_000,
    reporters: report ? ['default', 'json'] : ['default'],
    ...(report && { outputFile: { json: report } }),
  },
})
