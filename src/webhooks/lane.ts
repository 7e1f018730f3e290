import type { WebhookDelivery } from '../core/webhook.ts'
import type { DeliveryQueue } from '../store/deliveries.ts'

/** How many deliveries of an endpoint are tried again at the same time. */
const MAX_AGAIN = 4

/** Hands one delivery over, and resolves when what became of it is written. `sent` is called when the next may follow. */
export type Deliver = (delivery: WebhookDelivery, sent: () => void) => Promise<void>

/**
 * What goes out to one endpoint: first attempts one after the other, in the order of the events; what is tried again beside
 * them.
 * Source: decisions.md 10 ("one first attempt at a time per endpoint, in order").
 */
export class Lane {
  readonly #queue: DeliveryQueue
  readonly #endpoint: string
  readonly #deliver: Deliver
  /** The place of the newest first attempt: what became of it may not be written yet. */
  #place = 0
  #isSending = false
  readonly #again = new Set<string>()
  /** All that is not written yet. */
  readonly #open = new Set<Promise<void>>()

  constructor(queue: DeliveryQueue, endpoint: string, deliver: Deliver) {
    this.#queue = queue
    this.#endpoint = endpoint
    this.#deliver = deliver
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
    this.#sendNext()
    for (const delivery of this.#queue.again(this.#endpoint, MAX_AGAIN + this.#again.size)) {
      if (this.#again.size >= MAX_AGAIN) break
      if (!this.#again.has(delivery.id)) this.#sendAgain(delivery)
    }
  }

  #sendNext(): void {
    if (this.#isSending) return
    const next = this.#queue.nextNew(this.#endpoint, this.#place)
    if (!next) return
    this.#isSending = true
    this.#place = next.seq
    // The next one follows the answer, and does not wait until that is written.
    this.#track(
      this.#deliver(next.delivery, () => {
        this.#isSending = false
        this.#sendNext()
      }),
    )
  }

  #sendAgain(delivery: WebhookDelivery): void {
    this.#again.add(delivery.id)
    const done = this.#deliver(delivery, () => undefined).finally(() => {
      this.#again.delete(delivery.id)
      this.pump()
    })
    this.#track(done)
  }

  #track(done: Promise<void>): void {
    this.#open.add(done)
    done.finally(() => this.#open.delete(done))
  }
}
