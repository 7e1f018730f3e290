import { Agent } from 'node:http'
import { FROZEN, startDaemon } from './daemon.ts'
import { openStream } from './event-stream.ts'
import { peakMegabytes, resetPeak } from './machine.ts'
import { atMost, known, type Outcome, type Part } from './result.ts'

const STREAMS = 1_000
const EVENTS = 200

/** Measures 1,000 readers of one merchant's live events. Each reader must receive every event. It has no rounds. */
export const streamsPart: Part = {
  name: 'streams',
  about: '1,000 open event streams',
  isUsual: true,
  run: async (): Promise<Outcome> => {
    const daemon = await startDaemon(FROZEN)
    const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
    try {
      let heard = 0
      let done = () => {}
      const all = new Promise<void>((resolve) => {
        done = resolve
      })
      const hear = (line: string) => {
        if (!line.startsWith('event: ')) return
        heard += 1
        if (heard === STREAMS * EVENTS) done()
      }
      await Promise.all(Array.from({ length: STREAMS }, () => openStream(agent, daemon, hear)))
      resetPeak(daemon.pid)
      const begun = performance.now()
      for (let created = 0; created < EVENTS; created += 1) await daemon.post('/v1/customers', {})
      await all
      const seconds = (performance.now() - begun) / 1_000
      return {
        measurements: [
          {
            what: `resident set, ${STREAMS.toLocaleString('en-US')} streams, at most`,
            unit: 'MB',
            paytwin: known([peakMegabytes(daemon.pid)]),
            goals: [atMost(200)],
          },
          { what: 'events to all of them', unit: '/s', paytwin: [heard / seconds], goals: [] },
        ],
      }
    } finally {
      agent.destroy()
      await daemon.stop()
    }
  },
}
