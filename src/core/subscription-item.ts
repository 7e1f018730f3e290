import type { Metadata } from './metadata.ts'

/** An item. `price` is the price's id; the API shows the whole price. See docs/contract/subscriptions.md#items. */
export type SubscriptionItem = {
  readonly id: string
  readonly created: number
  readonly price: string
  /** null for a metered price, whose quantity is the usage of a period. */
  readonly quantity: number | null
  readonly metadata: Metadata
  /**
   * From when usage counts for the item, if its metered price was set or replaced within a period: Unix seconds. Not part of
   * the API's object.
   */
  readonly metered_from?: number
  /** Its own discounts, which take the place of the subscription's. Absent for none. */
  readonly discounts?: readonly string[]
}

/** An item whose quantity is the usage of a period. */
export type MeteredItem = SubscriptionItem & { readonly quantity: null }
/** An item with a quantity of its own. */
export type LicensedItem = SubscriptionItem & { readonly quantity: number }

/** Reports whether an item bills usage. See docs/contract/usage.md#metered-prices. */
export const isMetered = (item: SubscriptionItem): item is MeteredItem => item.quantity === null

/** Reports whether an item bills a quantity of its own. */
export const isLicensed = (item: SubscriptionItem): item is LicensedItem => item.quantity !== null
