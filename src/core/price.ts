import type { Recurring } from './calendar.ts'
import { addIntervals } from './calendar.ts'
import type { Metadata, WithoutMetadata } from './metadata.ts'

/** The details of a product that pages show. Only Stripe's API has them. */
export type ProductDetails = {
  readonly images: readonly string[]
  readonly marketing_features: readonly string[]
  readonly shippable: boolean | null
  readonly statement_descriptor: string | null
  readonly tax_code: string | null
  readonly unit_label: string | null
  readonly url: string | null
}

export const NO_PRODUCT_DETAILS: ProductDetails = {
  images: [],
  marketing_features: [],
  shippable: null,
  statement_descriptor: null,
  tax_code: null,
  unit_label: null,
  url: null,
}

/** A product. See docs/contract/customers.md#products. */
export type Product = {
  readonly id: string
  readonly created: number
  readonly name: string
  readonly active: boolean
  readonly description: string | null
  /** The price that was created with the product, or was chosen later. */
  readonly default_price: string | null
  readonly metadata: Metadata
  /** null if nothing was given. */
  readonly details: ProductDetails | null
}

export const TIERS_MODES = ['graduated', 'volume'] as const
export type TiersMode = (typeof TIERS_MODES)[number]

/**
 * A tier of a price. Amounts are in the smallest currency unit. An amount that is not whole is null, and only its decimal is set;
 * both are null for an amount that the tier does not have. See docs/contract/customers.md#tiers.
 */
export type Tier = {
  /** The last quantity of the tier; null for the last tier. */
  readonly up_to: number | null
  readonly unit_amount: number | null
  readonly unit_amount_decimal: string | null
  readonly flat_amount: number | null
  readonly flat_amount_decimal: string | null
}

export const ROUNDINGS = ['up', 'down'] as const

/** Divides a quantity before it is billed. See docs/contract/customers.md#packages. */
export type TransformQuantity = { readonly divide_by: number; readonly round: (typeof ROUNDINGS)[number] }

export const USAGE_TYPES = ['licensed', 'metered'] as const

/**
 * The interval of a recurring price, and the meter of a metered one: its quantity is the usage of a period.
 * See docs/contract/usage.md#metered-prices.
 */
export type PriceRecurring = Recurring & {
  readonly usage_type?: 'metered'
  readonly meter?: string
  /** The days of the trial that subscriptions can take from the price. Only Stripe's API has it. */
  readonly trial_period_days?: number
}

/** A price. Amounts are in the smallest currency unit, 0 to 99999999. See docs/contract/customers.md#prices. */
export type Price = {
  readonly id: string
  readonly created: number
  readonly product: string | null
  readonly nickname: string | null
  /** null for a price with tiers, and for an amount that is not whole. */
  readonly unit_amount: number | null
  /** An amount that is not whole, such as `0.5`; null if `unit_amount` is set or there are tiers. */
  readonly unit_amount_decimal: string | null
  /** null for an amount per unit. */
  readonly tiers_mode: TiersMode | null
  readonly tiers: readonly Tier[] | null
  readonly transform_quantity: TransformQuantity | null
  readonly currency: string
  /** null for a one-time price. */
  readonly recurring: PriceRecurring | null
  readonly active: boolean
  readonly lookup_key: string | null
  readonly metadata: Metadata
}

/** What decisions and projections read of a price. */
export type BilledPrice = WithoutMetadata<Price>

/** A price without its tiers and metadata, which can be long. */
export type PriceTerms = Omit<Price, 'tiers' | 'metadata'>

/** Reports whether an interval is at most three years long. See docs/contract/customers.md#prices. */
export const isWithinThreeYears = (recurring: Recurring): boolean =>
  addIntervals(0, recurring, 1) <= addIntervals(0, { interval: 'year', interval_count: 3 }, 1)

/** Returns the meter of a metered price; undefined for other prices. */
export const meterOf = ({ recurring }: Pick<Price, 'recurring'>): string | undefined => recurring?.meter
