import { total } from './money.ts'
import { priceAmount } from './price-amount.ts'
import type { Prices } from './subscription.ts'
import { isLicensed, type SubscriptionItem } from './subscription-item.ts'

/**
 * Returns the amount of one period of some items without usage, in the smallest currency unit.
 * @throws ApiError amount_too_large
 */
export const periodAmount = (items: readonly SubscriptionItem[], prices: Prices): number =>
  total(
    items.filter(isLicensed).map(({ price: id, quantity }) => {
      const price = prices.get(id)
      return price ? priceAmount(price, quantity) : 0
    }),
  )
