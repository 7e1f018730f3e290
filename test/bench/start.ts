import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { floorPath } from './daemon.ts'
import { countAsOurs } from './machine.ts'
import { inTurns, type Outcome, type Part, ratioAtMost } from './result.ts'

/** A start takes a fraction of a second, so this part has more rounds than the others. */
const STARTS_A_ROUND = 5

const PAYTWIN = ['bin/paytwin.js', 'serve', '--ephemeral', '--json', '--port', '0', '--log-level', 'error']
const FLOOR = [floorPath('bare-http')]

/** Measures the time from the start of the process to the end of the first authenticated response. The floor is a bare node:http server. */
export const startPart: Part = {
  name: 'start',
  about: 'cold start, to the first authenticated 200, against bare node:http',
  isUsual: true,
  run: async ({ rounds }): Promise<Outcome> => {
    const { paytwin, floor } = await inTurns(rounds * STARTS_A_ROUND, {
      paytwin: () => coldStart(PAYTWIN, readyOfPaytwin),
      floor: () => coldStart(FLOOR, (url) => ({ url, key: 'any' })),
    })
    const what = 'serve --ephemeral to the first 200'
    return { measurements: [{ what, unit: 'ms', paytwin, floor, goals: [ratioAtMost(2)] }] }
  },
}

type Ready = { readonly url: string; readonly key: string }

function readyOfPaytwin(line: string): Ready {
  const { url, secret_key: key } = JSON.parse(line)
  return { url, key }
}

/** @returns milliseconds */
async function coldStart(args: readonly string[], read: (line: string) => Ready): Promise<number> {
  const started = performance.now()
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  countAsOurs(child)
  try {
    const { url, key } = read(await firstLine(child))
    const response = await fetch(`${url}/v1/customers`, { headers: { Authorization: `Bearer ${key}` } })
    await response.text()
    if (response.status !== 200) throw new Error(`the first response was ${response.status}`)
    return performance.now() - started
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
  }
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout) for await (const line of createInterface(stdout)) return line
  throw new Error('the server ended before it was ready')
}
