import type { Kind, Objects } from '../core/change.ts'
import type { View } from '../engine/view.ts'
import { presentCharge } from './charge.ts'
import { presentCustomerOrStub } from './customer.ts'
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
  customer: presentCustomerOrStub,
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

/** An object of any kind as the API shows it. */
export const present = <K extends Kind>(view: View, kind: K, object: Objects[K]): Json =>
  (PRESENTERS[kind] as Presenter<Objects[K]>)(view, object)
