import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { asOperator } from '../support.ts'
import { tokenIn } from '../visitor.ts'
import { errorOf, stripeOfFile } from './sdk.ts'

const sdk = stripeOfFile()
const { stripe } = sdk

const RETURN = 'https://shop.example/done?order=1#top'

const asked = (more: Partial<Stripe.PaymentIntentCreateParams> = {}) =>
  stripe.paymentIntents.create({
    amount: 2000,
    currency: 'usd',
    payment_method: 'pm_card_threeDSecure2Required',
    confirm: true,
    return_url: RETURN,
    ...more,
  })
const pageOf = ({ next_action }: Stripe.PaymentIntent | Stripe.SetupIntent): string =>
  next_action?.redirect_to_url?.url ?? String(next_action?.use_stripe_sdk?.stripe_js)
const open = async (url: string) => sdk.twin.sandbox.app.request(url, { headers: { Host: 'localhost' } })
const htmlOf = async (url: string) => (await open(url)).text()
/** @param token - by default that of the page as it is now */
const submit = async (
  url: string,
  outcome: string,
  token?: string,
  headers: Record<string, string> = { Origin: 'http://localhost' },
) =>
  sdk.twin.sandbox.app.request(url, {
    method: 'POST',
    headers: { Host: 'localhost', 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: `outcome=${outcome}&token=${token ?? tokenIn(await htmlOf(url))}`,
  })

describe('the page of an authentication', () => {
  test('shows the merchant, the amount, the card and where it returns to, and runs nothing', async () => {
    const response = await open(pageOf(await asked()))
    expect(response.status).toBe(200)
    const html = await response.text()
    for (const text of ['Default merchant', '$20.00', 'Visa •••• 3220', 'https://shop.example', 'TEST MODE'])
      expect(html).toContain(text)
    expect(html).not.toContain('<script')
    const policy = response.headers.get('content-security-policy')
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'/)
    expect(policy).toContain("form-action 'self' http: https:; frame-ancestors 'none'")
  })

  test.each([
    ['succeed', 'succeeded', 'succeeded'],
    ['fail', 'requires_payment_method', 'failed'],
  ])(
    'returns after %s with the intent, its secret and the status',
    async (outcome, status, redirect_status) => {
      const intent = await asked()
      const response = await submit(pageOf(intent), outcome)
      expect(response.status).toBe(303)
      const url = new URL(response.headers.get('location') ?? '')
      expect(`${url.origin}${url.pathname}${url.hash}`).toBe('https://shop.example/done#top')
      expect(Object.fromEntries(url.searchParams)).toEqual({
        order: '1',
        payment_intent: intent.id,
        payment_intent_client_secret: intent.client_secret,
        redirect_status,
      })
      expect((await stripe.paymentIntents.retrieve(intent.id)).status).toBe(status)
    },
  )

  test('drops a form whose window was closed before its decision took effect', async () => {
    const intent = await asked()
    const url = pageOf(intent)
    const body = `outcome=succeed&token=${tokenIn(await htmlOf(url))}`
    const headers = {
      Host: 'localhost',
      Origin: 'http://localhost',
      'Content-Type': 'application/x-www-form-urlencoded',
    }
    const env = { outgoing: { req: { url: '/', rawHeaders: [], socket: { destroyed: true } } } }
    await sdk.twin.sandbox.app.request(url, { method: 'POST', headers, body }, env)
    expect((await stripe.paymentIntents.retrieve(intent.id)).status).toBe('requires_action')
    await sdk.twin.sandbox.app.request(url, { method: 'POST', headers, body })
    expect((await stripe.paymentIntents.retrieve(intent.id)).status).toBe('succeeded')
  })

  test('saves a card, and returns with the setup intent', async () => {
    const intent = await stripe.setupIntents.create({
      payment_method: 'pm_card_threeDSecure2Required',
      confirm: true,
      return_url: 'https://shop.example/',
    })
    expect(await (await open(pageOf(intent))).text()).toContain('Authenticate your card')
    const response = await submit(pageOf(intent), 'succeed')
    const { searchParams } = new URL(response.headers.get('location') ?? '')
    expect(searchParams.get('setup_intent')).toBe(intent.id)
    expect(searchParams.get('setup_intent_client_secret')).toBe(intent.client_secret)
    expect(searchParams.get('redirect_status')).toBe('succeeded')
  })

  test('shows the result where there is no address to return to', async () => {
    const intent = await stripe.paymentIntents.create({
      amount: 2000,
      currency: 'usd',
      payment_method: 'pm_card_threeDSecure2Required',
      confirm: true,
    })
    const response = await submit(pageOf(intent), 'succeed')
    expect([response.status, await response.text()]).toEqual([
      200,
      expect.stringContaining('Authentication completed'),
    ])
  })

  test('submitted twice pays once', async () => {
    const intent = await asked()
    const url = pageOf(intent)
    const token = tokenIn(await htmlOf(url))
    const all = await Promise.all([submit(url, 'succeed', token), submit(url, 'succeed', token)])
    expect(all.map(({ status }) => status)).toContain(303)
    expect((await stripe.charges.list({ payment_intent: intent.id })).data).toHaveLength(1)
    const late = await submit(pageOf(intent), 'fail')
    expect(await late.text()).toContain('The authentication has ended')
    expect((await stripe.paymentIntents.retrieve(intent.id)).status).toBe('succeeded')
  })

  test.each<[string, (id: string) => Promise<unknown>, string]>([
    ['amount', (id) => stripe.paymentIntents.update(id, { amount: 9900 }), '$99.00'],
    ['currency', (id) => stripe.paymentIntents.update(id, { currency: 'eur' }), '€20.00'],
    [
      'card',
      (id) =>
        stripe.paymentIntents.confirm(id, {
          payment_method: 'pm_card_authenticationRequired',
          return_url: RETURN,
        }),
      'Visa •••• 3184',
    ],
    [
      'return address',
      (id) => stripe.paymentIntents.confirm(id, { return_url: 'https://other.example/' }),
      'https://other.example',
    ],
  ])('does nothing if it showed another %s, and is shown again', async (_name, change, shown) => {
    const { id, ...intent } = await asked()
    const url = pageOf({ id, ...intent } as Stripe.PaymentIntent)
    const token = tokenIn(await htmlOf(url))
    await change(id)
    for (const outcome of ['succeed', 'fail']) {
      const stale = await submit(url, outcome, token)
      expect(stale.status).toBe(200)
      const html = await stale.text()
      expect(html).toMatch(/role="alert">The payment has changed. Nothing was charged/)
      expect(html).toContain(shown)
      expect((await stripe.paymentIntents.retrieve(id)).status).toBe('requires_action')
    }
    expect((await submit(url, 'succeed')).status).toBe(303)
    expect((await stripe.paymentIntents.retrieve(id)).status).toBe('succeeded')
  })

  test('does nothing if the card is now saved for another use', async () => {
    const { id: customer } = await stripe.customers.create({ name: 'Ada' })
    const card = { customer, payment_method: 'pm_card_threeDSecure2Required', return_url: RETURN }
    const payment = await stripe.paymentIntents.create({
      ...card,
      amount: 2000,
      currency: 'usd',
      confirm: true,
    })
    const url = pageOf(payment)
    const token = tokenIn(await htmlOf(url))
    await stripe.paymentIntents.update(payment.id, { setup_future_usage: 'off_session' })
    expect(await (await submit(url, 'succeed', token)).text()).toContain('The payment has changed.')
    expect((await stripe.paymentIntents.retrieve(payment.id)).status).toBe('requires_action')
  })

  test('does nothing if it showed another card to save', async () => {
    const card = { payment_method: 'pm_card_threeDSecure2Required', return_url: RETURN }
    const intent = await stripe.setupIntents.create({ ...card, confirm: true })
    const url = pageOf(intent)
    const token = tokenIn(await htmlOf(url))
    await stripe.setupIntents.update(intent.id, { payment_method: 'pm_card_authenticationRequired' })
    await stripe.setupIntents.confirm(intent.id, { return_url: RETURN })
    const stale = await (await submit(url, 'succeed', token)).text()
    expect(stale).toContain('Visa •••• 3184')
    expect(stale).toContain('The card has changed. Nothing was saved.')
    expect((await stripe.setupIntents.retrieve(intent.id)).status).toBe('requires_action')
  })

  test('escapes what the merchant and the request chose', async () => {
    const { body } = await asOperator(sdk.twin)('POST', 'merchants', {
      name: '<script>alert(1)</script>',
      dialect: 'stripe',
    })
    const { body: key } = await asOperator(sdk.twin)('POST', 'keys', { merchant: body.id })
    const intent = await sdk.withKey(key.secret).paymentIntents.create({
      amount: 1,
      currency: 'usd',
      payment_method: 'pm_card_threeDSecure2Required',
      confirm: true,
      return_url: `https://shop.example/"><script>alert(2)</script>`,
    })
    const html = await (await open(pageOf(intent))).text()
    expect(html).toContain('&lt;script&gt;alert(1)')
    expect(html).not.toContain('<script')
    // An intent is found under its own merchant only.
    expect((await open(pageOf(intent).replace(body.id, sdk.twin.sandbox.merchant.settings.id))).status).toBe(
      404,
    )
  })

  test('is refused without the key of its address, from another origin, and without an outcome', async () => {
    const intent = await asked()
    const url = pageOf(intent)
    expect((await open(`${url.slice(0, -1)}${url.endsWith('x') ? 'y' : 'x'}`)).status).toBe(404)
    expect((await submit(url, 'succeed', '', {})).status).toBe(400)
    expect((await submit(url, 'succeed', '', { Origin: 'https://evil.example' })).status).toBe(400)
    expect((await submit(url, 'maybe')).status).toBe(400)
    expect((await stripe.paymentIntents.retrieve(intent.id)).status).toBe('requires_action')
  })

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'https://a;script-src/',
    'https://user@shop.example/',
    '/done',
  ])('never returns to %s', async (return_url) => {
    expect(await errorOf(asked({ return_url }))).toMatchObject({ statusCode: 400, param: 'return_url' })
  })
})
