import { stripe as stripePlugin } from '@better-auth/stripe'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import Sqlite from 'better-sqlite3'
import type Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type StripeTwin, startStripe } from '../../http/stripe/sdk.ts'
import { asOperator } from '../../http/support.ts'

/** The application: better-auth with its plugin for Stripe, on a database of its own that only webhooks and its routes change. */
let sdk: StripeTwin
let stripe: Stripe
let database: Sqlite.Database
let handle: (request: Request) => Promise<Response>
let cookie = ''
let customer = ''
let subscription = ''
let prices: { basic: string; pro: string }

const at = (instant: string) => Math.floor(Date.parse(instant) / 1_000)

beforeAll(async () => {
  sdk = await startStripe({
    // Later than the wall clock: the plugin compares periods with it.
    now: '2040-01-31T10:00:00Z',
    send: async ({ headers, body }) => {
      const response = await handle(
        new Request('http://localhost:3000/api/auth/stripe/webhook', { method: 'POST', headers, body }),
      )
      return { status: response.status, body: '' }
    },
  })
  stripe = sdk.stripe
  const price = async (name: string, unit_amount: number) => {
    const { id: product } = await stripe.products.create({ name })
    const monthly = { currency: 'usd', recurring: { interval: 'month' } } as const
    return (await stripe.prices.create({ ...monthly, product, unit_amount })).id
  }
  prices = { basic: await price('Basic', 2000), pro: await price('Pro', 5000) }
  const endpoint = await stripe.webhookEndpoints.create({
    url: 'http://localhost:3000/api/auth/stripe/webhook',
    enabled_events: ['*'],
  })
  database = new Sqlite(':memory:')
  const options = {
    baseURL: 'http://localhost:3000',
    secret: 'a secret of thirty-two characters',
    database,
    emailAndPassword: { enabled: true },
    logger: { disabled: true },
    telemetry: { enabled: false },
    plugins: [
      stripePlugin({
        stripeClient: stripe as never,
        stripeWebhookSecret: endpoint.secret ?? '',
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
  handle = betterAuth(options as never).handler
})
afterAll(async () => {
  database.close()
  await sdk.close()
})

/** Calls a route of better-auth as the signed-in user. */
async function call(path: string, body: object): Promise<Record<string, unknown>> {
  const response = await handle(
    new Request(`http://localhost:3000/api/auth${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://localhost:3000', cookie },
      body: JSON.stringify(body),
    }),
  )
  const [first] = response.headers.getSetCookie()
  if (first) cookie = first.split(';')[0] ?? ''
  expect([path, response.status]).toEqual([path, 200])
  return (await response.json()) as Record<string, unknown>
}

const advance = async (to: string) => {
  const { status } = await asOperator(sdk.twin)('POST', 'clock/advance', { to, await_webhooks: true })
  expect(status).toBe(200)
}

/** Waits until the application has received all webhooks. @returns its row of the subscription */
async function row(): Promise<Record<string, unknown>> {
  await sdk.twin.sandbox.engine.outbox.settled(sdk.twin.sandbox.merchant)
  const rows = database.prepare('select * from subscription').all() as Record<string, unknown>[]
  expect(rows).toHaveLength(1)
  return rows[0] ?? {}
}

/** The row that says what Stripe's API says. */
async function isRight(expected: Record<string, unknown>): Promise<void> {
  const own = await row()
  const { items, status, cancel_at_period_end, ended_at } = await stripe.subscriptions.retrieve(subscription)
  const [item] = items.data
  expect(own).toMatchObject(expected)
  expect(own).toMatchObject({
    status,
    stripeSubscriptionId: subscription,
    cancelAtPeriodEnd: Number(cancel_at_period_end),
  })
  expect(own.plan).toBe(item?.price.id === prices.pro ? 'pro' : 'basic')
  expect(instantOf(own.periodEnd)).toBe(item?.current_period_end)
  expect(own.endedAt === null ? null : instantOf(own.endedAt)).toBe(ended_at)
}

const instantOf = (stored: unknown) => at(String(stored))

const replaceCard = async (card: string) => {
  const { id } = await stripe.paymentMethods.attach(card, { customer })
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } })
}

describe('better-auth', () => {
  test('makes a customer at a sign-up', async () => {
    const user = { email: 'ada@example.com', password: 'correct horse battery', name: 'Ada' }
    await call('/sign-up/email', user)
    const [found] = (await stripe.customers.list({ email: user.email })).data
    customer = found?.id ?? ''
    expect(found).toMatchObject({ name: 'Ada', metadata: { customerType: 'user' } })
    expect(database.prepare('select stripeCustomerId from user').all()).toEqual([
      { stripeCustomerId: customer },
    ])
  })

  test('learns of a subscription, and of its renewals', async () => {
    await replaceCard('pm_card_visa')
    const created = await stripe.subscriptions.create({ customer, items: [{ price: prices.basic }] })
    subscription = created.id
    await isRight({ plan: 'basic', status: 'active', billingInterval: 'month' })
    // A renewal is a draft for an hour.
    for (const [renewal, end] of [
      ['2040-02-29T12:00:00Z', '2040-03-31T10:00:00Z'],
      ['2040-03-31T12:00:00Z', '2040-04-30T10:00:00Z'],
      ['2040-04-30T12:00:00Z', '2040-05-31T10:00:00Z'],
    ] as const) {
      await advance(renewal)
      await isRight({ status: 'active', plan: 'basic' })
      expect(instantOf((await row()).periodEnd)).toBe(at(end))
    }
  })

  test('learns of an upgrade with proration', async () => {
    const [item] = (await stripe.subscriptions.retrieve(subscription)).items.data
    const items = [{ id: item?.id ?? '', price: prices.pro }]
    await stripe.subscriptions.update(subscription, { items, proration_behavior: 'always_invoice' })
    await isRight({ status: 'active', plan: 'pro' })
    const [invoice] = (await stripe.invoices.list({ subscription, limit: 1 })).data
    expect(invoice).toMatchObject({ billing_reason: 'subscription_update', status: 'paid' })
  })

  test('plans a downgrade for the end of the period by its own route, and takes it back', async () => {
    const urls = { successUrl: '/', cancelUrl: '/', returnUrl: '/' }
    await call('/subscription/upgrade', { plan: 'basic', scheduleAtPeriodEnd: true, ...urls })
    expect(await row()).toMatchObject({ plan: 'pro', stripeScheduleId: expect.stringMatching(/^sub_sched_/) })
    await call('/subscription/restore', {})
    expect(await row()).toMatchObject({ plan: 'pro', stripeScheduleId: null })
  })

  test('learns of a cancellation at the end of the period, and restores the subscription by its own route', async () => {
    await stripe.subscriptions.update(subscription, { cancel_at_period_end: true })
    await isRight({ status: 'active', cancelAtPeriodEnd: 1 })
    await call('/subscription/restore', {})
    await isRight({ status: 'active', cancelAtPeriodEnd: 0 })
  })

  test('learns of failed payments and of the recovery', async () => {
    await replaceCard('pm_card_chargeCustomerFail')
    await advance('2040-05-31T12:00:00Z')
    await isRight({ status: 'past_due' })
    await replaceCard('pm_card_visa')
    await advance('2040-06-08T12:00:00Z')
    await isRight({ status: 'active', plan: 'pro' })
  })

  test('learns of the end', async () => {
    await stripe.subscriptions.cancel(subscription)
    await isRight({ status: 'canceled' })
    expect((await row()).endedAt).not.toBe(null)
  })
})
