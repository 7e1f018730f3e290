import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Waiting } from '../../src/engine/machine/merchant-state.ts'
import { Sessions, sessionsInMemory } from '../../src/http/dashboard/sessions.ts'
import { asOperator, FORM } from '../http/support.ts'
import { subscribe } from '../scenarios/story.ts'
import { startTwin, type Twin } from '../twin.ts'
import { linkOf, signIn, tokenOf, url, visit } from './support.ts'

let twin: Twin
let wall = 1_769_853_600_000
beforeAll(async () => {
  twin = await startTwin({ url, wall: () => wall })
})
afterAll(() => twin.close())

const id = () => twin.sandbox.merchant.settings.id
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

test('a browser at the root is sent to the dashboard, and other clients get the usual 404', async () => {
  const shown = await visit(twin, '/')
  expect([shown.status, shown.headers.get('location')]).toEqual([302, '/dashboard'])
  expect((await visit(twin, '/', { headers: { Accept: '*/*' } })).status).toBe(404)
})

test.each([
  '',
  '/open',
  '/open?code=',
  '/open?code=dlk_test_00000000000000000000000000000000',
  '/mer_1/invoices',
])('without a session, /dashboard%s shows nothing but how to open it', async (path) => {
  const response = await visit(twin, `/dashboard${path}`)
  const text = await response.text()
  expect(response.status).toBe(401)
  expect(text).toContain('paytwin open')
  expect(text).not.toContain(id())
  expect(text).not.toContain('Default merchant')
  expect(response.headers.get('set-cookie')).toBeNull()
})

test('a link opens the dashboard once, with a cookie that scripts and other sites cannot use', async () => {
  const link = await linkOf(twin)
  expect(link).toMatch(/^\/dashboard\/open\?code=dlk_test_\w{32}$/)
  const opened = await visit(twin, link)
  expect([opened.status, opened.headers.get('location')]).toEqual([303, '/dashboard'])
  expect(opened.headers.get('referrer-policy')).toBe('no-referrer')
  expect(opened.headers.get('set-cookie')).toMatch(
    /^paytwin_dashboard_4242=dss_test_\w{32}; Max-Age=2592000; Path=\/dashboard; HttpOnly; SameSite=Strict$/,
  )
  const again = await visit(twin, link)
  expect([again.status, again.headers.get('set-cookie')]).toEqual([401, null])
  expect(await again.text()).toContain('does not work any more')
})

test.each([
  ['HEAD', { method: 'HEAD' }],
  ['a prefetch', { headers: { 'Sec-Purpose': 'prefetch;prerender' } }],
])('%s does not use a link up, and starts no session', async (_, sent) => {
  const link = await linkOf(twin)
  const looked = await visit(twin, link, sent)
  expect([looked.status, looked.headers.get('set-cookie')]).toEqual([204, null])
  expect((await visit(twin, link)).status).toBe(303)
})

test('a browser that is signed in can open a used link', async () => {
  const link = await linkOf(twin)
  const [cookie = ''] = ((await visit(twin, link)).headers.get('set-cookie') ?? '').split(';')
  const again = await visit(twin, link, { headers: { cookie } })
  expect([again.status, again.headers.get('location')]).toEqual([303, '/dashboard'])
})

test('a link expires after an hour, and a session after 30 days', async () => {
  const [link, late] = [await linkOf(twin), await linkOf(twin)]
  onTestFinished(() => {
    wall += 31 * 86_400_000
  })
  const [cookie = ''] = ((await visit(twin, link)).headers.get('set-cookie') ?? '').split(';')
  wall += 3_600_000
  expect((await visit(twin, late)).status).toBe(401)
  wall += 30 * 86_400_000 - 3_601_000
  expect((await visit(twin, '/dashboard', { headers: { cookie } })).status).toBe(303)
  wall += 1_000
  expect((await visit(twin, '/dashboard', { headers: { cookie } })).status).toBe(401)
})

test('a session that was refused as expired stays so after a crash, also if the wall clock was set back', async () => {
  let now = wall
  const dashboardSessions = sessionsInMemory()
  const same = { url, wall: () => now, adminToken: 'v'.repeat(40), dashboardSessions }
  const first = await startTwin(same)
  onTestFinished(() => first.close())
  const { cookie, base } = await signIn(first)
  now += 30 * 86_400_000
  expect((await visit(first, base, { headers: { cookie } })).status).toBe(401)
  now = wall
  const next = await startTwin(same)
  onTestFinished(() => next.close())
  expect((await visit(next, base, { headers: { cookie } })).status).toBe(401)
})

test('the end of an expired session that cannot be stored is stored by the housekeeping', async () => {
  let [now, isFull] = [wall, false]
  const store = sessionsInMemory()
  const write = (text: string) => {
    if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    store.write(text)
  }
  const dashboardSessions = { ...store, write }
  const shop = await startTwin({ url, wall: () => now, dashboardSessions, reportError: () => undefined })
  onTestFinished(() => shop.close())
  const { cookie, base } = await signIn(shop)
  const statusOf = async () => (await visit(shop, base, { headers: { cookie } })).status
  now += 30 * 86_400_000
  isFull = true
  expect([await statusOf(), await statusOf()]).toEqual([500, 401])
  isFull = false
  await shop.sandbox.doHousekeeping()
  expect(store.read()).toBe('[]')
})

test('a changed session, and that of a daemon with another token, are refused', async () => {
  const dashboardSessions = sessionsInMemory()
  const [first, other] = [
    await startTwin({ url, dashboardSessions }),
    await startTwin({ url, dashboardSessions, adminToken: 'x'.repeat(40) }),
  ]
  onTestFinished(async () => {
    await first.close()
    await other.close()
  })
  const { cookie } = await signIn(first)
  const [name = '', value = ''] = cookie.split('=')
  for (const [daemon, forged] of [
    [other, cookie],
    [first, `${name}=${value}0`],
    [first, `${name}=${value.slice(0, -1)}`],
    [first, `${name}=dss_test_${'0'.repeat(32)}`],
    [first, `${name}=`],
  ] as const) {
    expect((await visit(daemon, '/dashboard', { headers: { cookie: forged } })).status, forged).toBe(401)
  }
})

test('a session survives a restart with the same token and data folder', async () => {
  const same = { url, adminToken: 'y'.repeat(40), dashboardSessions: sessionsInMemory() }
  const first = await startTwin(same)
  const { cookie } = await signIn(first)
  await first.close()
  const second = await startTwin(same)
  onTestFinished(() => second.close())
  expect((await visit(second, '/dashboard', { headers: { cookie } })).status).toBe(303)
})

test.each([
  ['another host', { Host: 'evil.example' }],
  ['another origin', { Origin: 'http://evil.example' }],
  ['another port of the same host', { Origin: 'http://localhost:3000' }],
])('requests from %s are refused, with or without a session', async (_, headers) => {
  const { cookie, show } = await signIn(twin)
  const token = tokenOf((await show()).text)
  for (const sent of [
    { headers },
    { headers: { cookie, ...headers } },
    { form: { token, by: '1d' }, headers: { cookie, ...headers } },
  ]) {
    const path = `/dashboard/${id()}${'form' in sent ? `/clocks/${twin.sandbox.merchant.clock.id}/advance` : ''}`
    const response = await visit(twin, path, sent)
    expect(response.status).toBe(400)
    expect(await response.text()).not.toContain('Default merchant')
  }
})

test('a form of more than 10,000 bytes is refused unread', async () => {
  const { cookie } = await signIn(twin)
  const large = await visit(twin, `/dashboard/${id()}`, {
    form: { by: '1'.repeat(10_000) },
    headers: { cookie },
  })
  expect(large.status).toBe(400)
  expect(await large.text()).toContain('larger than')
})

test('a form needs its token and the origin of the page, and changes nothing without them', async () => {
  const { cookie, show } = await signIn(twin)
  const { cookie: others, show: showOther } = await signIn(twin)
  const token = tokenOf((await show()).text)
  const now = twin.sandbox.merchant.clock.now
  const path = `/dashboard/${id()}/clocks/${twin.sandbox.merchant.clock.id}/advance`
  const other = tokenOf((await showOther()).text)
  for (const form of [{ by: '1d' }, { by: '1d', token: '' }, { by: '1d', token: other }]) {
    expect((await visit(twin, path, { form, headers: { cookie } })).status).toBe(400)
  }
  const withoutOrigin = await twin.sandbox.app.request(path, {
    method: 'POST',
    headers: { Host: 'localhost:4242', cookie, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ by: '1d', token }).toString(),
  })
  expect(withoutOrigin.status).toBe(400)
  expect((await visit(twin, path, { form: { by: '1d', token } })).status).toBe(401)
  expect(twin.sandbox.merchant.clock.now).toBe(now)
  expect(
    (await visit(twin, path, { form: { by: '1d', token: other }, headers: { cookie: others } })).status,
  ).toBe(303)
  expect(twin.sandbox.merchant.clock.now).toBe(now + 86_400)
})

test('signing out ends the session, also for a copy of the cookie and after a restart', async () => {
  const same = { url, adminToken: 'z'.repeat(40), dashboardSessions: sessionsInMemory() }
  const first = await startTwin(same)
  const { cookie, show, base } = await signIn(first)
  const other = await signIn(first)
  const form = { token: tokenOf((await show()).text) }
  const response = await visit(first, '/dashboard/sign-out', { form, headers: { cookie } })
  expect(response.headers.get('set-cookie')).toMatch(/^paytwin_dashboard_4242=; Max-Age=0; /)
  expect((await visit(first, base, { headers: { cookie } })).status).toBe(401)
  expect((await other.show()).status).toBe(200)
  await first.close()
  const second = await startTwin(same)
  onTestFinished(() => second.close())
  expect((await visit(second, base, { headers: { cookie } })).status).toBe(401)
  expect((await visit(second, base, { headers: { cookie: other.cookie } })).status).toBe(200)
})

test('a session that has expired stays so when the wall clock is set back, also after a restart', async () => {
  let now = wall
  const same = { url, wall: () => now, adminToken: 'v'.repeat(40), dashboardSessions: sessionsInMemory() }
  const first = await startTwin(same)
  const seen = await signIn(first)
  const unseen = await signIn(first)
  now += 31 * 86_400_000
  expect((await seen.show()).status).toBe(401)
  now = wall
  await first.close()
  const second = await startTwin(same)
  onTestFinished(() => second.close())
  for (const { cookie, base } of [seen, unseen])
    expect((await visit(second, base, { headers: { cookie } })).status).toBe(401)
})

test('a session that began while the wall clock was ahead ends 30 days after a restart, however often there is another', async () => {
  const DAY = 86_400_000
  let now = wall + 365 * DAY
  const same = { url, wall: () => now, adminToken: 'u'.repeat(40), dashboardSessions: sessionsInMemory() }
  const ahead = await startTwin(same)
  const { cookie, base } = await signIn(ahead)
  await ahead.close()
  const statuses: number[] = []
  for (const day of [0, 29, 30]) {
    now = wall + day * DAY
    const later = await startTwin(same)
    statuses.push((await visit(later, base, { headers: { cookie } })).status)
    await later.close()
  }
  expect(statuses).toEqual([200, 200, 401])
})

test('of stored sessions, the last 100 are read', async () => {
  const dashboardSessions = sessionsInMemory()
  const same = { url, adminToken: 't'.repeat(40), dashboardSessions }
  const first = await startTwin(same)
  const { cookie, base } = await signIn(first)
  await first.close()
  const [stored] = JSON.parse(dashboardSessions.read() ?? '')
  const others = Array.from({ length: 200 }, (_, n) => [n.toString(16).padStart(64, '0'), stored[1]])
  for (const [written, status] of [
    [[...others, stored], 200],
    [[stored, ...others], 401],
  ]) {
    dashboardSessions.write(JSON.stringify(written))
    const next = await startTwin(same)
    expect((await visit(next, base, { headers: { cookie } })).status).toBe(status)
    await next.close()
  }
})

test('an action that waits for an advance is refused once its session has ended', async () => {
  const shop = await startTwin({ url })
  onTestFinished(() => shop.close())
  const { subscription } = await subscribe(shop)
  const { cookie, show, base } = await signIn(shop)
  const token = tokenOf((await show()).text)
  const { clock, held } = shop.sandbox.merchant
  const waiting: Waiting[] = []
  held.set(clock, waiting)
  const path = `${base}/subscriptions/${subscription.id}/actions/cancel`
  const response = visit(shop, path, { form: { token }, headers: { cookie } })
  while (waiting.length === 0) await turn()
  await visit(shop, '/dashboard/sign-out', { form: { token }, headers: { cookie } })
  held.delete(clock)
  for (const { requeue } of waiting) requeue()
  expect((await response).status).toBe(401)
  expect(await (await response).text()).toContain('paytwin open')
  expect((await shop.get(`/v1/subscriptions/${subscription.id}`)).status).toBe('active')
})

test('a form whose session ends while its body is read changes nothing', async () => {
  const shop = await startTwin({ url })
  onTestFinished(() => shop.close())
  const { cookie, show, base } = await signIn(shop)
  const token = tokenOf((await show()).text)
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const request = new Request(`${url()}${base}/scenes/snapshots`, {
    method: 'POST',
    headers: { Host: 'localhost:4242', Origin: url(), 'Content-Type': FORM['Content-Type'], cookie },
    body: readable,
    duplex: 'half',
  })
  const response = shop.sandbox.app.fetch(request)
  const writer = writable.getWriter()
  await writer.write(Buffer.from(`token=${token}&`))
  await visit(shop, '/dashboard/sign-out', { form: { token }, headers: { cookie } })
  await writer.write(Buffer.from('name=late'))
  await writer.close()
  expect((await response).status).toBe(401)
  expect((await asOperator(shop)('GET', 'snapshots')).body.data).toEqual([])
})

test('a page whose session ends while it waits is not shown', async () => {
  const shop = await startTwin({ url })
  onTestFinished(() => shop.close())
  const { cookie, show, base } = await signIn(shop)
  const token = tokenOf((await show()).text)
  const page = visit(shop, base, { headers: { cookie } })
  await visit(shop, '/dashboard/sign-out', { form: { token }, headers: { cookie } })
  expect((await page).status).toBe(401)
})

test('on a full disk no link is used up, and signing out is not forgotten after a restart', async () => {
  const store = sessionsInMemory()
  let isFull = false
  const write = (text: string) => {
    if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    store.write(text)
  }
  const same = {
    url,
    adminToken: 'w'.repeat(40),
    dashboardSessions: { ...store, write },
    reportError: () => undefined,
  }
  const first = await startTwin(same)
  const { cookie, show, base } = await signIn(first)
  const form = { token: tokenOf((await show()).text) }
  const link = await linkOf(first)
  isFull = true
  expect((await visit(first, link)).status).toBe(500)
  expect((await visit(first, '/dashboard/sign-out', { form, headers: { cookie } })).status).toBe(500)
  expect((await visit(first, base, { headers: { cookie } })).status).toBe(401)
  isFull = false
  const restarted = await startTwin(same)
  expect((await visit(restarted, base, { headers: { cookie } })).status).toBe(401)
  await restarted.close()
  expect((await visit(first, link)).headers.get('set-cookie')).toContain('dss_test_')
  await first.close()
})

test.each([
  ['signing out', (sessions: Sessions, first: string) => sessions.end(first)],
  ['signing in beyond the limit', (sessions: Sessions) => sessions.begin()],
])('a session that %s ends is written as ended once its file can be written again', (_, end) => {
  const store = sessionsInMemory()
  let isReadOnly = false
  const writable = () => {
    if (isReadOnly) throw Object.assign(new Error('read-only file system'), { code: 'EROFS' })
    return store
  }
  const settings = {
    store: {
      read: store.read,
      write: (text: string) => writable().write(text),
      clear: () => writable().clear(),
    },
    key: Buffer.alloc(32),
    now: () => 1_769_853_600,
  }
  const sessions = new Sessions(settings)
  const [first = '', second = ''] = Array.from({ length: 100 }, () => sessions.begin())
  isReadOnly = true
  expect(() => end(sessions, first)).toThrow('read-only')
  expect(() => sessions.deleteExpired()).toThrow('read-only')
  isReadOnly = false
  sessions.deleteExpired()
  const restarted = new Sessions(settings)
  expect([first, second].map((each) => restarted.signalOf(each) !== undefined)).toEqual([false, true])
})

test('at most 100 browsers are signed in: a further one ends the oldest session', async () => {
  const dashboardSessions = sessionsInMemory()
  const crowded = await startTwin({ url, dashboardSessions })
  onTestFinished(() => crowded.close())
  const [first, second] = [await signIn(crowded), await signIn(crowded)]
  for (let count = 2; count < 101; count += 1) await signIn(crowded)
  expect((await first.show()).status).toBe(401)
  expect((await second.show()).status).toBe(200)
  expect(JSON.parse(dashboardSessions.read() ?? '')).toHaveLength(100)
  expect(dashboardSessions.read()).not.toContain('dss_test_')
})

test('pages have a policy without inline code, and never the admin token', async () => {
  const { show } = await signIn(twin)
  const { text, headers } = await show()
  expect(headers.get('content-security-policy')).toBe(POLICY)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(text).not.toMatch(
    /<style|style="|<script(?! type="module" src="\/dashboard\/script\.js"><)| on\w+="/,
  )
  expect(text).not.toContain(twin.sandbox.adminToken)
})

test('reading pages leaves the request log as it is', async () => {
  const operator = asOperator(twin)
  const logged = async () => (await operator('GET', 'requests?limit=100')).body.data.length
  const before = await logged()
  const { show } = await signIn(twin)
  await show()
  await show('/clocks')
  expect(await logged()).toBe(before)
})

test('only the operator creates links', async () => {
  const response = await twin.request('POST', '/_paytwin/dashboard/links', undefined, {
    Host: 'localhost:4242',
  })
  expect(response.status).toBe(401)
})
