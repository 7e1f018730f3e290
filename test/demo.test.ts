import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scripts } from '../package.json'
import { lines } from './cli/executable.ts'

const ROOT = join(import.meta.dirname, '..')

/** Starts what `npm run demo` runs. Variables for another daemon have no effect. */
function startDemo() {
  const [, ...args] = scripts.demo.split(' ')
  const env = { ...process.env, PAYTWIN_DATA: 'x', PAYTWIN_SEED: '9' }
  return spawn(process.execPath, args, { cwd: ROOT, env })
}

test('the demo shows the timelines of three subscriptions, and leaves nothing behind', async () => {
  const child = startDemo()
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (output.stderr += text))
  const [status] = await once(child, 'close')
  expect({ status, stderr: output.stderr }).toEqual({ status: 0, stderr: '' })
  expect(output.stdout).not.toContain('\u001b')
  expect(existsSync(join(ROOT, 'x'))).toBe(false)

  const [, ada = '', ben = '', cleo = ''] = output.stdout.split(/^\w+'s card .*$/m)
  const past = (text: string) => text.split('\n').filter((line) => line.includes('\thappened\t'))
  const count = (text: string, pattern: RegExp) => past(text).filter((line) => pattern.test(line)).length
  expect([ada, ben, cleo].map((text) => count(text, /renewal .* paid$/))).toEqual([6, 5, 0])
  expect([ada, ben, cleo].map((text) => count(text, /declined/))).toEqual([0, 2, 5])
  expect(ben).toMatch(/^2026-04-03T10:00:00Z\thappened\t.*paid/m)
  expect(cleo).toMatch(/^2026-03-07T10:00:00Z\thappened\t.*canceled/m)
})

test('an interrupted demo stops its sandbox', async () => {
  const child = startDemo()
  // The sandbox writes to the demo's stderr, which is therefore not closed before both have ended.
  const closed = once(child, 'close')
  child.stderr.resume()
  await lines(child.stdout).next()
  child.kill('SIGINT')
  expect(await closed).toEqual([130, null])
})
