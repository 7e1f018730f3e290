import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { type Body, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import { plain, type SignedIn, signIn, url } from './support.ts'

let twin: Twin
let browser: SignedIn
let subscription: Body
beforeEach(async () => {
  twin = await startTwin({ url })
  onTestFinished(() => twin.close())
  browser = await signIn(twin)
  const { customer, method } = await makeCustomer(twin, {
    outcomes: ['succeed', 'decline:expired_card', 'decline:lost_card'],
  })
  const price = await makePrice(twin)
  const params = { customer: customer.id, currency: 'usd', items: [{ price: price.id }] }
  subscription = await twin.post('/v1/subscriptions', { ...params, default_payment_method: method.id })
})

const pathOf = (section: string, id: string) => `/${section}/${id}`
const show = async (section: string, id: string, query = '') =>
  (await browser.show(`${pathOf(section, id)}${query}`)).text
const act = (section: string, id: string, name: string, fields: Readonly<Record<string, string>> = {}) =>
  browser.send(`${pathOf(section, id)}/actions/${name}`, fields)
const actionsOf = (page: string) => [...page.matchAll(/\/actions\/(\w+)"/g)].map(([, name]) => name)
const newest = async (path: string) => (await twin.get(`/v1/${path}`)).data[0]

test('a customer has its fields, subscriptions, invoices and timeline', async () => {
  const text = plain(await show('customers', subscription.customer))
  expect(text).toContain('Ada')
  expect(text).toContain(`${subscription.id} 20.00 USD a month active`)
  expect(text).toContain('2026-01-31 10:00 customer created Ada visa …4242 attached subscribed active')
})

test('a subscription has its timeline: the past, the present, what is due and what is projected', async () => {
  await twin.advance({ to: '2026-02-28T10:00:00Z' })
  const page = await show('subscriptions', subscription.id)
  const text = plain(page)
  expect(text).toContain('Subscription, 20.00 USD a month past due')
  expect(text).toMatch(/ended|worse: active → past_due/)
  expect(text).toContain('2026-02-28 10:00 Now')
  expect(text).toMatch(/2026-03-01 10:00 due: retry \S+ 20.00 USD attempt 2 of 5/)
  expect(text).toContain('projected: ')
  expect(text).toContain('due projected, if nothing changes')
  expect(page).toContain('<line class="overdue"')
})

test('the slider shows an earlier state, and what changed then, without actions', async () => {
  await twin.advance({ to: '2026-02-28T10:00:00Z' })
  await twin.post(`/v1/subscriptions/${subscription.id}`, { description: 'Second thoughts' })
  await twin.advance({ to: '2026-02-28T11:00:00Z' })
  const now = await show('subscriptions', subscription.id)
  expect(now).toContain('type="range" name="step" min="0" max="2" value="2" aria-valuetext="now"')
  const past = await show('subscriptions', subscription.id, '?step=0')
  expect(plain(past)).toContain('Subscription, 20.00 USD a month active')
  expect(past).not.toContain('Second thoughts')
  expect(past).toContain('aria-valuetext="2026-01-31 10:00"')
  expect(actionsOf(past)).toEqual([])
  const step = plain(await show('subscriptions', subscription.id, '?step=1'))
  expect(step).toContain(`subscription.updated ${subscription.id} status "active" "past_due"`)
  expect(step).toContain(`subscription.updated ${subscription.id} description null "Second thoughts"`)
})

test('each step shows the changes of the objects that belong to the object, and its end', async () => {
  await twin.advance({ to: '2026-03-01T10:00:00Z' })
  const invoice = await newest('invoices?status=open')
  await act('subscriptions', subscription.id, 'cancel')
  await twin.advance({ to: '2026-03-02T10:00:00Z' })
  const retried = plain(await show('subscriptions', subscription.id, '?step=2'))
  expect(retried).toContain(`invoice.payment_failed ${invoice.id} attempt_count 1 2`)
  expect(retried).toContain(`subscription.deleted ${subscription.id} status "past_due" "canceled"`)
  const first = plain(await show('subscriptions', subscription.id, '?step=0'))
  expect(first).toContain(`subscription.created ${subscription.id} – – –`)
})

test('an object with many changes shows the newest 200 at first, and more if wanted', async () => {
  const { customer } = subscription
  for (let change = 0; change < 201; change += 1)
    await twin.post(`/v1/customers/${customer}`, { description: `Change ${change}` })
  const first = await show('customers', customer)
  expect(plain(first)).toContain('Earlier events are not shown. Show up to 1,000 changes')
  expect(plain(first)).not.toContain('customer created')
  expect(first).toContain('href="?changes=1000"')
  const all = await show('customers', customer, '?changes=1000')
  expect(plain(all)).toContain('customer created Ada')
  expect(all).toContain('<input type="hidden" name="changes" value="1000"/>')
})

test.each(['?step=x', '?step=-1', '?step=999', '?step='])('the step %s is the present', async (query) => {
  expect(await show('subscriptions', subscription.id, query)).toContain('aria-valuetext="now"')
})

test('an invoice can be paid, voided or marked uncollectible while its status allows it', async () => {
  await twin.advance({ to: '2026-02-28T10:00:00Z' })
  const { id } = await newest('invoices?status=open')
  expect(actionsOf(await show('invoices', id))).toEqual(['pay', 'mark_uncollectible', 'void'])
  await act('invoices', id, 'mark_uncollectible')
  const page = await show('invoices', id)
  expect(plain(page)).toContain('uncollectible')
  expect(actionsOf(page)).toEqual(['pay', 'void'])
  await act('invoices', id, 'void')
  expect((await twin.get(`/v1/invoices/${id}`)).status).toBe('void')
  expect(actionsOf(await show('invoices', id))).toEqual([])
  const again = await act('invoices', id, 'pay')
  expect([again.status, again.text.includes('not possible any more')]).toEqual([400, true])
})

test('an action that the API refuses shows why', async () => {
  await twin.advance({ to: '2026-02-28T10:00:00Z' })
  const { id } = await newest('invoices?status=open')
  const refused = await act('invoices', id, 'pay')
  expect(refused.status).toBe(402)
  expect(refused.text).toContain('role="alert"')
})

test('a subscription can be paused, set to cancel, kept and canceled', async () => {
  const { id } = subscription
  const state = () => twin.get(`/v1/subscriptions/${id}`)
  expect(actionsOf(await show('subscriptions', id))).toEqual([
    'pause',
    'cancel_later',
    'cancel_at',
    'change_card',
    'cancel',
    'cancel_prorated',
  ])
  await act('subscriptions', id, 'pause', { 'pause_collection[behavior]': 'keep_as_draft' })
  expect(await state()).toMatchObject({ pause_collection: { behavior: 'keep_as_draft' } })
  await act('subscriptions', id, 'cancel_later')
  expect(actionsOf(await show('subscriptions', id))).toEqual([
    'unpause',
    'keep',
    'change_card',
    'cancel',
    'cancel_prorated',
  ])
  await act('subscriptions', id, 'unpause')
  await act('subscriptions', id, 'keep')
  expect(await state()).toMatchObject({ pause_collection: null, cancel_at_period_end: false })
  await act('subscriptions', id, 'cancel')
  expect(await state()).toMatchObject({ status: 'canceled' })
  expect(actionsOf(await show('subscriptions', id))).toEqual([])
})

test('a subscription can be canceled at a time, and with a credit', async () => {
  const { id } = subscription
  const state = () => twin.get(`/v1/subscriptions/${id}`)
  await act('subscriptions', id, 'cancel_at', { cancel_at: '2026-02-10T00:00' })
  expect(await state()).toMatchObject({ cancel_at: Date.parse('2026-02-10T00:00:00Z') / 1_000 })
  expect((await act('subscriptions', id, 'keep')).status).toBe(200)
  expect(await state()).toMatchObject({ cancel_at: null })
  expect((await act('subscriptions', id, 'cancel_at', { cancel_at: 'soon' })).text).toContain('is not a time')
  await act('subscriptions', id, 'cancel_prorated')
  expect(await state()).toMatchObject({ status: 'canceled' })
})

test.each(['customers', 'subscriptions'])(
  '%s get another test card, which is charged from then on',
  async (section) => {
    const { id } = section === 'customers' ? { id: subscription.customer } : subscription
    const { text } = await act(section, id, 'change_card', { card: 'pm_card_mastercard' })
    expect(text).toContain('Change card')
    const object = await twin.get(`/v1/${section}/${id}`)
    const method = object.default_payment_method ?? object.invoice_settings.default_payment_method
    expect(await twin.get(`/v1/payment_methods/${method}`)).toMatchObject({
      customer: subscription.customer,
      card: { brand: 'mastercard' },
    })
    expect((await act(section, id, 'change_card', { card: '../../customers' })).status).toBe(404)
  },
)

test('a payment has its charges, and can be refunded in parts', async () => {
  const { id } = await newest('payment_intents')
  const page = await show('payments', id)
  expect(plain(page)).toContain('Payment of 20.00 USD succeeded')
  expect(actionsOf(page)).toEqual(['refund'])
  await act('payments', id, 'refund', { amount: '500' })
  expect(plain(await show('payments', id))).toContain('5.00 USD refunded')
  expect((await act('payments', id, 'refund', { amount: '1501' })).status).toBe(400)
  await act('payments', id, 'refund', { amount: '' })
  const refunded = await show('payments', id)
  expect(plain(refunded)).toContain('20.00 USD refunded')
  expect(actionsOf(refunded)).toEqual([])
})

test('actions are in the request log, as those of the operator', async () => {
  await act('subscriptions', subscription.id, 'cancel_later')
  const logged = twin.sandbox.requests.list({ merchant: null, onlyIgnored: false })[0]
  expect(logged).toMatchObject({
    method: 'POST',
    path: `/v1/subscriptions/${subscription.id}`,
    status: 200,
    key: 'operator',
  })
})

test('hostile names, emails, descriptions and metadata stay text', async () => {
  const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>' onmouseover='x javascript:alert(1) &amp;`
  await twin.post(`/v1/customers/${subscription.customer}`, {
    name: hostile,
    metadata: { '<b>key</b>': hostile },
  })
  await twin.post(`/v1/subscriptions/${subscription.id}`, { description: hostile, metadata: { x: hostile } })
  await twin.advance({ by: '1mo' })
  const { id } = await newest('invoices')
  const pages = await Promise.all([
    browser.show(),
    browser.show('/customers'),
    browser.show('/subscriptions'),
    browser.show('/invoices'),
    browser.show(pathOf('customers', subscription.customer)),
    browser.show(`${pathOf('subscriptions', subscription.id)}?step=1`),
    browser.show(pathOf('invoices', id)),
    browser.show(`/customers?search=${encodeURIComponent(hostile)}`),
    browser.show(`/invoices/${encodeURIComponent(hostile)}`),
  ])
  for (const { text } of pages) {
    expect(text).not.toMatch(/<img|<b>key|<script(?! type="module" src="\/dashboard\/script\.js"><)/)
    const withoutValues = text.replaceAll(/="[^"]*"/g, '')
    expect(withoutValues).not.toMatch(/<[a-z]+ [^>]*\son\w+/)
  }
  expect(pages[4]?.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
})

test.each(['customers', 'subscriptions', 'invoices', 'payments'])(
  'unknown %s are not found',
  async (section) => {
    expect((await browser.show(`/${section}/none`)).status).toBe(404)
    expect((await browser.show(`/${section}/none/more/and/more`)).status).toBe(404)
  },
)

test('the pages of a merchant with the dialect of Stripe are the same', async () => {
  const other = await startTwin({ url, dialect: 'stripe' })
  onTestFinished(() => other.close())
  const { show: showOther } = await signIn(other)
  for (const path of ['', '/customers', '/subscriptions', '/invoices', '/payments', '/clocks'])
    expect((await showOther(path)).status).toBe(200)
})

test('a subscription, an invoice and a payment say why, with links to the contract and to other objects', async () => {
  await twin.advance({ to: '2026-02-28T10:00:00Z' })
  const page = await show('subscriptions', subscription.id)
  const invoice = await newest('invoices')
  expect(plain(page)).toContain(
    `Why? The subscription has been past_due since 2026-02-28 10:00: attempt 1 of 5 to pay invoice ${invoice.number} (20.00 USD) failed (expired_card). ${invoice.id} Contract: subscriptions, dunning`,
  )
  expect(page).toContain('href="/docs/contract-subscriptions#dunning"')
  expect(plain(await show('invoices', invoice.id))).toContain(
    'At 2026-03-01 10:00, it is charged again (attempt 2 of 5).',
  )
  const payment = await show('payments', invoice.payment_intent)
  expect(plain(payment)).toContain('payment intent has been requires_payment_method since')
  expect(payment).toContain('href="/docs/contract-errors#declines"')
  const past = plain(await show('subscriptions', subscription.id, '?step=0'))
  expect(past).toContain('The subscription has been active since 2026-01-31 10:00')
})
