import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningDaemon, startDaemon } from '../cli/executable.ts'
import { launchChromium, openPage } from './chromium.ts'
import { flawsOf } from './flaws.ts'

const KEY = 'sk_test_portalinabrowser1'

let browser: Browser
let daemon: RunningDaemon
let shop: Server
let shopUrl: string
let stripe: Stripe
let basic: string
beforeAll(async () => {
  browser = await launchChromium()
  daemon = await startDaemon(['--ephemeral', '--dialect', 'stripe', '--secret-key', KEY])
  const { hostname, port } = new URL(daemon.url)
  stripe = new Stripe(KEY, { host: hostname, port, protocol: 'http', telemetry: false })
  shop = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end('<!doctype html><title>Shop</title><h1>Your account</h1>')
  })
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
  shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/account`
  basic = await priced('Basic', 1000)
  await priced('Pro', 3000)
})
afterAll(async () => {
  shop?.close()
  await browser?.close()
  await daemon?.stop()
})

async function priced(name: string, unit_amount: number): Promise<string> {
  const given = { currency: 'usd', recurring: { interval: 'month' }, product_data: { name } } as const
  return (await stripe.prices.create({ ...given, unit_amount })).id
}

/** Creates a subscriber, and a session for it. */
async function subscribed(params: Partial<Stripe.BillingPortal.SessionCreateParams> = {}) {
  const { id: customer } = await stripe.customers.create({
    name: 'Ada <img src=x onerror=alert(1)>',
    email: 'ada@example.com',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  })
  const { id } = await stripe.subscriptions.create({ customer, items: [{ price: basic }] })
  const { url } = await stripe.billingPortal.sessions.create({ customer, return_url: shopUrl, ...params })
  return { customer, subscription: id, url }
}

const LOOKS: readonly [string, BrowserContextOptions][] = [
  ['a phone', { viewport: { width: 390, height: 844 }, colorScheme: 'light' }],
  ['a desk in the dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }],
]

const click = (page: Page, role: 'button' | 'link', name: string) =>
  page.getByRole(role, { name, exact: true }).click()

describe('a subscriber', () => {
  test.each([true, false])(
    'upgrades, adds a card, cancels, renews and returns, with script: %s',
    async (javaScriptEnabled) => {
      const { customer, subscription, url } = await subscribed()
      const { page, complaints } = await openPage(browser, { javaScriptEnabled })
      await page.goto(url)
      await click(page, 'link', 'Update plan')
      await page.getByLabel('Pro, $30.00 per month').check()
      await click(page, 'button', 'Continue')
      await page.getByText('Due now').waitFor()
      await click(page, 'button', 'Confirm')
      await page.getByRole('status').getByText('Your plan was updated.').waitFor()
      await click(page, 'link', 'Add payment method')
      await page.getByRole('button', { name: 'Mastercard, succeeds' }).click()
      await click(page, 'button', 'Add payment method')
      await page.getByText('Your card was saved.').waitFor()
      const visa = page.getByRole('listitem').filter({ hasText: 'Visa' })
      await visa.getByRole('button', { name: 'Make default' }).click()
      await page.getByText('Your default card was changed.').waitFor()
      await click(page, 'button', 'Remove')
      await page.getByText('The card was removed.').waitFor()
      await click(page, 'link', 'Cancel subscription')
      await page.getByLabel('I no longer need it').check()
      await click(page, 'button', 'Confirm')
      await page.getByText('will be canceled at the end').waitFor()
      await click(page, 'button', 'Renew subscription')
      await page.getByText('Your subscription will renew.').waitFor()
      await click(page, 'link', 'Return to Default merchant')
      await page.getByRole('heading', { name: 'Your account' }).waitFor()
      expect(complaints).toEqual([])
      const after = await stripe.subscriptions.retrieve(subscription, {
        expand: ['items.data.price.product'],
      })
      expect(after).toMatchObject({
        cancel_at_period_end: false,
        cancellation_details: { feedback: 'unused' },
        items: { data: [{ price: { product: { name: 'Pro' } } }] },
      })
      expect((await stripe.customers.listPaymentMethods(customer)).data).toHaveLength(1)
    },
  )

  test('takes the step of a flow, authenticates the card, and is sent back', async () => {
    const { customer, url } = await subscribed({
      flow_data: {
        type: 'payment_method_update',
        after_completion: { type: 'redirect', redirect: { return_url: shopUrl } },
      },
    })
    const { page, complaints } = await openPage(browser)
    await page.goto(url)
    await page.getByRole('button', { name: 'Authenticates every time' }).click()
    await click(page, 'button', 'Add payment method')
    await click(page, 'button', 'Complete authentication')
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    const found = await stripe.customers.retrieve(customer, {
      expand: ['invoice_settings.default_payment_method'],
    })
    expect(found).toMatchObject({ invoice_settings: { default_payment_method: { card: { last4: '3184' } } } })
    expect(complaints).toEqual([])
  })

  test.each(LOOKS)('with %s sees all of each page, and axe finds no violation', async (_name, look) => {
    const { customer, subscription, url } = await subscribed()
    await stripe.paymentMethods.attach('pm_card_amex', { customer })
    const { page } = await openPage(browser, look)
    for (const path of [
      '',
      '/details',
      '/cards/add',
      `/subscriptions/${subscription}/update`,
      `/subscriptions/${subscription}/confirm?quantity=2`,
      `/subscriptions/${subscription}/cancel`,
    ]) {
      await page.goto(`${url}${path}`)
      expect(await flawsOf(page)).toEqual([])
    }
    await click(page, 'button', 'Confirm')
    await page.getByText('will be canceled at the end').waitFor()
    expect(await flawsOf(page)).toEqual([])
    await page.goto(url)
    // A name that is broken in the middle is higher than one line.
    for (const button of await page.getByRole('button', { name: 'Make default' }).all())
      expect((await button.boundingBox())?.height).toBeLessThan(40)
  })
})
