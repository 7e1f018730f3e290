import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type BenchDaemon, FROZEN, startDaemon } from './daemon.ts'
import { steadyLoad } from './load.ts'
import { inTurns, known, type Outcome, type Part, quantile, ratioAtMost } from './result.ts'

const EVENTS_PER_SECOND = 1_000
const SECONDS = 5
const WARM_UP_SECONDS = 2

/** Measures requests while webhooks are sent. The floor is paytwin without webhooks. */
export const webhooksPart: Part = {
  name: 'webhooks',
  about: 'p99 of requests while as many webhooks go out, against none',
  isUsual: true,
  run: async ({ rounds }): Promise<Outcome> => {
    const { quiet, delivering } = await inTurns(rounds, {
      quiet: () => measure({ withReceiver: false }),
      delivering: () => measure({ withReceiver: true }),
    })
    const rate = `${EVENTS_PER_SECOND.toLocaleString('en-US')}/s`
    return {
      measurements: [
        {
          what: `requests at ${rate} with as many webhooks, p99`,
          unit: 'ms',
          paytwin: delivering.map(({ p99 }) => p99),
          floor: quiet.map(({ p99 }) => p99),
          goals: [ratioAtMost(2)],
        },
        {
          what: 'the last webhook, after its response',
          unit: 'ms',
          paytwin: known(delivering.map(({ lagMs }) => lagMs)),
          goals: [],
        },
      ],
    }
  },
}

type Result = {
  /** The latency of POST /v1/payment_intents under load, in milliseconds. */
  readonly p99: number
  /** The time from the last response to the receipt of its event, in milliseconds; null without a receiver. */
  readonly lagMs: number | null
}

/**
 * Creates 1,000 payment intents per second, each with one event, with or without a receiver that responds at once. The
 * receiver must get every event, in order.
 */
async function measure({ withReceiver }: { withReceiver: boolean }): Promise<Result> {
  const daemon = await startDaemon(FROZEN)
  const receiver = await startReceiver()
  try {
    if (withReceiver) {
      const endpoint = { url: receiver.url, enabled_events: ['payment_intent.created'] }
      await daemon.post('/v1/webhook_endpoints', endpoint)
    }
    await load(daemon, WARM_UP_SECONDS)
    const durations = await load(daemon, SECONDS)
    const ended = performance.now()
    const all = (WARM_UP_SECONDS + SECONDS) * EVENTS_PER_SECOND
    if (withReceiver) {
      await receiver.got(all)
      receiver.checkOrder()
    }
    return {
      p99: quantile(durations, 0.99),
      lagMs: withReceiver ? performance.now() - ended : null,
    }
  } finally {
    receiver.close()
    await daemon.stop()
  }
}

/** @returns the latency of each request, in milliseconds */
const load = (daemon: BenchDaemon, seconds: number): Promise<number[]> =>
  steadyLoad({ perSecond: EVENTS_PER_SECOND, seconds }, async () => {
    const sent = performance.now()
    await daemon.post('/v1/payment_intents', { amount: 2000, currency: 'usd' })
    return performance.now() - sent
  })

/** Event ids sort in the order of the events. */
async function startReceiver() {
  const ids: string[] = []
  let wanted: { count: number; reached: () => void } | undefined
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      ids.push(String(request.headers['webhook-id']))
      response.end()
      if (wanted && ids.length >= wanted.count) wanted.reached()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    got: (count: number) =>
      new Promise<void>((reached) => {
        wanted = { count, reached }
        if (ids.length >= count) reached()
      }),
    checkOrder: () => {
      const late = ids.findIndex((id, index) => index > 0 && id <= (ids[index - 1] ?? ''))
      if (late !== -1) throw new Error(`${ids[late]} came after ${ids[late - 1]}`)
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
