import { type References, referencesAt } from './versions/references.ts'

const INVOICE: References = {
  customer: 'customer',
  default_payment_method: 'payment_method',
  discounts: 'discount',
  'parent.subscription_details.subscription': 'subscription',
  total_discount_amounts: 'discount_amount',
  // Always an object while the invoice is open.
  confirmation_secret: '',
  payments: 'invoice_payment list',
  lines: 'line_item list',
}

/**
 * The fields of each object that can be expanded, or that a path can go through. A name with ` list` is a list of objects.
 * Fields that always hold objects, such as the items of a subscription, are listed too.
 */
const REFERENCES: Readonly<Record<string, References>> = {
  customer: {
    'invoice_settings.default_payment_method': 'payment_method',
    discount: 'discount',
    subscriptions: 'subscription list',
  },
  coupon: { applies_to: '' },
  promotion_code: { customer: 'customer', 'promotion.coupon': 'coupon' },
  discount: { customer: 'customer', promotion_code: 'promotion_code', 'source.coupon': 'coupon' },
  discount_amount: { discount: 'discount' },
  customer_balance_transaction: { customer: 'customer', invoice: 'invoice', credit_note: 'credit_note' },
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
    lines: 'credit_note_line_item list',
    refunds: 'credit_note_refund',
  },
  credit_note_refund: { refund: 'refund' },
  line_item: {
    discounts: 'discount',
    discount_amounts: 'discount_amount',
    'pricing.price_details.price': 'price',
    subscription: 'subscription',
  },
  invoiceitem: {
    customer: 'customer',
    invoice: 'invoice',
    discounts: 'discount',
    'pricing.price_details.price': 'price',
  },
  payment_intent: { customer: 'customer', payment_method: 'payment_method', latest_charge: 'charge' },
  setup_intent: { customer: 'customer', payment_method: 'payment_method' },
  'checkout.session': {
    customer: 'customer',
    invoice: 'invoice',
    payment_intent: 'payment_intent',
    setup_intent: 'setup_intent',
    subscription: 'subscription',
    discounts: 'checkout_discount',
    line_items: 'item list',
    'total_details.breakdown': '',
  },
  checkout_discount: { coupon: 'coupon', promotion_code: 'promotion_code' },
  item: { 'price.product': 'product', price: 'price', discounts: '' },
  charge: {
    balance_transaction: 'balance_transaction',
    customer: 'customer',
    failure_balance_transaction: 'balance_transaction',
    payment_intent: 'payment_intent',
    refunds: 'refund list',
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
  schedule_phase: {
    default_payment_method: 'payment_method',
    discounts: 'schedule_discount',
    items: 'schedule_item',
  },
  schedule_item: { price: 'price', plan: 'plan', discounts: 'schedule_discount' },
  schedule_discount: { coupon: 'coupon', discount: 'discount', promotion_code: 'promotion_code' },
  'billing_portal.configuration': { 'features.subscription_update.products': '' },
  'billing_portal.session': { configuration: 'billing_portal.configuration' },
  refund: {
    balance_transaction: 'balance_transaction',
    charge: 'charge',
    customer: 'customer',
    failure_balance_transaction: 'balance_transaction',
    payment_intent: 'payment_intent',
    payment_method: 'payment_method',
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
  const { levels, rest } = follow(root, path, version)
  if (levels <= MAX_LEVELS && rest !== '') return whyNot(root, path, { rest, version })
  return levels > MAX_LEVELS
    ? `You cannot expand more than ${MAX_LEVELS} levels of a property (${path}).`
    : undefined
}

/** Fields that Stripe can expand, and that are always null in paytwin. */
const NOT_YET: ReadonlySet<string> = new Set([
  'account_tax_ids',
  'application',
  'application_fee',
  'cash_balance',
  'checkout_session',
  'default_source',
  'latest_attempt',
  'latest_revision',
  'mandate',
  'on_behalf_of',
  'review',
  'single_use_mandate',
  'source_transfer',
  'sources',
  'tax_code',
  'tax_ids',
  'test_clock',
  'transfer',
])

/** Explains why a path cannot be expanded. @param at.rest - the path from the first field that is not known */
function whyNot(root: string, path: string, { rest, version }: { rest: string; version: string }): string {
  const [field = ''] = rest.split('.')
  if (NOT_YET.has(field)) return `paytwin does not know how to expand ${field} yet (${path}).`
  const inData = `data.${path}`
  const isInData = rest === path && follow(root, inData, version).rest === ''
  const hint = isInData ? ` You may want to try expanding '${inData}' instead.` : ''
  return `This property cannot be expanded (${path}).${hint}`
}

/** Follows a path until a field is unknown or too deep. Returns the number of levels, and the rest of the path. */
function follow(root: string, path: string, version: string): { levels: number; rest: string } {
  let rest = path
  let at = root
  let levels = 0
  while (rest !== '' && levels <= MAX_LEVELS) {
    const step = stepOf(version, at, rest)
    if (!step) break
    if (step.taken !== 'data') levels += 1
    at = step.to
    rest = rest.slice(step.taken.length + 1)
  }
  return { levels, rest }
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
