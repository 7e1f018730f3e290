import { type DeliveryAttempt, GONE, type WebhookDelivery } from '../core/webhook.ts'
import type { DeliveryQueue } from '../store/deliveries.ts'

/** How many deliveries of an endpoint are tried again at the same time. */
const MAX_AGAIN = 4

/** Who goes for a lane. */
export type Courier = {
  /** Hands a delivery over. null when there is nothing to write down: it was broken off, or is wanted no more. */
  readonly attempt: (delivery: WebhookDelivery) => Promise<DeliveryAttempt | null>
  /**
   * Writes down what became of it.
   * @param mayWait - whether others will follow soon, with which it can be written together
   * @returns whether that is committed
   */
  readonly record: (delivery: WebhookDelivery, attempt: DeliveryAttempt, mayWait: boolean) => Promise<boolean>
  /** Takes note that the database could not be read. What was to be sent stays ready. */
  readonly failed: (error: unknown) => void
}

/**
 * What goes out to one endpoint: first attempts one after the other, in the order of the events; what is tried again beside
 * them. It reads from the database what is ready, and remembers only what is on its way: a lane on which nothing is under
 * way can be thrown away.
 * See docs/contract/events-and-webhooks.md#deliveries.
 */
export class Lane {
  readonly #queue: DeliveryQueue
  readonly #endpoint: string
  readonly #courier: Courier
  /** The place of the newest first attempt: what became of it may not be written yet. */
  #place = 0
  #isSending = false
  /** What is being tried again; and what was, but could not be written. */
  readonly #again = new Set<string>()
  /** All that is not written yet. */
  readonly #open = new Set<Promise<void>>()
  readonly #whenIdle: (lane: Lane) => void
  #isClosed = false

  /** @param whenIdle - called each time that nothing is on its way any more */
  constructor(
    queue: DeliveryQueue,
    endpoint: string,
    { courier, whenIdle }: { courier: Courier; whenIdle: (lane: Lane) => void },
  ) {
    this.#queue = queue
    this.#endpoint = endpoint
    this.#courier = courier
    this.#whenIdle = whenIdle
  }

  /** Whether something is on its way. */
  get isBusy(): boolean {
    return this.#open.size > 0
  }

  /** Resolves when what is on its way now has arrived, or not. */
  async settled(): Promise<void> {
    await Promise.all(this.#open)
  }

  /** Sends what is ready. */
  pump(): void {
    if (this.#isClosed) return
    if (!this.#isSending) this.#sendNext()
    const limit = MAX_AGAIN + this.#again.size
    for (const delivery of this.#read(() => this.#queue.readyRetries(this.#endpoint, limit)) ?? []) {
      if (this.#again.size >= MAX_AGAIN) break
      if (!this.#again.has(delivery.id)) this.#track(this.#sendAgain(delivery))
    }
  }

  /** Sends nothing any more. */
  close(): void {
    this.#isClosed = true
  }

  #sendNext(): void {
    const next = this.#isClosed
      ? undefined
      : this.#read(() => this.#queue.nextNew(this.#endpoint, this.#place))
    this.#isSending = next !== undefined
    if (!next) return
    this.#place = next.seq
    this.#track(this.#sendFirst(next.delivery))
  }

  /** The next one follows the answer, and does not wait until that is written. */
  async #sendFirst(delivery: WebhookDelivery): Promise<void> {
    const attempt = await this.#courier.attempt(delivery)
    if (attempt?.response_status === GONE) {
      // There may be no next one, once this is written.
      await this.#courier.record(delivery, attempt, false)
      this.#sendNext()
      return
    }
    this.#sendNext()
    if (attempt) await this.#courier.record(delivery, attempt, this.#isSending)
  }

  /** One that cannot be written is not tried over and over: not before the lane has been idle. */
  async #sendAgain(delivery: WebhookDelivery): Promise<void> {
    this.#again.add(delivery.id)
    const attempt = await this.#courier.attempt(delivery)
    if (!attempt || !(await this.#courier.record(delivery, attempt, false))) return
    this.#again.delete(delivery.id)
    this.pump()
  }

  /** What the database says; undefined when it cannot be read. */
  #read<T>(look: () => T): T | undefined {
    try {
      return look()
    } catch (error) {
      this.#courier.failed(error)
      return undefined
    }
  }

  #track(sending: Promise<void>): void {
    const done = sending.catch(this.#courier.failed).then(() => {
      this.#open.delete(done)
      if (this.#open.size === 0) this.#whenIdle(this)
    })
    this.#open.add(done)
  }
}
