import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { PGlite } from '@electric-sql/pglite'
import { StripeSync } from '@supabase/stripe-sync-engine'
import type Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StripeTwin, startStripe } from '../../http/stripe/sdk.ts'
import { asOperator } from '../../http/support.ts'

/** Supabase's engine, which copies Stripe's objects into PostgreSQL by webhooks. PGlite is PostgreSQL in this process. */
let database: PGlite
let engine: StripeSync
let sdk: StripeTwin
let stripe: Stripe

const MIGRATIONS = join(
  dirname(fileURLToPath(import.meta.resolve('@supabase/stripe-sync-engine'))),
  'migrations',
)

beforeAll(async () => {
  // Optimizing a whole database for a few seconds of work takes more processor time than it saves.
  setFlagsFromString('--liftoff-only')
  database = await PGlite.create()
  setFlagsFromString('--no-liftoff-only')
  await database.exec('create schema stripe')
  for (const file of readdirSync(MIGRATIONS).toSorted()) {
    await database.exec(`set search_path = stripe; ${readFileSync(join(MIGRATIONS, file), 'utf8')}`)
  }
  const failures: unknown[] = []
  sdk = await startStripe({
    // Earlier than the wall clock, with which the engine dates what it reads from lists.
    now: '2024-01-31T10:00:00Z',
    send: async ({ headers, body }) => {
      const signature = headers['Stripe-Signature']
      const failure = await engine.processWebhook(body, signature).then(
        () => undefined,
        (error: unknown) => failures.push(error),
      )
      return { status: failure === undefined ? 200 : 500, body: String(failures.at(-1)) }
    },
  })
  stripe = sdk.stripe
  const endpoint = await stripe.webhookEndpoints.create({
    url: 'http://localhost:9/sync',
    enabled_events: ['*'],
  })
  engine = new StripeSync({
    poolConfig: {},
    stripeSecretKey: sdk.twin.secretKey,
    stripeWebhookSecret: endpoint.secret ?? '',
  })
  engine.stripe = stripe as never
  const query = async (text: string, values: unknown[] = []) => {
    const { rows, affectedRows } = await database.query(text, values)
    return { rows, rowCount: affectedRows ?? rows.length }
  }
  engine.postgresClient.pool = { query, end: () => Promise.resolve() } as never
})
afterAll(async () => {
  await sdk.close()
  await database.close()
})

/** Returns fields of all rows of a table. The engine also keeps the previews of `invoice.upcoming`, which are no invoices yet. */
const rowsOf = async (table: string, fields: readonly string[]) =>
  (
    await database.query(
      `select ${fields.join(', ')} from stripe.${table} where id not like 'upcoming_%' order by id`,
    )
  ).rows

/** Compares a table with a list of the API. */
async function equals(table: string, fields: readonly string[], list: Stripe.ApiListPromise<{ id: string }>) {
  const all = await list.autoPagingToArray({ limit: 10_000 })
  const expected = all
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map((object) => Object.fromEntries(fields.map((name) => [name, Reflect.get(object, name)])))
  expect(expected.length).toBeGreaterThan(0)
  expect([table, await rowsOf(table, fields)]).toEqual([table, expected])
}

test("after a year, Supabase's engine has the tables that Stripe's API lists", async () => {
  const { id: product } = await stripe.products.create({ name: 'Pro' })
  const monthly = { product, currency: 'usd', recurring: { interval: 'month' } } as const
  const { id: price } = await stripe.prices.create({ ...monthly, unit_amount: 2000 })
  for (const card of ['pm_card_visa', 'pm_card_mastercard', 'pm_card_chargeCustomerFail']) {
    const { id: customer } = await stripe.customers.create({ email: `${card}@example.com` })
    const method = await stripe.paymentMethods.attach(card, { customer })
    const settings = { invoice_settings: { default_payment_method: method.id } }
    await stripe.customers.update(customer, settings)
    const trial = card === 'pm_card_chargeCustomerFail' ? { trial_period_days: 14 } : {}
    await stripe.subscriptions.create({ customer, items: [{ price }], ...trial })
  }
  const { status } = await asOperator(sdk.twin)('POST', 'clock/advance', { by: '1y', await_webhooks: true })
  expect(status).toBe(200)
  const [charge] = (await stripe.charges.list({ limit: 1 })).data
  await stripe.refunds.create({ charge: charge?.id ?? '', amount: 500 })
  await sdk.twin.sandbox.engine.outbox.settled(sdk.twin.sandbox.merchant)

  // All objects have arrived. Of events in the same second the engine keeps the first, so that fields can be older.
  for (const [table, list] of LISTS) await equals(table, ['id'], list())
  await engine.syncProducts()
  await engine.syncPrices()
  await engine.syncCustomers()
  await engine.syncSubscriptions()
  await engine.syncInvoices()
  await engine.syncCharges()
  await engine.syncPaymentIntents()
  await engine.syncRefunds()
  for (const [table, list, fields] of LISTS) await equals(table, ['id', ...fields], list())
})

type List = () => Stripe.ApiListPromise<{ id: string }>

const LISTS: readonly (readonly [table: string, List, fields: readonly string[]])[] = [
  ['products', () => stripe.products.list(), ['name', 'active']],
  ['prices', () => stripe.prices.list(), ['unit_amount', 'currency', 'product']],
  ['customers', () => stripe.customers.list(), ['email', 'delinquent', 'balance']],
  ['subscriptions', () => stripe.subscriptions.list({ status: 'all' }), ['status', 'customer']],
  [
    'invoices',
    () => stripe.invoices.list(),
    ['status', 'total', 'amount_paid', 'number', 'billing_reason', 'attempt_count', 'customer'],
  ],
  ['charges', () => stripe.charges.list(), ['status', 'amount', 'amount_refunded', 'customer']],
  ['payment_intents', () => stripe.paymentIntents.list(), ['status', 'amount', 'customer']],
  ['refunds', () => stripe.refunds.list(), ['status', 'amount', 'charge']],
]
