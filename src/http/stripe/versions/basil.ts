import type { VersionChange } from '../../versions.ts'
import { invoiceBeforeBasil, itemBeforeBasil, lineBeforeBasil } from './basil-invoice.ts'
import { basilParams } from './basil-params.ts'
import {
  chargeBeforeBasil,
  creditLineBeforeBasil,
  creditNoteBeforeBasil,
  intentBeforeBasil,
} from './basil-payment.ts'
import {
  planBeforeBasil,
  priceBeforeBasil,
  scheduleBeforeBasil,
  subscriptionBeforeBasil,
  subscriptionItemBeforeBasil,
} from './basil-subscription.ts'
import { byName } from './resources.ts'

/** The changes of version 2025-03-31.basil. */
export const BASIL: readonly VersionChange[] = [
  {
    description:
      'Subscriptions have `current_period_start`, `current_period_end` and `discount`. Invoices have `subscription`, `subscription_details`, `payment_intent`, `charge`, `paid`, `discount` and `tax`; lines have `price`, `plan`, `proration`, `subscription_item` and `type`. Payment intents and charges have `invoice`. Customers, subscriptions, phases of schedules and previews take `coupon` and `promotion_code`, invoice items take `price`. `GET /v1/invoices/upcoming` previews an invoice. Checkout sessions have `shipping_details`.',
    request: basilParams,
    response: byName({
      charge: chargeBeforeBasil,
      'checkout.session': (session) => ({ ...session, shipping_details: null }),
      credit_note: creditNoteBeforeBasil,
      credit_note_line_item: creditLineBeforeBasil,
      invoice: invoiceBeforeBasil,
      invoiceitem: itemBeforeBasil,
      line_item: lineBeforeBasil,
      payment_intent: intentBeforeBasil,
      plan: planBeforeBasil,
      price: priceBeforeBasil,
      subscription: subscriptionBeforeBasil,
      subscription_item: subscriptionItemBeforeBasil,
      subscription_schedule: scheduleBeforeBasil,
    }),
  },
]
