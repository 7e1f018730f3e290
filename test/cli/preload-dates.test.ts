import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { nodeVariables } from '../../src/cli/daemon/run-environment.ts'
import { newFolder } from '../places.ts'

const DAY_MS = 86_400_000

const writeOffset = (path: string) => writeFileSync(path, new Uint8Array(Float64Array.of(DAY_MS).buffer))

/** Runs a Node process that reads its offset of dates from a file. */
async function runWithDates(file: string) {
  const env = {
    ...process.env,
    ...nodeVariables(resolve('dist/stripe-preload.cjs')),
    PAYTWIN_DATE_FILE: file,
  }
  const script = `console.log(Math.round((Date.now() - performance.timeOrigin) / ${DAY_MS}))`
  const child = spawn(process.execPath, ['-e', script], { env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (output.stderr += text))
  const [status] = await once(child, 'close')
  return { status, ...output }
}

test('dates are shifted by the offset in a file of this user', async () => {
  const file = join(newFolder(), 'date')
  writeOffset(file)
  expect(await runWithDates(file)).toEqual({ status: 0, stdout: '1\n', stderr: '' })
})

test.each<[string, (path: string) => void, RegExp]>([
  ['a pipe', (path) => execFileSync('mkfifo', [path]), /is not a regular file of this user/],
  ['a link', makeLink, /ELOOP/],
])('a process does not start with %s in place of the file', async (_, plant, reason) => {
  const file = join(newFolder(), 'date')
  plant(file)
  const { status, stdout, stderr } = await runWithDates(file)
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(reason)
})

function makeLink(path: string): void {
  writeOffset(`${path}.target`)
  symlinkSync(`${path}.target`, path)
}

test.runIf(process.geteuid?.() === 0)("a process does not start with another user's file", async () => {
  const file = join(newFolder(), 'date')
  writeOffset(file)
  chownSync(file, 4242, 4242)
  const { status, stdout, stderr } = await runWithDates(file)
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toContain(`${file} is not a regular file of this user`)
})
