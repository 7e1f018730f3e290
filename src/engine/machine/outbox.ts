import type { MerchantState } from './merchant-state.ts'

/** Sends the deliveries of the outbox. */
export type Deliveries = {
  /** Resolves when no delivery of a merchant is under way. */
  readonly settled: (merchant: MerchantState) => Promise<void>
}

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

  /** Resolves when no delivery of a merchant is under way. */
  async settled(merchant: MerchantState): Promise<void> {
    await this.deliveries?.settled(merchant)
  }
}
