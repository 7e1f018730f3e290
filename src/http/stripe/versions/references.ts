import { BASIL_VERSION } from './basil-version.ts'

/** The fields of an object that refer to other objects, each with the name of the other object. */
export type References = Readonly<Record<string, string>>

/** The references that objects had before a version; undefined for references that the version added. */
type Before = {
  readonly version: string
  readonly objects: Readonly<Record<string, Readonly<Record<string, string | undefined>>>>
}

/** Newest first. */
const BEFORE: readonly Before[] = [
  {
    version: '2025-09-30.clover',
    objects: {
      discount: { coupon: 'coupon', 'source.coupon': undefined },
      promotion_code: { coupon: 'coupon', 'promotion.coupon': undefined },
    },
  },
  {
    version: BASIL_VERSION,
    objects: {
      invoice: {
        charge: 'charge',
        confirmation_secret: undefined,
        discount: 'discount',
        'parent.subscription_details.subscription': undefined,
        payment_intent: 'payment_intent',
        payments: undefined,
        subscription: 'subscription',
      },
      subscription: { discount: 'discount' },
      line_item: {
        invoice_item: 'invoiceitem',
        plan: 'plan',
        price: 'price',
        'pricing.price_details.price': undefined,
      },
      invoiceitem: {
        plan: 'plan',
        price: 'price',
        'pricing.price_details.price': undefined,
        subscription: 'subscription',
      },
      credit_note: { refund: 'refund', refunds: undefined },
      payment_intent: { invoice: 'invoice' },
      charge: { invoice: 'invoice' },
    },
  },
  { version: '2022-11-15', objects: { payment_intent: { charges: 'charge list' } } },
]

/** Returns the references of an object in a version. @param newest - those in the newest version */
export function referencesAt(version: string, object: string, newest: References = {}): References {
  const changes = BEFORE.filter((each) => version < each.version).map(({ objects }) => objects[object] ?? {})
  const known = Object.entries(Object.assign({}, newest, ...changes))
  return Object.fromEntries(known.filter((entry): entry is [string, string] => entry[1] !== undefined))
}
