import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningDaemon, startDaemon } from '../cli/executable.ts'
import { launchChromium, openPage } from './chromium.ts'

const KEY = 'sk_test_authenticationinabrowser1'

let browser: Browser
let daemon: RunningDaemon
let shop: Server
let shopUrl: string
let stripe: Stripe
beforeAll(async () => {
  browser = await launchChromium()
  daemon = await startDaemon(['--ephemeral', '--dialect', 'stripe', '--secret-key', KEY])
  const { hostname, port } = new URL(daemon.url)
  stripe = new Stripe(KEY, { host: hostname, port, protocol: 'http', telemetry: false })
  shop = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end('<!doctype html><title>Shop</title><h1>Thank you</h1>')
  })
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
  shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/done`
})
afterAll(async () => {
  shop?.close()
  await browser?.close()
  await daemon?.stop()
})

/** Creates an intent that waits for the customer, and opens its page. */
async function waiting(page: Page): Promise<string> {
  const { id, next_action } = await stripe.paymentIntents.create({
    amount: 2000,
    currency: 'usd',
    payment_method: 'pm_card_threeDSecure2Required',
    confirm: true,
    return_url: shopUrl,
  })
  await page.goto(next_action?.redirect_to_url?.url ?? '')
  await page.getByRole('heading', { name: 'Authenticate your payment' }).waitFor()
  return id
}

const LOOKS: readonly [string, BrowserContextOptions][] = [
  ['a phone', { viewport: { width: 390, height: 844 }, colorScheme: 'light' }],
  ['a desk in the dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }],
  ['a browser without script', { javaScriptEnabled: false }],
]

describe('a customer', () => {
  test.each(LOOKS)('with %s completes the authentication, and returns to the shop', async (_name, look) => {
    const { page, complaints } = await openPage(browser, look)
    const id = await waiting(page)
    await page.getByRole('button', { name: 'Complete authentication' }).click()
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()
    const { searchParams } = new URL(page.url())
    expect([searchParams.get('payment_intent'), searchParams.get('redirect_status')]).toEqual([
      id,
      'succeeded',
    ])
    expect((await stripe.paymentIntents.retrieve(id)).status).toBe('succeeded')
    expect(complaints).toEqual([])
  })

  test('fails the authentication, and going back finds that it has ended', async () => {
    const { page } = await openPage(browser)
    const id = await waiting(page)
    const address = page.url()
    await page.getByRole('button', { name: 'Fail authentication' }).click()
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()
    expect(new URL(page.url()).searchParams.get('redirect_status')).toBe('failed')
    expect((await stripe.paymentIntents.retrieve(id)).last_payment_error?.code).toBe(
      'payment_intent_authentication_failure',
    )
    await page.goto(address)
    await page.getByRole('heading', { name: 'The authentication has ended' }).waitFor()
    await page.getByRole('link', { name: 'Return to' }).click()
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()
  })

  test.each([320, 390, 1280])(
    'sees all of the page at %i pixels, with buttons for a thumb',
    async (width) => {
      const { page } = await openPage(browser, { viewport: { width, height: 800 } })
      await waiting(page)
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      expect(overflow).toBe(0)
      for (const name of ['Complete authentication', 'Fail authentication']) {
        const box = await page.getByRole('button', { name }).boundingBox()
        expect(box?.height).toBeGreaterThanOrEqual(44)
      }
      await page.getByText('TEST MODE').waitFor()
    },
  )
})
