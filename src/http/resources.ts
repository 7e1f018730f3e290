import type { Kind, Objects } from '../core/kinds.ts'
import type { View } from '../engine/history/view.ts'
import { chargeResource } from './charge.ts'
import { checkoutSessionResource } from './checkout-session.ts'
import { couponResource } from './coupon.ts'
import { creditNoteResource } from './credit-note.ts'
import { customerResource } from './customer.ts'
import { customerBalanceResource } from './customer-balance.ts'
import { discountResource } from './discount.ts'
import { disputeResource } from './dispute.ts'
import { invoiceResource } from './invoice.ts'
import { invoiceItemResource } from './invoice-item.ts'
import type { Json } from './json.ts'
import { meterResource } from './meter.ts'
import { paymentIntentResource } from './payment-intent.ts'
import { paymentMethodResource } from './payment-method.ts'
import { portalConfigurationResource, portalSessionResource } from './portal.ts'
import { priceResource, productResource } from './price.ts'
import { promotionCodeResource } from './promotion-code.ts'
import { refundResource } from './refund.ts'
import type { Resource } from './resource.ts'
import { setupIntentResource } from './setup-intent.ts'
import { subscriptionResource } from './subscription.ts'
import { subscriptionScheduleResource } from './subscription-schedule.ts'
import { webhookEndpointResource } from './webhook-endpoint.ts'

/** Every kind of object in the API. The order is that of the documentation. */
export const RESOURCES: { readonly [K in Kind]: Resource<K> } = {
  customer: customerResource,
  customer_balance_transaction: customerBalanceResource,
  product: productResource,
  price: priceResource,
  billing_meter: meterResource,
  coupon: couponResource,
  promotion_code: promotionCodeResource,
  discount: discountResource,
  payment_method: paymentMethodResource,
  subscription: subscriptionResource,
  subscription_schedule: subscriptionScheduleResource,
  invoice: invoiceResource,
  invoice_item: invoiceItemResource,
  credit_note: creditNoteResource,
  payment_intent: paymentIntentResource,
  charge: chargeResource,
  refund: refundResource,
  dispute: disputeResource,
  setup_intent: setupIntentResource,
  checkout_session: checkoutSessionResource,
  billing_portal_configuration: portalConfigurationResource,
  billing_portal_session: portalSessionResource,
  webhook_endpoint: webhookEndpointResource,
}

const resourceOf = <K extends Kind>(kind: K): Resource<K> => RESOURCES[kind] as Resource<K>

/** Presents an object of any kind with all fields, as in events. A deleted object has its last values. */
export const present = <K extends Kind>(view: View, kind: K, object: Objects[K]): Json =>
  resourceOf(kind).present(view, object)

/** Presents an object of any kind as in the response to a GET: a deleted customer as its deletion stub. */
export const presentFound = <K extends Kind>(view: View, kind: K, object: Objects[K]): Json => {
  const { present, presentFound = present } = resourceOf(kind)
  return presentFound(view, object)
}
