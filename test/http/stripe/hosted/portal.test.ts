import type Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { UnitOfWork } from '../../../../src/engine/machine/unit.ts'
import { Statement } from '../../../../src/store/statements.ts'
import { type Pages, pagesOf, submissionOf } from '../../visitor.ts'
import { idOf, type StripeTwin, startStripe } from '../sdk.ts'

let sdk: StripeTwin
const reported: unknown[] = []
let stripe: Stripe
let basic: string
let pro: string
let yearly: string
let pages: Pages
beforeAll(async () => {
  sdk = await startStripe()
  sdk.twin.sandbox.engine.listen({ failed: (error) => reported.push(error) })
  stripe = sdk.stripe
  pages = pagesOf((url, init) => sdk.twin.sandbox.app.request(url, init), { follows: true })
  basic = await priced('Basic', 1000)
  pro = await priced('Pro <b>', 3000)
  yearly = await priced('Yearly', 10_000, 'year')
})
afterAll(async () => {
  await sdk.close()
  // Refused forms and expired sessions are expected.
  expect(reported).toEqual([])
})

async function priced(name: string, unit_amount: number, interval: 'month' | 'year' = 'month') {
  const made = await stripe.prices.create({
    currency: 'usd',
    unit_amount,
    recurring: { interval },
    product_data: { name },
  })
  return made.id
}

const START = 1_767_225_600
const DAY = 86_400
const RETURN = 'https://shop.example/account'

type OnMissing = 'create_invoice' | 'cancel' | 'pause'
type Features = Stripe.BillingPortal.ConfigurationCreateParams.Features

/** Creates a customer on a clock of its own, with a card and a subscription. */
async function subscribed(given: Partial<Stripe.SubscriptionCreateParams> = {}) {
  const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: START })
  const { id: customer } = await stripe.customers.create({
    test_clock: clock,
    name: 'Ada <script>',
    email: 'ada@example.com',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  })
  const made = await stripe.subscriptions.create({ customer, items: [{ price: basic }], ...given })
  const item = made.items.data[0]?.id ?? ''
  return { clock, customer, subscription: made.id, item }
}

/** Creates a session. Returns its address. */
async function enter(
  customer: string,
  params: Partial<Stripe.BillingPortal.SessionCreateParams> = {},
): Promise<string> {
  return (await stripe.billingPortal.sessions.create({ customer, return_url: RETURN, ...params })).url
}

/** Creates a schedule of a subscription with some phases. The first one has begun. */
async function scheduled(subscription: string, phases: Stripe.SubscriptionScheduleUpdateParams.Phase[]) {
  const { id } = await stripe.subscriptionSchedules.create({ from_subscription: subscription })
  const [current, ...later] = phases
  if (current)
    await stripe.subscriptionSchedules.update(id, { phases: [{ ...current, start_date: START }, ...later] })
}

type Shown = { readonly html: string }

/** Lists the subscriptions whose plans a page shows. */
const plansOf = ({ html }: Shown) => [...html.matchAll(/<h3 id="plan-(\w+)"/g)].map(([, id]) => id)

/** Returns the address of the page with the next plans. */
const moreOf = ({ html }: Shown, url: string): string => {
  const [, next = ''] = /href="([^"]*)">Show more plans/.exec(html) ?? []
  return String(new URL(next, url))
}

async function configured(features: Features): Promise<string> {
  return (await stripe.billingPortal.configurations.create({ features })).id
}

/** A configuration that bills a change to the price `pro` at once. */
async function invoicingAtOnce(): Promise<string> {
  const { product } = await stripe.prices.retrieve(pro)
  return configured({
    subscription_update: {
      enabled: true,
      default_allowed_updates: ['price'],
      proration_behavior: 'always_invoice',
      products: [{ product: idOf(product), prices: [pro] }],
    },
  })
}

describe('the overview', () => {
  test('does not read the lines of invoices that it lists', async () => {
    const { customer } = await subscribed()
    const url = await enter(customer)
    const description = 'a long line '.repeat(400)
    for (let n = 0; n < 3; n += 1) {
      const { id } = await stripe.invoices.create({ customer })
      await stripe.invoiceItems.create({ customer, invoice: id, amount: 100, currency: 'usd', description })
      await stripe.invoices.finalizeInvoice(id)
    }
    const spies = (['all', 'allWithin'] as const).map((method) => vi.spyOn(Statement.prototype, method))
    const page = await pages.open(url)
    const read = JSON.stringify(spies.map(({ mock }) => mock.results.map(({ value }) => value)))
    for (const spy of spies) spy.mockRestore()
    expect(page.text).toContain('Invoice history')
    expect(read).not.toContain('a long line')
  })

  test('shows an invoice that is older than many drafts', async () => {
    const { customer } = await subscribed()
    for (let n = 0; n < 101; n += 1) await stripe.invoices.create({ customer })
    expect((await pages.open(await enter(customer))).text).not.toContain('There are no invoices yet.')
  })

  test('shows plans, the next invoice, cards, details and invoices, and runs nothing', async () => {
    const { customer } = await subscribed()
    const { status, html } = await pages.open(await enter(customer))
    expect(status).toBe(200)
    for (const text of [
      'Basic',
      '$10.00 per month',
      'Next invoice: <strong>$10.00</strong>',
      'February 1, 2026',
      'Visa •••• 4242',
      'Ada &lt;script&gt;',
      'ada@example.com',
      'Invoice history',
      'Update plan',
      'Cancel subscription',
      'Add payment method',
      `<a href="${RETURN}">Return to Default merchant</a>`,
      'TEST MODE',
    ])
      expect(html).toContain(text)
    // The card pays the subscription, and it is the default one.
    for (const text of ['Remove', 'Make default', 'Renew subscription', '<script'])
      expect(html).not.toContain(text)
  })

  test('shows ten plans that have not ended at a time, and computes the next invoices of these alone', async () => {
    const { customer, subscription } = await subscribed()
    const made = [subscription]
    for (let n = 1; n < 13; n += 1)
      made.unshift((await stripe.subscriptions.create({ customer, items: [{ price: basic }] })).id)
    const [newest = '', ...others] = made
    await stripe.subscriptions.cancel(newest)
    const imagined = vi.spyOn(UnitOfWork.prototype, 'imagine')
    const url = await enter(customer)
    const first = await pages.open(url)
    expect(imagined).toHaveBeenCalledTimes(10)
    imagined.mockRestore()
    expect(plansOf(first)).toEqual(others.slice(0, 10))
    const second = await pages.open(moreOf(first, url))
    expect(plansOf(second)).toEqual(others.slice(10))
    expect(second.html).not.toContain('Show more plans')
  })

  test('shows fewer plans at a time if their next invoices have many phases to rehearse', async () => {
    const prices = await Promise.all(Array.from({ length: 12 }, (_, n) => priced(`Part ${n}`, 100, 'year')))
    const items = prices.map((price) => ({ price }))
    const { customer, subscription: oldest } = await subscribed({ items })
    const newer = await stripe.subscriptions.create({ customer, items })
    for (const id of [oldest, newer.id])
      await scheduled(
        id,
        Array.from({ length: 10 }, (_, n) => ({
          items: prices.map((price) => ({ price, quantity: n + 1 })),
          end_date: START + (n + 1) * DAY,
          proration_behavior: 'create_prorations',
        })),
      )
    const newest = await stripe.subscriptions.create({ customer, items })
    const url = await enter(customer)
    const first = await pages.open(url)
    expect(plansOf(first)).toEqual([newest.id, newer.id])
    const second = await pages.open(moreOf(first, url))
    expect(plansOf(second)).toEqual([oldest])
    expect(second.html).not.toContain('Show more plans')
  })

  test('shows fewer plans at a time if their next invoices have many pending items', async () => {
    const { customer, subscription: oldest } = await subscribed()
    const newer = await stripe.subscriptions.create({ customer, items: [{ price: basic }] })
    const pending = (count: number, params: Partial<Stripe.InvoiceItemCreateParams>) =>
      Promise.all(
        Array.from({ length: count }, () =>
          stripe.invoiceItems.create({ customer, amount: 1, currency: 'usd', ...params }),
        ),
      )
    await pending(60, { subscription: newer.id })
    const url = await enter(customer)
    expect(plansOf(await pages.open(url))).toEqual([newer.id, oldest])
    // Items of no subscription are read for each.
    await pending(80, {})
    const first = await pages.open(url)
    expect(plansOf(first)).toEqual([newer.id])
    expect(plansOf(await pages.open(moreOf(first, url)))).toEqual([oldest])
  })

  test('leaves the codes of coupons alone that a rehearsed phase redeems for the last time', async () => {
    const { customer, subscription } = await subscribed({ items: [{ price: yearly }] })
    const { id: coupon } = await stripe.coupons.create({ percent_off: 10, max_redemptions: 1 })
    await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon } })
    await scheduled(subscription, [
      { items: [{ price: yearly }], end_date: START + 10 * DAY },
      { items: [{ price: yearly }], discounts: [{ coupon }], end_date: START + 800 * DAY },
    ])
    const read = vi.spyOn(sdk.twin.sandbox.engine.store.objects, 'ids')
    await pages.open(await enter(customer))
    const kinds = read.mock.calls.map(([kind]) => kind)
    read.mockRestore()
    expect(kinds).not.toContain('promotion_code')
  })

  test('shows when the next phase of a schedule begins', async () => {
    const { customer, subscription } = await subscribed({ items: [{ price: yearly }] })
    await scheduled(subscription, [
      { items: [{ price: yearly }], end_date: START + 10 * DAY },
      { items: [{ price: basic }], end_date: START + 100 * DAY },
    ])
    const { text } = await pages.open(await enter(customer))
    expect(text).toContain('Your plan changes to Basic, $10.00 per month, on January 11, 2026')
  })

  test.each<[string, (subscription: string) => Promise<unknown>, string, string]>([
    [
      'that ends after further periods',
      (id) => stripe.subscriptions.update(id, { cancel_at: START + 100 * DAY }),
      'April 11, 2026',
      '$10.00',
    ],
    [
      'that bills an item at its end',
      async (id) => {
        const { customer } = await stripe.subscriptions.update(id, { cancel_at_period_end: true })
        const item = { customer: idOf(customer), subscription: id, amount: 700, currency: 'usd' }
        await stripe.invoiceItems.create(item)
      },
      'February 1, 2026',
      '$7.00',
    ],
  ])('shows the end and the next invoice of a plan %s', async (_what, happen, end, amount) => {
    const { customer, subscription } = await subscribed()
    await happen(subscription)
    const { html } = await pages.open(await enter(customer))
    expect(html).toMatch(new RegExp(`will be canceled on <time [^>]*>${end}`))
    expect(html).toContain(`Next invoice: <strong>${amount}</strong> on <time datetime="2026-02-01">`)
  })

  test('names two prices of a product once', async () => {
    const { product } = await stripe.prices.retrieve(basic)
    const recurring = { interval: 'month' } as const
    const price_data = { product: String(product), currency: 'usd', unit_amount: 100, recurring }
    const { customer } = await subscribed({ items: [{ price: basic }, { price_data }] })
    const { text } = await pages.open(await enter(customer))
    expect(text).toContain('Current plans Basic Active Basic: $10.00 per month Basic: $1.00 per month')
  })

  test('shows only what the configuration allows, and accepts nothing else', async () => {
    const { customer, subscription } = await subscribed()
    const full = await pages.open(await enter(customer))
    const configuration = await configured({ invoice_history: { enabled: true } })
    const url = await enter(customer, { configuration })
    const { html } = await pages.open(url)
    for (const text of ['Update plan', 'Cancel subscription', 'Payment methods', 'Update details'])
      expect(html).not.toContain(text)
    for (const path of ['details', 'cards/add', `subscriptions/${subscription}/update`])
      expect((await pages.open(`${url}/${path}`)).status).toBe(400)
    const allowed = await pages.open(`${full.url}/subscriptions/${subscription}/cancel`)
    const form = submissionOf(allowed, 'Confirm')
    for (const path of [`subscriptions/${subscription}/cancel`, 'details', 'cards/add'])
      await pages.send({ ...form, url: `${url}/${path}` })
    expect(await stripe.subscriptions.retrieve(subscription)).toMatchObject({
      cancel_at_period_end: false,
      status: 'active',
    })
  })

  test('is not found with a wrong secret, and nothing of another customer is', async () => {
    const [one, other] = [await subscribed(), await subscribed()]
    const url = await enter(one.customer)
    const wrong = `${url.slice(0, -1)}${url.endsWith('x') ? 'y' : 'x'}`
    const { status, html } = await pages.open(wrong)
    expect(status).toBe(404)
    expect(html).not.toContain('Default merchant')
    expect((await pages.open(`${url}/subscriptions/${other.subscription}/cancel`)).status).toBe(404)
  })

  test('expires on the clock of the customer: 5 minutes without a visit, then an hour after each', async () => {
    const { clock, customer } = await subscribed()
    const [unseen, seen] = [await enter(customer), await enter(customer)]
    expect((await pages.open(seen)).html).toContain('Current plans')
    await sdk.advance(clock, START + 5 * 60)
    expect((await pages.open(unseen)).html).toContain('This session has expired')
    await sdk.advance(clock, START + 50 * 60)
    expect((await pages.open(seen)).html).toContain('Current plans')
    await sdk.advance(clock, START + 100 * 60)
    expect((await pages.open(seen)).html).toContain('Current plans')
    await sdk.advance(clock, START + 161 * 60)
    const expired = await pages.open(seen)
    expect(expired.html).toContain('This session has expired')
    expect(expired.html).not.toContain('ada@example.com')
  })

  test.each([
    ['another origin', { Origin: 'https://evil.example' }],
    ['no origin', { Origin: '' }],
  ])('refuses a form from %s', async (_what, headers) => {
    const { customer, subscription } = await subscribed()
    const page = await pages.open(`${await enter(customer)}/subscriptions/${subscription}/cancel`)
    const { status } = await pages.press(page, 'Confirm', {}, headers)
    expect(status).toBeGreaterThanOrEqual(400)
    expect((await stripe.subscriptions.retrieve(subscription)).cancel_at_period_end).toBe(false)
  })
})

describe('a change of plan', () => {
  const chosen = (url: string, subscription: string, query: Record<string, string>) =>
    pages.open(`${url}/subscriptions/${subscription}/confirm?${new URLSearchParams(query)}`)

  test('shows the preview of the API, and charges its amount', async () => {
    const { clock, customer, subscription, item } = await subscribed()
    const url = await enter(customer)
    const choices = await pages.open(`${url}/subscriptions/${subscription}/update`)
    for (const text of [
      'Basic, $10.00 per month',
      '(current)',
      'Pro &lt;b&gt;, $30.00 per month',
      'Quantity',
    ])
      expect(choices.html).toContain(text)
    await pages.open(url)
    await sdk.advance(clock, START + 15 * DAY)
    const later = await enter(customer)
    const preview = await stripe.invoices.createPreview({
      subscription,
      subscription_details: { items: [{ id: item, price: pro }], proration_behavior: 'create_prorations' },
    })
    const prorations = preview.lines.data.filter(
      ({ parent }) => parent?.subscription_item_details?.proration || parent?.invoice_item_details?.proration,
    )
    expect(prorations).toHaveLength(2)
    const page = await chosen(later, subscription, { price: pro, quantity: '1' })
    const dollars = (amount: number) => `${amount < 0 ? '-' : ''}$${(Math.abs(amount) / 100).toFixed(2)}`
    for (const { amount } of prorations) expect(page.html).toContain(dollars(amount))
    expect(page.html).toContain(dollars(preview.amount_due))
    expect(page.html).toMatch(/Due now<\/span> <span class="number">\$0\.00/)
    // The clock moves on, but the customer pays what was shown.
    await sdk.advance(clock, START + 15 * DAY + 600)
    const done = await pages.press(page, 'Confirm')
    expect(done.html).toContain('Your plan was updated.')
    const after = await stripe.subscriptions.retrieve(subscription)
    expect(after.items.data[0]?.price.id).toBe(pro)
    const items = await stripe.invoiceItems.list({ customer })
    expect(items.data.map(({ amount }) => amount).sort()).toEqual(
      prorations.map(({ amount }) => amount).sort(),
    )
  })

  test.each<[string, (customer: string) => Promise<unknown>, string, number]>([
    [
      'a pending item',
      (customer) => stripe.invoiceItems.create({ customer, amount: 100_000, currency: 'usd' }),
      '$1,020.00',
      102_000,
    ],
    ['a debt', (customer) => stripe.customers.update(customer, { balance: 700 }), '$27.00', 2700],
    ['a credit', (customer) => stripe.customers.update(customer, { balance: -700 }), '$13.00', 1300],
  ])(
    'shows the amounts again if %s changes them before the confirmation',
    async (_what, happen, due, paid) => {
      const { clock, customer, subscription } = await subscribed()
      const configuration = await invoicingAtOnce()
      const page = await chosen(await enter(customer, { configuration }), subscription, { price: pro })
      expect(page.html).toMatch(/Due now<\/span> <span class="number">\$20\.00/)
      await happen(customer)
      const shown = await pages.press(page, 'Confirm')
      expect(shown.html).toMatch(/role="alert">The change is no longer what the page showed/)
      expect(shown.html).toContain(`Due now</span> <span class="number">${due}`)
      expect((await stripe.subscriptions.retrieve(subscription)).items.data[0]?.price.id).toBe(basic)
      // The clock moves on, and the amounts stay those of the page.
      await sdk.advance(clock, START + 600)
      expect((await pages.press(shown, 'Confirm')).html).toContain('Your plan was updated.')
      const [invoice] = (await stripe.invoices.list({ customer, limit: 1 })).data
      expect(invoice?.amount_paid).toBe(paid)
    },
  )

  test('shows the amounts again if only the next invoice has another one', async () => {
    const { customer, subscription } = await subscribed()
    const page = await chosen(await enter(customer), subscription, { price: pro })
    await stripe.customers.update(customer, { balance: 500 })
    const shown = await pages.press(page, 'Confirm')
    expect(shown.html).toMatch(/role="alert">The change is no longer what the page showed/)
    expect((await pages.press(shown, 'Confirm')).html).toContain('Your plan was updated.')
  })

  test('is shown again if more of a credit is used, although nothing is due', async () => {
    const { customer, subscription } = await subscribed()
    await stripe.customers.update(customer, { balance: -200_000 })
    const page = await chosen(await enter(customer), subscription, { price: pro })
    await stripe.invoiceItems.create({ customer, amount: 100_000, currency: 'usd' })
    const shown = await pages.press(page, 'Confirm')
    expect(shown.html).toMatch(/role="alert">The change is no longer what the page showed/)
    expect((await pages.press(shown, 'Confirm')).html).toContain('Your plan was updated.')
  })

  test('is shown again if its period has ended', async () => {
    const { clock, customer, subscription } = await subscribed()
    await sdk.advance(clock, START + 31 * DAY - 60)
    const page = await chosen(await enter(customer), subscription, { price: pro })
    await sdk.advance(clock, START + 31 * DAY + 60)
    const shown = await pages.press(page, 'Confirm')
    expect(shown.html).toContain('It changed nothing')
    expect(shown.html).toContain('Due now')
    expect((await pages.press(shown, 'Confirm')).html).toContain('Your plan was updated.')
  })

  test('happens once if its form is sent twice', async () => {
    const { customer, subscription } = await subscribed()
    const url = await enter(customer)
    const page = await chosen(url, subscription, { price: pro })
    await pages.press(page, 'Confirm')
    await stripe.subscriptions.update(subscription, {
      items: [
        { id: (await stripe.subscriptions.retrieve(subscription)).items.data[0]?.id ?? '', price: basic },
      ],
    })
    const again = await pages.press(page, 'Confirm')
    expect(again.html).toContain('It changed nothing')
    const { items } = await stripe.subscriptions.retrieve(subscription)
    expect(items.data[0]?.price.id).toBe(basic)
  })

  test('bills at once with always_invoice, and is refused as a whole for a declined card', async () => {
    const { customer, subscription } = await subscribed()
    const configuration = await invoicingAtOnce()
    const url = await enter(customer, { configuration })
    const page = await chosen(url, subscription, { price: pro })
    expect(page.html).toMatch(/Due now<\/span> <span class="number">\$20\.00/)
    expect(page.html).toContain('Next invoice on')
    const declining = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
    await stripe.customers.update(customer, { invoice_settings: { default_payment_method: declining.id } })
    const refused = await pages.press(page, 'Confirm')
    expect(refused.html).toMatch(/role="alert">Your card was declined/)
    expect((await stripe.subscriptions.retrieve(subscription)).items.data[0]?.price.id).toBe(basic)
    expect(await stripe.subscriptions.retrieve(subscription)).toMatchObject({ status: 'active' })
    const card = await stripe.paymentMethods.attach('pm_card_mastercard', { customer })
    await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card.id } })
    expect((await pages.press(refused, 'Confirm')).html).toContain('Your plan was updated.')
    const [invoice] = (await stripe.invoices.list({ customer, limit: 1 })).data
    expect(invoice).toMatchObject({
      status: 'paid',
      amount_paid: 2000,
      billing_reason: 'subscription_update',
    })
  })

  test.each<[string, Record<string, string>, string]>([
    ['a price that is not offered', { price: 'price_unknown' }, 'is not among those'],
    ['a quantity that is not whole', { quantity: '1.5' }, 'must be a whole number'],
    ['a quantity of zero', { quantity: '0' }, 'must be at least 1'],
    ['an unknown promotion code', { promotion_code: 'NONE' }, 'This promotion code is not valid'],
  ])('is refused with %s', async (_what, query, message) => {
    const { customer, subscription } = await subscribed()
    const { html } = await chosen(await enter(customer), subscription, query)
    expect(html).toContain('role="alert"')
    expect(html).toContain(message)
  })

  test('does not show the number of a card again', async () => {
    const { customer, subscription } = await subscribed()
    const url = await enter(customer)
    for (const name of ['price', 'quantity', 'promotion_code']) {
      const { html } = await chosen(url, subscription, { [name]: '4539578763621486' })
      expect(html).toContain('role="alert"')
      expect(html).not.toContain('4539578763621486')
    }
  })

  test('cannot be forged: the token belongs to the shown state', async () => {
    const { customer, subscription } = await subscribed()
    const page = await chosen(await enter(customer), subscription, { price: pro })
    for (const forged of [{ price: yearly }, { quantity: '9' }, { proration_date: String(START + 20 * DAY) }])
      expect((await pages.press(page, 'Confirm', forged)).html).toContain('It changed nothing')
    expect((await stripe.subscriptions.retrieve(subscription)).items.data[0]?.price.id).toBe(basic)
  })

  test('takes a quantity and a promotion code', async () => {
    const coupon = await stripe.coupons.create({ percent_off: 50, duration: 'forever' })
    await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon: coupon.id }, code: 'HALF' })
    const { customer, subscription } = await subscribed()
    const page = await chosen(await enter(customer), subscription, { quantity: '3', promotion_code: 'half' })
    expect(page.html).toContain('3 × $10.00 per month')
    await pages.press(page, 'Confirm')
    const after = await stripe.subscriptions.retrieve(subscription, { expand: ['discounts'] })
    expect(after.items.data[0]?.quantity).toBe(3)
    expect(after.discounts).toMatchObject([{ source: { coupon: coupon.id } }])
  })

  /** Makes a configuration in which a change to Basic waits for the end of the period. */
  const configuredToWait = async (more: object = {}) => {
    const { product } = await stripe.prices.retrieve(basic)
    return configured({
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['price'],
        products: [{ product: idOf(product), prices: [basic] }],
        schedule_at_period_end: { conditions: [{ type: 'decreasing_item_amount' }] },
        ...more,
      },
    })
  }

  test('waits for the end of the period if a condition holds', async () => {
    const { clock, customer, subscription } = await subscribed({ items: [{ price: pro }] })
    const configuration = await configuredToWait()
    const page = await chosen(await enter(customer, { configuration }), subscription, { price: basic })
    expect(page.html).toContain('The change takes effect on')
    expect(page.html).toMatch(/Next invoice on.*\$10\.00/s)
    const done = await pages.press(page, 'Confirm')
    expect(done.html).toContain('Your plan changes to Basic')
    expect(done.html).not.toContain('Update plan')
    expect((await stripe.subscriptions.retrieve(subscription)).items.data[0]?.price.id).toBe(pro)
    await sdk.advance(clock, START + 32 * DAY)
    const changed = await stripe.subscriptions.retrieve(subscription)
    expect(changed).toMatchObject({ schedule: null, items: { data: [{ price: { id: basic } }] } })
    expect((await pages.open(await enter(customer, { configuration }))).html).toContain('Update plan')
    const { data } = await stripe.events.list({ type: 'subscription_schedule.released', limit: 1 })
    expect(data[0]?.data.object).toMatchObject({ released_subscription: subscription })
  })

  test('that waits keeps the card and the description that the subscription has by then', async () => {
    const { clock, customer, subscription } = await subscribed({
      items: [{ price: pro }],
      default_payment_method: 'pm_card_visa',
    })
    const configuration = await configuredToWait()
    const page = await chosen(await enter(customer, { configuration }), subscription, { price: basic })
    await pages.press(page, 'Confirm')
    const { id: card } = await stripe.paymentMethods.attach('pm_card_mastercard', { customer })
    const since = { default_payment_method: card, description: 'New' }
    await stripe.subscriptions.update(subscription, since)
    await sdk.advance(clock, START + 32 * DAY)
    const changed = await stripe.subscriptions.retrieve(subscription)
    expect(changed).toMatchObject({ ...since, items: { data: [{ price: { id: basic } }] } })
    const [renewal] = (await stripe.paymentIntents.list({ customer, limit: 1 })).data
    expect(renewal).toMatchObject({ payment_method: card, amount: 1000, status: 'succeeded' })
  })

  test.each(['continue_trial', 'end_trial'] as const)(
    'waits for the end of a trial, with %s',
    async (trial) => {
      const { clock, customer, subscription } = await subscribed({
        items: [{ price: pro }],
        trial_period_days: 10,
      })
      const configuration = await configuredToWait({ trial_update_behavior: trial })
      const page = await chosen(await enter(customer, { configuration }), subscription, { price: basic })
      expect(page.html).toMatch(/Due now.*\$0\.00/s)
      await pages.press(page, 'Confirm')
      expect(await stripe.subscriptions.retrieve(subscription)).toMatchObject({ status: 'trialing' })
      await sdk.advance(clock, START + 11 * DAY)
      const { data } = await stripe.invoices.list({ subscription })
      expect(data.map(({ amount_due, created }) => [amount_due, created])).toEqual([
        [1000, START + 10 * DAY],
        [0, START],
      ])
    },
  )

  /** Previews the change of a trial that ends with it, for a customer without a card or with another one. */
  async function endingTrial(card: string | null, unit_amount: number, missing_payment_method: OnMissing) {
    const { customer, subscription } = await subscribed({
      trial_period_days: 10,
      trial_settings: { end_behavior: { missing_payment_method } },
    })
    const [first] = (await stripe.paymentMethods.list({ customer })).data
    await stripe.paymentMethods.detach(first?.id ?? '')
    const made = card && (await stripe.paymentMethods.attach(card, { customer })).id
    if (made) await stripe.customers.update(customer, { invoice_settings: { default_payment_method: made } })
    const price = await priced('Other', unit_amount)
    const products = [{ product: idOf((await stripe.prices.retrieve(price)).product), prices: [price] }]
    const configuration = await configured({
      subscription_update: { enabled: true, default_allowed_updates: ['price'], products },
    })
    const page = await chosen(await enter(customer, { configuration }), subscription, { price })
    return { customer, subscription, price, page }
  }

  test.each<[what: string, card: string | null, missing: OnMissing, alert: RegExp]>([
    ['a card that is declined', 'pm_card_chargeCustomerFail', 'create_invoice', /Your card was declined/],
    ['an authentication', 'pm_card_authenticationRequired', 'create_invoice', /requires authentication/],
    ['no card', null, 'create_invoice', /There is no payment method to charge/],
    ['no card, instead of canceling', null, 'cancel', /There is no payment method to charge/],
    ['no card, instead of pausing', null, 'pause', /There is no payment method to charge/],
  ])('that ends a trial is refused as a whole for %s', async (_, card, missing, alert) => {
    const { customer, subscription, page } = await endingTrial(card, 5000, missing)
    expect(page.html).toMatch(/Due now<\/span> <span class="number">\$50\.00/)
    const refused = await pages.press(page, 'Confirm')
    expect(refused.html).toMatch(new RegExp(`role="alert">[^<]*${alert.source}`))
    const left = await stripe.subscriptions.retrieve(subscription)
    expect(left).toMatchObject({ status: 'trialing', items: { data: [{ price: { id: basic } }] } })
    expect((await stripe.invoices.list({ customer })).data).toMatchObject([{ amount_due: 0, status: 'paid' }])
  })

  test('that ends a trial needs no card for a free price', async () => {
    const { subscription, price, page } = await endingTrial(null, 0, 'cancel')
    expect((await pages.press(page, 'Confirm')).html).toContain('Your plan was updated.')
    expect(await stripe.subscriptions.retrieve(subscription)).toMatchObject({
      status: 'active',
      items: { data: [{ price: { id: price } }] },
      trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
    })
  })

  test('ends a trial, or keeps it, as configured', async () => {
    const { customer, subscription } = await subscribed({ trial_period_days: 10 })
    const kept = await chosen(await enter(customer), subscription, { price: pro })
    expect((await pages.press(kept, 'Confirm')).html).toContain('Your plan was updated.')
    expect(await stripe.subscriptions.retrieve(subscription)).toMatchObject({
      status: 'trialing',
      items: { data: [{ price: { id: pro } }] },
    })
    const { product } = await stripe.prices.retrieve(basic)
    const configuration = await configured({
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['price'],
        products: [{ product: idOf(product), prices: [basic] }],
      },
    })
    const ending = await chosen(await enter(customer, { configuration }), subscription, { price: basic })
    expect(ending.html).toContain('The trial ends with this change')
    await pages.press(ending, 'Confirm')
    expect(await stripe.subscriptions.retrieve(subscription)).toMatchObject({ status: 'active' })
  })
})
