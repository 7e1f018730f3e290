import { FEEDBACK } from './cancellation-feedback.ts'
import type { Metadata } from './metadata.ts'
import type { PRORATION_BEHAVIORS } from './proration.ts'

/** The data that customers can change. `tax_id` is only stored: paytwin has no tax ids. */
export const CUSTOMER_UPDATES = ['address', 'email', 'name', 'phone', 'shipping', 'tax_id'] as const
export const CANCEL_MODES = ['at_period_end', 'immediately'] as const
export const PLAN_UPDATES = ['price', 'promotion_code', 'quantity'] as const
export const SCHEDULE_CONDITIONS = ['decreasing_item_amount', 'shortening_interval'] as const
export const TRIAL_UPDATE_BEHAVIORS = ['continue_trial', 'end_trial'] as const

/** Stripe's limit of the products of a configuration. */
export const MAX_PRODUCTS = 10
/** The maximum number of prices of each. */
export const MAX_PRICES = 100

type ProrationBehavior = (typeof PRORATION_BEHAVIORS)[number]
type PlanUpdate = (typeof PLAN_UPDATES)[number]
type ScheduleCondition = (typeof SCHEDULE_CONDITIONS)[number]

/** A product with the prices and quantities that customers can choose. */
export type PortalProduct = {
  readonly product: string
  readonly prices: readonly string[]
  readonly adjustable_quantity: {
    readonly enabled: boolean
    readonly minimum: number
    readonly maximum: number | null
  }
}

/** The features of the customer portal. See docs/contract/customer-portal.md#features. */
export type PortalFeatures = {
  readonly customer_update: {
    readonly enabled: boolean
    readonly allowed_updates: readonly (typeof CUSTOMER_UPDATES)[number][]
  }
  readonly invoice_history: { readonly enabled: boolean }
  readonly payment_method_update: { readonly enabled: boolean }
  readonly subscription_cancel: {
    readonly enabled: boolean
    readonly mode: (typeof CANCEL_MODES)[number]
    readonly proration_behavior: ProrationBehavior
    readonly cancellation_reason: {
      readonly enabled: boolean
      readonly options: readonly (typeof FEEDBACK)[number][]
    }
  }
  readonly subscription_update: {
    readonly enabled: boolean
    readonly default_allowed_updates: readonly PlanUpdate[]
    /** null for every product of the merchant, as in the default configuration. */
    readonly products: readonly PortalProduct[] | null
    readonly proration_behavior: ProrationBehavior
    readonly billing_cycle_anchor: 'now' | 'unchanged' | null
    readonly trial_update_behavior: (typeof TRIAL_UPDATE_BEHAVIORS)[number]
    readonly schedule_at_period_end: { readonly conditions: readonly ScheduleCondition[] }
  }
}

/** The data of the business that the pages of the portal show. */
export type BusinessProfile = {
  readonly headline: string | null
  readonly privacy_policy_url: string | null
  readonly terms_of_service_url: string | null
}

/** A configuration of the customer portal. See docs/contract/customer-portal.md#configurations. */
export type PortalConfiguration = {
  readonly id: string
  readonly created: number
  readonly updated: number
  readonly active: boolean
  /** Whether it is the configuration of sessions that name none. */
  readonly is_default: boolean
  readonly name: string | null
  readonly default_return_url: string | null
  readonly business_profile: BusinessProfile
  readonly features: PortalFeatures
  readonly metadata: Metadata
}

export const NO_PROFILE: BusinessProfile = {
  headline: null,
  privacy_policy_url: null,
  terms_of_service_url: null,
}

/** The features of a configuration that enables none of them. */
export const NO_FEATURES: PortalFeatures = {
  customer_update: { enabled: false, allowed_updates: [] },
  invoice_history: { enabled: false },
  payment_method_update: { enabled: false },
  subscription_cancel: {
    enabled: false,
    mode: 'at_period_end',
    proration_behavior: 'none',
    cancellation_reason: { enabled: false, options: FEEDBACK },
  },
  subscription_update: {
    enabled: false,
    default_allowed_updates: [],
    products: [],
    proration_behavior: 'none',
    billing_cycle_anchor: null,
    trial_update_behavior: 'end_trial',
    schedule_at_period_end: { conditions: [] },
  },
}

/**
 * The features of the default configuration, which Stripe's users choose in the dashboard: everything, and every product.
 * paytwin. See docs/contract/customer-portal.md#the-default-configuration.
 */
export const DEFAULT_FEATURES: PortalFeatures = {
  customer_update: { enabled: true, allowed_updates: ['email', 'name', 'address', 'phone'] },
  invoice_history: { enabled: true },
  payment_method_update: { enabled: true },
  subscription_cancel: {
    ...NO_FEATURES.subscription_cancel,
    enabled: true,
    cancellation_reason: { enabled: true, options: FEEDBACK },
  },
  subscription_update: {
    ...NO_FEATURES.subscription_update,
    enabled: true,
    default_allowed_updates: ['price', 'quantity', 'promotion_code'],
    products: null,
    proration_behavior: 'create_prorations',
    trial_update_behavior: 'continue_trial',
  },
}
