import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { paytwin, type RunningDaemon, startDaemon } from '../cli/executable.ts'
import { readPdf } from '../pdf.ts'
import { launchChromium, openPage } from './chromium.ts'
import { flawsOf } from './flaws.ts'

const KEY = 'sk_test_invoicesinabrowser1'

let browser: Browser
let daemon: RunningDaemon
let stripe: Stripe
beforeAll(async () => {
  browser = await launchChromium()
  daemon = await startDaemon([
    ...['--ephemeral', '--dialect', 'stripe', '--secret-key', KEY],
    ...['--clock', '2026-01-31T10:00:00Z'],
  ])
  const { hostname, port } = new URL(daemon.url)
  stripe = new Stripe(KEY, { host: hostname, port, protocol: 'http', telemetry: false })
})
afterAll(async () => {
  await browser?.close()
  await daemon?.stop()
})

/** Sends an invoice with a discount, and returns it. */
async function sentInvoice(email: string): Promise<Stripe.Invoice> {
  const { id: coupon } = await stripe.coupons.create({ percent_off: 20, name: 'Spring sale' })
  const { id: customer } = await stripe.customers.create({
    email,
    name: 'Ada Lovelace',
    address: { line1: '12 St James’s Square', city: 'London', postal_code: 'SW1Y 4JH', country: 'GB' },
  })
  const { id } = await stripe.invoices.create({
    customer,
    collection_method: 'send_invoice',
    days_until_due: 14,
    description: 'Thank you for your order.',
    discounts: [{ coupon }],
  })
  for (const [description, amount] of [
    ['Notes on the Analytical Engine, with a long description that takes more than one line', 12_500],
    ['Consulting in January', 49_900],
  ] as const)
    await stripe.invoiceItems.create({ customer, invoice: id, description, amount, currency: 'usd' })
  return stripe.invoices.sendInvoice(id)
}

/** Checks a page with axe, and that nothing is wider than the screen: on a small one in the light, on a large one in the dark. */
async function expectAccessible(page: Page, name: string): Promise<void> {
  for (const [width, colorScheme] of [
    [390, 'light'],
    [1280, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    expect(await flawsOf(page), `${name} ${width}`).toEqual([])
  }
}

const LOOKS: readonly [string, BrowserContextOptions][] = [
  ['a browser', { viewport: { width: 1280, height: 900 } }],
  ['a phone without script', { viewport: { width: 390, height: 844 }, javaScriptEnabled: false }],
]

test.each(LOOKS)('a customer with %s is declined, pays, and reads the receipt', async (name, look) => {
  const invoice = await sentInvoice(`${name.replaceAll(' ', '-')}@example.com`)
  const { page, complaints } = await openPage(browser, look)
  await page.goto(invoice.hosted_invoice_url ?? '')
  await page.getByRole('heading', { name: '$499.20 due February 14, 2026' }).waitFor()
  await page.getByRole('button', { name: '4000 0000 0000 0002' }).click()
  await page.getByRole('button', { name: 'Pay $499.20' }).click()
  expect(await page.getByRole('alert').textContent()).toMatch(/^Your card was declined/)
  await page.getByLabel('Card number').fill('4242 4242 4242 4242')
  await page.getByLabel('Expiration').fill('12 / 34')
  await page.getByLabel('CVC').fill('123')
  await page.getByLabel('Name on card').fill('Ada Lovelace')
  await page.getByRole('button', { name: 'Pay $499.20' }).click()
  await page.getByRole('heading', { name: '$499.20 paid on January 31, 2026' }).waitFor()
  expect(await page.getByRole('status').textContent()).toContain('Your payment was received')
  const pdf = await page.request.get(
    (await page.getByRole('link', { name: 'Download PDF' }).getAttribute('href')) ?? '',
  )
  expect(readPdf(await pdf.body()).pages[0]).toContain('499.20 USD paid on January 31, 2026')
  await page.getByRole('link', { name: 'View receipt' }).click()
  await page.getByText('Visa •••• 4242').waitFor()
  await page.getByRole('link', { name: 'View invoice' }).click()
  await page.getByRole('heading', { name: '$499.20 paid on January 31, 2026' }).waitFor()
  expect((await stripe.invoices.retrieve(invoice.id)).status).toBe('paid')
  expect(complaints).toEqual([])
})

test('the page can be paid under another name of the daemon, with an authentication too', async () => {
  for (const card of ['4242 4242 4242 4242', '4000 0027 6000 3184']) {
    const invoice = await sentInvoice('localhost@example.com')
    const { page, complaints } = await openPage(browser)
    await page.goto((invoice.hosted_invoice_url ?? '').replace('127.0.0.1', 'localhost'))
    await page.getByRole('button', { name: card }).click()
    await page.getByRole('button', { name: 'Pay $499.20' }).click()
    if (card.endsWith('3184')) await page.getByRole('button', { name: 'Complete authentication' }).click()
    await page.getByRole('status').getByText('Your payment was received').waitFor()
    expect(complaints).toEqual([])
  }
})

test('the pages are accessible, on small and large screens, light and dark', async () => {
  const invoice = await sentInvoice('axe@example.com')
  const { page } = await openPage(browser)
  await page.goto(invoice.hosted_invoice_url ?? '')
  await page.getByRole('button', { name: 'Pay $499.20' }).click()
  await page.getByText('Enter a card number').waitFor()
  await expectAccessible(page, 'open')
  await page.getByRole('button', { name: '4242 4242 4242 4242' }).click()
  await page.getByRole('button', { name: 'Pay $499.20' }).click()
  await page.getByRole('status').waitFor()
  await expectAccessible(page, 'paid')
  await page.getByRole('link', { name: 'View receipt' }).click()
  await page.getByRole('heading', { name: '$499.20 paid on January 31, 2026' }).waitFor()
  await expectAccessible(page, 'receipt')
  const voided = await sentInvoice('void@example.com')
  await stripe.invoices.voidInvoice(voided.id)
  await page.goto(voided.hosted_invoice_url ?? '')
  await page.getByRole('heading', { name: 'This invoice was voided' }).waitFor()
  await expectAccessible(page, 'void')
})

test('the operator finds the mail with the invoice in the terminal and on the dashboard', async () => {
  const invoice = await sentInvoice('operator@example.com')
  const list = await paytwin(['mail', 'list', '--to', 'operator@example.com'], { env: daemon.env })
  expect(list.stdout).toMatch(/mail_\w+.*2026-01-31T10:00:00Z.*invoice.*operator@example\.com/)
  const [id = ''] = /mail_\w+/.exec(list.stdout) ?? []
  const shown = await paytwin(['mail', 'show', id], { env: daemon.env })
  expect(shown.stdout).toContain(`View and pay the invoice:\n${invoice.hosted_invoice_url}\n`)
  const { stdout } = await paytwin(['open', '--no-browser'], { env: daemon.env })
  const { page } = await openPage(browser)
  await page.goto(/http:\S+/.exec(stdout)?.[0] ?? '')
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Mail' }).click()
  await page.getByRole('heading', { name: 'Mail', exact: true }).waitFor()
  await expectAccessible(page, 'mail')
  await page.getByLabel('Recipient').fill('operator@example.com')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByRole('link', { name: `New invoice from Default merchant #${invoice.number}` }).click()
  await page.getByRole('heading', { name: 'Text' }).waitFor()
  await expectAccessible(page, 'one mail')
  await page.getByRole('link', { name: 'View and pay the invoice' }).click()
  await page.getByRole('heading', { name: '$499.20 due February 14, 2026' }).waitFor()
})
