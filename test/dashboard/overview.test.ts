import { statSync } from 'node:fs'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { asOperator } from '../http/support.ts'
import { makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import { signIn, url } from './support.ts'

let twin: Twin
beforeEach(async () => {
  twin = await startTwin({ url, send: async () => ({ status: 500, body: 'broken' }) })
  onTestFinished(() => twin.close())
})

const plain = (page: string) =>
  page
    .slice(page.indexOf('<main'))
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
const shown = async () => plain((await (await signIn(twin)).show()).text)

test('a new merchant has an overview without anything', async () => {
  const text = await shown()
  for (const empty of [
    'No payments.',
    'Nothing is due.',
    'No subscriptions.',
    'None of the last deliveries.',
  ])
    expect(text).toContain(empty)
})

test('the overview has at most 60 kB with its style and its script', async () => {
  const { text } = await (await signIn(twin)).show()
  const files = ['style.css', 'script.js', 'live.js'].map((name) => statSync(`src/dashboard/${name}`).size)
  expect(files.reduce((sum, size) => sum + size, text.length)).toBeLessThan(60_000)
})

test('the overview shows counts, payments, what is due next, failed webhooks and faults', async () => {
  const operator = asOperator(twin)
  await operator('POST', 'webhooks', { url: 'http://127.0.0.1:9/<hooks>' })
  const { customer, method } = await makeCustomer(twin, { outcomes: ['succeed', 'decline:expired_card'] })
  const price = await makePrice(twin)
  const params = { customer: customer.id, currency: 'usd', items: [{ price: price.id }] }
  await twin.post('/v1/subscriptions', { ...params, default_payment_method: method.id })
  await twin.advance({ to: '2026-02-28T12:00:00Z', await_webhooks: true })
  await operator('POST', 'faults', { kind: 'processor_timeout', rate: 0.25, count: 7 })
  const text = await shown()
  expect(text).not.toContain('webhook is sent again')
  expect(text).toContain('Customers 1 Subscriptions 1')
  expect(text).toContain('Payments of the last 30 days, USD')
  expect(text).toContain('2026-02-28, 0.00 USD paid, 20.00 USD failed')
  expect(text).toMatch(/2026-03-01 10:00 retry sub_\w+/)
  expect(text).toContain('past due 1')
  expect(text).toMatch(/invoice\.\w+ to http:\/\/127\.0\.0\.1:9\/&lt;hooks&gt; responded 500/)
  const { text: page } = await (await signIn(twin)).show()
  for (const list of [
    '/customers"',
    '/subscriptions?status=past_due"',
    '/invoices?status=open"',
    '/webhooks/we_',
  ])
    expect(page).toContain(list)
  expect(text).toContain('processor timeout 25 % of the time 7 left')
})
