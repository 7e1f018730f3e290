import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lines, temporaryFolder } from './executable.ts'

const DEMO = fileURLToPath(new URL('../../dist/demo.cjs', import.meta.url))

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder.remove())

const startDemo = () =>
  // Variables for another daemon must not lead it astray.
  spawn(process.execPath, [DEMO], {
    cwd: folder.path,
    env: { ...process.env, PAYTWIN_DATA: 'x', PAYTWIN_SEED: '9' },
  })

async function runDemo(): Promise<{ status: number; stdout: string; stderr: string }> {
  const child = startDemo()
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (output.stderr += text))
  const [status] = await once(child, 'close')
  return { status, ...output }
}

/** The part of the text that is about one customer: date, outcome and status of each line. */
const story = (text: string, title: string) =>
  (text.split('\n\n').find((_, index, parts) => parts[index - 1]?.endsWith(title)) ?? '')
    .trim()
    .split(/\n\s+(?=\d)/)

test('the demo prints three timelines with the right dates, and leaves nothing behind', async () => {
  const { status, stdout, stderr } = await runDemo()
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).not.toContain('\u001b')
  expect(readdirSync(folder.path)).toEqual([])

  expect(story(stdout, 'always works')).toEqual([
    expect.stringMatching(/^2026-01-31 {2}✓ subscribes: \w+-0001 paid, 20\.00 USD +active$/),
    ...['02-28', '03-31', '04-30', '05-31', '06-30', '07-31'].map((day, index) =>
      expect.stringMatching(new RegExp(`^2026-${day} {2}✓ renewal: \\w+-000${index + 2} paid, 20\\.00 USD$`)),
    ),
  ])

  expect(story(stdout, 'recovers at the second retry')).toEqual([
    expect.stringMatching(/^2026-01-31 .*active$/),
    expect.stringMatching(/^2026-02-28 .* renewal: \w+-0002 paid/),
    expect.stringMatching(
      /^2026-03-31 .* ✗ renewal: \w+-0003 declined.*active → past_due\n.*attempt 1 of 5: insufficient_funds; next retry on 2026-04-01$/,
    ),
    expect.stringMatching(
      /^2026-04-01 .* ✗ retry: \w+-0003 declined, 20\.00 USD\n.*attempt 2 of 5.* next retry on 2026-04-03$/,
    ),
    expect.stringMatching(/^2026-04-03 .* ✓ retry: \w+-0003 paid.*past_due → active\n.*attempt 3 of 5$/),
    expect.stringMatching(/^2026-04-30 .* renewal: \w+-0004 paid/),
    expect.stringMatching(/^2026-05-31 .* renewal: \w+-0005 paid/),
    expect.stringMatching(/^2026-06-30 .* renewal: \w+-0006 paid/),
    expect.stringMatching(/^2026-07-31 .* renewal: \w+-0007 paid/),
  ])

  expect(story(stdout, 'never again')).toEqual([
    expect.stringMatching(/^2026-01-31 .*active$/),
    expect.stringMatching(/^2026-02-28 .*active → past_due\n.*attempt 1 of 5.*2026-03-01$/),
    expect.stringMatching(/^2026-03-01 .*\n.*attempt 2 of 5.*2026-03-03$/),
    expect.stringMatching(/^2026-03-03 .*\n.*attempt 3 of 5.*2026-03-05$/),
    expect.stringMatching(/^2026-03-05 .*\n.*attempt 4 of 5.*2026-03-07$/),
    expect.stringMatching(/^2026-03-07 .*past_due → canceled\n.*attempt 5 of 5.*no retry left$/),
  ])
})

test('an interrupted demo stops its daemon', async () => {
  const child = startDemo()
  // The daemon writes to the demo's stderr, which is therefore not closed before both have ended.
  const closed = once(child, 'close')
  child.stderr.resume()
  await lines(child.stdout).next()
  child.kill('SIGINT')
  const [, signal] = await closed
  expect(signal).toBeNull()
  expect(readdirSync(folder.path)).toEqual([])
})
