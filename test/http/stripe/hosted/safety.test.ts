import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../cli/executable.ts'
import { asOperator } from '../../support.ts'
import { type Pages, pagesOf } from '../../visitor.ts'
import { type StripeTwin, startStripe } from '../sdk.ts'

/** A valid number by its check digit, of no test card. */
const REAL = '4539578763621486'
/** As American Express: it has as many digits as a phone number can have. */
const AMEX = '378282246310005'
const ENTERED = {
  email: 'ada@shop.example',
  number: '4242 4242 4242 4242',
  expiration: '12 / 60',
  cvc: '123',
  name: 'Ada Lovelace',
}
const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(2)>'`

let sdk: StripeTwin
let pages: Pages
const reported: unknown[] = []
const folder = temporaryFolder()
beforeAll(async () => {
  const database = join(folder.path, 'paytwin.db')
  sdk = await startStripe({ database, reportError: (...error) => reported.push(error) })
  pages = pagesOf((url, init) => sdk.twin.sandbox.app.request(url, init))
})
afterAll(async () => {
  await sdk.close()
  folder.remove()
})

const sale = (
  stripe: Stripe,
  name = 'Mug',
  more: Partial<Stripe.Checkout.SessionCreateParams> = {},
): Promise<Stripe.Checkout.Session> =>
  stripe.checkout.sessions.create({
    mode: 'payment',
    line_items: [
      {
        price_data: { currency: 'usd', unit_amount: 1000, product_data: { name, description: name } },
        quantity: 1,
        adjustable_quantity: { enabled: true },
      },
    ],
    success_url: 'https://shop.example/done',
    cancel_url: 'https://shop.example/pricing',
    allow_promotion_codes: true,
    ...more,
  })

describe('the pages for customers', () => {
  test('escape what the merchant and the customer chose', async () => {
    const { body } = await asOperator(sdk.twin)('POST', 'merchants', { name: HOSTILE, dialect: 'stripe' })
    const { body: key } = await asOperator(sdk.twin)('POST', 'keys', { merchant: body.id })
    const stripe = sdk.withKey(key.secret)
    const session = await sale(stripe, HOSTILE, {
      metadata: { note: HOSTILE },
      custom_text: { submit: { message: HOSTILE }, terms_of_service_acceptance: { message: HOSTILE } },
      consent_collection: { terms_of_service: 'required' },
      phone_number_collection: { enabled: true },
      billing_address_collection: 'required',
      cancel_url: `https://shop.example/"><script>alert(3)</script>`,
    })
    const page = await pages.open(session.url ?? '')
    const fields = [
      'email',
      'number',
      'expiration',
      'cvc',
      'name',
      'phone',
      'line1',
      'city',
      'country',
      'token',
    ]
    const wrong = await pages.press(page, 'Pay', Object.fromEntries(fields.map((field) => [field, HOSTILE])))
    const promotion = await pages.press(page, 'Apply', { promotion_code: HOSTILE })
    for (const { html, text } of [page, wrong, promotion]) {
      expect(html).not.toMatch(/<script|<img|" onerror/)
      expect(text).toContain('<script>alert(1)')
    }
  })

  test('show the control characters of a name as escapes in titles', async () => {
    const name = 'Shop\u202e\u001b'
    const { body } = await asOperator(sdk.twin)('POST', 'merchants', { name, dialect: 'stripe' })
    const { body: key } = await asOperator(sdk.twin)('POST', 'keys', { merchant: body.id })
    const page = await pages.open((await sale(sdk.withKey(key.secret))).url ?? '')
    expect(/<title>.*<\/title>/.exec(page.html)?.[0]).toContain(String.raw`Shop\u202e\u001b`)
  })

  test('show nothing of another merchant, and nothing for an id that is not known', async () => {
    const { url } = await sale(sdk.stripe, 'A secret thing')
    for (const address of [`${url}x`, url?.slice(0, -1), `http://localhost/c/pay/cs_test_1`]) {
      const page = await pages.open(address ?? '')
      expect(page.status).toBe(404)
      expect(page.text).not.toMatch(/secret|merchant/)
    }
    const { body } = await asOperator(sdk.twin)('POST', 'merchants', { name: 'Other', dialect: 'stripe' })
    const { body: key } = await asOperator(sdk.twin)('POST', 'keys', { merchant: body.id })
    const coupon = await sdk.withKey(key.secret).coupons.create({ percent_off: 50, duration: 'once' })
    await sdk
      .withKey(key.secret)
      .promotionCodes.create({ promotion: { type: 'coupon', coupon: coupon.id }, code: 'OTHER' })
    const foreign = await pages.press(await pages.open(url ?? ''), 'Apply', { promotion_code: 'OTHER' })
    expect(foreign.text).toContain('This code is invalid.')
  })

  test('accept forms from their own origin only', async () => {
    const session = await sale(sdk.stripe)
    const page = await pages.open(session.url ?? '')
    for (const headers of [
      {},
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: 'http://localhost:1' },
    ]) {
      const refused = await pages.press(page, 'Pay', ENTERED, headers)
      expect([refused.status, refused.location]).toEqual([400, null])
    }
    expect((await sdk.stripe.checkout.sessions.retrieve(session.id)).status).toBe('open')
  })

  test('are refused under another host, and where there is no page', async () => {
    const { url = '' } = await sale(sdk.stripe)
    const { app } = sdk.twin.sandbox
    expect((await app.request(url ?? '', { headers: { Host: 'rebound.example' } })).status).toBe(400)
    for (const path of ['/c/none', '/i/none', '/p/none']) {
      const response = await app.request(path, { headers: { Host: 'localhost' } })
      expect([response.status, response.headers.get('content-type')]).toEqual([
        404,
        'text/html; charset=utf-8',
      ])
    }
  })

  test('lead to an address with letters of every script, and to none that a link would read otherwise', async () => {
    const letters = 'https://läden.example/漢字?id={CHECKOUT_SESSION_ID}'
    const session = await sale(sdk.stripe, 'Mug', { success_url: letters })
    expect(session.success_url).toBe(letters)
    const paid = await pages.press(await pages.open(session.url ?? ''), 'Pay', ENTERED)
    expect([paid.status, paid.location]).toEqual([
      303,
      `https://xn--lden-loa.example/%E6%BC%A2%E5%AD%97?id=${session.id}`,
    ])
    for (const success_url of [
      'javascript:alert(1)',
      'data:text/html,x',
      '//evil.example',
      'http:evil.example',
      'https:/evil.example',
      'https:\\\\evil.example',
      ' https://shop.example',
      'https://shop.example/\r\nSet-Cookie: a=b',
      'https://shop.example/\u0085',
    ])
      await expect(sale(sdk.stripe, 'Mug', { success_url })).rejects.toThrow('expected an http or https URL')
  })

  test('take no large forms', async () => {
    const page = await pages.open((await sale(sdk.stripe)).url ?? '')
    expect((await pages.press(page, 'Pay', { ...ENTERED, email: 'x'.repeat(30_000) })).status).toBe(400)
  })
})

test('the number of a card in a field of contact is not stored', async () => {
  const settings = { phone_number_collection: { enabled: true } }
  const page = await pages.open((await sale(sdk.stripe, 'Mug', settings)).url ?? '')
  for (const fields of [
    { phone: AMEX },
    { phone: '+1 555 0100', name: REAL.replaceAll(/(.{4})/g, '$1  ') },
    { phone: '+1 555 0100', email: `${'x'.repeat(600)}@x.example` },
  ]) {
    const refused = await pages.press(page, 'Pay', { ...ENTERED, ...fields })
    expect([refused.status, refused.html.includes(AMEX)]).toEqual([200, false])
  }
  const { stripe } = sdk
  const { id: configuration } = await stripe.billingPortal.configurations.create({
    features: {
      customer_update: { enabled: true, allowed_updates: ['name', 'email', 'phone', 'address'] },
      payment_method_update: { enabled: true },
      invoice_history: { enabled: true },
    },
  })
  const { id: customer } = await stripe.customers.create({ name: 'Ada', email: 'ada@shop.example' })
  const portal = await stripe.billingPortal.sessions.create({ customer, configuration })
  const details = await pages.open(`${portal.url}/details`)
  for (const fields of [{ name: REAL }, { phone: AMEX }, { address_line1: REAL }]) {
    const refused = await pages.press(details, 'Save', fields)
    expect([refused.status, refused.html.includes(REAL), refused.html.includes(AMEX)]).toEqual([
      200,
      false,
      false,
    ])
    expect(refused.text).toContain('looks like the number of a card')
  }
  expect((await pages.press(details, 'Save', { phone: '+49 228 5550' })).status).toBe(303)
})

test('a card number is neither stored nor logged, and a real one is in no error', async () => {
  const page = await pages.open((await sale(sdk.stripe)).url ?? '')
  // As if the customer had mixed up the fields.
  const everywhere = {
    name: REAL,
    email: `${REAL}@x.example`,
    promotion_code: REAL,
    token: REAL,
    pay_with: REAL,
  }
  for (const fields of [{ number: REAL }, everywhere, { number: `${REAL}1`, expiration: REAL, cvc: REAL }]) {
    const refused = await pages.press(page, 'Pay', { ...ENTERED, ...fields })
    expect(refused.status).toBe(200)
    expect(refused.html).not.toContain(REAL)
  }
  expect((await pages.press(page, 'Pay', ENTERED)).status).toBe(303)
  const { body: requests } = await asOperator(sdk.twin)('GET', 'requests?limit=100')
  const { data: events } = await sdk.stripe.events.list({ limit: 100 })
  expect(JSON.stringify(events)).toContain('checkout.session.completed')
  const files = readdirSync(folder.path).map((name) => readFileSync(join(folder.path, name), 'latin1'))
  expect(files.join('')).toContain('ada@shop.example')
  for (const text of [JSON.stringify(requests), JSON.stringify(events), ...files]) {
    for (const number of [REAL, '4242424242424242', '4242 4242']) expect(text.includes(number)).toBe(false)
  }
  expect(reported).toEqual([])
})
