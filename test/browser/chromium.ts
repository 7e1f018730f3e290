import { existsSync } from 'node:fs'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'

/** The first is Chromium without windows: the same pages take half of the processor time. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The path of the installed browser; undefined if there is none. A variable can set another one. */
export const chromiumPath = (): string | undefined =>
  [process.env.PAYTWIN_TEST_CHROMIUM ?? '', ...PLACES].find((path) => path !== '' && existsSync(path))

/** Starts a headless browser. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = chromiumPath()
  if (executablePath === undefined)
    throw new Error('There is no Chromium: apt-get install chromium-headless-shell')
  const { chromium } = await import('playwright-core')
  // The browser's sandbox does not work for root, which containers run as.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launch({ executablePath, args })
}

/** Opens a page in a new browser profile, and collects its errors. */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext(options)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    // The tested applications have no icon. The failed request for it does not matter.
    if (message.type() === 'error' && !/favicon/.test(message.location().url)) complaints.push(message.text())
  })
  return { page, complaints }
}
