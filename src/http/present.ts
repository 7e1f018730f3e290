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

/** Presents an object of any kind with all fields, as in events. A deleted object has its last values. */
export const present = <K extends Kind>(view: View, kind: K, object: Objects[K]): Json =>
  (PRESENTERS[kind] as Presenter<Objects[K]>)(view, object)

/** Presents an object of any kind as in the answer to a GET: a deleted customer as its deletion stub. */
export const presentFound = <K extends Kind>(view: View, kind: K, object: Objects[K]): Json =>
  kind === 'customer' ? presentCustomerOrStub(view, object as Customer) : present(view, kind, object)
