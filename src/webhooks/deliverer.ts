import type { EndedAttempt, WebhookDelivery } from '../core/webhook.ts'
import { unlessAborted } from '../engine/machine/abort.ts'
import { stopwatch, wallSeconds } from '../engine/machine/clock.ts'
import type { Engine } from '../engine/machine/engine.ts'
import type { MerchantState } from '../engine/machine/merchant-state.ts'
import type { Deliveries, SettledOptions } from '../engine/machine/outbox.ts'
import { recordAttempt, secretOf } from '../engine/resources/webhook-endpoint.ts'
import { abortOfMany } from './abort.ts'
import { Batch } from './batch.ts'
import { Bodies, type Render } from './bodies.ts'
import { Lane } from './lane.ts'
import type { Reply, Send } from './sender.ts'
import { type Progress, SettledWaits } from './settled-waits.ts'
import { SIGNATURES } from './signature.ts'
import { FairSemaphore } from './turnstile.ts'

export type DelivererOptions = {
  readonly engine: Engine
  /** Its result depends on the version of the endpoint alone. */
  readonly render: Render
  readonly send: Send
  readonly version: string
  /** The time of signatures, in Unix seconds. Default: the wall clock. */
  readonly signatureTime?: (() => number) | undefined
  /** The places of simultaneous retries; 200 if not given. */
  readonly retries?: FairSemaphore<MerchantState>
  /** The maximum size of all bodies that are being sent, in bytes. */
  readonly maxBytes?: number
  readonly reportError: (error: unknown, doing: string) => void
}

/** The reply to a post, the URL to which it was sent (null if nothing was sent), and its duration in milliseconds. */
type Sent = { readonly reply: Reply; readonly url: string | null; readonly duration_ms: number }

/** Returns the result of an attempt that sent nothing. */
const unsent = (error: string): Sent => ({ reply: { status: null, error }, url: null, duration_ms: 0 })

/** The abort reason after which deliveries are not sent again at the next start. */
const REPLACED = Symbol('the contents of the database were replaced')

const ALL = Number.POSITIVE_INFINITY

/** paytwin: the places of simultaneous retries, for all endpoints of all merchants. */
const MAX_RETRIES = 200
/** paytwin: the number of them that each merchant can have at any time, even if others take all places. */
const ENSURED_RETRIES = 4

/**
 * Delivers events to webhook endpoints after their commit. Ready deliveries are in the database, so each is sent at
 * least once, even if the process ends.
 * See docs/contract/events-and-webhooks.md#deliveries.
 */
export class Deliverer implements Deliveries {
  readonly #options: DelivererOptions
  /** The busy lanes, by endpoint. */
  readonly #lanes = new Map<string, { readonly lane: Lane; readonly merchant: MerchantState }>()
  /** Limits simultaneous retries. First attempts are not limited: an endpoint has one at a time. */
  readonly #turnstile: FairSemaphore<MerchantState>
  readonly #bodies: Bodies
  readonly #stopListening: () => void
  /**
   * Groups the records of attempts: a commit writes whole pages, so a commit of ten records costs little more than one.
   */
  readonly #batch = new Batch()
  /** The number of attempts so far, by merchant. */
  readonly #attemptCounts = new WeakMap<MerchantState, number>()
  readonly #waits: SettledWaits<MerchantState>
  #ended = abortOfMany()
  #isScheduled = false

  constructor(options: DelivererOptions) {
    this.#options = options
    this.#bodies = new Bodies(options.render, options.engine.steps, { maxBytes: options.maxBytes })
    this.#turnstile = options.retries ?? new FairSemaphore(MAX_RETRIES, { ensured: ENSURED_RETRIES })
    this.#waits = new SettledWaits(
      (merchant) => this.#progress(merchant),
      (merchant) => options.engine.reads.next(merchant),
    )
    this.#stopListening = options.engine.listen({
      committed: () => this.#schedule(),
      replaced: () => this.restart(),
      deleted: (merchant) => this.#forget(merchant),
    })
  }

  /**
   * Sends the deliveries that are ready and not being sent: from an earlier process, or because they could not be
   * read or recorded because of the disk. Must be called at the start and regularly.
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
   * Starts over after the contents of the database were replaced: running deliveries are aborted and not recorded,
   * because their ids may belong to other objects now.
   */
  restart(): void {
    this.#abort(REPLACED)
    this.#lanes.clear()
    this.#ended = abortOfMany()
    this.sendReady()
  }

  /** Closes the lanes of a deleted merchant; their running deliveries are aborted and not recorded. */
  #forget(merchant: MerchantState): void {
    for (const [endpoint, { lane, merchant: owner }] of this.#lanes) {
      if (owner !== merchant) continue
      lane.close()
      this.#lanes.delete(endpoint)
    }
  }

  /** Resolves when no delivery of a merchant is being sent: see `Deliveries`. */
  async settled(
    merchant: MerchantState,
    { mostLater = ALL, signal = this.#ended.signal }: SettledOptions = {},
  ): Promise<void> {
    if (this.#ended.signal.aborted) return
    const newest = mostLater === ALL ? ALL : this.#options.engine.store.deliveries.newestSeq()
    await this.#waits.wait(merchant, { newest, mostLater, signal })
  }

  #attempts(merchant: MerchantState): number {
    return this.#attemptCounts.get(merchant) ?? 0
  }

  /** Returns what is running of a merchant's deliveries, after sending what is committed. */
  #progress(merchant: MerchantState): Progress {
    this.#wake()
    let oldest = ALL
    for (const { lane, merchant: owner } of this.#lanes.values())
      if (owner === merchant) oldest = Math.min(oldest, lane.oldest)
    return { oldest, attempts: this.#attempts(merchant) }
  }

  /** Aborts running deliveries; they are sent again at the next start. */
  async close(): Promise<void> {
    this.#stopListening()
    this.#abort()
    await Promise.all([...this.#lanes.values()].flatMap(({ lane }) => [...lane.running]))
  }

  #abort(reason?: typeof REPLACED): void {
    for (const { lane } of this.#lanes.values()) lane.close()
    this.#ended.abort(reason)
    this.#waits.endAll()
    void this.#batch.join(false)
  }

  /** Schedules a wake-up after the responses of the commit, once for several commits of one turn. */
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
      sender: {
        attempt: (delivery, ended) => this.#attempt(merchant, delivery, ended),
        record: async (delivery, attempt, mayWait) => {
          await this.#batch.join(mayWait)
          return signal.reason !== REPLACED && this.#record(merchant, delivery, attempt)
        },
        isDeleted: () => this.#endpoint(merchant, endpoint)?.deleted ?? true,
        failed: (error) => this.#options.reportError(error, `reading the deliveries to ${endpoint}`),
        ended: () => void this.#waits.check(merchant),
      },
      whenIdle: (lane) => {
        if (this.#lanes.get(endpoint)?.lane === lane) this.#lanes.delete(endpoint)
      },
    })
  }

  /**
   * Attempts a delivery. Only retries wait for a place, so receivers that do not answer never delay a first attempt at
   * another endpoint.
   */
  async #attempt(
    merchant: MerchantState,
    delivery: WebhookDelivery,
    ended: AbortSignal,
  ): Promise<EndedAttempt | null> {
    this.#attemptCounts.set(merchant, this.#attempts(merchant) + 1)
    if (delivery.attempt_count === 0) return this.#send(merchant, delivery, ended)
    if (!(await this.#turnstile.enter(merchant, 1, ended))) return null
    try {
      return await this.#send(merchant, delivery, ended)
    } finally {
      this.#turnstile.leave(merchant)
    }
  }

  async #record(
    merchant: MerchantState,
    { id, event, endpoint }: WebhookDelivery,
    attempt: EndedAttempt,
  ): Promise<boolean> {
    const { engine, reportError } = this.#options
    try {
      const recorded = await engine.record(merchant, (unit) => {
        recordAttempt(unit, id, attempt)
        return true
      })
      return recorded ?? false
    } catch (error) {
      reportError(error, `recording the delivery of ${event} to ${endpoint}`)
      return false
    }
  }

  #endpoint({ settings }: MerchantState, id: string) {
    return this.#options.engine.store.objects.get('webhook_endpoint', settings.ordinal, id)
  }

  /** Reports whether a delivery is still to be sent; it is discarded when its endpoint is disabled or deleted. */
  #isWanted({ settings, presence }: MerchantState, { id }: WebhookDelivery, ended: AbortSignal): boolean {
    if (ended.aborted || presence !== 'present') return false
    return this.#options.engine.store.deliveries.get(settings.ordinal, id)?.is_ready ?? false
  }

  /**
   * Sends a delivery. A failure of our own is recorded like any other attempt, so that it blocks nothing and is not
   * repeated forever.
   * @returns null when it was aborted, or is no longer ready
   */
  async #send(
    merchant: MerchantState,
    delivery: WebhookDelivery,
    ended: AbortSignal,
  ): Promise<EndedAttempt | null> {
    const time = merchant.clock.reached
    const sent = await this.#post(merchant, delivery, ended).catch((error: unknown) => {
      this.#options.reportError(error, `delivering ${delivery.event} to ${delivery.endpoint}`)
      return unsent('It could not be sent because of an internal error in paytwin')
    })
    if (!sent || ended.aborted) return null
    const { reply, ...end } = sent
    return reply.status === null
      ? { time, response_status: null, response_body: null, error: reply.error, ...end }
      : { time, response_status: reply.status, response_body: reply.body, error: null, ...end }
  }

  /** @returns undefined when it was aborted, or is no longer ready */
  async #post(
    merchant: MerchantState,
    delivery: WebhookDelivery,
    ended: AbortSignal,
  ): Promise<Sent | undefined> {
    const { engine, send, version, signatureTime } = this.#options
    const { settings } = merchant
    const isWanted = () => this.#isWanted(merchant, delivery, ended)
    if (!isWanted()) return undefined
    const endpoint = this.#endpoint(merchant, delivery.endpoint)
    if (!endpoint) return unsent('The endpoint no longer exists')
    const fault = engine.faults.take('webhook_failure', { route: endpoint.url, merchant: settings.id })
    if (fault) return unsent('A fault was injected: webhook_failure')
    const content = { merchant, event: delivery.event, endpoint }
    return this.#bodies.use(content, { isWanted, ended }, async (body) => {
      const begun = stopwatch()
      // The URL may have changed while the body was awaited.
      const { url } = this.#endpoint(merchant, endpoint.id) ?? endpoint
      const timestamp = signatureTime?.() ?? wallSeconds(engine.wall)
      const sign = SIGNATURES[settings.dialect]
      const headers = {
        'content-type': 'application/json',
        'user-agent': `paytwin/${version}`,
        ...sign(secretOf(engine.ids, endpoint), { id: delivery.event, timestamp, body }),
      }
      const reply = await unlessAborted(
        send({ url, merchant: settings.id, turnOf: merchant, headers, body }, ended),
        ended,
      )
      return reply && { reply, url, duration_ms: Math.round(stopwatch() - begun) }
    })
  }
}
