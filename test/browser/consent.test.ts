import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { paytwin, type RunningDaemon, startDaemon } from '../cli/executable.ts'
import { launchChromium, openPage } from './chromium.ts'
import { type MarketplaceApp, startApp } from './marketplace-app.ts'

let browser: Browser
let daemon: RunningDaemon
beforeAll(async () => {
  browser = await launchChromium()
  daemon = await startDaemon(['--ephemeral', '--clock', '2026-01-31T10:00:00Z'])
  await paytwin(['merchants', 'create', '--name', 'Corner Shop'], { env: daemon.env })
})
afterAll(async () => {
  await browser?.close()
  await daemon?.stop()
})

async function openApp(scope?: string): Promise<MarketplaceApp> {
  const app = await startApp(daemon, scope)
  onTestFinished(() => app.close())
  return app
}

/** Follows the app's link to the consent page. */
async function connect(page: Page, app: MarketplaceApp): Promise<void> {
  await page.goto(app.url)
  await page.getByRole('link', { name: 'Connect' }).click()
  await page.getByRole('heading', { name: 'Ledgerly Books requests access to your account' }).waitFor()
}

const press = (page: Page, name: 'Approve' | 'Deny') => page.getByRole('button', { name }).click()
const choose = (page: Page, merchant: string) => page.getByText(merchant, { exact: true }).click()
/** Counts pending authorizations. */
async function pending(): Promise<number> {
  const { stdout } = await paytwin(['oauth', 'list', '-n', '100', '--json'], { env: daemon.env })
  return JSON.parse(stdout).data.filter(({ status }: { status: string }) => status === 'pending').length
}

describe('a merchant', () => {
  test('approves on the consent page, and the app uses the API until it revokes its token', async () => {
    const app = await openApp()
    const { page, complaints } = await openPage(browser)
    await connect(page, app)
    await choose(page, 'Corner Shop')
    await press(page, 'Approve')
    await page.getByText('You are connected').waitFor()
    expect(page.url().startsWith(`${app.url}/callback?code=oac_test_`)).toBe(true)
    expect(complaints).toEqual([])

    const [first] = app.tokens
    expect(first).toMatchObject({ scope: 'read_write', token_type: 'bearer' })
    const made = await app.call('/v1/customers', first?.access_token, { name: 'Ada' })
    expect([made.status, made.body.merchant_id]).toEqual([201, first?.merchant_id])
    const refreshed = await app.asItself('token', {
      grant_type: 'refresh_token',
      refresh_token: first?.refresh_token ?? '',
    })
    const { access_token, refresh_token = '' } = refreshed.body
    expect((await app.call(`/v1/customers/${made.body.id}`, access_token)).status).toBe(200)
    expect((await app.asItself('revoke', { token: refresh_token })).status).toBe(200)
    expect((await app.call('/v1/customers', access_token)).status).toBe(401)
    expect((await app.call('/v1/customers', first?.access_token)).status).toBe(401)
  })

  test('denies without choosing a merchant, and the app receives the error', async () => {
    const app = await openApp()
    const { page, complaints } = await openPage(browser)
    await connect(page, app)
    await press(page, 'Deny')
    await page.getByText('You are not connected').waitFor()
    expect(app.visits).toEqual([
      { query: { error: 'access_denied', state: expect.any(String) }, referer: undefined },
    ])
    expect(app.tokens).toEqual([])
    expect(complaints).toEqual([])
  })

  test('approves without script, and no app learns where it came from', async () => {
    const app = await openApp('read_only')
    const { page } = await openPage(browser, { javaScriptEnabled: false })
    await connect(page, app)
    await choose(page, 'Default merchant')
    await press(page, 'Approve')
    await page.waitForURL(/\/callback\?/)
    expect(app.visits).toMatchObject([{ referer: undefined }])
    expect(app.tokens).toMatchObject([{ scope: 'read_only', merchant_id: daemon.merchant }])
  })

  test('must choose a merchant before approving', async () => {
    const app = await openApp()
    const { page } = await openPage(browser)
    await connect(page, app)
    await press(page, 'Approve')
    expect(await page.locator('input:invalid').count()).toBeGreaterThan(0)
    expect(new URL(page.url()).pathname).toBe('/v1/oauth/authorize')
    expect(app.visits).toEqual([])
  })

  test('decides with the keyboard, and Enter alone never approves', async () => {
    const app = await openApp()
    const { page } = await openPage(browser)
    await connect(page, app)
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowDown')
    expect(await page.locator('input:checked').count()).toBe(1)
    await page.keyboard.press('Enter')
    await page.waitForURL(/error=access_denied/)

    await connect(page, app)
    for (const key of ['Tab', 'Space', 'Tab', 'Tab', 'Enter']) await page.keyboard.press(key)
    await page.waitForURL(/code=oac_test_/)
  })

  test('sees an error when deciding a second time after going back', async () => {
    const app = await openApp()
    const { page } = await openPage(browser)
    await connect(page, app)
    const consent = page.url()
    type Markup = { outerHTML: string }
    const form = await page.locator('form').evaluate((element) => (element as unknown as Markup).outerHTML)
    await press(page, 'Deny')
    await page.waitForURL(/error=access_denied/)
    await page.goto(consent)
    // The earlier page, from the browser's history.
    await page.locator('form').evaluate((element, html) => {
      ;(element as unknown as Markup).outerHTML = html
    }, form)
    await choose(page, 'Corner Shop')
    await press(page, 'Approve')
    await page.getByText('was not shown to this browser').waitFor()
    expect(app.visits).toHaveLength(1)
  })
})

describe('the page', () => {
  test.each([
    ['a small phone', 320, 568],
    ['a phone', 390, 844],
    ['a desk', 1280, 800],
  ])('fits %s: nothing is cut off, and buttons are large enough for a thumb', async (_, width, height) => {
    const app = await openApp()
    const { page, complaints } = await openPage(browser, { viewport: { width, height } })
    await connect(page, app)
    const overflow = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    expect(overflow).toBe(0)
    for (const name of ['Approve', 'Deny'] as const) {
      const box = await page.getByRole('button', { name }).boundingBox()
      expect(box?.height).toBeGreaterThanOrEqual(44)
      expect(box?.width).toBeGreaterThanOrEqual(120)
    }
    expect(complaints).toEqual([])
  })

  test('shows an error for an unregistered redirect_uri, without a redirect', async () => {
    const { page } = await openPage(browser)
    const response = await page.goto(
      `${daemon.url}/v1/oauth/authorize?response_type=code&client_id=app_x&redirect_uri=https://evil.example/`,
    )
    expect(response?.status()).toBe(400)
    await page.getByRole('heading', { name: 'The authorization request is invalid' }).waitFor()
    expect(await page.locator('form, a').count()).toBe(0)
  })
})

describe('another site', () => {
  test('cannot show the page in a frame', async () => {
    const app = await openApp()
    const { page, complaints } = await openPage(browser)
    await connect(page, app)
    const consent = page.url()
    await page.goto(`${app.url}/frame?of=${encodeURIComponent(consent)}`)
    await expect.poll(() => complaints.join(' ')).toMatch(/frame-ancestors 'none'/)
    expect(await page.frame('stolen')?.locator('form').count()).toBe(0)
  })

  test('cannot press the button for the merchant', async () => {
    const app = await openApp()
    const { page } = await openPage(browser)
    await connect(page, app)
    const nonce = await page.locator('input[name=nonce]').inputValue()
    const before = await pending()
    await page.goto(app.url)
    const fields = Object.entries({ nonce, decision: 'approve', merchant: daemon.merchant })
    await page.setContent(`<form method="post" action="${daemon.url}/v1/oauth/authorize/decision">
      ${fields.map(([name, value]) => `<input name="${name}" value="${value}">`).join('')}
      <button>Win a prize</button></form>`)
    await page.getByRole('button', { name: 'Win a prize' }).click()
    await page.getByText('are not allowed').waitFor()
    expect(await pending()).toBe(before)
    expect(app.visits).toEqual([])
  })
})
