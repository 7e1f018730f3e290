import type { MerchantState } from './merchant-state.ts'

/** How to wait for deliveries. */
export type SettledOptions = {
  /** The maximum number of deliveries to wait for that are created meanwhile; unlimited by default. */
  readonly mostLater?: number
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined
}

/** Sends the deliveries of the outbox. */
export type Deliveries = {
  /** Resolves when no delivery of a merchant is under way. */
  readonly settled: (merchant: MerchantState, options?: SettledOptions) => Promise<void>
}

/**
 * The maximum number of deliveries for which a step of an advance waits beyond those that exist when it begins to wait: callbacks
 * cause them, but so do other writes of the merchant, which may never cease.
 */
const MOST_LATER = 200

/** The webhook endpoints for which transactions have written deliveries. The deliveries themselves are rows of the database. */
export class Outbox {
  /** Set by the sandbox once it sends webhooks. */
  deliveries: Deliveries | null = null
  #endpoints = new Map<string, MerchantState>()

  /** Records that an endpoint has a delivery to send once the transaction is committed. */
  add(endpoint: string, merchant: MerchantState): void {
    this.#endpoints.set(endpoint, merchant)
  }

  /** Takes the endpoints that were added since the last call. */
  take(): ReadonlyMap<string, MerchantState> {
    const endpoints = this.#endpoints
    if (endpoints.size > 0) this.#endpoints = new Map()
    return endpoints
  }

  /** Drops all endpoints: their merchants were replaced. */
  clear(): void {
    this.#endpoints = new Map()
  }

  /**
   * Resolves when the webhooks of a step of an advance are answered, or the signal is aborted.
   * See docs/contract/clocks.md#await-webhooks.
   */
  async answered(merchant: MerchantState, signal?: AbortSignal): Promise<void> {
    await this.deliveries?.settled(merchant, { mostLater: MOST_LATER, signal })
  }

  /** Resolves when no delivery of a merchant is under way. */
  async settled(merchant: MerchantState): Promise<void> {
    await this.deliveries?.settled(merchant)
  }
}
