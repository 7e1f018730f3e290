import type { Metadata } from './metadata.ts'

/** An item. `price` is the price's id; the API shows the whole price. See docs/contract/subscriptions.md#items. */
export type SubscriptionItem = {
  readonly id: string
  readonly created: number
  readonly price: string
  readonly quantity: number
  readonly metadata: Metadata
}
