import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Where this machine has a browser; undefined when it has none. A variable can name another one. */
export const chromiumPath = (): string | undefined =>
  [process.env.PAYTWIN_TEST_CHROMIUM ?? '', ...PLACES].find((path) => path !== '' && existsSync(path))

/** A browser without a window. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = chromiumPath()
  if (executablePath === undefined) throw new Error('There is no Chromium: apt-get install chromium')
  const { chromium } = await import('playwright-core')
  // Its sandbox does not work for root, as whom containers run.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launch({ executablePath, args })
}
