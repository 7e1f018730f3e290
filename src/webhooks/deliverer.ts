import { setMaxListeners } from 'node:events'
import type { DeliveryAttempt, WebhookDelivery } from '../core/webhook.ts'
import { stopwatch, wallSeconds } from '../engine/clock.ts'
import type { Engine } from '../engine/engine.ts'
import type { MerchantState } from '../engine/merchant-state.ts'
import type { Deliveries } from '../engine/outbox.ts'
import { recordAttempt, secretOf } from '../engine/webhook-endpoint.ts'
import { Batch } from './batch.ts'
import { Lane } from './lane.ts'
import type { Reply, Send } from './sender.ts'
import { signatureHeaders } from './signature.ts'
import { Turnstile } from './turnstile.ts'

export type DelivererOptions = {
  readonly engine: Engine
  /** An event of a merchant as it is posted. */
  readonly render: (merchant: MerchantState, event: string) => string
  readonly send: Send
  readonly version: string
  /** How many deliveries are tried again at the same time; 200 unless given. */
  readonly maxRetries?: number
  readonly reportError: (error: unknown, doing: string) => void
}

/** Why what is under way is broken off for good, and not to go on at the next start. */
const REPLACED = Symbol('the contents of the database were replaced')

/** paytwin: how many deliveries are tried again at the same time, to all endpoints of all merchants. */
const MAX_RETRIES = 200

/**
 * Hands events over to webhook endpoints, after they were committed. What is ready stands in the database: so each is
 * delivered at least once, whatever happens to the process.
 * See docs/contract/events-and-webhooks.md#deliveries.
 */
export class Deliverer implements Deliveries {
  readonly #options: DelivererOptions
  /** The lanes on which something is on its way, by endpoint. */
  readonly #lanes = new Map<string, { readonly lane: Lane; readonly merchant: MerchantState }>()
  /** The places of what is tried again. First attempts need none: an endpoint makes one at a time. */
  readonly #turnstile: Turnstile<MerchantState>
  readonly #stopListening: () => void
  /** Each commit writes whole pages: that of ten outcomes hardly more of them than that of one. */
  readonly #batch = new Batch()
  #ended = newEnd()
  #isScheduled = false

  constructor(options: DelivererOptions) {
    this.#options = options
    this.#turnstile = new Turnstile(options.maxRetries ?? MAX_RETRIES)
    this.#stopListening = options.engine.listen({
      committed: () => this.#schedule(),
      replaced: () => this.restart(),
      deleted: (merchant) => this.#forget(merchant),
    })
  }

  /**
   * Sends what is ready and not on its way: what an earlier process left behind, and what could not be read, or its outcome not
   * be written, for the disk's sake. To be called at the start, and now and then.
   * See docs/contract/events-and-webhooks.md#deliveries.
   */
  sendReady(): void {
    if (this.#ended.signal.aborted) return
    const { store, merchants } = this.#options.engine
    for (const { endpoint, merchant } of store.deliveries.endpointsWithReady()) {
      const owner = merchants.get(merchant)
      if (owner) this.#pump(endpoint, owner)
    }
  }

  /**
   * Begins anew when other contents have taken the place of the database's: what is on its way is broken off, and nobody
   * notes what became of it, since its ids may belong to something else now.
   */
  restart(): void {
    this.#breakOff(REPLACED)
    this.#lanes.clear()
    this.#ended = newEnd()
    this.sendReady()
  }

  /** Nobody notes what becomes of what is on its way for a merchant that is gone. */
  #forget(merchant: MerchantState): void {
    for (const [endpoint, { lane, merchant: owner }] of this.#lanes) {
      if (owner !== merchant) continue
      lane.close()
      this.#lanes.delete(endpoint)
    }
  }

  /** Resolves when nothing of a merchant is on its way. */
  async settled(merchant: MerchantState): Promise<void> {
    const { signal } = this.#ended
    for (;;) {
      this.#wake()
      const busy = [...this.#lanes.values()].filter(({ merchant: owner }) => owner === merchant)
      if (busy.length === 0 || signal.aborted) return
      await Promise.all(busy.map(({ lane }) => lane.settled()))
    }
  }

  /** Breaks off what is on its way; it goes out again at the next start. */
  async close(): Promise<void> {
    this.#stopListening()
    this.#breakOff()
    await Promise.all([...this.#lanes.values()].map(({ lane }) => lane.settled()))
  }

  #breakOff(reason?: typeof REPLACED): void {
    for (const { lane } of this.#lanes.values()) lane.close()
    this.#ended.abort(reason)
    void this.#batch.join(false)
  }

  /** Soon: after the answers of the commit, and once for several commits of one turn. */
  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#wake()
    })
  }

  #wake(): void {
    if (this.#ended.signal.aborted) return
    for (const [endpoint, merchant] of this.#options.engine.outbox.take()) this.#pump(endpoint, merchant)
  }

  #pump(endpoint: string, merchant: MerchantState): void {
    const { lane } = this.#lanes.get(endpoint) ?? { lane: this.#newLane(endpoint, merchant) }
    lane.pump()
    if (lane.isBusy) this.#lanes.set(endpoint, { lane, merchant })
  }

  #newLane(endpoint: string, merchant: MerchantState): Lane {
    const { signal } = this.#ended
    return new Lane(this.#options.engine.store.deliveries, endpoint, {
      courier: {
        attempt: (delivery) => this.#attempt(merchant, delivery, signal),
        record: async (delivery, attempt, mayWait) => {
          await this.#batch.join(mayWait)
          return signal.reason !== REPLACED && this.#record(merchant, delivery, attempt)
        },
        failed: (error) => this.#options.reportError(error, `looking up what is to be sent to ${endpoint}`),
      },
      whenIdle: (lane) => {
        if (this.#lanes.get(endpoint)?.lane === lane) this.#lanes.delete(endpoint)
      },
    })
  }

  /** Receivers that do not answer never delay a first attempt at another endpoint: only what is tried again waits for a place. */
  async #attempt(
    merchant: MerchantState,
    delivery: WebhookDelivery,
    ended: AbortSignal,
  ): Promise<DeliveryAttempt | null> {
    if (delivery.attempt_count === 0) return this.#try(merchant, delivery, ended)
    const turn = this.#turnstile.enter(merchant)
    try {
      await turn
      if (turn && !this.#isWanted(merchant, delivery)) return null
      return await this.#try(merchant, delivery, ended)
    } finally {
      this.#turnstile.leave(merchant)
    }
  }

  async #record(
    merchant: MerchantState,
    { id, event, endpoint }: WebhookDelivery,
    attempt: DeliveryAttempt,
  ): Promise<boolean> {
    const { engine, reportError } = this.#options
    try {
      await engine.record(merchant, (unit) => recordAttempt(unit, id, attempt))
      return true
    } catch (error) {
      reportError(error, `noting that ${event} was sent to ${endpoint}`)
      return false
    }
  }

  /** Whether nobody has taken a delivery back while it waited for its turn. */
  #isWanted({ settings }: MerchantState, { id }: WebhookDelivery): boolean {
    const { objects } = this.#options.engine.store
    return objects.get('webhook_delivery', settings.ordinal, id)?.is_ready ?? false
  }

  /**
   * Makes an attempt. One that we fail ourselves is one like any other, so that it holds back nothing and is not made for ever.
   * @returns null when it was broken off
   */
  async #try(
    merchant: MerchantState,
    delivery: WebhookDelivery,
    ended: AbortSignal,
  ): Promise<DeliveryAttempt | null> {
    if (ended.aborted) return null
    const time = merchant.clock.now
    const begun = stopwatch()
    const reply = await this.#post(merchant, delivery, ended).catch((error: unknown): Reply => {
      this.#options.reportError(error, `delivering ${delivery.event} to ${delivery.endpoint}`)
      return { status: null, error: 'It could not be sent: this is a mistake in paytwin' }
    })
    if (ended.aborted) return null
    const duration_ms = Math.round(stopwatch() - begun)
    return reply.status === null
      ? { time, response_status: null, response_body: null, error: reply.error, duration_ms }
      : { time, response_status: reply.status, response_body: reply.body, error: null, duration_ms }
  }

  async #post(
    merchant: MerchantState,
    { event, endpoint: id }: WebhookDelivery,
    ended: AbortSignal,
  ): Promise<Reply> {
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
      ...signatureHeaders(secretOf(engine.ids, endpoint), { id: event, timestamp, body }),
    }
    return unlessEnded(
      send({ url: endpoint.url, merchant: merchant.settings.id, headers, body }, ended),
      ended,
    )
  }
}

/** What a receiver answers, or that it was broken off: one in memory need not listen to that. */
const unlessEnded = (reply: Promise<Reply>, ended: AbortSignal): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const breakOff = () => resolve({ status: null, error: 'It was broken off' })
    ended.addEventListener('abort', breakOff, { once: true })
    reply.then(resolve, reject).finally(() => ended.removeEventListener('abort', breakOff))
  })

/** What breaks off all deliveries: as many listen to it as there are under way. */
function newEnd(): AbortController {
  const ended = new AbortController()
  setMaxListeners(0, ended.signal)
  return ended
}
