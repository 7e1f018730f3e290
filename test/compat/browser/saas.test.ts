import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import Stripe from 'stripe'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createPaytwin, type Paytwin } from '../../../src/index.ts'
import { launchChromium, openPage } from '../../browser/chromium.ts'
import { createApp } from '../../example/saas/app.ts'
import { type Database, openDatabase } from '../../example/saas/database.ts'

const EMAIL = 'ada@example.com'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser?.close())

/** The application, running against a sandbox of its own. */
type Running = {
  readonly twin: Paytwin
  readonly stripe: Stripe
  readonly database: Database
  readonly url: string
}

/** Starts the application, as a deployment configures it. */
async function startApp(): Promise<Running> {
  const twin = await createPaytwin({ dialect: 'stripe', now: '2026-01-31T10:00:00Z' })
  const { hostname: host, port } = new URL(twin.url)
  const stripe = new Stripe(twin.secretKey, { host, port, protocol: 'http', telemetry: false })
  const database = openDatabase()
  let handle: (request: Request) => Response | Promise<Response> = () => new Response(null, { status: 503 })
  const server = createAdaptorServer({ fetch: (request: Request) => handle(request) })
  onTestFinished(async () => {
    server.close()
    await twin.close()
    database.close()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { id: product } = await stripe.products.create({ name: 'Notely' })
  const priceOf = async (nickname: string, unit_amount: number) => {
    const monthly = { currency: 'usd', recurring: { interval: 'month' } } as const
    return (await stripe.prices.create({ product, nickname, unit_amount, ...monthly })).id
  }
  const prices = { Basic: await priceOf('Basic', 2000), Pro: await priceOf('Pro', 5000) }
  const { id: portal } = await stripe.billingPortal.configurations.create({
    features: {
      payment_method_update: { enabled: true },
      invoice_history: { enabled: true },
      subscription_cancel: { enabled: true, mode: 'at_period_end' },
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['price'],
        proration_behavior: 'always_invoice',
        products: [{ product, prices: Object.values(prices) }],
      },
    },
  })
  const { secret: webhookSecret } = await twin.webhooks.create({ url: `${url}/webhooks` })
  handle = createApp({ stripe, database, url, webhookSecret, portal, prices }).fetch
  return { twin, stripe, database, url }
}

/** Returns what the application's database says of the customer, once it has received all webhooks. */
async function plan({ twin, database }: Running) {
  await twin.webhooks.settled()
  const { plan, status, ends, renews } = database.planOf(database.signUp(EMAIL)) ?? {}
  const day = (seconds: number) => new Date(seconds * 1_000).toISOString().slice(0, 10)
  return [plan, status, ends == null ? `renews ${day(renews ?? 0)}` : `ends ${day(ends)}`]
}

/** Advances to an hour after a renewal: its invoice is a draft until then. */
const advanceTo = ({ twin }: Running, day: string) =>
  twin.clock.advanceTo(`${day}T12:00:00Z`, { awaitWebhooks: true })

/** Returns to the application once it has heard of the change, because its page does not change by itself. */
async function returnFromPortal(page: Page, { twin }: Running): Promise<void> {
  await page.waitForURL(({ pathname }) => !/\/(?:confirm|cancel)$/.test(pathname))
  await twin.webhooks.settled()
  await page
    .getByRole('link', { name: /^Return to/ })
    .first()
    .click()
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).waitFor()

async function fillCard(page: Page, number: string): Promise<void> {
  await page.getByLabel('Card number').fill(number)
  await page.getByLabel('Expiration').fill('12 / 40')
  await page.getByLabel('CVC').fill('123')
  await page.getByLabel('Name on card').fill('Ada Lovelace')
}

async function openPortal(page: Page, { url }: Running): Promise<void> {
  await page.goto(`${url}/account`)
  await press(page, 'Manage billing')
  await page.getByRole('link', { name: /^Return to/ }).waitFor()
}

/** Adds a card in the portal, which becomes the default one. */
async function replaceCard(page: Page, app: Running, number: string): Promise<void> {
  await openPortal(page, app)
  await page.getByRole('link', { name: 'Add payment method' }).click()
  await fillCard(page, number)
  await press(page, 'Add payment method')
  await page
    .getByRole('listitem')
    .filter({ hasText: number.slice(-4) })
    .getByText('Default')
    .waitFor()
}

const LOOKS: readonly [string, BrowserContextOptions][] = [
  ['at a desk', { viewport: { width: 1280, height: 800 } }],
  [
    'on a phone in the dark, without script',
    { viewport: { width: 390, height: 844 }, colorScheme: 'dark', javaScriptEnabled: false },
  ],
]

test.each(LOOKS)('a subscription lives for a year, sold and changed %s', async (_, look) => {
  const app = await startApp()
  const { stripe, database, url } = app
  const { page, complaints } = await openPage(browser, look)

  // Sold: the first card is declined, and the page stays.
  await page.goto(url)
  await press(page, 'Choose Basic')
  await page.getByLabel('Work email').fill(EMAIL)
  await press(page, 'Create account')
  await page.getByText('test mode').first().waitFor()
  await fillCard(page, '4000000000000002')
  await press(page, 'Subscribe')
  await page.getByRole('alert').getByText('Your card was declined.').waitFor()
  expect(database.planOf(database.signUp(EMAIL))).toBe(undefined)
  await fillCard(page, '4242424242424242')
  await press(page, 'Subscribe')
  await heading(page, 'Welcome aboard')
  expect(await plan(app)).toEqual(['Basic', 'active', 'renews 2026-02-28'])

  // Renewed.
  await advanceTo(app, '2026-03-31')
  expect(await plan(app)).toEqual(['Basic', 'active', 'renews 2026-04-30'])

  // Declined.
  await replaceCard(page, app, '4000000000000341')
  await advanceTo(app, '2026-04-30')
  expect(await plan(app)).toEqual(['Basic', 'past_due', 'renews 2026-05-31'])
  expect(database.mailsTo(database.signUp(EMAIL))).toEqual(['Your payment failed'])
  await page.goto(`${url}/account`)
  await page.getByText('Your last payment failed.').waitFor()

  // Recovered, by a retry with a new card.
  await replaceCard(page, app, '5555555555554444')
  await advanceTo(app, '2026-05-03')
  expect(await plan(app)).toEqual(['Basic', 'active', 'renews 2026-05-31'])

  // Upgraded: the portal shows what is due before it is confirmed.
  await openPortal(page, app)
  await page.getByRole('link', { name: 'Update plan' }).click()
  await page.getByRole('radio', { name: /50\.00/ }).check()
  await press(page, 'Continue')
  await page.getByText('Unused time on').waitFor()
  await page.getByText('Remaining time on').waitFor()
  await press(page, 'Confirm')
  await returnFromPortal(page, app)
  await page.getByText('Plan: Pro').waitFor()
  expect(await plan(app)).toEqual(['Pro', 'active', 'renews 2026-05-31'])
  const [upgrade] = (await stripe.invoices.list({ limit: 1 })).data
  expect(upgrade).toMatchObject({ billing_reason: 'subscription_update', status: 'paid' })

  // Canceled at the end of a period, months later.
  await advanceTo(app, '2026-12-31')
  expect(await plan(app)).toEqual(['Pro', 'active', 'renews 2027-01-31'])
  await openPortal(page, app)
  await page.getByRole('link', { name: 'Cancel subscription' }).click()
  await press(page, 'Confirm')
  await returnFromPortal(page, app)
  await page.getByText('Ends on 2027-01-31').waitFor()
  await advanceTo(app, '2027-01-31')
  expect(await plan(app)).toEqual(['Pro', 'canceled', 'ends 2027-01-31'])
  await page.goto(`${url}/account`)
  await page.getByText('Plan: Free').waitFor()

  const paid = await stripe.invoices.list({ status: 'paid', limit: 100 })
  const amounts = paid.data.map(({ amount_paid }) => amount_paid).reverse()
  const proration = amounts[4] ?? 0
  expect(amounts).toEqual([2000, 2000, 2000, 2000, proration, ...Array(8).fill(5000)])
  expect(proration).toBeGreaterThan(2500)
  expect(proration).toBeLessThan(3000)
  expect(complaints).toEqual([])
})
