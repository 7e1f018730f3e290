import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { run } from '../../../src/cli/program.ts'
import { lines, paytwin, start, startDaemon, temporaryFolder } from '../executable.ts'
import { recordedIo } from '../terminal.ts'

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder.remove())

const serve = () => startDaemon(['--data', folder.path])
const log = (text: string) => appendFileSync(join(folder.path, 'daemon.log'), text)
const logs = async (args: string[], given: Parameters<typeof recordedIo>[0] = {}) => {
  const { io, written } = recordedIo(given)
  const status = await run(['logs', '--data', folder.path, ...args], io)
  return { status, ...written }
}
const RECORD = { level: 'warn', time: '2026-01-31T10:00:00.000Z', params: 'zebra', msg: 'ignored' }

test('the log can be read while the daemon runs and afterwards', async () => {
  const daemon = await serve()
  const running = await logs([])
  expect(running).toMatchObject({ status: 0, stderr: '' })
  expect(running.stdout).toMatch(
    new RegExp(`^\\S+Z INFO  ready url=${daemon.url} pid=${daemon.pid} version=0\\.1\\.0\\n$`),
  )
  await daemon.stop()
  expect((await logs(['-n', '1'])).stdout).toMatch(/^\S+Z INFO {2}ended\n$/)
})

test('on a terminal levels have colours; with --json a line is unchanged', async () => {
  log(`${JSON.stringify(RECORD)}\n`)
  expect((await logs([], { isTerminal: true })).stdout).toBe(
    '\u001b[2m2026-01-31T10:00:00.000Z\u001b[0m \u001b[33mWARN \u001b[0m ignored params=zebra\n',
  )
  expect((await logs(['--json'])).stdout).toBe(`${JSON.stringify(RECORD)}\n`)
})

test('a stack is printed below its error, and a line that is no record is unchanged', async () => {
  log(
    `${JSON.stringify({ ...RECORD, err: { stack: 'Error: no\n    at here' } })}\nout of memory \u001b[31m\n`,
  )
  expect((await logs([])).stdout).toBe(
    '2026-01-31T10:00:00.000Z WARN  ignored params=zebra\n  Error: no\n      at here\nout of memory \\u001b[31m\n',
  )
})

test('a line that is nested too deeply to be a record is unchanged, and those after it are shown', async () => {
  const deep = `{"msg":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
  log(`${deep}\n${JSON.stringify(RECORD)}\n`)
  const { status, stdout } = await logs([])
  expect(status).toBe(0)
  expect(stdout === `${deep}\n2026-01-31T10:00:00.000Z WARN  ignored params=zebra\n`).toBe(true)
})

test('the last 100 lines are shown by default', async () => {
  for (let n = 1; n <= 150; n += 1) log(`${n}\n`)
  expect((await logs([])).stdout.split('\n').at(0)).toBe('51')
  expect((await logs(['-n', '150'])).stdout.split('\n').at(0)).toBe('1')
})

test('following continues across a restart, until it is interrupted: exit 0', async () => {
  const first = await serve()
  const child = start(['logs', '-f', '--data', folder.path])
  const said = lines(child.stdout)
  expect(await said.next()).toContain(`pid=${first.pid}`)
  await first.stop()
  expect(await said.next()).toContain('ended')
  const second = await serve()
  expect(await said.next()).toContain(`pid=${second.pid}`)
  const closed = once(child, 'close')
  child.kill('SIGINT')
  expect(await closed).toEqual([0, null])
  await second.stop()
})

test('a folder without a log is an error: exit 3', async () => {
  const { status, stdout, stderr } = await paytwin(['logs', '--data', '/nowhere/at/all'])
  expect({ status, stdout }).toEqual({ status: 3, stdout: '' })
  expect(stderr).toMatch(/^error: No log found at \/nowhere\/at\/all\/daemon\.log\. .*\n$/)
})
