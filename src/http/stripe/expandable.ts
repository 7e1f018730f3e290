import { type References, referencesAt } from './versions/references.ts'

const INVOICE: References = {
  customer: 'customer',
  default_payment_method: 'payment_method',
  discounts: 'discount',
  total_discount_amounts: 'discount_amount',
  // Always shown while the invoice is open.
  confirmation_secret: '',
  payments: 'invoice_payment list',
  lines: 'line_item list',
}

/**
 * The fields of each object that can be expanded, or that a path can go through. A name with ` list` is a list of objects.
 * Fields that hold objects in any case, such as the items of a subscription, are here too.
 */
const REFERENCES: Readonly<Record<string, References>> = {
  customer: { 'invoice_settings.default_payment_method': 'payment_method', discount: 'discount' },
  coupon: { applies_to: '' },
  promotion_code: { customer: 'customer', 'promotion.coupon': 'coupon' },
  discount: { customer: 'customer', promotion_code: 'promotion_code', 'source.coupon': 'coupon' },
  discount_amount: { discount: 'discount' },
  customer_balance_transaction: { customer: 'customer', invoice: 'invoice' },
  product: { default_price: 'price' },
  price: { product: 'product', tiers: '' },
  plan: { product: 'product', tiers: '' },
  payment_method: { customer: 'customer' },
  subscription: {
    customer: 'customer',
    default_payment_method: 'payment_method',
    discounts: 'discount',
    latest_invoice: 'invoice',
    schedule: 'subscription_schedule',
    pending_setup_intent: 'setup_intent',
    items: 'subscription_item list',
  },
  subscription_item: { price: 'price', plan: 'plan', discounts: 'discount' },
  invoice: INVOICE,
  invoice_payment: { invoice: 'invoice', 'payment.payment_intent': 'payment_intent' },
  credit_note: {
    customer: 'customer',
    invoice: 'invoice',
    customer_balance_transaction: 'customer_balance_transaction',
  },
  line_item: {
    discounts: 'discount',
    discount_amounts: 'discount_amount',
    'pricing.price_details.price': 'price',
    'pricing.price_details.product': 'product',
  },
  invoiceitem: {
    customer: 'customer',
    invoice: 'invoice',
    discounts: 'discount',
    'pricing.price_details.price': 'price',
    'pricing.price_details.product': 'product',
  },
  payment_intent: { customer: 'customer', payment_method: 'payment_method', latest_charge: 'charge' },
  setup_intent: { customer: 'customer', payment_method: 'payment_method' },
  charge: {
    balance_transaction: 'balance_transaction',
    customer: 'customer',
    payment_intent: 'payment_intent',
  },
  balance_transaction: { source: 'balance_source' },
  // A charge, a refund or a dispute.
  balance_source: { charge: 'charge', customer: 'customer', payment_intent: 'payment_intent' },
  dispute: { charge: 'charge', payment_intent: 'payment_intent' },
  subscription_schedule: {
    customer: 'customer',
    subscription: 'subscription',
    released_subscription: 'subscription',
    'default_settings.default_payment_method': 'payment_method',
    phases: 'schedule_phase',
  },
  schedule_phase: { default_payment_method: 'payment_method', items: 'schedule_item' },
  schedule_item: { price: 'price', plan: 'plan' },
  refund: {
    balance_transaction: 'balance_transaction',
    charge: 'charge',
    failure_balance_transaction: 'balance_transaction',
    payment_intent: 'payment_intent',
  },
}

const MAX_LEVELS = 4

/**
 * Checks a path of `expand`.
 * @param root - the object of the route, such as `customer` or `customer list`
 * @param version - the version of the request, in which some objects have other fields
 * @returns why the path cannot be expanded, as a sentence; undefined if it can
 */
export function expandableAt(root: string, path: string, version: string): string | undefined {
  let rest = path
  let at: string | undefined = root
  let levels = 0
  while (rest !== '') {
    const step: Step | undefined = stepOf(version, at, rest)
    if (!step) return `This property cannot be expanded (${path}).`
    if (step.taken !== 'data') levels += 1
    at = step.to
    rest = rest.slice(step.taken.length + 1)
  }
  return levels > MAX_LEVELS
    ? `You cannot expand more than ${MAX_LEVELS} levels of a property (${path}).`
    : undefined
}

type Step = { readonly taken: string; readonly to: string }

/** Returns the beginning of a path that an object has, and the object that it leads to. */
function stepOf(version: string, object: string, path: string): Step | undefined {
  const isAt = (field: string) => path === field || path.startsWith(`${field}.`)
  const [, entry, container] = /^(.*) (list|search)$/.exec(object) ?? []
  if (entry !== undefined && isAt('data')) return { taken: 'data', to: entry }
  if (container === 'search' && path === 'total_count') return { taken: path, to: '' }
  const newest = Object.hasOwn(REFERENCES, object) ? REFERENCES[object] : undefined
  const found = Object.entries(referencesAt(version, object, newest)).find(([field]) => isAt(field))
  return found && { taken: found[0], to: found[1] }
}
