import type Stripe from 'stripe'
import { deleteCustomerDiscount } from '../../../engine/resources/discount.ts'
import { deleteSubscriptionDiscounts } from '../../../engine/resources/subscription-discount.ts'
import type { StripeApi } from '../api.ts'
import { presentDeletedDiscount } from '../present/discount.ts'
import { returning } from '../returns.ts'
import type { Wire } from '../wire.ts'

const deleted = returning<Wire<Stripe.DeletedDiscount>>('deleted_discount')

export function discountRoutes(api: StripeApi): void {
  api.write(
    {
      method: 'delete',
      path: '/v1/customers/:id/discount',
      summary: 'Removes the discount of a customer.',
      returns: deleted,
    },
    ({ unit, view, id }) => presentDeletedDiscount(view, deleteCustomerDiscount(unit, id)),
  )
  api.write(
    {
      method: 'delete',
      path: '/v1/subscriptions/:id/discount',
      summary: 'Removes the discounts of a subscription. Those of its items stay.',
      returns: deleted,
    },
    ({ unit, view, id }) => presentDeletedDiscount(view, deleteSubscriptionDiscounts(unit, id)),
  )
}
