import type Stripe from 'stripe'
import type { Json } from '../../json.ts'
import type { ObjectsAt } from '../../versions.ts'
import { decimalOf, presentPlan } from '../present/catalog.ts'
import type { Wire } from '../wire.ts'
import { onlyDiscount } from './basil-subscription.ts'

/**
 * Returns an invoice with the fields `subscription`, `payment_intent` and `charge`, which `parent` and `payments` replaced. When the event of
 * an attempt is recorded, the invoice has its charge, but the intent not yet. An invoice that was paid out of band names that of the last attempt.
 */
export function invoiceBeforeBasil(invoice: Wire<Stripe.Invoice>, objects: ObjectsAt): Json {
  const { confirmation_secret: _secret, parent, payments, total_taxes: _taxes, ...rest } = invoice
  const { amount_paid_off_stripe, ...others } = rest
  const payment_intent = payments?.data.find(({ is_default }) => is_default)?.payment.payment_intent ?? null
  const intent = payment_intent === null ? undefined : objects.view.get('payment_intent', payment_intent)
  const details = parent?.subscription_details ?? null
  return {
    ...others,
    application_fee_amount: null,
    charge: objects.view.get('invoice', invoice.id)?.charge ?? intent?.latest_charge ?? null,
    discount: onlyDiscount(invoice.discounts, objects),
    paid: invoice.status === 'paid',
    paid_out_of_band: amount_paid_off_stripe !== undefined,
    payment_intent,
    quote: null,
    subscription: details?.subscription ?? null,
    subscription_details: details && { metadata: details.metadata },
    tax: null,
    total_tax_amounts: [],
    transfer_data: null,
  }
}

/** Returns a line with the whole price and with its source, which `pricing` and `parent` replaced. */
export function lineBeforeBasil(line: Wire<Stripe.InvoiceLineItem>, objects: ObjectsAt): Json {
  const { parent, pricing, taxes: _, ...others } = line
  const { invoice_item_details: ofItem, subscription_item_details: ofSubscription } = parent ?? {}
  const invoice_item = ofItem?.invoice_item || ofSubscription?.invoice_item
  return {
    ...others,
    amount_excluding_tax: line.amount,
    ...(invoice_item && { invoice_item }),
    ...priceAndPlan(pricing, objects),
    proration: (ofItem ?? ofSubscription)?.proration ?? false,
    proration_details: { credited_items: null },
    ...(ofSubscription?.subscription_item && { subscription_item: ofSubscription.subscription_item }),
    tax_amounts: [],
    tax_rates: [],
    type: ofSubscription ? 'subscription' : 'invoiceitem',
    unit_amount_excluding_tax: pricing?.unit_amount_decimal ?? null,
  }
}

export function itemBeforeBasil(item: Wire<Stripe.InvoiceItem>, objects: ObjectsAt): Json {
  const { parent, pricing, ...others } = item
  const details = parent?.subscription_details
  const unit_amount = objects.view.get('invoice_item', item.id)?.unit_amount ?? null
  return {
    ...others,
    ...priceAndPlan(pricing, objects),
    subscription: details?.subscription ?? null,
    ...(details?.subscription_item && { subscription_item: details.subscription_item }),
    unit_amount,
    unit_amount_decimal: decimalOf(unit_amount, null),
  }
}

/** Returns the whole price of a line, and the plan that a recurring price is. */
function priceAndPlan(pricing: Wire<Stripe.InvoiceLineItem.Pricing> | null, { view, show }: ObjectsAt): Json {
  const id = pricing?.price_details?.price
  const price = id === undefined ? undefined : view.get('price', id)
  if (!price) return { plan: null, price: null }
  return { plan: price.recurring && presentPlan(price), price: show('price', price.id) ?? null }
}
