import { afterAll, beforeAll, expect } from 'vitest'
import { run } from '../../src/cli/program.ts'
import { type Finished, paytwin, type RunningDaemon, startDaemon } from './executable.ts'
import { recordedIo } from './terminal.ts'

/** The initial time of the daemons' clocks. */
export const NOW = '2026-01-31T10:00:00Z'
export const NOW_SECONDS = 1_769_853_600
export const ESCAPE = '\u001b'

export type List<Item> = { object: 'list'; data: Item[] }
export type Clock = {
  merchant_id: string
  mode: string
  now: number
  status: string
  summary: Record<string, unknown>
}

/** Runs a command within this process, which saves the start of a process: a third of a second. */
export async function runHere(
  args: readonly string[],
  { env }: { env?: Readonly<Record<string, string>> } = {},
): Promise<Finished> {
  const { io, written } = recordedIo(env && { env })
  const status = await run(args, io)
  return { status, ...written }
}

/**
 * A daemon for a group of tests, and its command line for programs and for people. `json` starts the executable; `text` and
 * `fail` run the command within this process.
 */
export function withDaemon(): {
  daemon: () => RunningDaemon
  json: <ResponseBody>(...args: string[]) => Promise<ResponseBody>
  text: (...args: string[]) => Promise<string>
  fail: (...args: string[]) => Promise<{ status: number | null; stderr: string }>
} {
  let daemon: RunningDaemon
  beforeAll(async () => {
    daemon = await startDaemon(['--ephemeral', '--clock', NOW, '--seed', '1'])
  })
  afterAll(() => daemon.stop())
  const succeed = async (execute: typeof paytwin, args: string[]) => {
    const { status, stdout, stderr } = await execute(args, { env: daemon.env })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return stdout
  }
  return {
    daemon: () => daemon,
    json: async (...args) => JSON.parse(await succeed(paytwin, [...args, '--json'])),
    text: (...args) => succeed(runHere, args),
    fail: async (...args) => {
      const { status, stdout, stderr } = await runHere(args, { env: daemon.env })
      expect(stdout).toBe('')
      return { status, stderr }
    },
  }
}
