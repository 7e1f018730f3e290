import { stripe as stripePlugin } from '@better-auth/stripe'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import type Sqlite from 'better-sqlite3'
import type Stripe from 'stripe'

type Setup = {
  readonly stripe: Stripe
  readonly webhookSecret: string
  /** The address of the application. */
  readonly url: string
  /** The database that only webhooks and the routes of better-auth change. */
  readonly database: Sqlite.Database
  readonly prices: { readonly basic: string; readonly pro: string }
}

/** Creates an application that sells two plans: better-auth with its plugin for Stripe. Returns its handler of `/api/auth`. */
export async function createAuthApp({
  stripe,
  webhookSecret,
  url,
  database,
  prices,
}: Setup): Promise<(request: Request) => Promise<Response>> {
  const options = {
    baseURL: url,
    secret: 'a secret of thirty-two characters',
    database,
    emailAndPassword: { enabled: true },
    logger: { disabled: true },
    telemetry: { enabled: false },
    plugins: [
      stripePlugin({
        stripeClient: stripe as never,
        stripeWebhookSecret: webhookSecret,
        createCustomerOnSignUp: true,
        subscription: {
          enabled: true,
          plans: [
            { name: 'basic', priceId: prices.basic },
            { name: 'pro', priceId: prices.pro },
          ],
        },
      }),
    ],
  }
  await (await getMigrations(options as never)).runMigrations()
  return betterAuth(options as never).handler
}

/** Creates the prices of the two plans. */
export async function createPlans(stripe: Stripe): Promise<Setup['prices']> {
  const price = async (name: string, unit_amount: number) => {
    const { id: product } = await stripe.products.create({ name })
    const monthly = { currency: 'usd', recurring: { interval: 'month' } } as const
    return (await stripe.prices.create({ ...monthly, product, unit_amount })).id
  }
  return { basic: await price('Basic', 2000), pro: await price('Pro', 5000) }
}
