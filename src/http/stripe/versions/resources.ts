import type Stripe from 'stripe'
import type { Json } from '../../json.ts'
import type { ObjectsAt, VersionChange } from '../../versions.ts'
import type { Wire } from '../wire.ts'

/** The resources that changed between versions, by the name in `object`. None of their changes overlap. */
type Resources = {
  readonly charge: Wire<Stripe.Charge>
  readonly 'checkout.session': Wire<Stripe.Checkout.Session>
  readonly credit_note: Wire<Stripe.CreditNote>
  readonly credit_note_line_item: Wire<Stripe.CreditNoteLineItem>
  readonly discount: Wire<Stripe.Discount>
  readonly invoice: Wire<Stripe.Invoice>
  readonly invoiceitem: Wire<Stripe.InvoiceItem>
  readonly line_item: Wire<Stripe.InvoiceLineItem>
  readonly payment_intent: Wire<Stripe.PaymentIntent>
  readonly plan: Wire<Stripe.Plan>
  readonly price: Wire<Stripe.Price>
  readonly product: Wire<Stripe.Product>
  readonly promotion_code: Wire<Stripe.PromotionCode>
  readonly subscription: Wire<Stripe.Subscription>
  readonly subscription_item: Wire<Stripe.SubscriptionItem>
  readonly subscription_schedule: Wire<Stripe.SubscriptionSchedule>
}

/** Functions that convert a resource to the previous version, by the name in `object`. */
export type Downgrades = {
  readonly [Name in keyof Resources]?: (resource: Resources[Name], objects: ObjectsAt) => Json
}

/** Creates the `response` of a change. Other resources, and the stubs of deleted objects, stay as they are. */
export function byName(downgrades: Downgrades): NonNullable<VersionChange['response']> {
  const byObject = new Map(Object.entries(downgrades))
  return (resource, objects) => {
    const downgrade = isStub(resource) ? undefined : byObject.get(String(resource.object))
    // The presenters made the resource, so `object` says which type it has.
    return downgrade ? downgrade(resource as never, objects) : resource
  }
}

/** Reports whether a resource is only the id of a deleted object. */
const isStub = (resource: Json): boolean => resource.deleted === true && !('source' in resource)
