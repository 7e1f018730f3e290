import type { Kind, Objects } from '../core/change.ts'
import type { Customer } from '../core/customer.ts'
import type { View } from '../engine/view.ts'
import { presentCharge } from './charge.ts'
import { presentCustomer, presentCustomerOrStub } from './customer.ts'
import { presentInvoice } from './invoice.ts'
import { presentInvoiceItem } from './invoice-item.ts'
import type { Json } from './json.ts'
import { presentPaymentIntent } from './payment-intent.ts'
import { presentPaymentMethod } from './payment-method.ts'
import { presentPrice, presentProduct } from './price.ts'
import { presentRefund } from './refund.ts'
import { presentSubscription } from './subscription.ts'
import { presentDelivery, presentEndpoint } from './webhook-endpoint.ts'

type Presenter<T> = (view: View, object: T) => Json

const PRESENTERS: { readonly [K in Kind]: Presenter<Objects[K]> } = {
  customer: presentCustomer,
  product: presentProduct,
  price: presentPrice,
  payment_method: presentPaymentMethod,
  subscription: presentSubscription,
  invoice: presentInvoice,
  payment_intent: presentPaymentIntent,
  charge: presentCharge,
  refund: presentRefund,
  invoice_item: presentInvoiceItem,
  webhook_endpoint: presentEndpoint,
  webhook_delivery: presentDelivery,
}

/** Shows an object of any kind whole, as events do: a deleted one as it last was. */
export const present = <K extends Kind>(view: View, kind: K, object: Objects[K]): Json =>
  (PRESENTERS[kind] as Presenter<Objects[K]>)(view, object)

/** Shows an object of any kind as a request finds it now: what is left of a deleted customer is its deletion stub. */
export const presentFound = <K extends Kind>(view: View, kind: K, object: Objects[K]): Json =>
  kind === 'customer' ? presentCustomerOrStub(view, object as Customer) : present(view, kind, object)
