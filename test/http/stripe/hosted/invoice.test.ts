import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { readPdf } from '../../../pdf.ts'
import { asOperator } from '../../support.ts'
import { tokenIn } from '../../visitor.ts'
import { stripeOfFile } from '../sdk.ts'

const sdk = stripeOfFile()
const { stripe } = sdk

const REAL_CARD = '4539578763621486'
const NASTY = '<script>alert(1)</script>"\'&'

const open = (url: string | null | undefined, method = 'GET') =>
  sdk.twin.sandbox.app.request(String(url), { method, headers: { Host: 'localhost' } })
const pageOf = async (url: string | null | undefined) => (await open(url)).text()

/** Submits the card form of an invoice's page, by default with the token that it has now. */
const submit = async (
  url: string | null | undefined,
  fields: Record<string, string> = {},
  headers: Record<string, string> = { Origin: 'http://localhost' },
) =>
  sdk.twin.sandbox.app.request(String(url), {
    method: 'POST',
    headers: { Host: 'localhost', 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: String(
      new URLSearchParams({
        number: '4242 4242 4242 4242',
        expiration: '12 / 34',
        cvc: '123',
        name: 'Ada Lovelace',
        token: fields.token ?? tokenIn(await pageOf(url)),
        ...fields,
      }),
    ),
  })

/** Creates an open invoice with items of these amounts. */
async function openInvoice({
  amounts = [1250, 2500],
  description = 'Item',
  customer: given = { name: 'Ada Lovelace', email: 'ada@example.com' },
  params = {},
  ended,
}: {
  amounts?: readonly number[]
  description?: string
  customer?: Stripe.CustomerCreateParams
  params?: Partial<Stripe.InvoiceCreateParams>
  ended?: (customer: string) => Promise<unknown>
} = {}): Promise<Stripe.Invoice> {
  const { id: customer } = await stripe.customers.create(given)
  await ended?.(customer)
  const { id } = await stripe.invoices.create({
    customer,
    collection_method: 'send_invoice',
    days_until_due: 14,
    ...params,
  })
  for (const [index, amount] of amounts.entries())
    await stripe.invoiceItems.create({
      customer,
      invoice: id,
      amount,
      currency: 'usd',
      description: `${description} ${index + 1}`,
    })
  return stripe.invoices.finalizeInvoice(id)
}

describe('an invoice', () => {
  test('has its page and PDF from its finalization on', async () => {
    const { id: customer } = await stripe.customers.create()
    const draft = await stripe.invoices.create({ customer })
    expect([draft.hosted_invoice_url, draft.invoice_pdf]).toEqual([null, null])
    const invoice = await openInvoice()
    expect(invoice.hosted_invoice_url).toMatch(/^http:\/\/localhost\/i\/mer_\w+\/in_\w+\/\w{24}$/)
    expect(invoice.invoice_pdf).toBe(`${invoice.hosted_invoice_url}/pdf`)
    const ofDraft = String(invoice.hosted_invoice_url).replace(invoice.id, draft.id)
    expect((await open(ofDraft)).status).toBe(404)
  })

  test('shows its lines, discounts, balance and totals', async () => {
    const { id: coupon } = await stripe.coupons.create({ percent_off: 20, name: 'Spring' })
    const invoice = await openInvoice({
      customer: {
        name: 'Ada',
        email: 'ada@example.com',
        address: { city: 'Berlin', postal_code: '10115', country: 'DE' },
      },
      params: { discounts: [{ coupon }], description: 'Work in January' },
      ended: (customer) =>
        stripe.customers.createBalanceTransaction(customer, { amount: -500, currency: 'usd' }),
    })
    const html = await pageOf(invoice.hosted_invoice_url)
    const shown = html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
    for (const text of [
      'TEST MODE',
      '$25.00 due February 14, 2026',
      `Invoice number ${invoice.number}`,
      'Date of issue January 31, 2026',
      'From Default merchant',
      'Bill to Ada 10115 Berlin Germany ada@example.com',
      'Work in January',
      'Item 1',
      'Subtotal $37.50',
      'Spring (20% off) -$7.50',
      'Total $30.00',
      'Applied balance -$5.00',
      'Amount due $25.00',
      'Pay $25.00',
    ])
      expect(shown).toContain(text)
    expect(html).not.toContain('<script')
    expect(html).toContain(`href="${invoice.invoice_pdf}"`)
  })

  test.each([
    ['void', 'This invoice was voided', '$0.00'],
    ['mark_uncollectible', '$37.50 is marked as uncollectible', '$37.50'],
  ])('cannot be paid after %s', async (action, headline, due) => {
    const invoice = await openInvoice()
    if (action === 'void') await stripe.invoices.voidInvoice(invoice.id)
    else await stripe.invoices.markUncollectible(invoice.id)
    const html = await pageOf(invoice.hosted_invoice_url)
    expect(html).toContain(headline)
    expect(html).toContain(`<dt>Amount due</dt><dd class="number">${due}</dd>`)
    expect(html).not.toContain('Card number')
    expect((await submit(invoice.hosted_invoice_url)).status).toBe(303)
    expect((await stripe.invoices.retrieve(invoice.id)).amount_paid).toBe(0)
  })

  test('has a row for each of the first 20 discounts, and one for the others', async () => {
    const discounts = []
    for (let n = 0; n < 11; n += 1)
      discounts.push({ coupon: (await stripe.coupons.create({ amount_off: 100, currency: 'usd' })).id })
    const { id: customer } = await stripe.customers.create({})
    for (let n = 0; n < 2; n += 1)
      await stripe.invoiceItems.create({ customer, amount: 5000, currency: 'usd', discounts })
    const draft = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
    const html = await pageOf((await stripe.invoices.finalizeInvoice(draft.id)).hosted_invoice_url)
    expect(html.match(/Discount \(\$1\.00 off\)/g)).toHaveLength(20)
    expect(html).toContain('<dt>2 more discounts</dt><dd class="number">-$2.00</dd>')
  })
})

describe('the form of an invoice', () => {
  test('pays it, once, and leads to its receipt', async () => {
    const invoice = await openInvoice()
    const url = invoice.hosted_invoice_url
    const token = tokenIn(await pageOf(url))
    const answers = await Promise.all([submit(url, { token }), submit(url, { token })])
    expect(answers.map(({ status }) => status)).toEqual([303, 303])
    const paid = await stripe.invoices.retrieve(invoice.id)
    expect(paid).toMatchObject({ status: 'paid', amount_paid: 3750 })
    const { data } = await stripe.charges.list({ customer: String(invoice.customer) })
    expect(data.map(({ amount }) => amount)).toEqual([3750])
    const html = await pageOf(answers[0]?.headers.get('location'))
    expect(html).toContain('Your payment was received')
    expect(html).toContain('$37.50 paid on January 31, 2026')
    expect(html).not.toContain('Card number')
    const [charge] = data
    expect(html).toContain(`href="${charge?.receipt_url}"`)
    const receipt = await pageOf(charge?.receipt_url)
    for (const text of [
      '$37.50 paid on January 31, 2026',
      'Visa •••• 4242',
      String(invoice.number),
      'Default merchant',
    ])
      expect(receipt).toContain(text)
    await stripe.refunds.create({ charge: charge?.id ?? '', amount: 250 })
    expect(await pageOf(charge?.receipt_url)).toContain('$2.50')
  })

  test('stays on the page with the reason for a declined card, without its number', async () => {
    const invoice = await openInvoice()
    const answer = await submit(invoice.hosted_invoice_url, { number: '4000000000000002' })
    expect(answer.status).toBe(200)
    const html = await answer.text()
    expect(html).toMatch(/<p class="alert" role="alert">Your card (was|has been) declined\.?/)
    expect(html).not.toContain('4000000000000002')
    const [charge] = (await stripe.charges.list({ customer: String(invoice.customer) })).data
    expect(charge).toMatchObject({ status: 'failed', receipt_url: null })
  })

  test('leads to an authentication, and back', async () => {
    const invoice = await openInvoice()
    const answer = await submit(invoice.hosted_invoice_url, { number: '4000002760003184' })
    const authentication = String(answer.headers.get('location'))
    expect(authentication).toContain('/c/authenticate/')
    const decide = async (outcome: string) =>
      sdk.twin.sandbox.app.request(authentication, {
        method: 'POST',
        headers: {
          Host: 'localhost',
          Origin: 'http://localhost',
          'Content-Type': 'application/x-www-form-urlencoded',
        },
        body: `outcome=${outcome}&token=${tokenIn(await pageOf(authentication))}`,
      })
    const failed = await pageOf((await decide('fail')).headers.get('location'))
    expect(failed).toMatch(/role="alert">The provided payment method has failed authentication/)
    const again = await submit(invoice.hosted_invoice_url, { number: '4000002760003184' })
    expect(again.headers.get('location')).toBe(authentication)
    const returned = (await decide('succeed')).headers.get('location')
    expect(await pageOf(returned)).toContain('Your payment was received')
    expect((await stripe.invoices.retrieve(invoice.id)).status).toBe('paid')
  })

  test('charges nothing but the amount that the page showed', async () => {
    const invoice = await openInvoice()
    const url = invoice.hosted_invoice_url
    const token = tokenIn(await pageOf(url))
    await stripe.creditNotes.create({ invoice: invoice.id, amount: 750 })
    const stale = await (await submit(url, { token })).text()
    expect(stale).toMatch(/role="alert">The amount has changed, and nothing was charged/)
    expect(stale).toContain('Pay $30.00')
    expect((await stripe.charges.list({ customer: String(invoice.customer) })).data).toEqual([])
    expect((await submit(url, { token: tokenIn(stale) })).status).toBe(303)
    expect(await stripe.invoices.retrieve(invoice.id)).toMatchObject({ status: 'paid', amount_paid: 3000 })
  })

  test('fills in a test card, and refuses any other', async () => {
    const invoice = await openInvoice()
    const filled = await (await submit(invoice.hosted_invoice_url, { fill: 'pm_card_mastercard' })).text()
    expect(filled).toContain('value="5555 5555 5555 4444"')
    const refused = await (await submit(invoice.hosted_invoice_url, { number: REAL_CARD })).text()
    expect(refused).toContain('This is not a test card')
    expect(refused).not.toContain(REAL_CARD)
    expect((await stripe.invoices.retrieve(invoice.id)).status).toBe('open')
  })

  test('activates a subscription whose first invoice waits for its payment', async () => {
    const { id: customer } = await stripe.customers.create({
      payment_method: 'pm_card_visa',
      invoice_settings: { default_payment_method: 'pm_card_visa' },
    })
    const price = await stripe.prices.create({
      currency: 'usd',
      unit_amount: 2000,
      recurring: { interval: 'month' },
      product_data: { name: 'Pro' },
    })
    const { id } = await stripe.subscriptions.create({
      customer,
      items: [{ price: price.id }],
      payment_behavior: 'default_incomplete',
      expand: ['latest_invoice'],
    })
    const { latest_invoice } = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
    const { hosted_invoice_url } = latest_invoice as Stripe.Invoice
    expect((await submit(hosted_invoice_url)).status).toBe(303)
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('active')
  })
})

describe('the pages of invoices and receipts', () => {
  test('have addresses that cannot be guessed, and belong to one merchant', async () => {
    const invoice = await openInvoice()
    const url = String(invoice.hosted_invoice_url)
    const { body: other } = await asOperator(sdk.twin)('POST', 'merchants', { dialect: 'stripe' })
    const wrong = [
      url.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')),
      url.replace(/mer_\w+/, other.id),
      url.replace('/i/', '/receipts/'),
      `${url.replace(/\w{24}$/, 'x'.repeat(24))}/pdf`,
      String(other.id),
    ]
    for (const address of wrong.map((each) =>
      each.startsWith('http') ? each : `http://localhost/i/${each}/a/b`,
    )) {
      const answer = await open(address)
      expect(answer.status).toBe(404)
      expect(await answer.text()).not.toMatch(/Default merchant|\$37/)
    }
  })

  test('take a form from their own origin only', async () => {
    const invoice = await openInvoice()
    for (const headers of [{}, { Origin: 'https://evil.example' }, { Origin: 'null' }])
      expect((await submit(invoice.hosted_invoice_url, {}, headers as Record<string, string>)).status).toBe(
        400,
      )
    expect((await stripe.invoices.retrieve(invoice.id)).status).toBe('open')
    const page = await open(invoice.hosted_invoice_url)
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none';.*form-action 'self'; frame-ancestors 'none'/,
    )
  })

  test('show markup in every field as text', async () => {
    const { id: coupon } = await stripe.coupons.create({ percent_off: 10, name: NASTY.slice(0, 40) })
    const invoice = await openInvoice({
      customer: {
        name: NASTY,
        email: 'a"b@example.com',
        phone: NASTY,
        address: { line1: NASTY, city: NASTY },
      },
      description: NASTY,
      params: { description: NASTY, discounts: [{ coupon }] },
    })
    for (const html of [
      await pageOf(invoice.hosted_invoice_url),
      await (await submit(invoice.hosted_invoice_url, { name: NASTY, number: '' })).text(),
    ]) {
      expect(html).not.toContain('<script')
      expect(html).toContain('&lt;script&gt;')
    }
    expect(
      readPdf(await pdfOf(invoice))
        .pages.flat()
        .join(' '),
    ).toContain('<script>alert(1)</script>')
  })
})

const pdfOf = async ({ invoice_pdf }: Stripe.Invoice) =>
  new Uint8Array(await (await open(invoice_pdf)).arrayBuffer())

describe('the PDF of an invoice', () => {
  test('has its number, parties, lines and totals, and a link to pay', async () => {
    const { id: coupon } = await stripe.coupons.create({ amount_off: 250, currency: 'usd' })
    const invoice = await openInvoice({ params: { discounts: [{ coupon }] } })
    const answer = await open(invoice.invoice_pdf)
    expect(answer.headers.get('content-type')).toBe('application/pdf')
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="Invoice-${invoice.number}.pdf"`,
    )
    const { pages, title, links } = readPdf(new Uint8Array(await answer.arrayBuffer()))
    expect(title).toBe(`Invoice ${invoice.number} from Default merchant`)
    expect(links).toEqual([invoice.hosted_invoice_url])
    expect(pages).toEqual([
      [
        'Invoice',
        'TEST MODE',
        ...[
          'Invoice number',
          invoice.number,
          'Date of issue',
          'January 31, 2026',
          'Date due',
          'February 14, 2026',
        ],
        ...['From', 'Default merchant', 'Bill to', 'Ada Lovelace', 'ada@example.com'],
        '35.00 USD due February 14, 2026',
        'Pay online',
        ...['Description', 'Qty', 'Unit price', 'Amount'],
        ...['1', '12.50 USD', '12.50 USD', 'Item 1'],
        ...['1', '25.00 USD', '25.00 USD', 'Item 2'],
        ...['Subtotal', '37.50 USD', 'Discount (2.50 USD off)', '-2.50 USD', 'Total', '35.00 USD'],
        ...['Amount due', '35.00 USD'],
        `${invoice.number} \u00b7 35.00 USD due February 14, 2026 \u00b7 Page 1 of 1`,
        'Test mode: made by the sandbox paytwin. No real money moves.',
      ],
    ])
  })

  test('is the same each time, and changes with the invoice', async () => {
    const invoice = await openInvoice()
    const first = await pdfOf(invoice)
    expect(await pdfOf(invoice)).toEqual(first)
    await submit(invoice.hosted_invoice_url)
    const paid = readPdf(await pdfOf(invoice))
    expect(paid.pages[0]).toContain('37.50 USD paid on January 31, 2026')
    expect(paid.links).toEqual([])
  })

  test('marks characters that its fonts lack', async () => {
    const invoice = await openInvoice({ customer: { name: '株式会社 Łódź' }, description: 'Café' })
    const [page = []] = readPdf(await pdfOf(invoice)).pages
    expect(page).toEqual(expect.arrayContaining(['???? L\u00f3dz', 'Caf\u00e9 1']))
    expect(page.at(-1)).toContain('Characters that this font lacks are shown as ?.')
  })
})
