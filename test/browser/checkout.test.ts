import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningDaemon, startDaemon } from '../cli/executable.ts'
import { launchChromium, openPage } from './chromium.ts'
import { flawsOf } from './flaws.ts'

const KEY = 'sk_test_checkoutinabrowser123456'

let browser: Browser
let daemon: RunningDaemon
let shop: Server
let shopUrl: string
let stripe: Stripe
let price: string
beforeAll(async () => {
  browser = await launchChromium()
  const clock = ['--clock', '2026-01-31T10:00:00Z']
  daemon = await startDaemon(['--ephemeral', '--dialect', 'stripe', '--secret-key', KEY, ...clock])
  const { hostname, port } = new URL(daemon.url)
  stripe = new Stripe(KEY, { host: hostname, port, protocol: 'http', telemetry: false })
  shop = createServer(({ url = '' }, response) => {
    // Like a shop whose API has another origin than its pages.
    const { port: own } = shop.address() as AddressInfo
    if (url.startsWith('/api/'))
      return response.writeHead(303, { Location: `http://localhost:${own}${url.slice(4)}` }).end()
    response.setHeader('Content-Type', 'text/html')
    response.end(
      `<!doctype html><title>Shop</title><h1>${url.startsWith('/done') ? 'Thank you' : 'Pricing'}</h1>`,
    )
  })
  await new Promise<void>((resolve) => shop.listen(0, resolve))
  shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`
  const product = await stripe.products.create({ name: 'Pro plan', description: 'With priority support' })
  const recurring = { interval: 'month' } as const
  ;({ id: price } = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 2000,
    recurring,
  }))
  const coupon = await stripe.coupons.create({ percent_off: 20, duration: 'once', name: 'Winter sale' })
  await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon: coupon.id }, code: 'WINTER' })
})
afterAll(async () => {
  shop?.close()
  await browser?.close()
  await daemon?.stop()
})

/** Creates a session, and opens its page. */
async function checkout(
  page: Page,
  given: Partial<Stripe.Checkout.SessionCreateParams> = {},
): Promise<Stripe.Checkout.Session> {
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    line_items: [{ price, quantity: 1, adjustable_quantity: { enabled: true } }],
    success_url: `${shopUrl}/api/done?session={CHECKOUT_SESSION_ID}`,
    cancel_url: `${shopUrl}/pricing`,
    allow_promotion_codes: true,
    ...given,
  })
  await page.goto(session.url ?? '')
  return session
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const cardOf = (page: Page, name: string) => page.getByRole('button', { name }).click()

async function fillIn(page: Page, number: string): Promise<void> {
  await page.getByLabel('Card number', { exact: true }).fill(number)
  await page.getByLabel('Expiration', { exact: true }).fill('12 / 34')
  await page.getByLabel('CVC', { exact: true }).fill('123')
  await page.getByLabel('Name on card', { exact: true }).fill('Ada Lovelace')
}

const LOOKS: readonly [string, BrowserContextOptions][] = [
  ['a phone', { viewport: { width: 390, height: 844 }, colorScheme: 'light' }],
  ['a desk without script', { viewport: { width: 1280, height: 800 }, javaScriptEnabled: false }],
]

describe('a customer', () => {
  test.each(LOOKS)(
    'with %s is declined, applies a code, authenticates, and returns to the shop',
    async (_name, look) => {
      const { page, complaints } = await openPage(browser, look)
      const session = await checkout(page)
      await page.getByLabel('Email', { exact: true }).fill('ada@shop.example')
      await cardOf(page, 'Insufficient funds')
      await press(page, 'Subscribe')
      await page.getByRole('alert').getByText('Your card has insufficient funds.', { exact: true }).waitFor()

      await page.getByLabel('Promotion code', { exact: true }).fill('winter')
      await press(page, 'Apply')
      await page.getByText('$16.00').waitFor()
      expect(await page.getByLabel('Email', { exact: true }).inputValue()).toBe('ada@shop.example')
      expect(await page.getByLabel('Card number', { exact: true }).inputValue()).toBe('')

      await fillIn(page, '4000002760003184')
      await page.getByLabel('Name on card', { exact: true }).press('Enter')
      await press(page, 'Fail authentication')
      await page.getByRole('alert').waitFor()
      await fillIn(page, '4000002760003184')
      await press(page, 'Subscribe')
      await press(page, 'Complete authentication')
      // The shop redirects to another origin, which the page's policy must allow.
      await page.getByRole('heading', { name: 'Thank you' }).waitFor()
      expect(page.url()).toMatch(new RegExp(`^http://localhost:\\d+/done\\?session=${session.id}$`))
      expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({
        status: 'complete',
        amount_total: 1600,
        customer_details: { email: 'ada@shop.example', name: 'Ada Lovelace' },
      })
      expect(complaints).toEqual([])
    },
  )

  test('goes back to the shop, and after the payment finds that the session is complete', async () => {
    const { page } = await openPage(browser)
    const session = await checkout(page, {
      mode: 'subscription',
      subscription_data: { trial_period_days: 14 },
    })
    await page.getByRole('link', { name: 'Back' }).click()
    await page.getByRole('heading', { name: 'Pricing' }).waitFor()
    await page.goBack()
    await page.getByLabel('Email', { exact: true }).fill('ada@shop.example')
    await cardOf(page, 'Mastercard')
    await press(page, 'Start trial')
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()
    await page.goto(session.url ?? '')
    await page.getByRole('heading', { name: 'You are all done here' }).waitFor()
    const { data } = await stripe.subscriptions.list({
      customer: String((await stripe.checkout.sessions.retrieve(session.id)).customer),
    })
    expect(data.map(({ status }) => status)).toEqual(['trialing'])
  })
})

test.each([
  ['light', 390],
  ['dark', 1280],
] as const)(
  'all states of the page are accessible and fit the screen, %s, %i pixels wide',
  async (colorScheme, width) => {
    const look = { viewport: { width, height: 900 }, colorScheme }
    const { page, complaints } = await openPage(browser, look)
    const check = async () =>
      expect(await flawsOf(page, colorScheme === 'light' ? 'all' : 'contrast')).toEqual([])
    const asked = {
      phone_number_collection: { enabled: true },
      billing_address_collection: 'required',
    } as const
    const session = await checkout(page, { ...asked, consent_collection: { terms_of_service: 'required' } })
    await check()
    await page.getByLabel('Quantity').fill('100')
    await press(page, 'Update')
    await page.getByText('Enter a whole number from 0 to 99.').waitFor()
    await check()
    await page.getByLabel('Quantity').fill('1')
    await page.getByLabel('Promotion code').fill('none')
    await press(page, 'Apply')
    await check()
    await page.getByLabel('Promotion code').fill('')
    await press(page, 'Subscribe')
    await page.getByText('Agree to the terms to continue.').waitFor()
    expect(await page.evaluate('document.activeElement.id')).toBe('email')
    await check()
    await stripe.checkout.sessions.expire(session.id)
    await page.goto(session.url ?? '')
    await page.getByRole('heading', { name: 'This checkout has expired' }).waitFor()
    await check()
    const saving = await stripe.checkout.sessions.create({
      mode: 'setup',
      currency: 'usd',
      customer_email: 'somebody.with.a.long.name@a-long-domain.example.com',
      success_url: `${shopUrl}/done`,
    })
    await page.goto(saving.url ?? '')
    await cardOf(page, 'Insufficient funds')
    await press(page, 'Save card')
    await page.getByRole('alert').waitFor()
    await check()
    await cardOf(page, 'Authenticates every time')
    await press(page, 'Save card')
    await page.getByRole('heading', { name: 'Authenticate your card' }).waitFor()
    await check()
    await press(page, 'Complete authentication')
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()
    await page.goto(saving.url ?? '')
    await page.getByRole('heading', { name: 'You are all done here' }).waitFor()
    await check()
    await checkout(page)
    for (const name of ['Subscribe', 'Apply']) {
      const box = await page.getByRole('button', { name, exact: true }).boundingBox()
      expect(box?.height).toBeGreaterThanOrEqual(44)
    }
    expect(complaints).toEqual([])
  },
)
