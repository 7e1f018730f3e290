import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { asOperator } from '../http/support.ts'
import { makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import { type SignedIn, signIn, url } from './support.ts'

let twin: Twin
let browser: SignedIn
/** Sends the receiver's answers. */
let answer: () => void
beforeEach(async () => {
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  twin = await startTwin({ url, send: () => answered.then(() => ({ status: 200, body: 'ok' })) })
  onTestFinished(async () => {
    answer()
    await twin.close()
  })
  browser = await signIn(twin)
})

const clock = () => twin.sandbox.merchant.clock
const advance = (form: Readonly<Record<string, string>>, id = clock().id) =>
  browser.send(`/clocks/${id}/advance`, form)
const at = (text: string) => Date.parse(text) / 1_000
const plain = (page: string) => page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

async function subscribe(outcomes?: string[]) {
  const { customer, method } = await makeCustomer(twin, outcomes ? { outcomes } : {})
  const price = await makePrice(twin)
  return twin.post('/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    items: [{ price: price.id }],
    default_payment_method: method.id,
  })
}

test('every page shows the clock, with buttons for steps', async () => {
  const { text } = await browser.show('/clocks')
  expect(text).toContain('<time datetime="2026-01-31T10:00:00Z">2026-01-31 10:00</time>')
  for (const name of ['1 hour', '1 day', '1 week', '1 month']) expect(text).toContain(`advance by ${name}`)
})

test.each([
  [{ by: '1h' }, '2026-01-31T11:00:00Z'],
  [{ by: '1d' }, '2026-02-01T10:00:00Z'],
  [{ by: '1w' }, '2026-02-07T10:00:00Z'],
  [{ by: '1mo' }, '2026-02-28T10:00:00Z'],
  [{ to: '2026-03-01T00:00' }, '2026-03-01T00:00:00Z'],
  [{ to: '2026-03-01T00:00:05', stop_on: '' }, '2026-03-01T00:00:05Z'],
])('the form %j advances the clock to %s', async (form, target) => {
  const { status, text } = await advance(form)
  expect(status).toBe(200)
  expect(text).toContain('The clock has advanced')
  expect(clock().now).toBe(at(target))
})

test('the summary of an advance counts and lists what happened', async () => {
  await subscribe(['succeed', 'decline:insufficient_funds'])
  const { text } = await advance({ by: '1mo' })
  expect(plain(text)).toContain('From 2026-01-31 10:00 to 2026-02-28 10:00 .')
  expect(plain(text)).toContain('Invoices paid 0 Payments failed 1')
  expect(text).toContain('invoice.payment_failed')
  expect(text).toContain('<span class="status bad">past due</span>')
  // What happened before the advance is not part of it.
  expect(text).not.toContain('<td>customer.created</td>')
})

test('an advance without events says so', async () => {
  await subscribe()
  const { text } = await advance({ by: '1h' })
  expect(plain(text)).toContain('What happened, oldest first No events.')
})

test('an advance can stop at the first event of a type', async () => {
  await subscribe(['succeed', 'decline:insufficient_funds'])
  const { text } = await advance({ to: '2026-12-31T10:00', stop_on: 'invoice.payment_failed' })
  expect(plain(text)).toContain('stopped by invoice.payment_failed.')
  expect(clock().now).toBe(at('2026-02-28T10:00:00Z'))
})

test('the next event is the next job that is due', async () => {
  await subscribe()
  await advance({ next: '1' })
  expect(clock().now).toBe(at('2026-02-28T10:00:00Z'))
})

test('without a due job, a target in the past, or a malformed one, the clock stays, and the page says why', async () => {
  const { now } = clock()
  for (const [form, reason] of [
    [{ next: '1' }, 'Nothing is due'],
    [{ to: '2026-01-01T10:00' }, 'only move forward'],
    [{ to: 'tomorrow' }, 'is not a time'],
    [{ by: '1 fortnight' }, 'is not a duration'],
    [{ by: '1d', stop_on: 'nonsense.event' }, 'nonsense.event'],
  ] as const) {
    const { status, text } = await advance(form)
    expect(status).toBe(400)
    expect(plain(text)).toContain(reason)
  }
  expect(clock().now).toBe(now)
})

test('a running advance shows its progress, reloads, and can be canceled', async () => {
  await subscribe()
  await asOperator(twin)('POST', 'webhooks', { url: 'http://127.0.0.1:9/hooks' })
  const running = asOperator(twin)('POST', 'clock/advance', { by: '1y', await_webhooks: true })
  await expect.poll(() => clock().now).toBeGreaterThan(at('2026-01-31T10:00:00Z'))
  const overview = await browser.show()
  expect(overview.text).toContain('Show the progress')
  expect(overview.text).not.toContain('advance by 1 day')
  const path = `/clocks/${clock().id}`
  const progress = await browser.show(`${path}/advance`)
  expect(progress.text).toContain('<meta http-equiv="refresh" content="1"/>')
  expect(progress.text).toContain('<progress aria-label="Progress of the advance">')
  await browser.send(`${path}/cancel`, {})
  answer()
  await running
  expect(clock().now).toBe(at('2026-02-28T10:00:00Z'))
  // It was not begun here, so there is no summary.
  expect((await browser.show(`${path}/advance`)).text).toContain('<h1>Overview</h1>')
})

test('an advance that was begun here and canceled elsewhere says so', async () => {
  await subscribe()
  // While a long advance runs, the command line cancels it.
  twin.sandbox.engine.listen({ committed: () => clock().target && void cancel() })
  const cancel = () => asOperator(twin)('POST', 'clock/cancel', {})
  const begun = advance({ to: '2999-01-31T10:00' })
  const { text } = await begun
  await expect.poll(() => clock().target).toBeNull()
  const shown = text.includes('canceled') ? { text } : await browser.show(`/clocks/${clock().id}/advance`)
  expect(shown.text).toContain('<h1>The advance was canceled</h1>')
  expect(plain(shown.text)).toContain('instead of 2999-01-31 10:00 . What happened until then remains.')
  expect(shown.text).not.toContain('The clock has advanced')
})

test('the summary counts the events by type, with links', async () => {
  await subscribe()
  const { text } = await advance({ by: '1y' })
  expect(text).toMatch(/<a href="\/dashboard\/mer_\w+\/events\?type=invoice.paid">invoice.paid<\/a> 12</)
})

test('the clock can be let run and frozen', async () => {
  await browser.send(`/clocks/${clock().id}/unfreeze`, {})
  expect(clock().mode).toBe('live')
  expect((await browser.show()).text).toContain('Freeze the clock')
  await browser.send(`/clocks/${clock().id}/freeze`, {})
  expect(clock().mode).toBe('frozen')
})

test('test clocks are listed, and moved without the main clock', async () => {
  const made = await twin.post('/v1/test_helpers/test_clocks', {
    frozen_time: at('2026-05-01T00:00:00Z'),
    name: 'A <b>year</b>',
  })
  const { text } = await browser.show('/clocks')
  expect(text).toContain('A &lt;b&gt;year&lt;/b&gt;')
  const { now } = clock()
  const moved = await advance({ by: '1d' }, made.id)
  expect(plain(moved.text)).toContain('From 2026-05-01 00:00 to 2026-05-02 00:00 .')
  expect(clock().now).toBe(now)
})

test('test clocks that are advancing show their progress on every page', async () => {
  const other = await twin.post('/v1/test_helpers/test_clocks', {
    frozen_time: clock().now,
    name: 'A <b>year</b>',
  })
  const customer = await twin.post('/v1/customers', { test_clock: other.id })
  const price = await makePrice(twin)
  await twin.post('/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    items: [{ price: price.id }],
    default_payment_method: 'pm_card_visa',
  })
  expect((await browser.show()).text).not.toContain(`data-advancing`)
  await asOperator(twin)('POST', 'webhooks', { url: 'http://127.0.0.1:9/hooks' })
  const params = { by: '1y', await_webhooks: true, test_clock: other.id }
  const running = asOperator(twin)('POST', 'clock/advance', params)
  const shown = async (path = '') => (await browser.show(path)).text
  await expect.poll(shown).toContain(`<li data-advancing="${other.id}">A &lt;b&gt;year&lt;/b&gt;: `)
  const { body } = await asOperator(twin)('GET', 'clock?advancing=true')
  expect(body.data).toMatchObject([{ id: other.id, target: at('2027-01-31T10:00:00Z') }])
  expect(plain(await shown('/events'))).toContain('to 2027-01-31 10:00 Show the progress')
  expect(await shown('/clocks')).toContain(`/clocks/${other.id}/cancel"`)
  expect(await shown(`/clocks/${other.id}/advance`)).toContain(`data-ends="${other.id}"`)
  await browser.send(`/clocks/${other.id}/cancel`, {})
  answer()
  await running
  expect(await shown()).not.toContain('data-advancing')
})

test.each(['/clocks/clock_none/advance', '/clocks/x/y/z', '/nonsense', '/__proto__', '/constructor'])(
  'the page %s does not exist',
  async (path) => {
    expect((await browser.show(path)).status).toBe(404)
  },
)
