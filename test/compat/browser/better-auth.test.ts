import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import Sqlite from 'better-sqlite3'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import Stripe from 'stripe'
import { expect, onTestFinished, test } from 'vitest'
import { createPaytwin, type Paytwin } from '../../../src/index.ts'
import { launchChromium, openPage } from '../../browser/chromium.ts'
import { createAuthApp, createPlans } from '../stripe/better-auth-app.ts'

const PAGE =
  '<!doctype html><html lang="en"><title>Account</title><body></body><script type="module" src="/page.js"></script>'

/** Starts the application: better-auth's own routes, and a page with better-auth's own client. */
async function startApp(): Promise<{ twin: Paytwin; url: string }> {
  // Later than the wall clock: the plugin compares periods with it.
  const twin = await createPaytwin({ dialect: 'stripe', now: '2040-01-31T10:00:00Z' })
  const { hostname: host, port } = new URL(twin.url)
  const stripe = new Stripe(twin.secretKey, { host, port, protocol: 'http', telemetry: false })
  const database = new Sqlite(':memory:')
  const bundle = { bundle: true, write: false, format: 'esm' } as const
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'account-page.ts')],
    ...bundle,
  })
  const script = outputFiles[0]?.text ?? ''
  let handle = async (_: Request) => new Response(null, { status: 503 })
  const server = createAdaptorServer({
    fetch: (request: Request) => {
      const { pathname } = new URL(request.url)
      if (pathname.startsWith('/api/auth/')) return handle(request)
      const [body, type] = pathname === '/page.js' ? [script, 'text/javascript'] : [PAGE, 'text/html']
      return new Response(body, { headers: { 'Content-Type': type } })
    },
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(async () => {
    server.close()
    await twin.close()
    database.close()
  })
  const { secret: webhookSecret } = await twin.webhooks.create({ url: `${url}/api/auth/stripe/webhook` })
  const prices = await createPlans(stripe)
  handle = await createAuthApp({ stripe, webhookSecret, url, database, prices })
  return { twin, url }
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/** Leaves the portal. */
const leave = (page: Page) => page.getByRole('link', { name: /^Return to/ }).click()

async function cancel(page: Page): Promise<void> {
  await press(page, 'Cancel plan')
  await press(page, 'Confirm')
  await page.getByRole('status').getByText('Your subscription will be canceled').waitFor()
  await leave(page)
}

/** Opens the account page once the application has received all webhooks, and waits until it says this. */
async function expectAccount(page: Page, { twin, url }: { twin: Paytwin; url: string }, text: string) {
  await page.waitForURL(`${url}/account**`)
  await twin.webhooks.settled()
  await page.reload()
  await page.getByRole('status').getByText(text, { exact: true }).waitFor()
}

test("better-auth's client sells, upgrades, cancels and restores a plan in a browser", async () => {
  const app = await startApp()
  const browser = await launchChromium()
  onTestFinished(() => browser.close())
  const { page, complaints } = await openPage(browser)
  await page.goto(`${app.url}/account`)
  await press(page, 'Sign up')
  await page.getByRole('status').getByText('Ada: No plan').waitFor()

  await press(page, 'Choose Basic')
  await page.getByLabel('Card number').fill('4242 4242 4242 4242')
  await page.getByLabel('Expiration').fill('12 / 50')
  await page.getByLabel('CVC').fill('123')
  await page.getByLabel('Name on card').fill('Ada Lovelace')
  await press(page, 'Subscribe')
  await expectAccount(page, app, 'Ada: basic, active')

  await press(page, 'Choose Pro')
  await page.getByText(/^Unused time on Basic/).waitFor()
  await page.getByText(/^Remaining time on Pro/).waitFor()
  await press(page, 'Confirm')
  await expectAccount(page, app, 'Ada: pro, active')

  await press(page, 'Manage billing')
  await page.getByText('$50.00 per month').waitFor()
  await leave(page)
  await expectAccount(page, app, 'Ada: pro, active')

  await cancel(page)
  await expectAccount(page, app, 'Ada: pro, active, ends')
  await press(page, 'Keep plan')
  await page.getByRole('status').getByText('Ada: pro, active', { exact: true }).waitFor()

  await cancel(page)
  await expectAccount(page, app, 'Ada: pro, active, ends')
  await app.twin.clock.advanceTo('2040-02-29T12:00:00Z', { awaitWebhooks: true })
  await expectAccount(page, app, 'Ada: No plan')
  expect(complaints).toEqual([])
})
