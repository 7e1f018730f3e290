import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'

const PLACES = [
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
  if (executablePath === undefined) throw new Error('There is no Chromium: apt-get install chromium')
  const { chromium } = await import('playwright-core')
  // The browser's sandbox does not work for root, which containers run as.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launch({ executablePath, args })
}
