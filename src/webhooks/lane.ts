import { type EndedAttempt, GONE, type WebhookDelivery } from '../core/webhook.ts'
import type { DeliveryTable } from '../store/deliveries.ts'
import { abortOfMany } from './abort.ts'

/** The maximum number of simultaneous retries of an endpoint's deliveries. */
const MAX_RETRIES = 4

/** The functions with which a lane sends and records deliveries. */
export type LaneSender = {
  /**
   * Sends a delivery. null when there is nothing to record: it was aborted, or is no longer ready.
   * @param ended - aborts the attempt when the lane is closed
   */
  readonly attempt: (delivery: WebhookDelivery, ended: AbortSignal) => Promise<EndedAttempt | null>
  /**
   * Records an attempt.
   * @param mayWait - whether other attempts will follow soon, with which it can be committed
   * @returns whether the record is committed
   */
  readonly record: (delivery: WebhookDelivery, attempt: EndedAttempt, mayWait: boolean) => Promise<boolean>
  /** Whether the endpoint was deleted: what is still running is no longer wanted. */
  readonly isDeleted: () => boolean
  /** Reports that the database could not be read. The deliveries stay ready. */
  readonly failed: (error: unknown) => void
  /** Called when an attempt has ended, recorded or not. */
  readonly ended: () => void
}

/**
 * The deliveries to one endpoint: first attempts one after another, in the order of the events, and retries beside
 * them. It reads ready deliveries from the database, and keeps only the running ones in memory; an idle lane can be
 * dropped.
 * See docs/contract/events-and-webhooks.md#deliveries.
 */
export class Lane {
  readonly #queue: DeliveryTable
  readonly #endpoint: string
  readonly #sender: LaneSender
  /** The seq of the newest first attempt, which may not be recorded yet. */
  #place = 0
  #isSending = false
  /**
   * Whether an attempt could not be sent or recorded. Further ones would be sent again too. Those that are running end soon, and a new lane begins
   * anew after that: if one sort of attempts went on, the lane might never be idle.
   */
  #isPaused = false
  /** The ids of running retries. */
  readonly #retries = new Set<string>()
  /** The attempts that are running or not yet recorded, with the seq of the delivery; 0 for a retry. */
  readonly #open = new Map<Promise<void>, number>()
  readonly #whenIdle: (lane: Lane) => void
  readonly #ended = abortOfMany()

  /** @param whenIdle - called whenever the last running attempt has ended */
  constructor(
    queue: DeliveryTable,
    endpoint: string,
    { sender, whenIdle }: { sender: LaneSender; whenIdle: (lane: Lane) => void },
  ) {
    this.#queue = queue
    this.#endpoint = endpoint
    this.#sender = sender
    this.#whenIdle = whenIdle
  }

  /** Whether an attempt is running. */
  get isBusy(): boolean {
    return this.#open.size > 0
  }

  /** Returns the running attempts; they never reject. */
  get running(): Iterable<Promise<void>> {
    return this.#open.keys()
  }

  /**
   * The seq of the oldest delivery that is being attempted; 0 for a retry, Infinity if there is none. While a delivery is ready, it or an
   * older one is.
   */
  get oldest(): number {
    return Math.min(...this.#open.values())
  }

  /** Sends the ready deliveries. Closes the lane if its endpoint was deleted. */
  pump(): void {
    if (this.isBusy && this.#read(this.#sender.isDeleted)) this.close()
    if (this.#isStopped) return
    if (!this.#isSending) this.#sendNext()
    for (const delivery of this.#readyRetries() ?? []) {
      if (this.#retries.size >= MAX_RETRIES) break
      if (!this.#retries.has(delivery.id)) this.#track(this.#sendRetry(delivery), 0)
    }
  }

  /** Stops sending, and aborts the running attempts. */
  close(): void {
    this.#ended.abort()
  }

  get #isStopped(): boolean {
    return this.#ended.signal.aborted || this.#isPaused
  }

  #sendNext(): void {
    const next = this.#isStopped
      ? undefined
      : this.#read(() => this.#queue.nextNew(this.#endpoint, this.#place))
    this.#isSending = next !== undefined
    if (!next) return
    this.#place = next.seq
    this.#track(this.#sendFirst(next.delivery), next.seq)
  }

  /** Sends a first attempt. The next one starts after the response, without waiting for the record. */
  async #sendFirst(delivery: WebhookDelivery): Promise<void> {
    const attempt = await this.#sender.attempt(delivery, this.#ended.signal)
    if (attempt?.response_status === GONE) {
      // A 410 disables the endpoint, so the record must come before the next delivery is read.
      await this.#record(delivery, attempt, false)
      this.#sendNext()
      return
    }
    this.#sendNext()
    if (attempt) await this.#record(delivery, attempt, this.#isSending)
  }

  async #record(delivery: WebhookDelivery, attempt: EndedAttempt, mayWait: boolean): Promise<void> {
    if (!(await this.#sender.record(delivery, attempt, mayWait))) this.#isPaused = true
  }

  /** Sends a retry. */
  async #sendRetry(delivery: WebhookDelivery): Promise<void> {
    this.#retries.add(delivery.id)
    const attempt = await this.#sender.attempt(delivery, this.#ended.signal)
    const isDone = attempt ? await this.#sender.record(delivery, attempt, false) : !this.#isReady(delivery)
    this.#retries.delete(delivery.id)
    if (isDone) this.pump()
    else this.#isPaused = true
  }

  /** Whether the next pump would send a retry again. */
  #isReady({ id }: WebhookDelivery): boolean {
    return this.#readyRetries()?.some((ready) => ready.id === id) ?? true
  }

  #readyRetries(): readonly WebhookDelivery[] | undefined {
    const limit = MAX_RETRIES + this.#retries.size
    return this.#read(() => this.#queue.readyRetries(this.#endpoint, limit))
  }

  /** Reads from the database; undefined when that fails. */
  #read<T>(read: () => T): T | undefined {
    try {
      return read()
    } catch (error) {
      this.#sender.failed(error)
      return undefined
    }
  }

  #track(sending: Promise<void>, seq: number): void {
    const done = sending.catch(this.#sender.failed).then(() => {
      this.#open.delete(done)
      if (this.#open.size === 0) this.#whenIdle(this)
      this.#sender.ended()
    })
    this.#open.set(done, seq)
  }
}
