/** The variables in which applications expect Stripe's keys. See docs/stripe.md#unchanged-applications. */
const SECRET_KEY = ['STRIPE_SECRET_KEY', 'STRIPE_API_KEY', 'STRIPE_SECRET', 'STRIPE_PRIVATE_KEY']
const PUBLISHABLE_KEY = [
  ...['STRIPE_PUBLISHABLE_KEY', 'STRIPE_PUBLIC_KEY'],
  ...['NEXT_PUBLIC_STRIPE_PUBLISHABLE_KEY', 'VITE_STRIPE_PUBLISHABLE_KEY'],
]
const WEBHOOK_SECRET = ['STRIPE_WEBHOOK_SECRET', 'STRIPE_WEBHOOK_SIGNING_SECRET', 'STRIPE_SIGNING_SECRET']

export type StripeSettings = {
  readonly url: string
  readonly secretKey?: string | undefined
  readonly publishableKey?: string | undefined
  readonly webhookSecret: string
}

/** Returns the environment in which applications that use Stripe use a daemon. */
export const stripeVariables = ({
  url,
  secretKey,
  publishableKey,
  webhookSecret,
}: StripeSettings): Readonly<Record<string, string>> => ({
  PAYTWIN_URL: url,
  STRIPE_API_BASE: url,
  ...named(SECRET_KEY, secretKey),
  ...named(PUBLISHABLE_KEY, publishableKey),
  ...named(WEBHOOK_SECRET, webhookSecret),
})

const named = (names: readonly string[], value: string | undefined) =>
  value === undefined ? {} : Object.fromEntries(names.map((name) => [name, value]))
