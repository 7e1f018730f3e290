import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { run } from '../../../src/cli/program.ts'
import { type List, withDaemon } from '../command-line.ts'
import { api, paytwin } from '../executable.ts'
import { recordedIo } from '../terminal.ts'

const { daemon, json, text } = withDaemon()
const customers = async () => (await json<List<object>>('customers', 'list')).data.length

/** Runs a command on a terminal on which a line is typed. */
async function typing(line: string, args: readonly string[]) {
  const { io, written } = recordedIo({ isTerminal: true, env: daemon().env })
  const stdin = Object.assign(new PassThrough(), { isTTY: true }) as unknown as NodeJS.ReadStream
  ;(stdin as unknown as PassThrough).end(line)
  const status = await run(args, { ...io, terminal: () => ({ stdin, stdout: process.stdout }) })
  return { status, ...written }
}

test.each([[['reset']], [['snapshots', 'reset']]])('%j asks on a terminal', async (args) => {
  await api(daemon(), '/v1/customers', { name: 'Ada' })
  const before = await customers()
  for (const line of ['\n', 'n\n', 'yup\n', '']) {
    const { status, stdout, stderr } = await typing(line, args)
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(
      /^This deletes all data of the daemon at http:\S+ \(data in memory\)\. Reset\? \[y\/N\] error: Nothing was reset\.\n$/,
    )
  }
  expect(await customers()).toBe(before)
  expect(await typing('y\n', args)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Restored the state of the first start\.\n/),
  })
  expect(await customers()).toBe(0)
})

test.each([[['reset']], [['snapshots', 'reset']]])('%j needs --yes in a pipe: exit 2', async (args) => {
  await api(daemon(), '/v1/customers', { name: 'Ada' })
  expect(await paytwin(args, { env: daemon().env })).toEqual({
    status: 2,
    stdout: '',
    stderr: 'error: A reset deletes all data. Confirm it with --yes, because stdin is not a terminal.\n',
  })
  expect(await customers()).toBe(1)
  expect(await text(...args, '--yes')).toMatch(/^Restored/)
  expect(await customers()).toBe(0)
})
