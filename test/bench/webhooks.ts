import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type BenchDaemon, startDaemon } from './daemon.ts'

const EVENTS_PER_SECOND = 1_000
const SECONDS = 8
const WARM_UP_SECONDS = 2
const STEP_MS = 10
const GOAL_RATIO = 2

export type WebhookResult = {
  /** Of POST /v1/payment_intents under the load, in milliseconds. */
  readonly p50: number
  readonly p99: number
  /** How long the last event took from its answer to the receiver, in milliseconds; null without one. */
  readonly lagMs: number | null
  readonly peakMegabytes: number
}

export type WebhookResults = { readonly quiet: WebhookResult[]; readonly delivering: WebhookResult[] }

/** Requests without webhooks and with, in turns. */
export async function benchWebhooks(rounds: number): Promise<WebhookResults> {
  const results: WebhookResults = { quiet: [], delivering: [] }
  for (let round = 0; round < rounds; round += 1) {
    results.quiet.push(await measure({ withReceiver: false }))
    results.delivering.push(await measure({ withReceiver: true }))
  }
  return results
}

export function reportWebhooks({ quiet, delivering }: WebhookResults): void {
  const p99 = (results: readonly WebhookResult[]) => middle(results.map((result) => result.p99))
  const lag = Math.max(...delivering.map(({ lagMs }) => lagMs ?? 0))
  const [without, withThem] = [p99(quiet), p99(delivering)]
  console.log(
    `p99 of POST /v1/payment_intents at ${EVENTS_PER_SECOND}/s: ${without.toFixed(1)} ms, with as many webhooks ` +
      `${withThem.toFixed(1)} ms, ${(withThem / without).toFixed(2)} times that (goal: at most ${GOAL_RATIO}); ` +
      `the last of them came ${lag.toFixed(0)} ms after its request`,
  )
}

const middle = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN

/**
 * 1,000 payment intents a second, each of which tells one event; with a receiver that answers at once, or without. Every
 * event has to come to it, in order.
 */
async function measure({ withReceiver }: { withReceiver: boolean }): Promise<WebhookResult> {
  const daemon = await startDaemon(['--clock', '2026-01-31T10:00:00Z', '--seed', '1'])
  const receiver = await startReceiver()
  try {
    if (withReceiver) {
      const endpoint = { url: receiver.url, enabled_events: ['payment_intent.created'] }
      await daemon.post('/v1/webhook_endpoints', endpoint)
    }
    await load(daemon, WARM_UP_SECONDS)
    await daemon.resetPeak()
    const durations = (await load(daemon, SECONDS)).toSorted((left, right) => left - right)
    const ended = performance.now()
    const all = (WARM_UP_SECONDS + SECONDS) * EVENTS_PER_SECOND
    if (withReceiver) {
      await receiver.got(all)
      receiver.checkOrder()
    }
    return {
      p50: durations[Math.floor(durations.length * 0.5)] ?? Number.NaN,
      p99: durations[Math.floor(durations.length * 0.99)] ?? Number.NaN,
      lagMs: withReceiver ? performance.now() - ended : null,
      peakMegabytes: daemon.peakMemory() / 1e6,
    }
  } finally {
    receiver.close()
    await daemon.stop()
  }
}

/** Requests at a steady rate, however long their answers take. @returns how long each took */
async function load(daemon: BenchDaemon, seconds: number): Promise<number[]> {
  const answers: Promise<number>[] = []
  const begun = performance.now()
  const one = async () => {
    const sent = performance.now()
    await daemon.post('/v1/payment_intents', { amount: 2000, currency: 'usd' })
    return performance.now() - sent
  }
  for (let asked = 0; asked < seconds * EVENTS_PER_SECOND; ) {
    const due = Math.min(
      ((performance.now() - begun) / 1_000) * EVENTS_PER_SECOND,
      seconds * EVENTS_PER_SECOND,
    )
    for (; asked < due; asked += 1) answers.push(one())
    await delay(STEP_MS)
  }
  return Promise.all(answers)
}

/** Event ids sort as the events do. */
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
