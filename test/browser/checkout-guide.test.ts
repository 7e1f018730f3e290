import { afterAll, beforeAll, expect, test } from 'vitest'
import { newProject, type Project } from '../library/installed.ts'
import { chromiumPath } from './chromium.ts'

/** The guide has the timeouts of vitest, which a busy machine exceeds. */
const PATIENT = ['--hookTimeout', '120000', '--testTimeout', '120000']

// It packs what `npm run build` has left in dist.
let project: Project
beforeAll(async () => {
  const installed = ['hono', '@hono/node-server', 'stripe'].map((name) => [name, name])
  project = await newProject({
    documents: ['docs/stripe-checkout.md'],
    linked: { ...Object.fromEntries(installed), playwright: 'playwright-core' },
  })
})
afterAll(() => project.remove())

test('the guide sells through Checkout, as it says', async () => {
  process.env.CHROMIUM_PATH = chromiumPath() ?? ''
  expect(project.examples).toEqual(['shop.js', 'checkout.test.js'])
  const { output, status } = await project.node(
    'node_modules/vitest/vitest.mjs',
    'run',
    ...PATIENT,
    'checkout.test.js',
  )
  expect(output).toMatch('3 passed')
  expect(status).toBe(0)
})
