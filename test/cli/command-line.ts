import { afterAll, beforeAll, expect } from 'vitest'
import { paytwin, type RunningDaemon, startDaemon } from './executable.ts'

/** Where the clocks of these daemons stand at first. */
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

/** A daemon for a group of tests, and its command line for programs and for people. */
export function withDaemon(): {
  daemon: () => RunningDaemon
  json: <Answer>(...args: string[]) => Promise<Answer>
  text: (...args: string[]) => Promise<string>
  fail: (...args: string[]) => Promise<{ status: number | null; stderr: string }>
} {
  let daemon: RunningDaemon
  beforeAll(async () => {
    daemon = await startDaemon(['--ephemeral', '--clock', NOW, '--seed', '1'])
  })
  afterAll(() => daemon.stop())
  const succeed = async (args: string[]) => {
    const { status, stdout, stderr } = await paytwin(args, { env: daemon.env })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return stdout
  }
  return {
    daemon: () => daemon,
    json: async (...args) => JSON.parse(await succeed([...args, '--json'])),
    text: (...args) => succeed(args),
    fail: async (...args) => {
      const { status, stdout, stderr } = await paytwin(args, { env: daemon.env })
      expect(stdout).toBe('')
      return { status, stderr }
    },
  }
}
