import { assert } from '../../core/errors.ts'
import type { Kind, Objects } from '../../core/kinds.ts'
import type { View } from '../../engine/history/view.ts'
import type { Json } from '../json.ts'
import { presentPrice, presentProduct } from './present/catalog.ts'
import { presentCheckoutSession } from './present/checkout-session.ts'
import { presentCreditNote } from './present/credit-note.ts'
import {
  presentBalanceTransaction,
  presentCustomerInEvent,
  presentFoundCustomer,
} from './present/customer.ts'
import { presentCoupon, presentDiscount, presentPromotionCode } from './present/discount.ts'
import { presentDispute } from './present/dispute.ts'
import { presentInvoice, presentInvoiceItem } from './present/invoice.ts'
import { presentMeter } from './present/meter.ts'
import { presentCharge, presentPaymentIntent, presentRefund } from './present/payment.ts'
import { presentPaymentMethod } from './present/payment-method.ts'
import { presentPortalConfiguration, presentPortalSession } from './present/portal.ts'
import { presentSchedule } from './present/schedule.ts'
import { presentSetupIntent } from './present/setup-intent.ts'
import { presentSubscription } from './present/subscription.ts'
import { presentEndpoint } from './present/webhook.ts'

/** The presenters of the kinds that Stripe's API has. Events show these forms, also of deleted objects. */
const PRESENTERS: { readonly [K in Kind]?: (view: View, object: Objects[K]) => Json } = {
  customer: presentCustomerInEvent,
  customer_balance_transaction: presentBalanceTransaction,
  product: presentProduct,
  price: presentPrice,
  payment_method: presentPaymentMethod,
  subscription: presentSubscription,
  invoice: presentInvoice,
  invoice_item: presentInvoiceItem,
  payment_intent: presentPaymentIntent,
  charge: presentCharge,
  refund: presentRefund,
  webhook_endpoint: presentEndpoint,
  credit_note: presentCreditNote,
  dispute: presentDispute,
  billing_meter: presentMeter,
  subscription_schedule: presentSchedule,
  coupon: presentCoupon,
  promotion_code: presentPromotionCode,
  discount: presentDiscount,
  setup_intent: presentSetupIntent,
  checkout_session: presentCheckoutSession,
  billing_portal_configuration: presentPortalConfiguration,
  billing_portal_session: presentPortalSession,
}

/** Presents an object as in events: a deleted one has its last values. */
export function presentInEvent<K extends Kind>(view: View, kind: K, object: Objects[K]): Json {
  const present = PRESENTERS[kind]
  assert(present !== undefined, `Stripe's API has the kind ${kind}`)
  return present(view, object)
}

/** Presents an object as in the response to a GET, for `expand`. */
export const presentObject = <K extends Kind>(view: View, kind: K, object: Objects[K]): Json =>
  'email' in object ? presentFoundCustomer(view, object) : presentInEvent(view, kind, object)
