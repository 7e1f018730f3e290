import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { paytwin, type RunningDaemon, startDaemon } from '../cli/executable.ts'
import { launchChromium } from './chromium.ts'

let browser: Browser
let daemon: RunningDaemon
beforeAll(async () => {
  browser = await launchChromium()
  const clock = ['--clock', '2026-01-31T10:00:00Z', '--seed', '1']
  daemon = await startDaemon(['--ephemeral', ...clock, '--fixtures', `${process.cwd()}/fixtures/tour.json`])
})
afterAll(async () => {
  await browser?.close()
  await daemon?.stop()
})

/** Opens a page of the dashboard in a new browser profile. */
async function open(path = ''): Promise<{ page: Page; complaints: string[] }> {
  const { stdout } = await paytwin(['open'], { env: daemon.env })
  const context = await browser.newContext()
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
  page.on('pageerror', (error) => void complaints.push(String(error)))
  await page.goto(stdout.trim())
  await page.goto(`${daemon.url}/dashboard/${daemon.merchant}${path}`)
  return { page, complaints }
}

/** Waits for a value, also on a busy machine. */
const eventually = <T>(read: () => Promise<T>) => expect.poll(read, { timeout: 10_000 })
const run = (...args: string[]) => paytwin(args, { env: daemon.env })
const rows = (page: Page) => page.getByRole('region', { name: 'Events' }).locator('tbody tr')
const create = (index: number) =>
  fetch(`${daemon.url}/v1/customers`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${daemon.secret_key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: `<img src=x onerror=alert(1)> ${index}` }),
  })

test('the list of events shows new events, and a flood of them leaves the page usable', async () => {
  const { page, complaints } = await open('/events')
  const before = await rows(page).count()
  const newest = await rows(page).first().textContent()
  await create(0)
  await eventually(() => rows(page).count()).toBe(before + 1)
  expect(await rows(page).first().textContent()).not.toBe(newest)
  for (let round = 0; round < 6; round += 1)
    await Promise.all(Array.from({ length: 50 }, (_, index) => create(round * 50 + index)))
  await eventually(() => rows(page).count()).toBe(200)
  const lag = await page.evaluate<number>(
    'new Promise((done) => { const begun = performance.now(); requestAnimationFrame(() => done(performance.now() - begun)) })',
  )
  expect(lag).toBeLessThan(500)
  const { data } = (await (
    await fetch(`${daemon.url}/v1/events?limit=1`, {
      headers: { Authorization: `Bearer ${daemon.secret_key}` },
    })
  ).json()) as { data: { id: string }[] }
  await rows(page).first().getByRole('link', { name: 'customer.created' }).waitFor()
  await eventually(() => rows(page).first().getByRole('link').first().getAttribute('href')).toContain(
    data[0]?.id,
  )
  expect(complaints).toEqual([])
})

test('the overview and the clock follow an advance of the command line', async () => {
  const { page, complaints } = await open()
  const figures = () => page.getByRole('main').innerText()
  const before = await figures()
  await run('clock', 'advance', '1mo')
  await page.getByRole('region', { name: 'Clock' }).getByText('2026-02-28 10:00').waitFor()
  await eventually(figures).not.toBe(before)
  expect(complaints).toEqual([])
})

test('a paused page does not change until it is resumed', async () => {
  const { page } = await open('/events')
  const toggle = page.getByRole('button', { name: 'Live', pressed: true })
  await toggle.click()
  const toggleOff = page.getByRole('button', { name: 'Live', pressed: false })
  await toggleOff.waitFor()
  const before = await rows(page).first().innerHTML()
  await create(-1)
  await page.reload()
  const reloaded = await rows(page).first().innerHTML()
  expect(reloaded).not.toBe(before)
  await create(-2)
  await toggleOff.waitFor()
  expect(await rows(page).first().innerHTML()).toBe(reloaded)
  await toggleOff.click()
  await eventually(() => rows(page).first().innerHTML()).not.toBe(reloaded)
})

test('a hidden page has no stream', async () => {
  const { page } = await open('/events')
  const first = await rows(page).first().innerHTML()
  await create(-5)
  await eventually(() => rows(page).first().innerHTML()).not.toBe(first)
  const requested: string[] = []
  page.on(
    'request',
    (request) => void requested.push(new URL(request.url()).pathname.split('/').at(-1) ?? ''),
  )
  const show = (state: string) =>
    page.evaluate(`
      Object.defineProperty(document, 'hidden', { value: ${state === 'hidden'}, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    `)
  await show('hidden')
  // The page may have read its clock just before.
  requested.length = 0
  const before = await rows(page).first().innerHTML()
  await create(-3)
  await create(-4)
  expect(await rows(page).first().innerHTML()).toBe(before)
  expect(requested).toEqual([])
  await show('visible')
  await eventually(() => rows(page).first().innerHTML()).not.toBe(before)
  // It catches up first, and then opens its stream.
  await eventually(async () => requested).toContain('live')
})

/** Lets a test hide pages, and counts their open streams. Pages of a headless browser are always visible. */
const OBSERVED = `
  let hidden = false
  Object.defineProperty(document, 'hidden', { get: () => hidden })
  globalThis.hide = (value) => {
    hidden = value
    document.dispatchEvent(new Event('visibilitychange'))
  }
  globalThis.streams = []
  globalThis.EventSource = class extends EventSource {
    constructor(url) {
      super(url)
      streams.push(this)
    }
  }
`
const openStreams = async (page: Page) =>
  Number(await page.evaluate('streams.filter(({ readyState }) => readyState !== EventSource.CLOSED).length'))

test('a page that is shown for moments has one stream and one chain of polls when it is shown, and none when it is hidden', async () => {
  const { page } = await open('/events')
  await page.addInitScript(OBSERVED)
  await page.clock.install()
  await page.reload()
  await eventually(() => openStreams(page)).toBe(1)
  await page.clock.pauseAt(Date.now() + 60_000)
  const wait: (() => void)[] = []
  await page.route('**/events', async (route) => {
    if (route.request().resourceType() === 'fetch') await new Promise<void>((done) => wait.push(done))
    await route.continue()
  })
  for (let look = 0; look < 3; look += 1) {
    await page.evaluate('hide(true)')
    await page.evaluate('hide(false)')
  }
  await page.evaluate('hide(true)')
  await eventually(async () => wait.length).toBe(1)
  wait.shift()?.()
  const shown = page.waitForRequest(/\/events$/)
  await page.evaluate('hide(false)')
  await shown
  await eventually(async () => wait.length).toBe(1)
  expect(await openStreams(page)).toBe(0)
  wait.shift()?.()
  await eventually(() => openStreams(page)).toBe(1)
  const polls: string[] = []
  const clockUrl = await page.locator('section.time').getAttribute('data-url')
  page.on('request', (request) => {
    if (request.url().endsWith(String(clockUrl))) polls.push(request.url())
  })
  await page.clock.runFor(2_100)
  await eventually(async () => polls.length).toBeGreaterThan(0)
  // The requests before this one have been reported when it is answered.
  await page.evaluate('fetch(location.origin)')
  expect(polls).toHaveLength(1)
  await page.evaluate('hide(true)')
  expect(await openStreams(page)).toBe(0)
})

test('eight visible windows leave connections for other pages, and all of them follow what happens', async () => {
  const { page } = await open('/events')
  const context = page.context()
  await context.addInitScript(OBSERVED)
  const url = page.url()
  const windows: Page[] = []
  for (let count = 0; count < 8; count += 1) {
    const window = await context.newPage()
    await window.goto(url)
    windows.push(window)
  }
  const streams = async () =>
    (await Promise.all(windows.map(openStreams))).reduce((sum, each) => sum + each, 0)
  // The first page has no counter, but a place.
  await eventually(streams).toBe(2)
  await page.close()
  await eventually(streams).toBe(3)
  const before = await Promise.all(windows.map((window) => rows(window).first().innerHTML()))
  await create(-6)
  for (const [index, window] of windows.entries())
    await eventually(() => rows(window).first().innerHTML()).not.toBe(before[index])
  const [, , , , last] = windows
  await last?.goto(url.replace(/events$/, 'requests'))
  await eventually(streams).toBe(3)
})

test('signing out ends the streams of other browsers with the same cookie', async () => {
  const { page } = await open('/events')
  const copy = await browser.newContext({ storageState: await page.context().storageState() })
  onTestFinished(() => copy.close())
  const thief = await copy.newPage()
  await thief.goto(page.url())
  await thief.getByRole('heading', { name: 'Events', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Open the dashboard' }).waitFor()
  await thief.getByRole('heading', { name: 'Open the dashboard' }).waitFor({ timeout: 10_000 })
})
