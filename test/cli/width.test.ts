import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../../src/cli/program.ts'
import { api, type RunningDaemon, startDaemon, subscribe } from './executable.ts'
import { recordedIo } from './terminal.ts'

let daemon: RunningDaemon
beforeAll(async () => {
  daemon = await startDaemon()
  await subscribe(daemon)
  await api(daemon, `/v1/events?types[]=invoice.*&types[]=${'subscription.*&types[]='.repeat(3)}charge.*`)
  await onTerminal(200, 'keys', 'create', '--name', 'The key of the continuous integration of the web shop')
})
afterAll(() => daemon.stop())

async function onTerminal(columns: number, ...args: string[]): Promise<string[]> {
  const { io, written } = recordedIo({ isTerminal: true, columns, env: daemon.env })
  expect({ status: await run(args, io), stderr: written.stderr }).toEqual({ status: 0, stderr: '' })
  return stripVTControlCharacters(written.stdout).trimEnd().split('\n')
}

test.each([
  ['keys', 'list'],
  ['requests', 'list'],
  ['merchants', 'list'],
])('%s %s fits a terminal, with whole ids', async (...args) => {
  for (const columns of [80, 100, 120]) {
    const lines = await onTerminal(columns, ...args)
    expect(lines.length).toBeGreaterThan(1)
    expect(lines.filter((line) => line.length > columns)).toEqual([])
  }
  const [titles, ...rows] = await onTerminal(200, ...args)
  expect(titles).toMatch(/ID|REQUEST/)
  expect(rows.join()).toMatch(/(key|req|mer)_\w{14}/)
})
