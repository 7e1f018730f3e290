import { spawn } from 'node:child_process'
import { Agent } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { type BenchDaemon, startDaemon, startFloor } from './daemon.ts'
import { openStream } from './event-stream.ts'
import { steadyLoad } from './load.ts'
import { countAsOurs } from './machine.ts'
import { atMost, inTurns, type Outcome, type Part, quantile } from './result.ts'

const EVENTS_PER_SECOND = 1_000
const SECONDS = 3
const WARM_UP_SECONDS = 1
/** The timeout for the last events. */
const PATIENCE_MS = 5_000
const INTENT = /"id":\s?"(pi_\w+)"|\b(pi_\w+)/

/**
 * Measures the time until a client of a stream receives an event, at 1,000 events per second. The time starts when the
 * request is sent, before the commit, so it is an upper bound. The floor is a bare node:http server that passes bodies on.
 */
export const latencyPart: Part = {
  name: 'latency',
  about: "from a request to a stream's socket and to a tail's line, under 1,000 events/s",
  isUsual: true,
  run: async ({ rounds }): Promise<Outcome> => {
    const { stream, floor, tail } = await inTurns(rounds, { stream: toStream, floor: toFloor, tail: toTail })
    const p99 = (all: readonly (readonly number[])[]) => all.map((times) => quantile(times, 0.99))
    const p50 = (all: readonly (readonly number[])[]) => all.map((times) => quantile(times, 0.5))
    const unit = 'ms'
    const goals = [atMost(20)]
    const at = `at ${EVENTS_PER_SECOND.toLocaleString('en-US')}/s`
    return {
      measurements: [
        {
          what: `request to a stream's socket ${at}, p99`,
          unit,
          paytwin: p99(stream),
          floor: p99(floor),
          goals,
        },
        { what: 'the same, p50', unit, paytwin: p50(stream), floor: p50(floor), goals: [] },
        { what: `request to a tail's line ${at}, p99`, unit, paytwin: p99(tail), goals },
        { what: 'the same, p50', unit, paytwin: p50(tail), goals: [] },
      ],
    }
  },
}

async function toStream(): Promise<number[]> {
  const daemon = await startDaemon([])
  return measure(daemon, (hear) => listen(daemon, hear)).finally(() => daemon.stop())
}

async function toFloor(): Promise<number[]> {
  const floor = await startFloor('fan-out')
  const post = async (path: string, body: object) => {
    const response = await fetch(floor.url + path, { method: 'POST', body: JSON.stringify(body) })
    return (await response.json()) as { id: string }
  }
  const listening = { ...floor, secretKey: 'any' }
  return measure({ post }, (hear) => listen(listening, hear)).finally(() => floor.stop())
}

async function toTail(): Promise<number[]> {
  const daemon = await startDaemon([])
  return measure(daemon, (hear) => tail(daemon, hear)).finally(() => daemon.stop())
}

/** Opens a stream. @returns a function that closes it */
type Listen = (hear: (line: string) => void) => Promise<() => Promise<void>>

/** @returns the time of each event after the warm-up, in milliseconds */
async function measure(
  { post }: { post(path: string, body: object): Promise<Record<string, unknown>> },
  listen: Listen,
): Promise<number[]> {
  const heardAt = new Map<string, number>()
  const stop = await listen((line) => {
    const [, inJson, plain] = INTENT.exec(line) ?? []
    const id = inJson ?? plain
    if (id !== undefined && !heardAt.has(id)) heardAt.set(id, performance.now())
  })
  const make = async () => {
    const sentAt = performance.now()
    const { id } = await post('/v1/payment_intents', { amount: 2000, currency: 'usd' })
    return { sentAt, id: String(id) }
  }
  const load = (seconds: number) => steadyLoad({ perSecond: EVENTS_PER_SECOND, seconds }, make)
  try {
    await load(WARM_UP_SECONDS)
    const made = await load(SECONDS)
    const patience = performance.now() + PATIENCE_MS
    while (!made.every(({ id }) => heardAt.has(id)) && performance.now() < patience) await delay(10)
    return made.map(({ id, sentAt }) => {
      const at = heardAt.get(id)
      if (at === undefined) throw new Error(`nothing was heard of ${id}`)
      return at - sentAt
    })
  } finally {
    await stop()
  }
}

async function listen(server: { url: string; secretKey: string }, hear: (line: string) => void) {
  const agent = new Agent()
  await openStream(agent, server, hear)
  return async () => agent.destroy()
}

async function tail({ url, adminToken, post }: BenchDaemon, hear: (line: string) => void) {
  const child = spawn(process.execPath, ['bin/paytwin.js', 'events', 'tail', '--plain', '--url', url], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PAYTWIN_ADMIN_TOKEN: adminToken },
  })
  countAsOurs(child)
  let isListening = false
  createInterface(child.stdout).on('line', (line) => {
    isListening = true
    hear(line)
  })
  // The stream sends no headers before its first data.
  while (!isListening) {
    await post('/v1/customers', {})
    await delay(100)
  }
  return async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
  }
}
