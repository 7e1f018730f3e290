import type Stripe from 'stripe'
import { discountOf, subtotalOf } from '../../../core/checkout-amounts.ts'
import {
  type CheckoutLine,
  type CheckoutSession,
  checkoutFactsOf,
  recoverableUntil,
} from '../../../core/checkout-session.ts'
import type { View } from '../../../engine/history/view.ts'
import { checkoutUrl } from '../../checkout-session.ts'
import { couponReference } from '../../coupon.ts'
import { presentTaxResult } from '../automatic-tax.ts'
import type { Wire, WireList } from '../wire.ts'
import { presentPrice } from './catalog.ts'
import { stripeTypeOf } from './payment-method.ts'

export function presentCheckoutSession(view: View, session: CheckoutSession): Wire<Stripe.Checkout.Session> {
  const { settings, mode, currency } = session
  const isSale = mode !== 'setup'
  return {
    id: session.id,
    object: 'checkout.session',
    adaptive_pricing: isSale ? { enabled: false } : null,
    after_expiration: afterExpiration(view, session),
    allow_promotion_codes: settings.allow_promotion_codes,
    allowed_payment_method_types: null,
    amount_subtotal: isSale ? subtotalOf(session) : null,
    amount_total: session.amount_total,
    automatic_tax: taxOf(view, session),
    billing_address_collection: settings.billing_address_collection,
    cancel_url: settings.cancel_url,
    client_reference_id: session.client_reference_id,
    client_secret: null,
    collected_information: null,
    consent: settings.terms_of_service && {
      promotions: null,
      terms_of_service: session.accepted_terms ? 'accepted' : null,
    },
    consent_collection: settings.terms_of_service && {
      payment_method_reuse_agreement: null,
      promotions: null,
      terms_of_service: settings.terms_of_service,
    },
    created: session.created,
    currency,
    currency_conversion: null,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: textOf(settings.custom_text.submit),
      terms_of_service_acceptance: textOf(settings.custom_text.terms_of_service_acceptance),
    },
    customer: session.customer,
    customer_account: null,
    customer_creation: settings.customer_creation,
    customer_details: detailsOf(view, session),
    customer_email: session.customer_email,
    discounts: isSale ? session.discounts.map((each) => presentDiscount(view, each)) : null,
    expires_at: session.expires_at,
    integration_identifier: null,
    invoice: session.invoice,
    invoice_creation: mode === 'payment' ? invoiceCreation(session) : null,
    livemode: false,
    locale: settings.locale,
    managed_payments: { enabled: false },
    metadata: session.metadata,
    mode,
    origin_context: null,
    payment_intent: mode === 'payment' ? session.payment_intent : null,
    payment_link: null,
    payment_method_collection: settings.payment_method_collection,
    payment_method_configuration_details: null,
    payment_method_options: isSale
      ? { card: { request_three_d_secure: settings.request_three_d_secure ?? 'automatic' } }
      : null,
    payment_method_types: settings.payment_method_types.map(stripeTypeOf),
    payment_status: session.payment_status,
    permissions: null,
    phone_number_collection: { enabled: settings.phone_number_collection },
    recovered_from: session.recovered_from,
    saved_payment_method_options: null,
    setup_intent: mode === 'setup' ? session.setup_intent : null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: session.status,
    submit_type: settings.submit_type,
    subscription: session.subscription,
    success_url: settings.success_url,
    total_details: isSale
      ? { amount_discount: discountOf(session), amount_shipping: 0, amount_tax: 0 }
      : null,
    ui_mode: 'hosted_page',
    url: checkoutFactsOf(session).isOpen ? checkoutUrl(view, session.id) : null,
    wallet_options: null,
  }
}

/** Presents the calculation of taxes. It is complete as soon as it is known where the customer is. */
function taxOf(view: View, { settings, customer, customer_details }: CheckoutSession) {
  const given = customer === null ? undefined : view.get('customer', customer)
  const result = presentTaxResult(view, settings.automatic_tax === true, given)
  const isEntered = customer_details?.address != null && customer_details.address.country !== null
  return result.enabled && isEntered ? { ...result, status: 'complete' as const } : result
}

const textOf = (message: string | null) => (message === null ? null : { message })

function afterExpiration(
  view: View,
  session: CheckoutSession,
): Wire<Stripe.Checkout.Session.AfterExpiration> | null {
  const { recovery } = session.settings
  if (!recovery) return null
  const expires_at = recoverableUntil(session)
  return {
    recovery: {
      allow_promotion_codes: recovery.allow_promotion_codes,
      enabled: true,
      expires_at,
      url: expires_at === null ? null : checkoutUrl(view, session.id),
    },
  }
}

/** Presents what the customer entered or, before that, the customer's data in the request. */
function detailsOf(
  view: View,
  session: CheckoutSession,
): Wire<Stripe.Checkout.Session.CustomerDetails> | null {
  const { customer, customer_email, customer_details, settings } = session
  const given = settings.has_given_customer ? view.get('customer', customer ?? '') : undefined
  const email = customer_details?.email ?? customer_email ?? given?.email ?? null
  if (!customer_details && email === null) return null
  return {
    address: customer_details?.address ? { ...customer_details.address } : null,
    business_name: null,
    email,
    individual_name: null,
    name: customer_details?.name ?? null,
    phone: customer_details?.phone ?? null,
    tax_exempt: 'none',
    tax_ids: customer_details ? [] : null,
  }
}

const presentDiscount = (
  view: View,
  { coupon, promotion_code }: CheckoutSession['discounts'][number],
): Wire<Stripe.Checkout.Session.Discount> => ({
  ...couponReference(view, promotion_code === null ? coupon : null),
  promotion_code,
})

const invoiceCreation = ({
  outcomes: { invoice },
}: CheckoutSession): Wire<Stripe.Checkout.Session.InvoiceCreation> => ({
  enabled: invoice !== null,
  invoice_data: {
    account_tax_ids: null,
    custom_fields: null,
    description: invoice?.description ?? null,
    footer: null,
    issuer: null,
    metadata: invoice?.metadata ?? {},
    rendering_options: null,
  },
})

/** Presents what a line sells: its description is the name of the product. */
export function presentCheckoutLine(
  view: View,
  { currency }: CheckoutSession,
  line: CheckoutLine,
): Wire<Stripe.LineItem> {
  const price = view.get('price', line.price)
  const product = price?.product ? view.get('product', price.product) : undefined
  const { adjustable } = line
  return {
    id: line.id,
    object: 'item',
    adjustable_quantity: adjustable && { enabled: true, ...adjustable },
    amount_discount: line.amount_discount,
    amount_subtotal: line.amount_subtotal,
    amount_tax: 0,
    amount_total: line.amount_subtotal - line.amount_discount,
    currency: currency ?? '',
    description: product?.name ?? price?.nickname ?? null,
    metadata: line.metadata,
    price: price ? presentPrice(view, price) : null,
    quantity: line.quantity,
  }
}

/** Presents all lines of a session. */
export const presentCheckoutLines = (
  view: View,
  session: CheckoutSession,
): WireList<Wire<Stripe.LineItem>> => ({
  object: 'list',
  data: session.lines.map((line) => presentCheckoutLine(view, session, line)),
  has_more: false,
  url: `/v1/checkout/sessions/${session.id}/line_items`,
})
