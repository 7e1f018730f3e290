import { stripeOf } from './stripe.ts'
import type { LoadStripe, StripeConstructor } from './types.ts'

export type * from './types.ts'

export const loadStripe: LoadStripe = Object.assign(
  async (publishableKey: string) => (typeof window === 'undefined' ? null : stripeOf(publishableKey)),
  // They are parameters of Stripe's script, which is not loaded.
  { setLoadParameters: () => undefined },
)

/** The version is the newest that `@stripe/stripe-js` expects. */
export const Stripe: StripeConstructor = Object.assign((publishableKey: string) => stripeOf(publishableKey), {
  version: 'endive',
})
