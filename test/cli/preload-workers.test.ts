import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodeVariables } from '../../src/cli/daemon/run-environment.ts'

const DAY_MS = 86_400_000

let folder: string
let env: NodeJS.ProcessEnv
beforeAll(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'paytwin-')), `a "folder" with spaces`)
  mkdirSync(folder)
  const preload = join(folder, 'preload.cjs')
  copyFileSync(resolve('dist/stripe-preload.cjs'), preload)
  const PAYTWIN_DATE_FILE = join(folder, 'offset')
  writeFileSync(PAYTWIN_DATE_FILE, new Uint8Array(new Float64Array([1_000 * DAY_MS]).buffer))
  // Nothing listens there: a request that is redirected is refused by this machine.
  env = { ...process.env, ...nodeVariables(preload), PAYTWIN_URL: 'http://127.0.0.1:1', PAYTWIN_DATE_FILE }
})
afterAll(() => rmSync(join(folder, '..'), { recursive: true }))

/** Reports where a request to Stripe's API goes, and whether dates are shifted. */
const REPORT = `
  const { parentPort } = require('node:worker_threads')
  const begun = Date.now() - performance.timeOrigin - performance.now()
  const report = (error) => parentPort.postMessage({ port: error.port, days: Math.round(begun / ${DAY_MS}) })
  // A request that is not redirected gets no further than this lookup.
  const lookup = (name, options, done) => done(new Error('looked up ' + name))
  require('node:https').get({ host: 'api.stripe.com', lookup }).on('error', report)`

test.each([
  ['eval: true', '{ eval: true }'],
  ['eval: true and an environment', '{ eval: true, env: {} }'],
  ['an environment with options', `{ eval: true, env: { NODE_OPTIONS: '--no-warnings' } }`],
  ['a shared environment', `{ eval: true, env: require('node:worker_threads').SHARE_ENV }`],
  ['no options of its parent', '{ eval: true, execArgv: [] }'],
])('a worker with %s sends requests to the daemon, and has its dates', async (_, options) => {
  const program = `
    const { Worker } = require('node:worker_threads')
    new Worker(${JSON.stringify(REPORT)}, ${options}).on('message', (report) => console.log(JSON.stringify(report)))`
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program], { env })
  expect(JSON.parse(stdout)).toEqual({ port: 1, days: 1_000 })
})
