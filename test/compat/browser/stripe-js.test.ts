import { join } from 'node:path'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchChromium, openPage } from '../../browser/chromium.ts'
import { type Sdk, startSdk } from '../sdk.ts'
import { type Shop, startShop } from './shop.ts'

const SCRIPT = join(import.meta.dirname, '../../../dist/stripe-js.cjs')

let sdk: Sdk
let shop: Shop
let browser: Browser
beforeAll(async () => {
  sdk = await startSdk({ dialect: 'stripe' })
  const { secret } = await sdk.issueKey({ publishable: true })
  shop = await startShop({ url: sdk.url, stripe: sdk.stripe, publishableKey: secret })
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await shop?.close()
  await sdk?.close()
})

async function fill(page: Page, number: string): Promise<void> {
  await page.getByLabel('Card number').fill(number)
  await page.getByLabel('Expiration').fill('12 / 40')
  await page.getByLabel('CVC').fill('123')
}
const press = (page: Page, name: string) => page.getByRole('button', { name }).click()

/** The intent to whose result the browser returned, as the server of the shop sees it. */
async function paidIntent(page: Page) {
  await page.getByRole('heading', { name: 'Thank you' }).waitFor()
  const { searchParams } = new URL(page.url())
  return {
    status: searchParams.get('redirect_status'),
    intent: await sdk.stripe.paymentIntents.retrieve(searchParams.get('payment_intent') ?? ''),
  }
}

describe('a payment element of React', () => {
  test('takes a card, and leads to the return_url', async () => {
    const { page, complaints } = await openPage(browser)
    await page.goto(`${shop.url}/payment`)
    await fill(page, '4242 4242 4242 4242')
    await press(page, 'Pay')
    const { status, intent } = await paidIntent(page)
    expect([status, intent.status]).toEqual(['succeeded', 'succeeded'])
    expect(complaints).toEqual([])
  })

  test('shows what is missing, and that a card is declined, until a card is right', async () => {
    const { page } = await openPage(browser)
    await page.goto(`${shop.url}/payment`)
    await press(page, 'Pay')
    await page.getByRole('alert').getByText('Your card number is incomplete.').waitFor()
    await fill(page, '4000000000000002')
    await press(page, 'Pay')
    await page.getByRole('status').getByText('Your card was declined.').waitFor()
    await fill(page, '4111111111111111')
    await press(page, 'Pay')
    await page.getByRole('status').getByText('test card').waitFor()
    await fill(page, '4242424242424242')
    await press(page, 'Pay')
    expect((await paidIntent(page)).intent.status).toBe('succeeded')
  })

  test.each([
    ['Complete authentication', 'succeeded', 'succeeded'],
    ['Fail authentication', 'failed', 'requires_payment_method'],
  ])('leads to the page of the bank, and from there to the return_url: %s', async (button, status, own) => {
    const { page } = await openPage(browser)
    await page.goto(`${shop.url}/payment`)
    await fill(page, '4000 0000 0000 3220')
    await press(page, 'Pay')
    await press(page, button)
    const paid = await paidIntent(page)
    expect([paid.status, paid.intent.status]).toEqual([status, own])
  })

  test('stays on the page if no redirect is required, and authenticates in a second window', async () => {
    const { page } = await openPage(browser)
    await page.goto(`${shop.url}/payment?stays`)
    await fill(page, '4000000000003220')
    const opened = page.waitForEvent('popup')
    await press(page, 'Pay')
    await press(await opened, 'Complete authentication')
    await page.getByRole('status').getByText('Status: succeeded').waitFor()
  })

  test('saves a card by a setup intent', async () => {
    const { page } = await openPage(browser)
    await page.goto(`${shop.url}/payment?setup`)
    await fill(page, '4242424242424242')
    await press(page, 'Pay')
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()
    const id = new URL(page.url()).searchParams.get('setup_intent') ?? ''
    expect(await sdk.stripe.setupIntents.retrieve(id)).toMatchObject({ status: 'succeeded' })
  })

  test("works with Stripe's own loader, if the script was added to the page", async () => {
    const { page } = await openPage(browser)
    await page.addInitScript({ path: SCRIPT })
    await page.addInitScript({ content: `window.PAYTWIN_URL = '${sdk.url}'` })
    await page.goto(`${shop.url}/loader`)
    await fill(page, '4242424242424242')
    await press(page, 'Pay')
    expect((await paidIntent(page)).intent.status).toBe('succeeded')
  })

  test.each([390, 1280])('has labels and no violation of axe at %i pixels', async (width) => {
    const { page } = await openPage(browser, { viewport: { width, height: 800 } })
    await page.goto(`${shop.url}/payment`)
    await page.getByLabel('CVC').waitFor()
    // axe is evaluated by the test: the policy of the page allows no other script in it.
    await page.evaluate(axe.source)
    const { violations } = (await page.evaluate("axe.run('form')")) as axe.AxeResults
    expect(violations).toEqual([])
  })
})

describe('a card element', () => {
  test('pays without leaving the page, and says when it is complete', async () => {
    const { page, complaints } = await openPage(browser)
    await page.goto(`${shop.url}/card`)
    await fill(page, '5555 5555 5555 4444')
    await page.getByRole('status').getByText('Complete').waitFor()
    await press(page, 'Pay')
    await page.getByRole('status').getByText('Paid: succeeded').waitFor()
    expect(complaints).toEqual([])
  })

  test('shows why an authentication failed, also if its window is closed', async () => {
    const { page } = await openPage(browser)
    await page.goto(`${shop.url}/card`)
    await fill(page, '4000000000003220')
    for (const decide of [
      async (bank: Page) => press(bank, 'Fail authentication'),
      async (bank: Page) => bank.close(),
    ]) {
      const opened = page.waitForEvent('popup')
      await press(page, 'Pay')
      await decide(await opened)
      await page
        .getByRole('status')
        .getByText(/authenticat/)
        .waitFor()
      await page.getByLabel('CVC').fill('1234')
      await page.getByRole('status').getByText('Complete').waitFor()
    }
  })

  test('leads to the page of a Checkout session', async () => {
    const { page } = await openPage(browser)
    await page.goto(`${shop.url}/card`)
    await press(page, 'Checkout')
    await page.getByLabel('Email').fill('ada@example.com')
    await fill(page, '4242424242424242')
    await page.getByLabel('Name on card').fill('Ada Lovelace')
    await press(page, 'Pay $20.00')
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()
  })

  test('creates a payment method with a publishable key', async () => {
    const { page } = await openPage(browser)
    await page.goto(`${shop.url}/card`)
    await fill(page, '378282246310005')
    await press(page, 'Save card')
    await page.getByRole('status').getByText('Saved: amex 0005').waitFor()
  })
})
