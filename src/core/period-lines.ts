import type { InvoiceLine } from './invoice-line.ts'
import { fixedUnitAmount, priceAmount, quantityText } from './price-amount.ts'
import { type Prices, priceOf } from './subscription.ts'
import { isLicensed, type SubscriptionItem } from './subscription-item.ts'

/** Creates an invoice line for one period of each item; `newId` creates the ids of the lines. */
export const linesOf = (
  items: readonly SubscriptionItem[],
  prices: Prices,
  newId: (prefix: 'il') => string,
): InvoiceLine[] =>
  items.filter(isLicensed).map((item) => {
    const price = priceOf(item, prices)
    const unit_amount = fixedUnitAmount(price)
    const line = {
      id: newId('il'),
      amount: priceAmount(price, item.quantity),
      unit_amount,
      quantity: item.quantity,
      price: item.price,
      subscription_item: item.id,
    }
    const described =
      unit_amount === null ? { ...line, description: quantityText(price, item.quantity) } : line
    return item.discounts ? { ...described, discounts: item.discounts } : described
  })
