import type Stripe from 'stripe'
import { NO_PRODUCT_DETAILS, type Price, type Product, type Tier } from '../../../core/price.ts'
import type { View } from '../../../engine/history/view.ts'
import type { Wire } from '../wire.ts'

export function presentProduct(_view: View, product: Product): Wire<Stripe.Product> {
  const { images, marketing_features, ...details } = product.details ?? NO_PRODUCT_DETAILS
  return {
    id: product.id,
    object: 'product',
    active: product.active,
    created: product.created,
    default_price: product.default_price,
    description: product.description,
    images: [...images],
    livemode: false,
    marketing_features: marketing_features.map((name) => ({ name })),
    metadata: product.metadata,
    name: product.name,
    package_dimensions: null,
    shippable: details.shippable,
    statement_descriptor: details.statement_descriptor,
    tax_code: details.tax_code,
    tax_details: null,
    type: 'service',
    unit_label: details.unit_label,
    updated: product.created,
    url: details.url,
  }
}

export const presentPrice = (_view: View, price: Price): Wire<Stripe.Price> => ({
  id: price.id,
  object: 'price',
  active: price.active,
  billing_scheme: price.tiers ? 'tiered' : 'per_unit',
  created: price.created,
  currency: price.currency,
  custom_unit_amount: null,
  livemode: false,
  lookup_key: price.lookup_key,
  metadata: price.metadata,
  nickname: price.nickname,
  product: price.product ?? '',
  recurring: price.recurring && {
    interval: price.recurring.interval,
    interval_count: price.recurring.interval_count,
    meter: price.recurring.meter ?? null,
    trial_period_days: price.recurring.trial_period_days ?? null,
    usage_type: price.recurring.usage_type ?? 'licensed',
  },
  tax_behavior: 'unspecified',
  tiers_mode: price.tiers_mode,
  transform_quantity: price.transform_quantity && { ...price.transform_quantity },
  type: price.recurring ? 'recurring' : 'one_time',
  unit_amount: price.unit_amount,
  unit_amount_decimal: decimalOf(price.unit_amount, price.unit_amount_decimal),
})

/** Presents the tiers of a price, which are shown only if they are expanded. */
export const presentTiers = ({ tiers }: Price): Wire<Stripe.Price.Tier>[] | undefined =>
  tiers?.map(presentTier)

const presentTier = (tier: Tier): Wire<Stripe.Price.Tier> => ({
  flat_amount: tier.flat_amount,
  flat_amount_decimal: decimalOf(tier.flat_amount, tier.flat_amount_decimal),
  unit_amount: tier.unit_amount,
  unit_amount_decimal: decimalOf(tier.unit_amount, tier.unit_amount_decimal),
  up_to: tier.up_to,
})

/** Presents the price of a subscription item in its older form. */
export const presentPlan = (price: Price): Wire<Stripe.Plan> => ({
  id: price.id,
  object: 'plan',
  active: price.active,
  amount: price.unit_amount,
  amount_decimal: decimalOf(price.unit_amount, price.unit_amount_decimal),
  billing_scheme: price.tiers ? 'tiered' : 'per_unit',
  created: price.created,
  currency: price.currency,
  interval: price.recurring?.interval ?? 'month',
  interval_count: price.recurring?.interval_count ?? 1,
  livemode: false,
  metadata: price.metadata,
  meter: price.recurring?.meter ?? null,
  nickname: price.nickname,
  product: price.product,
  tiers_mode: price.tiers_mode,
  transform_usage: price.transform_quantity && { ...price.transform_quantity },
  trial_period_days: price.recurring?.trial_period_days ?? null,
  usage_type: price.recurring?.usage_type ?? 'licensed',
})

/** Presents an amount in decimal form, a whole amount too. */
export const decimalOf = (amount: number | null, decimal: string | null): string | null =>
  amount === null ? decimal : String(amount)
