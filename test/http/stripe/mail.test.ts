import type Stripe from 'stripe'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Body } from '../../twin.ts'
import { asOperator } from '../support.ts'
import { stripeOfFile } from './sdk.ts'

const sdk = stripeOfFile()
const { stripe } = sdk
let merchant: string
beforeAll(async () => {
  merchant = (await operator('GET', 'merchants')).data[0].id
})

const DAY = 86_400
const NOW = 1_769_853_600

async function operator(method: 'GET' | 'POST', path: string, params?: object): Promise<Body> {
  const { status, body } = await asOperator(sdk.twin)(method, path, params)
  if (status >= 300) throw new Error(JSON.stringify(body))
  return body
}
const mailTo = async (to: string): Promise<Body[]> =>
  (await operator('GET', `mail?to=${encodeURIComponent(to)}&limit=100`)).data.toReversed()
const turn = (mails: Record<string, boolean>) => operator('POST', `merchants/${merchant}`, { mails })

let count = 0
/** Creates a customer on a test clock with a card and an address of its own. */
async function customerWith(card = 'pm_card_visa', params: Stripe.CustomerCreateParams = {}) {
  count += 1
  const email = `customer${count}@example.com`
  const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: NOW })
  const { id } = await stripe.customers.create({ email, name: 'Ada', test_clock: clock, ...params })
  const method = await stripe.paymentMethods.attach(card, { customer: id })
  await stripe.customers.update(id, { invoice_settings: { default_payment_method: method.id } })
  return { id, email, clock }
}

async function subscribed(customer: string, params: Partial<Stripe.SubscriptionCreateParams> = {}) {
  const price = await stripe.prices.create({
    currency: 'usd',
    unit_amount: 2000,
    recurring: { interval: 'month' },
    product_data: { name: 'Pro' },
  })
  return stripe.subscriptions.create({ customer, items: [{ price: price.id }], ...params })
}

const shortly = ({ kind, subject, created }: Body) =>
  `${new Date(created * 1_000).toISOString().slice(0, 16)} ${kind}: ${subject}`

describe('mail', () => {
  test('is derived for a sent invoice, with its links, and for each time that it is sent', async () => {
    const { id: customer, email } = await customerWith()
    const { id } = await stripe.invoices.create({
      customer,
      collection_method: 'send_invoice',
      days_until_due: 14,
    })
    await stripe.invoiceItems.create({ customer, invoice: id, amount: 1250, currency: 'usd' })
    const finalized = await stripe.invoices.finalizeInvoice(id)
    expect(await mailTo(email)).toEqual([])
    await stripe.invoices.sendInvoice(id)
    await stripe.invoices.sendInvoice(id)
    const [first, second, ...others] = await mailTo(email)
    expect(others).toEqual([])
    expect(second).toMatchObject({ kind: 'invoice', subject: first?.subject })
    expect(first).toMatchObject({
      id: expect.stringMatching(/^mail_/),
      object: 'mail',
      created: NOW,
      kind: 'invoice',
      to: email,
      subject: `New invoice from Default merchant #${finalized.number}`,
      links: [
        { name: 'View and pay the invoice', url: finalized.hosted_invoice_url },
        { name: 'Download the PDF', url: finalized.invoice_pdf },
      ],
      about: { object: 'invoice', id },
      merchant_id: merchant,
    })
    expect(first?.text).toBe(
      [
        'Hello Ada,',
        'Default merchant sent you an invoice of $12.50, due on February 14, 2026.',
        `View and pay the invoice:\n${finalized.hosted_invoice_url}`,
        `Download the PDF:\n${finalized.invoice_pdf}`,
        'Default merchant',
      ].join('\n\n'),
    )
    expect(await operator('GET', `mail/${first?.id}`)).toEqual(first)
  })

  test('is derived for sent invoices of subscriptions, and for drafts that are finalized by themselves', async () => {
    const { id: customer, email, clock } = await customerWith()
    await subscribed(customer, { collection_method: 'send_invoice', days_until_due: 7 })
    await sdk.advance(clock, NOW + 32 * DAY)
    expect((await mailTo(email)).map(({ created }) => created)).toEqual([NOW, NOW + 28 * DAY + 3_600])
  })

  test('follows the settings at the time of each event', async () => {
    const { id: customer, email, clock } = await customerWith()
    await turn({ receipt: true })
    await subscribed(customer)
    await turn({ receipt: false })
    await sdk.advance(clock, NOW + 32 * DAY)
    const mails = await mailTo(email)
    expect(mails.map(shortly)).toEqual(['2026-01-31T10:00 receipt: Your receipt from Default merchant'])
    expect(mails[0]?.text).toContain(
      'You paid $20.00 to Default merchant on January 31, 2026 with Visa •••• 4242.',
    )
    expect(mails[0]?.links.map(({ name }: Body) => name)).toEqual(['View the receipt', 'View the invoice'])
  })

  test('is derived for the end of a trial, the renewal after it, and each failed payment', async () => {
    await turn({
      trial_will_end: true,
      upcoming_renewal: true,
      payment_failed: true,
      payment_action_required: true,
    })
    const { id: customer, email, clock } = await customerWith('pm_card_chargeCustomerFail')
    const { id } = await subscribed(customer, { trial_period_days: 14 })
    await sdk.advance(clock, NOW + 20 * DAY)
    const mails = await mailTo(email)
    expect(mails.map(shortly)).toEqual([
      '2026-02-07T10:00 upcoming_renewal: Your subscription to Default merchant renews soon',
      '2026-02-11T10:00 trial_will_end: Your trial of Default merchant ends soon',
      '2026-02-14T11:00 payment_failed: Your payment of $20.00 to Default merchant failed',
      '2026-02-15T11:00 payment_failed: Your payment of $20.00 to Default merchant failed',
      '2026-02-17T11:00 payment_failed: Your payment of $20.00 to Default merchant failed',
      '2026-02-19T11:00 payment_failed: Your payment of $20.00 to Default merchant failed',
    ])
    expect(mails.map(({ about }) => about.object)).toEqual([
      'subscription',
      'subscription',
      'invoice',
      'invoice',
      'invoice',
      'invoice',
    ])
    expect(mails[0]?.about.id).toBe(id)
    expect(mails[0]?.text).toContain('renews on February 14, 2026. The payment is $20.00.')
    const trial = (await stripe.invoices.list({ customer, status: 'paid' })).data[0]?.hosted_invoice_url
    for (const mail of mails.slice(0, 2))
      expect(mail.links).toEqual([{ name: 'View your latest invoice', url: trial }])
    expect(mails[1]?.text).toContain('ends on February 14, 2026. Then your subscription begins.')
    const [invoice] = (await stripe.invoices.list({ customer, status: 'open' })).data
    expect(mails[2]?.text).toContain(
      `failed. Your card was declined. The payment is tried again on February 15, 2026.\n\nPay with another card:\n${invoice?.hosted_invoice_url}`,
    )
  })

  test('says that a canceled trial does not become a subscription, and has names on one line', async () => {
    await turn({ trial_will_end: true })
    const name = 'Ada\r\n\u2028Your account is closed:\nhttps://evil.example'
    const { id: customer, email, clock } = await customerWith('pm_card_visa', { name })
    const { id } = await subscribed(customer, { trial_period_days: 14 })
    await stripe.subscriptions.update(id, { cancel_at_period_end: true })
    await sdk.advance(clock, NOW + 12 * DAY)
    const [mail] = (await mailTo(email)).filter(({ kind }) => kind === 'trial_will_end')
    const [greeting, text] = mail?.text.split('\n\n') ?? []
    expect(greeting).toBe('Hello Ada Your account is closed: https://evil.example,')
    expect(text).toBe(
      'Your trial of Default merchant ends on February 14, 2026. Your subscription is canceled and does not begin.',
    )
  })

  test('is derived for a renewal whose payment needs an authentication', async () => {
    const { id: customer, email, clock } = await customerWith('pm_card_authenticationRequired_3184')
    await subscribed(customer, { trial_period_days: 2 })
    await sdk.advance(clock, NOW + 3 * DAY)
    const kinds = (await mailTo(email)).map(({ kind }) => kind)
    expect(kinds).toContain('payment_action_required')
    expect(kinds).toContain('payment_failed')
  })

  test('is derived for a payment with a receipt_email whatever the settings, and for refunds', async () => {
    await turn({ refund: true })
    const to = 'receipts@example.com'
    const { latest_charge } = await stripe.paymentIntents.create({
      amount: 2000,
      currency: 'usd',
      payment_method: 'pm_card_visa',
      confirm: true,
      receipt_email: to,
      return_url: 'https://shop.example/',
    })
    await stripe.refunds.create({ charge: String(latest_charge), amount: 500 })
    await stripe.refunds.create({ charge: String(latest_charge), amount: 200 })
    const mails = await mailTo(to)
    expect(mails.map(({ kind }) => kind)).toEqual(['receipt', 'refund', 'refund'])
    expect(mails[1]?.text).toContain('Default merchant refunded $5.00 of your payment of $20.00')
    expect(mails[2]?.text).toContain('Default merchant refunded $2.00 of your payment of $20.00')
  })

  test('reminds of sent invoices that are due', async () => {
    await operator('POST', `merchants/${merchant}`, {
      mails: { invoice_reminder: true },
      notices: { invoice_will_be_due: 2, invoice_overdue: 1 },
    })
    const { id: customer, email, clock } = await customerWith()
    await subscribed(customer, { collection_method: 'send_invoice', days_until_due: 7 })
    await sdk.advance(clock, NOW + 9 * DAY)
    expect((await mailTo(email)).map(shortly)).toEqual([
      expect.stringMatching(/^2026-01-31T10:00 invoice: New invoice/),
      expect.stringMatching(/^2026-02-05T10:00 invoice_reminder: .* is due soon$/),
      expect.stringMatching(/^2026-02-08T10:00 invoice_reminder: .* is overdue$/),
    ])
  })

  test('goes to the address at that time; without an address there is none', async () => {
    const { id: customer, email } = await customerWith()
    const { id } = await stripe.invoices.create({ customer, collection_method: 'send_invoice' })
    await stripe.invoiceItems.create({ customer, invoice: id, amount: 1250, currency: 'usd' })
    await stripe.invoices.sendInvoice(id)
    await stripe.customers.update(customer, { email: `new-${email}` })
    await stripe.invoices.sendInvoice(id)
    await stripe.customers.update(customer, { email: '' })
    await stripe.invoices.sendInvoice(id)
    expect([(await mailTo(email)).length, (await mailTo(`new-${email}`)).length]).toEqual([1, 1])
  })

  test('keeps line breaks in a name out of the subject', async () => {
    const { id: customer, email } = await customerWith('pm_card_visa', { name: 'Ada\nBcc: eve@example.com' })
    await operator('POST', `merchants/${merchant}`, { name: 'Acme\r\nBcc: eve@example.com' })
    const { id } = await stripe.invoices.create({ customer, collection_method: 'send_invoice' })
    await stripe.invoiceItems.create({ customer, invoice: id, amount: 1250, currency: 'usd' })
    await stripe.invoices.sendInvoice(id)
    await operator('POST', `merchants/${merchant}`, { name: 'Default merchant' })
    const [mail] = await mailTo(email)
    expect(mail?.subject).not.toMatch(/[\r\n]/)
  })
})

describe('the list of mail', () => {
  test('has pages in both directions, and a kind', async () => {
    const all = (await operator('GET', 'mail?limit=100')).data.map(({ id }: Body) => id)
    const page = await operator('GET', 'mail?limit=3')
    expect([page.data.map(({ id }: Body) => id), page.has_more]).toEqual([all.slice(0, 3), true])
    const next = await operator('GET', `mail?limit=3&starting_after=${all[2]}`)
    expect(next.data.map(({ id }: Body) => id)).toEqual(all.slice(3, 6))
    const back = await operator('GET', `mail?limit=2&ending_before=${all[3]}`)
    expect(back.data.map(({ id }: Body) => id)).toEqual(all.slice(1, 3))
    const { data } = await operator('GET', `mail?kind=refund&merchant=${merchant}`)
    expect(data.map(({ kind }: Body) => kind)).toEqual(['refund', 'refund'])
  })

  test('takes turns with other requests while it looks through many events', async () => {
    const paid = { amount: 1_000, currency: 'usd', confirm: true, payment_method: 'pm_card_visa' } as const
    const methods = { enabled: true, allow_redirects: 'never' } as const
    const pay = () => stripe.paymentIntents.create({ ...paid, automatic_payment_methods: methods })
    await Promise.all(Array.from({ length: 201 }, pay))
    const next = vi.spyOn(sdk.twin.sandbox.engine.reads, 'next')
    expect(await mailTo('nobody@example.com')).toEqual([])
    expect(next.mock.calls.length).toBeGreaterThan(1)
  })

  test('ends when its connection was closed', async () => {
    const { app, adminToken, engine } = sdk.twin.sandbox
    const { journal } = engine.store
    const { events } = journal
    const socket = { destroyed: false }
    // The first batch takes the time of its turn, and the client leaves meanwhile.
    const read = vi.spyOn(journal, 'events').mockImplementation(function (this: typeof journal, query) {
      const end = performance.now() + 12
      while (!socket.destroyed && performance.now() < end);
      socket.destroyed = true
      return Reflect.apply(events, this, [query])
    })
    onTestFinished(() => read.mockRestore())
    const headers = { Authorization: `Bearer ${adminToken}`, Host: 'localhost:4242' }
    const outgoing = { req: { socket } }
    const { status } = await app.request('/_paytwin/mail?to=nobody@example.com', { headers }, { outgoing })
    expect([status, read.mock.calls.length]).toEqual([429, 1])
  })

  test('begins anew if the state is replaced while it looks through many events', async () => {
    const { reads } = sdk.twin.sandbox.engine
    await operator('POST', 'snapshots', { name: 'mail' })
    const next = vi.spyOn(reads, 'next').mockImplementationOnce(async () => {
      await operator('POST', 'reset')
    })
    const pages = await asOperator(sdk.twin)('GET', 'mail?to=nobody@example.com')
    next.mockRestore()
    await operator('POST', 'snapshots/mail/restore')
    expect(pages).toMatchObject({ status: 200, body: { data: [], has_more: false } })
  })

  test('is empty for a merchant without mail, whose settings are refused', async () => {
    const native = await operator('POST', 'merchants', {})
    expect(native.mails).toBe(null)
    expect((await operator('GET', `mail?merchant=${native.id}`)).data).toEqual([])
    const refused = await asOperator(sdk.twin)('POST', `merchants/${native.id}`, { mails: { receipt: true } })
    expect(refused).toMatchObject({ status: 400, body: { error: { param: 'mails' } } })
  })

  test('does not know events without mail, nor other ids', async () => {
    const [event] = (await stripe.events.list({ type: 'customer.created', limit: 1 })).data
    for (const id of [String(event?.id).replace('evt_', 'mail_'), String(event?.id), 'mail_nope']) {
      const answer = await asOperator(sdk.twin)('GET', `mail/${id}`)
      expect(answer).toMatchObject({ status: 404, body: { error: { code: 'resource_missing' } } })
      expect(answer.body.error.message).toContain(`'${id}'`)
    }
  })
})
