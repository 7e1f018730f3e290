import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { paytwin, type RunningDaemon, startDaemon } from '../cli/executable.ts'
import { launchChromium } from './chromium.ts'

let browser: Browser
let daemon: RunningDaemon
beforeAll(async () => {
  browser = await launchChromium()
  const clock = ['--clock', '2026-01-31T10:00:00Z', '--seed', '1']
  daemon = await startDaemon(['--ephemeral', ...clock, '--fixtures', `${process.cwd()}/fixtures/tour.json`])
  await paytwin(['webhooks', 'create', 'http://127.0.0.1:9/hooks'], { env: daemon.env })
  await paytwin(['clock', 'advance', '2mo'], { env: daemon.env })
  await paytwin(['snapshots', 'save', 'tour'], { env: daemon.env })
  await paytwin(['faults', 'add', 'latency', '--ms', '1'], { env: daemon.env })
})
afterAll(async () => {
  await browser?.close()
  await daemon?.stop()
})

/** Opens the dashboard in a new browser profile with a link of `paytwin open`, and collects its errors. */
async function openDashboard(
  options: BrowserContextOptions = {},
): Promise<{ page: Page; complaints: string[] }> {
  const { stdout } = await paytwin(['open'], { env: daemon.env })
  const context = await browser.newContext(options)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
  page.on('pageerror', (error) => void complaints.push(String(error)))
  await page.goto(stdout.trim())
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  return { page, complaints }
}

const section = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name }).click()
/** Waits for a page: for its heading, and for its script, which runs before the page has loaded. */
const heading = async (page: Page, name: string | RegExp) => {
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await page.waitForLoadState()
}
const clockOf = (page: Page) =>
  page.getByRole('region', { name: 'Clock' }).locator('time').first().textContent()

test('the link of the ready line opens the dashboard once', async () => {
  const context = await browser.newContext()
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(daemon.dashboard)
  await heading(page, 'Overview')
  expect(page.url()).not.toContain('code=')
  const other = await browser.newContext()
  onTestFinished(() => other.close())
  const stranger = await other.newPage()
  await stranger.goto(daemon.dashboard)
  await stranger.getByRole('heading', { name: 'The link does not work any more' }).waitFor()
  await stranger.goto(daemon.url)
  await stranger.getByRole('heading', { name: 'Open the dashboard' }).waitFor()
  expect(daemon.log()).not.toContain(daemon.dashboard)
})

test('a person advances the clock, finds a subscription, looks back, and cancels it', async () => {
  const { page, complaints } = await openDashboard()
  expect(await clockOf(page)).toBe('2026-03-31 10:00')
  await page.getByRole('button', { name: 'Advance by 1 day' }).click()
  await heading(page, 'The clock has advanced')
  expect(await clockOf(page)).toBe('2026-04-01 10:00')

  await section(page, 'Subscriptions')
  await heading(page, 'Subscriptions')
  await page.getByLabel('Status').selectOption('active')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.waitForURL(/status=active/)
  await page.locator('tbody').getByRole('link').first().click()
  await heading(page, /^Subscription, 49\.00 USD a month$/)

  await page.getByLabel('As of').focus()
  await page.keyboard.press('Home')
  await page.waitForURL(/step=0/)
  await page.getByRole('heading', { name: 'The object in the past' }).waitFor()
  expect(await page.getByRole('button', { name: 'Cancel now' }).count()).toBe(0)
  await page.getByRole('link', { name: 'Back to now' }).click()
  await page.getByRole('button', { name: 'Cancel at the end of the period' }).click()
  await page.getByRole('button', { name: 'Do not cancel' }).click()
  await page.getByRole('button', { name: 'Cancel at the end of the period' }).waitFor()
  expect(complaints).toEqual([])
})

test('a person saves a snapshot, adds a fault, and creates a key that is shown once', async () => {
  const { page, complaints } = await openDashboard()
  await section(page, 'Scenes')
  await page.getByLabel('Name of the snapshot').fill('by-hand')
  await page.getByRole('button', { name: 'Save the snapshot' }).click()
  await page.getByText('The snapshot was saved.').waitFor()
  await page.getByLabel('Kind of fault').selectOption('rate_limit')
  await page.getByRole('button', { name: 'Add the fault' }).click()
  await page.getByRole('button', { name: 'Remove rate limit' }).click()
  await page.getByText('The fault was removed.').waitFor()
  // The script shows the field, and then puts the content of the file into the other.
  await page.getByLabel('a file').waitFor()
  await page.getByLabel('a file').setInputFiles(`${process.cwd()}/fixtures/tour.json`)
  await page.getByRole('button', { name: 'Load the fixtures' }).click()
  await heading(page, 'The fixtures were loaded')
  await page.getByRole('link', { name: 'Back to the scenes' }).click()
  await page.getByRole('link', { name: 'Compare by-hand' }).click()
  await page.getByRole('row', { name: 'customer 3 0 0' }).waitFor()
  await section(page, 'Scenes')
  await page.getByRole('button', { name: 'Restore by-hand' }).click()
  await page.getByText('The snapshot was restored.').waitFor()
  await page.getByLabel('Name of the key').fill('Shop')
  await page.getByRole('button', { name: 'Create the key' }).click()
  const key = await page.getByRole('region', { name: 'New key' }).locator('pre').textContent()
  expect(key).toMatch(/^sk_test_/)
  await page.getByRole('link', { name: 'Back to the scenes' }).click()
  await heading(page, 'Scenes')
  expect(complaints).toEqual([])
  // The browser has not kept the page with the key.
  await expect(page.goBack()).rejects.toThrow('ERR_CACHE_MISS')
})

test('a person refunds a part, changes the card, and finds an object by its id', async () => {
  const { page, complaints } = await openDashboard()
  await section(page, 'Payments')
  await page
    .getByRole('row', { name: /succeeded/ })
    .first()
    .getByRole('link')
    .click()
  await page.getByText('Refund…').click()
  await page.getByLabel('Amount in the smallest unit').fill('100')
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  await page.getByText('1.00 USD refunded').waitFor()
  await section(page, 'Customers')
  const id = (await page.locator('tbody').getByRole('link').first().textContent()) ?? ''
  await page.getByLabel('Find a name, email, number or ID').fill(id)
  await page.getByLabel('Find a name, email, number or ID').press('Enter')
  await page.waitForURL(new RegExp(`/customers/${id}$`))
  await page.getByText('Change card…').click()
  await page.getByLabel('Test card').selectOption('pm_card_amex')
  await page.getByRole('button', { name: 'Change card', exact: true }).click()
  await page.getByText(/8431/).first().waitFor()
  expect(complaints).toEqual([])
})

test('without script, everything works with buttons', async () => {
  const { page } = await openDashboard({ javaScriptEnabled: false })
  const before = await clockOf(page)
  await page.getByText('Until…').click()
  await page.getByLabel('Stop at the first event').selectOption('invoice.paid')
  await page.getByLabel('Time (UTC)').fill('2026-07-01T00:00:00')
  await page.getByRole('button', { name: 'Advance', exact: true }).click()
  await page.getByText('stopped by invoice.paid').waitFor()
  expect(await clockOf(page)).not.toBe(before)
  await section(page, 'Invoices')
  await page.locator('tbody').getByRole('link').first().click()
  await heading(page, /^Invoice /)
  await page.getByLabel('As of').focus()
  await page.keyboard.press('Home')
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await page.waitForURL(/step=0/)
})

test('the keyboard reaches the content at once, and the forms of the clock', async () => {
  const { page } = await openDashboard()
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
  await page.keyboard.press('Enter')
  expect(await page.evaluate('document.activeElement.id')).toBe('content')
  await section(page, 'Subscriptions')
  await page.locator('tbody').getByRole('link').first().click()
  await heading(page, /^Subscription, /)
  await page.getByLabel('As of').focus()
  for (let step = 0; step < 2; step += 1) {
    const before = page.url()
    await page.keyboard.press('ArrowLeft')
    await page.waitForURL((address) => address.href !== before)
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('step')
  }
})

test('the page without a session is accessible', async () => {
  const page = await browser.newPage()
  onTestFinished(() => page.close())
  await page.goto(`${daemon.url}/dashboard`)
  expect(await violationsOn(page)).toEqual([])
})

test('with several merchants, choosing one with a pointer shows it; with the keyboard, the button does', async () => {
  await paytwin(['merchants', 'create', '--name', 'Corner Shop'], { env: daemon.env })
  const { page } = await openDashboard()
  const merchants = page.getByLabel('Merchant')
  await merchants.focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Tab')
  expect(page.url()).toContain(daemon.merchant)
  await page.keyboard.press('Enter')
  await page.waitForURL((address) => !address.pathname.includes(daemon.merchant))
  await page.goBack()
  await merchants.dispatchEvent('pointerdown')
  await merchants.selectOption('Corner Shop')
  await page.waitForURL((address) => !address.pathname.includes(daemon.merchant))
  await page.getByText('No payments.').waitFor()
})

/** The violations of accessibility rules on a page, with the elements. */
async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const found = (await page.evaluate('axe.run()')) as axe.AxeResults
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
}

/** Finds the path of the first object of a list. */
async function firstOf(page: Page, base: string, name: string): Promise<string> {
  await page.goto(`${base}/${name}`)
  return (await page.locator('tbody a, .rows a').first().getAttribute('href')) ?? ''
}

test.each([
  ['light', 390],
  ['dark', 1280],
] as const)('all pages are accessible and fit the screen, %s, %i pixels wide', async (colorScheme, width) => {
  const { page, complaints } = await openDashboard({ colorScheme, viewport: { width, height: 900 } })
  const base = `${daemon.url}/dashboard/${daemon.merchant}`
  const subscription = `${daemon.url}${await firstOf(page, base, 'subscriptions')}`
  const event = `${daemon.url}${await firstOf(page, base, 'events')}`
  const webhook = `${daemon.url}${await firstOf(page, base, 'webhooks')}`
  await page.goto(webhook)
  const toDelivery = page.getByRole('link', { name: /^Request and responses of/ }).first()
  const delivery = `${daemon.url}${await toDelivery.getAttribute('href')}`
  await page.goto(base)
  await page.getByRole('button', { name: 'Next event' }).click()
  await heading(page, 'The clock has advanced')
  const pages = [
    page.url(),
    base,
    ...['clocks', 'events', 'webhooks', 'requests', 'scenes', 'scenes/compare/tour'].map(
      (name) => `${base}/${name}`,
    ),
    ...['customers', 'subscriptions', 'invoices', 'payments'].map((name) => `${base}/${name}`),
    ...(await ['customers', 'invoices', 'payments'].reduce<Promise<string[]>>(
      async (all, name) => [...(await all), `${daemon.url}${await firstOf(page, base, name)}`],
      Promise.resolve([]),
    )),
    event,
    webhook,
    delivery,
    `${base}/webhooks/inbox`,
    subscription,
    `${subscription}?step=1`,
    `${base}/invoices?search=nobody@example.com`,
  ]
  for (const [index, address] of pages.entries()) {
    await page.goto(address)
    await page.locator('details').evaluateAll((all) => {
      for (const each of all as unknown as { open: boolean }[]) each.open = true
    })
    // The rules take seconds a page. Pages share their parts and colors, so each is checked in one of the two looks.
    if (index % 2 === Number(width > 390)) expect(await violationsOn(page), address).toEqual([])
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await page.evaluate(overflow), address).toBe(0)
  }
  expect(complaints).toEqual([])
  await page.goto(`${base}/nonsense`)
  expect(await violationsOn(page)).toEqual([])
})
