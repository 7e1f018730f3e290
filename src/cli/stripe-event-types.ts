import { ALL_EVENT_TYPES } from '../core/kinds.ts'

/**
 * Stripe's names of the event types, in the order of paytwin's own. The command line does not load Stripe's API, which has the
 * table of names; a test compares both.
 */
export const STRIPE_EVENT_TYPES: readonly string[] = ALL_EVENT_TYPES.map((type) =>
  type === 'invoice.payment_paid' ? 'invoice_payment.paid' : type.replace(/^subscription\./, 'customer.$&'),
)
