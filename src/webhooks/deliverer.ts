import type { DeliveryAttempt, WebhookDelivery } from '../core/webhook.ts'
import { stopwatch, wallSeconds } from '../engine/clock.ts'
import type { Deliveries, Engine } from '../engine/engine.ts'
import type { MerchantState } from '../engine/merchant.ts'
import { recordAttempt, secretOf } from '../engine/webhook-endpoint.ts'
import { Lane } from './lane.ts'
import type { Reply, Send } from './sender.ts'
import { sign } from './signature.ts'

export type DelivererOptions = {
  readonly engine: Engine
  /** An event of a merchant as it is posted. */
  readonly render: (merchant: MerchantState, event: string) => string
  readonly send: Send
  readonly version: string
  readonly reportError: (error: unknown, doing: string) => void
}

/**
 * Hands events over to webhook endpoints, after they were committed. What is ready stands in the database: so each is
 * delivered at least once, whatever happens to the process.
 * Source: decisions.md 10.
 */
export class Deliverer implements Deliveries {
  readonly #options: DelivererOptions
  readonly #lanes = new Map<string, { readonly lane: Lane; readonly merchant: MerchantState }>()
  readonly #ended = new AbortController()
  readonly #stopListening: () => void
  #isScheduled = false

  constructor(options: DelivererOptions) {
    this.#options = options
    this.#stopListening = options.engine.listen({ committed: () => this.#schedule() })
  }

  /** Sends what an earlier process left behind. Source: decisions.md 13 ("go out again at its start"). */
  start(): void {
    const { store, merchants } = this.#options.engine
    for (const { endpoint, merchant } of store.deliveries.endpointsWithReady()) {
      const owner = merchants.get(merchant)
      if (owner) this.#laneOf(endpoint, owner).pump()
    }
  }

  /** Resolves when nothing of a merchant is on its way. */
  async settled(merchant: MerchantState): Promise<void> {
    for (;;) {
      this.#wake()
      const busy = [...this.#lanes.values()].filter(
        ({ lane, merchant: owner }) => owner === merchant && lane.isBusy,
      )
      if (busy.length === 0 || this.#ended.signal.aborted) return
      await Promise.all(busy.map(({ lane }) => lane.settled()))
    }
  }

  /** Breaks off what is on its way; it goes out again at the next start. */
  async close(): Promise<void> {
    this.#stopListening()
    this.#ended.abort()
    await Promise.all([...this.#lanes.values()].map(({ lane }) => lane.settled()))
  }

  /** Soon: after the answers of the commit, and once for several commits of one turn. */
  #schedule(): void {
    if (this.#isScheduled || this.#ended.signal.aborted) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#wake()
    })
  }

  #wake(): void {
    if (this.#ended.signal.aborted) return
    for (const [endpoint, merchant] of this.#options.engine.takeAnnounced()) {
      this.#laneOf(endpoint, merchant).pump()
    }
  }

  #laneOf(endpoint: string, merchant: MerchantState): Lane {
    let known = this.#lanes.get(endpoint)
    if (!known) {
      const deliver = (delivery: WebhookDelivery, sent: () => void) => this.#deliver(merchant, delivery, sent)
      known = { merchant, lane: new Lane(this.#options.engine.store.deliveries, endpoint, deliver) }
      this.#lanes.set(endpoint, known)
    }
    return known.lane
  }

  async #deliver(merchant: MerchantState, delivery: WebhookDelivery, sent: () => void): Promise<void> {
    const { engine, reportError } = this.#options
    try {
      const attempt = await this.#attempt(merchant, delivery)
      if (this.#ended.signal.aborted) return
      const written = engine.record(merchant, (unit) => recordAttempt(unit, delivery.id, attempt))
      sent()
      await written
    } catch (error) {
      reportError(error, `delivering ${delivery.event} to ${delivery.endpoint}`)
    }
  }

  async #attempt(merchant: MerchantState, delivery: WebhookDelivery): Promise<DeliveryAttempt> {
    const time = merchant.clock.now
    const begun = stopwatch()
    const reply = await this.#post(merchant, delivery)
    const duration_ms = Math.round(stopwatch() - begun)
    return reply.status === null
      ? { time, response_status: null, response_body: null, error: reply.error, duration_ms }
      : { time, response_status: reply.status, response_body: reply.body, error: null, duration_ms }
  }

  async #post(merchant: MerchantState, { event, endpoint: id }: WebhookDelivery): Promise<Reply> {
    const { engine, render, send, version } = this.#options
    const endpoint = engine.store.objects.get('webhook_endpoint', merchant.settings.ordinal, id)
    if (!endpoint) return { status: null, error: 'The endpoint is not there any more' }
    const fault = engine.faults.strike('webhook_failure', {
      route: endpoint.url,
      merchant: merchant.settings.id,
    })
    if (fault) return { status: null, error: 'A fault was injected: webhook_failure' }
    const body = render(merchant, event)
    const timestamp = wallSeconds(engine.wall)
    const headers = {
      'content-type': 'application/json',
      'user-agent': `paytwin/${version}`,
      ...sign(secretOf(engine.ids, endpoint), { id: event, timestamp, body }),
    }
    return send({ url: endpoint.url, headers, body }, this.#ended.signal)
  }
}
