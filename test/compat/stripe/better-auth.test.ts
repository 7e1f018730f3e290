import Sqlite from 'better-sqlite3'
import type Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type StripeTwin, startStripe } from '../../http/stripe/sdk.ts'
import { asOperator } from '../../http/support.ts'
import { Visitor } from '../../http/visitor.ts'
import { createAuthApp, createPlans } from './better-auth-app.ts'

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
  prices = await createPlans(stripe)
  const endpoint = await stripe.webhookEndpoints.create({
    url: 'http://localhost:3000/api/auth/stripe/webhook',
    enabled_events: ['*'],
  })
  database = new Sqlite(':memory:')
  const setup = { stripe, webhookSecret: endpoint.secret ?? '', url: 'http://localhost:3000' }
  handle = await createAuthApp({ ...setup, database, prices })
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

const URLS = { successUrl: '/welcome', cancelUrl: '/pricing', returnUrl: '/account' }

/** A browser without script, which shows the pages of the sandbox. */
const visitor = () => new Visitor((url, init) => sdk.twin.sandbox.app.request(url, init))

const instantOf = (stored: unknown) => at(String(stored))

/** Replaces the card in the portal, to which a route of the application leads. */
async function replaceCard(number: string): Promise<void> {
  const { url } = await call('/subscription/billing-portal', { returnUrl: URLS.returnUrl })
  const page = await (await visitor().open(String(url))).follow('Add payment method')
  page.fill('Card number', number).fill('Expiration', '12 / 50').fill('CVC', '123')
  await page.fill('Name on card', 'Ada').press('Add payment method')
  expect(page.text).toMatch(new RegExp(`${number.slice(-4)} Default`))
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

  test('sells a subscription by Checkout, by its own route', async () => {
    const { url } = await call('/subscription/upgrade', { plan: 'basic', ...URLS })
    const page = await visitor().open(String(url))
    expect(page.text).toContain('Basic')
    page.fill('Card number', '4000000000000002').fill('Expiration', '12 / 50')
    await page.fill('CVC', '123').fill('Name on card', 'Ada').press('Subscribe')
    expect(page.text).toContain('Your card was declined.')
    await page.fill('Card number', '4242424242424242').fill('CVC', '123').press('Subscribe')
    expect(page.url).toContain('/api/auth/subscription/success')
    const { id } = (await stripe.subscriptions.list({ customer })).data[0] ?? {}
    subscription = id ?? ''
    const back = await handle(new Request(page.url, { headers: { cookie } }))
    expect([back.status, back.headers.get('location')]).toEqual([302, 'http://localhost:3000/welcome'])
    await isRight({ plan: 'basic', status: 'active', billingInterval: 'month' })
  })

  test('learns of renewals', async () => {
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

  test('upgrades with proration, confirmed in the portal, by its own route', async () => {
    const { url } = await call('/subscription/upgrade', { plan: 'pro', ...URLS })
    const page = await visitor().open(String(url))
    expect(page.text).toMatch(/Unused time on .*Remaining time on /)
    await page.press('Confirm')
    expect(page.url).toBe('http://localhost:3000/account')
    await isRight({ status: 'active', plan: 'pro' })
    const { data } = await stripe.invoiceItems.list({ customer, pending: true })
    expect(data.map(({ amount }) => Math.sign(amount)).toSorted()).toEqual([-1, 1])
  })

  test('plans a downgrade for the end of the period by its own route, and takes it back', async () => {
    const urls = { successUrl: '/', cancelUrl: '/', returnUrl: '/' }
    await call('/subscription/upgrade', { plan: 'basic', scheduleAtPeriodEnd: true, ...urls })
    expect(await row()).toMatchObject({ plan: 'pro', stripeScheduleId: expect.stringMatching(/^sub_sched_/) })
    await call('/subscription/restore', {})
    expect(await row()).toMatchObject({ plan: 'pro', stripeScheduleId: null })
  })

  test('cancels at the end of the period in the portal, and restores the subscription, by its own routes', async () => {
    const { url } = await call('/subscription/cancel', { returnUrl: URLS.returnUrl })
    await (await visitor().open(String(url))).press('Confirm')
    await isRight({ status: 'active', cancelAtPeriodEnd: 1 })
    await call('/subscription/restore', {})
    await isRight({ status: 'active', cancelAtPeriodEnd: 0 })
  })

  test('leads to the portal, which leads back', async () => {
    const { url } = await call('/subscription/billing-portal', { returnUrl: URLS.returnUrl })
    const page = await visitor().open(String(url))
    expect(page.text).toMatch(/Pro .*50\.00/)
    await page.follow('Return to')
    expect(page.url).toBe('http://localhost:3000/account')
  })

  test('learns of failed payments and of the recovery', async () => {
    await replaceCard('4000000000000341')
    await advance('2040-05-31T12:00:00Z')
    await isRight({ status: 'past_due' })
    await replaceCard('5555555555554444')
    await advance('2040-06-08T12:00:00Z')
    await isRight({ status: 'active', plan: 'pro' })
  })

  test('learns of the end', async () => {
    await stripe.subscriptions.cancel(subscription)
    await isRight({ status: 'canceled' })
    expect((await row()).endedAt).not.toBe(null)
  })
})
