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

/** What changed with 2025-03-31.basil. */
export const BASIL: readonly VersionChange[] = [
  {
    description:
      'Invoices have parent, payments and confirmation_secret in place of subscription, payment_intent, charge and paid; their lines have parent and pricing in place of price and plan; the period of a subscription is that of its items',
    request: basilParams,
    response: byName({
      charge: chargeBeforeBasil,
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
