import { Agent, request } from 'node:http'
import { startDaemon } from './daemon.ts'

const STREAMS = 1_000
const EVENTS = 200
const GOAL_MEGABYTES = 200

export type StreamResult = {
  readonly streams: number
  /** The largest resident set with all streams open and events going to all of them. */
  readonly peakMegabytes: number
  /** From the first of the events to the last stream's having all of them, in seconds. */
  readonly seconds: number
}

/** 1,000 readers of one merchant's live events, each of whom has to get every event. */
export async function benchStreams(): Promise<StreamResult> {
  const daemon = await startDaemon(['--clock', '2026-01-31T10:00:00Z', '--seed', '1'])
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
  try {
    let heard = 0
    let done = () => {}
    const all = new Promise<void>((resolve) => {
      done = resolve
    })
    const hear = (count: number) => {
      heard += count
      if (heard === STREAMS * EVENTS) done()
    }
    await Promise.all(Array.from({ length: STREAMS }, () => open(agent, daemon, hear)))
    await daemon.resetPeak()
    const begun = performance.now()
    for (let told = 0; told < EVENTS; told += 1) await daemon.post('/v1/customers', {})
    await all
    const seconds = (performance.now() - begun) / 1_000
    return { streams: STREAMS, peakMegabytes: daemon.peakMemory() / 1e6, seconds }
  } finally {
    agent.destroy()
    await daemon.stop()
  }
}

export function reportStreams({ streams, peakMegabytes, seconds }: StreamResult): void {
  const rate = Math.round((streams * EVENTS) / seconds)
  console.log(
    `${streams} open event streams: resident set at most ${peakMegabytes.toFixed(0)} MB (goal: ${GOAL_MEGABYTES} MB), ` +
      `${rate} events/s to all of them`,
  )
}

function open(
  agent: Agent,
  { url, secretKey }: { url: string; secretKey: string },
  hear: (events: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${secretKey}`, Accept: 'text/event-stream' }
    const call = request(`${url}/v1/events`, { agent, headers }, (response) => {
      resolve()
      // An event may be cut in two: its first line counts, and that never begins in the middle of a line.
      let line = ''
      response.setEncoding('utf8').on('data', (text: string) => {
        const lines = (line + text).split('\n')
        line = lines.pop() ?? ''
        hear(lines.filter((one) => one.startsWith('event: ')).length)
      })
      response.on('error', () => undefined)
    })
    call.on('error', reject)
    call.end()
  })
}
