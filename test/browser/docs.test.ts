import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type RunningDaemon, startDaemon } from '../cli/executable.ts'
import { launchChromium } from './chromium.ts'

let browser: Browser
let daemon: RunningDaemon
beforeAll(async () => {
  browser = await launchChromium()
  daemon = await startDaemon()
})
afterAll(async () => {
  await browser?.close()
  await daemon?.stop()
})

/** Opens a page of the documentation, and collects its errors, violations of its policy included. */
async function openDocs(options: { javaScriptEnabled?: boolean; width?: number } = {}) {
  const { javaScriptEnabled = true, width = 1280 } = options
  const context = await browser.newContext({ javaScriptEnabled, viewport: { width, height: 800 } })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
  page.on('requestfailed', (request) => void complaints.push(request.url()))
  await page.goto(`${daemon.url}/docs`)
  return { page, complaints }
}

const results = (page: Page) => page.locator('search li a')

test('the search finds routes by the names of their parameters, and opens them with the keyboard', async () => {
  const { page, complaints } = await openDocs()
  await page.keyboard.press('/')
  await page.keyboard.type('trial_period_days')
  expect(await results(page).first().textContent()).toContain('POST /v1/subscriptions')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/docs\/subscriptions#post-v1subscriptions$/)
  expect(await page.getByRole('heading', { name: 'POST /v1/subscriptions', exact: true }).isVisible()).toBe(
    true,
  )
  expect(complaints).toEqual([])
})

test('the search says when it finds nothing, and Escape clears it', async () => {
  const { page } = await openDocs()
  await page.getByRole('searchbox').fill('zebra')
  expect(await page.locator('search ul').textContent()).toBe('Nothing found')
  await page.keyboard.press('Escape')
  expect(await page.getByRole('searchbox').inputValue()).toBe('')
  expect(await page.locator('search ul').isVisible()).toBe(false)
})

test.each([390, 1280])('pages fit a screen of %i pixels', async (width) => {
  const { page } = await openDocs({ width })
  for (const name of ['', '/errors', '/subscriptions', '/operator_subscriptions']) {
    await page.goto(`${daemon.url}/docs${name}`)
    expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBe(width)
  }
})

test('without scripts there is no search, and the rest is complete', async () => {
  const { page } = await openDocs({ javaScriptEnabled: false })
  expect(await page.getByRole('searchbox').count()).toBe(0)
  await page.getByText('For the operator').first().click()
  await page.getByRole('link', { name: 'Snapshots' }).first().click()
  await page.getByRole('heading', { name: 'Snapshots' }).first().waitFor()
})
