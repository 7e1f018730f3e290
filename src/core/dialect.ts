/**
 * The APIs that a merchant can have: paytwin's own, or Stripe's. A merchant's dialect is fixed when the merchant is created.
 * See docs/contract/operator.md#dialects.
 */
export const DIALECTS = ['paytwin', 'stripe'] as const
export type Dialect = (typeof DIALECTS)[number]

/** The dialect of a merchant that is created without one. */
export const DEFAULT_DIALECT: Dialect = 'paytwin'
