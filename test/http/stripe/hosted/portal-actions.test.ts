import type Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Page, type Pages, pagesOf } from '../../visitor.ts'
import { type StripeTwin, startStripe } from '../sdk.ts'

let sdk: StripeTwin
const reported: unknown[] = []
let stripe: Stripe
let basic: string
let pro: string
let pages: Pages
beforeAll(async () => {
  sdk = await startStripe()
  sdk.twin.sandbox.engine.listen({ failed: (error) => reported.push(error) })
  stripe = sdk.stripe
  pages = pagesOf((url, init) => sdk.twin.sandbox.app.request(url, init), { follows: true })
  basic = await priced('Basic', 1000)
  pro = await priced('Pro', 3000)
})
afterAll(async () => {
  await sdk.close()
  // Refused forms and expired sessions are expected.
  expect(reported).toEqual([])
})

async function priced(name: string, unit_amount: number): Promise<string> {
  const product_data = { name }
  const recurring = { interval: 'month' } as const
  return (await stripe.prices.create({ currency: 'usd', unit_amount, recurring, product_data })).id
}

const START = 1_767_225_600
const DAY = 86_400
const RETURN = 'https://shop.example/account'

async function subscribed(card = 'pm_card_visa', given: Partial<Stripe.SubscriptionCreateParams> = {}) {
  const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: START })
  const { id: customer } = await stripe.customers.create({
    test_clock: clock,
    email: 'ada@example.com',
    invoice_settings: { default_payment_method: card },
  })
  const made = await stripe.subscriptions.create({ customer, items: [{ price: basic }], ...given })
  return { clock, customer, subscription: made.id, item: made.items.data[0]?.id ?? '' }
}

const enter = async (
  customer: string,
  params: Partial<Stripe.BillingPortal.SessionCreateParams> = {},
): Promise<string> =>
  (await stripe.billingPortal.sessions.create({ customer, return_url: RETURN, ...params })).url

const configured = async (features: Stripe.BillingPortal.ConfigurationCreateParams.Features) =>
  (await stripe.billingPortal.configurations.create({ features })).id

/** The types of the newest events, oldest first. */
const newest = async (limit: number): Promise<string[]> =>
  (await stripe.events.list({ limit })).data.map(({ type }) => type).reverse()

/** Decides an authentication. @returns the address that it leads to, which is not opened */
async function decided(page: Page, outcome: string): Promise<string> {
  const steps = pagesOf((url, init) => sdk.twin.sandbox.app.request(url, init))
  return (await steps.press(page, 'Complete', { outcome })).location ?? ''
}

const CARD = { number: '5555 5555 5555 4444', expiration: '12 / 34', cvc: '123', name: 'Ada' }

describe('a cancellation', () => {
  test('waits for the end of the period, takes the reason, and is withdrawn', async () => {
    const { customer, subscription } = await subscribed()
    const url = await enter(customer)
    const page = await pages.open(`${url}/subscriptions/${subscription}/cancel`)
    expect(page.html).toContain('February 1, 2026')
    expect(page.text).toMatch(/I no longer need it Other reason Comment/)
    const done = await pages.press(page, 'Confirm', { reason: 'too_expensive', comment: '<b>Too much</b>' })
    expect(done.html).toContain('will be canceled at the end of its period')
    expect(done.html).not.toContain('Cancel subscription')
    expect(await newest(1)).toEqual(['customer.subscription.updated'])
    expect(await stripe.subscriptions.retrieve(subscription)).toMatchObject({
      status: 'active',
      cancel_at_period_end: true,
      cancellation_details: { comment: '<b>Too much</b>', feedback: 'too_expensive' },
    })
    const renewed = await pages.press(done, 'Renew subscription')
    expect(renewed.html).toContain('Your subscription will renew.')
    expect(await stripe.subscriptions.retrieve(subscription)).toMatchObject({
      cancel_at_period_end: false,
      cancel_at: null,
    })
    // The forms were made for an earlier state.
    for (const [form, text] of [
      [page, 'Confirm'],
      [done, 'Renew subscription'],
    ] as const)
      expect((await pages.press(form, text)).html).toContain('It changed nothing')
    expect((await stripe.subscriptions.retrieve(subscription)).cancel_at_period_end).toBe(false)
  })

  test('happens at once, and bills the unused time, as configured', async () => {
    const { clock, customer, subscription } = await subscribed()
    await sdk.advance(clock, START + 15 * DAY + DAY / 2)
    const configuration = await configured({
      subscription_cancel: { enabled: true, mode: 'immediately', proration_behavior: 'always_invoice' },
    })
    const page = await pages.open(
      `${await enter(customer, { configuration })}/subscriptions/${subscription}/cancel`,
    )
    expect(page.html).toContain('is canceled immediately')
    expect(page.html).toContain('The unused time is credited')
    expect(page.html).not.toContain('Why are you canceling?')
    const refused = await pages.press(page, 'Confirm', { reason: 'unused' })
    expect(refused.html).toContain('Your subscription was canceled.')
    const canceled = await stripe.subscriptions.retrieve(subscription)
    expect(canceled).toMatchObject({ status: 'canceled', cancellation_details: { feedback: null } })
    const [invoice] = (await stripe.invoices.list({ customer, limit: 1 })).data
    expect(invoice?.total).toBe(-500)
  })

  test('is confirmed although a notice was sent since', async () => {
    const { clock, customer, subscription } = await subscribed()
    const notice = START + 24 * DAY
    await sdk.advance(clock, notice - 600)
    const page = await pages.open(`${await enter(customer)}/subscriptions/${subscription}/cancel`)
    await sdk.advance(clock, notice + 600)
    expect(await newest(3)).toContain('invoice.upcoming')
    expect((await pages.press(page, 'Confirm')).html).toContain('will be canceled at the end of its period')
  })

  test('is shown again if the configuration has changed since', async () => {
    const { customer, subscription } = await subscribed()
    const configuration = await configured({ subscription_cancel: { enabled: true, mode: 'at_period_end' } })
    const page = await pages.open(
      `${await enter(customer, { configuration })}/subscriptions/${subscription}/cancel`,
    )
    const now = { enabled: true, mode: 'immediately' } as const
    await stripe.billingPortal.configurations.update(configuration, {
      features: { subscription_cancel: now },
    })
    const again = await pages.press(page, 'Confirm')
    expect(again.html).toContain('It changed nothing')
    expect(again.html).toContain('is canceled immediately')
    expect((await stripe.subscriptions.retrieve(subscription)).status).toBe('active')
    await pages.press(again, 'Confirm')
    expect((await stripe.subscriptions.retrieve(subscription)).status).toBe('canceled')
  })

  test('refuses a reason that the configuration does not offer', async () => {
    const { customer, subscription } = await subscribed()
    const configuration = await configured({
      subscription_cancel: {
        enabled: true,
        cancellation_reason: { enabled: true, options: ['unused'] },
      },
    })
    const page = await pages.open(
      `${await enter(customer, { configuration })}/subscriptions/${subscription}/cancel`,
    )
    expect(page.html).toContain('I no longer need it')
    expect(page.html).not.toContain('It is too expensive')
    const refused = await pages.press(page, 'Confirm', { reason: 'too_expensive' })
    expect(refused.html).toContain('role="alert"')
    expect((await stripe.subscriptions.retrieve(subscription)).cancel_at_period_end).toBe(false)
  })
})

describe('a card', () => {
  const adding = async (customer: string) => pages.open(`${await enter(customer)}/cards/add`)
  const defaultOf = async (customer: string) => {
    const found = await stripe.customers.retrieve(customer, {
      expand: ['invoice_settings.default_payment_method'],
    })
    return (found as Stripe.Customer).invoice_settings.default_payment_method as Stripe.PaymentMethod
  }

  test('is saved once, becomes the default one of everything, and the former one is removed', async () => {
    const { customer, subscription } = await subscribed()
    const own = await stripe.paymentMethods.attach('pm_card_amex', { customer })
    await stripe.subscriptions.update(subscription, { default_payment_method: own.id })
    const page = await adding(customer)
    const done = await pages.press(page, 'CVC', { ...CARD, default: 'yes' })
    expect(done.html).toContain('Your card was saved.')
    expect(await newest(5)).toEqual([
      'setup_intent.created',
      'payment_method.attached',
      'setup_intent.succeeded',
      'customer.updated',
      'customer.subscription.updated',
    ])
    const card = await defaultOf(customer)
    expect(card.card).toMatchObject({ last4: '4444', exp_month: 12, exp_year: 2034 })
    expect((await stripe.subscriptions.retrieve(subscription)).default_payment_method).toBe(card.id)
    expect((await pages.press(page, 'CVC', { ...CARD, default: 'yes' })).html).toContain('It changed nothing')
    expect((await stripe.customers.listPaymentMethods(customer)).data).toHaveLength(3)
    const removed = await pages.press(done, `card-${own.id}`, { action: 'remove' })
    expect(removed.html).toContain('The card was removed.')
    expect((await stripe.paymentMethods.retrieve(own.id)).customer).toBeNull()
    const inUse = await pages.open(removed.url.split('?')[0] ?? '')
    expect(inUse.html).not.toContain(`aria-describedby="card-${card.id}">Remove`)
    const other = (await stripe.customers.listPaymentMethods(customer)).data.find(({ id }) => id !== card.id)
    const swapped = await pages.press(inUse, `card-${other?.id}`, { action: 'default' })
    expect(swapped.html).toContain('Your default card was changed.')
    expect((await defaultOf(customer)).id).toBe(other?.id)
  })

  test('that becomes the default one pays later phases of a schedule too', async () => {
    const { customer, subscription } = await subscribed()
    const own = await stripe.paymentMethods.attach('pm_card_amex', { customer })
    const chosen = await stripe.paymentMethods.attach('pm_card_mastercard', { customer })
    await stripe.subscriptions.update(subscription, { default_payment_method: own.id })
    const { id, phases } = await stripe.subscriptionSchedules.create({ from_subscription: subscription })
    const [{ start_date, end_date } = { start_date: 0, end_date: 0 }] = phases
    const later = { items: [{ price: pro }], duration: { interval: 'month' } as const }
    await stripe.subscriptionSchedules.update(id, {
      default_settings: { default_payment_method: own.id },
      phases: [
        { start_date, end_date, items: [{ price: basic }] },
        { ...later, default_payment_method: own.id },
        later,
      ],
    })
    const cards = await pages.open(await enter(customer))
    const done = await pages.press(cards, `card-${chosen.id}`, { action: 'default' })
    expect(done.html).toContain('Your default card was changed.')
    expect(await newest(4)).toEqual([
      'customer.updated',
      'subscription_schedule.updated',
      'customer.subscription.updated',
      'subscription_schedule.updated',
    ])
    const schedule = await stripe.subscriptionSchedules.retrieve(id)
    expect(schedule.default_settings.default_payment_method).toBe(chosen.id)
    expect(schedule.phases.map(({ default_payment_method }) => default_payment_method)).toEqual([
      chosen.id,
      chosen.id,
      null,
    ])
    const { default_payment_method } = await stripe.subscriptions.retrieve(subscription)
    expect(default_payment_method).toBe(chosen.id)
  })

  test('that becomes the default one pays a schedule that starts later, but changes none that is over', async () => {
    const { customer } = await subscribed()
    const own = await stripe.paymentMethods.attach('pm_card_amex', { customer })
    const chosen = await stripe.paymentMethods.attach('pm_card_mastercard', { customer })
    const planned = async () =>
      stripe.subscriptionSchedules.create({
        customer,
        start_date: 4_000_000_000,
        default_settings: { default_payment_method: own.id },
        phases: [{ items: [{ price: basic }], duration: { interval: 'month' } }],
      })
    const waiting = await planned()
    const over = await stripe.subscriptionSchedules.cancel((await planned()).id)
    const cards = await pages.open(await enter(customer))
    await pages.press(cards, `card-${chosen.id}`, { action: 'default' })
    const paidBy = async ({ id }: Stripe.SubscriptionSchedule) =>
      (await stripe.subscriptionSchedules.retrieve(id)).default_settings.default_payment_method
    expect(await paidBy(waiting)).toBe(chosen.id)
    expect(await paidBy(over)).toBe(own.id)
  })

  test('that pays a subscription cannot be removed by a form that is made up', async () => {
    const { customer } = await subscribed()
    const other = await stripe.paymentMethods.attach('pm_card_mastercard', { customer })
    const used = await defaultOf(customer)
    const page = await pages.open(await enter(customer))
    const forged = { ...page, html: page.html.replaceAll(other.id, used.id) }
    expect((await pages.press(forged, 'Remove', { action: 'remove' })).html).toContain('role="alert"')
    expect((await stripe.paymentMethods.retrieve(used.id)).customer).toBe(customer)
  })

  test('that is declined, or is no test card, is not saved, and its number is not shown again', async () => {
    const { customer } = await subscribed()
    const page = await adding(customer)
    const declined = await pages.press(page, 'CVC', { ...CARD, number: '4000000000000002' })
    expect(declined.html).toMatch(/role="alert">Your card was declined/)
    const real = await pages.press(page, 'CVC', { ...CARD, number: '4111 1111 1111 1111' })
    expect(real.html).toContain('This is not a test card')
    for (const { html } of [declined, real]) expect(html).not.toMatch(/4000000000000002|4111/)
    expect((await stripe.customers.listPaymentMethods(customer)).data).toHaveLength(1)
  })

  test.each([
    ['succeed', 'Your card was saved.', '3220'],
    ['fail', 'We could not authenticate your card', '4242'],
  ])('that needs an authentication is saved after it: %s', async (outcome, message, last4) => {
    const { customer } = await subscribed()
    const page = await adding(customer)
    const number = '4000000000003220'
    const authentication = await pages.press(page, 'CVC', { ...CARD, number, default: 'yes' })
    expect(authentication.html).toContain('Authenticate your card')
    const location = await decided(authentication, outcome)
    const done = await pages.open(location)
    expect(done.html).toContain(message)
    expect((await defaultOf(customer)).card?.last4).toBe(last4)
    const forged = location.replace(/token=\w/, 'token=_')
    expect((await pages.open(forged)).status).toBe(404)
  })

  test('can be entered again after an authentication that failed', async () => {
    const { customer } = await subscribed()
    const again = { ...CARD, default: 'yes' }
    const authentication = await pages.press(await adding(customer), 'CVC', {
      ...again,
      number: '4000000000003220',
    })
    const location = await decided(authentication, 'fail')
    expect((await pages.press(await pages.open(location), 'CVC', again)).html).toContain(
      'Your card was saved.',
    )
  })
})

describe('a card after its authentication', () => {
  test('is not made the default one by a HEAD request or a prefetch, which change nothing', async () => {
    const { customer } = await subscribed()
    const number = '4000000000003220'
    const page = await pages.open(`${await enter(customer)}/cards/add`)
    const authentication = await pages.press(page, 'CVC', { ...CARD, number, default: 'yes' })
    const location = await decided(authentication, 'succeed')
    const events = await newest(1)
    const headers = { Host: 'localhost' }
    const head = await sdk.twin.sandbox.app.request(location, { method: 'HEAD', headers })
    expect(head.status).toBe(503)
    for (const name of ['Sec-Purpose', 'Purpose', 'X-Moz'])
      expect((await pages.open(location, { [name]: 'prefetch;prerender' })).status).toBe(503)
    expect(await newest(1)).toEqual(events)
    expect((await pages.open(location)).html).toContain('Your card was saved.')
    expect(await newest(1)).not.toEqual(events)
  })

  test('becomes the default one only in place of the card that it replaces, and once', async () => {
    const { customer } = await subscribed()
    const number = '4000000000003220'
    const page = await pages.open(`${await enter(customer)}/cards/add`)
    const authentication = await pages.press(page, 'CVC', { ...CARD, number, default: 'yes' })
    const location = await decided(authentication, 'succeed')
    const defaultCard = async () => {
      const { invoice_settings } = (await stripe.customers.retrieve(customer)) as Stripe.Customer
      return invoice_settings.default_payment_method
    }
    const choose = (card: typeof former) =>
      stripe.customers.update(customer, { invoice_settings: { default_payment_method: card as string } })
    const former = await defaultCard()
    const { id: other } = await stripe.paymentMethods.attach('pm_card_mastercard', { customer })

    const modified = new URL(location)
    modified.searchParams.set('was', other)
    await choose(other)
    expect((await pages.open(modified.href)).status).toBe(404)
    expect(await defaultCard()).toBe(other)

    await choose(former)
    expect((await pages.open(location)).html).toContain('Your card was saved.')
    expect([former, other]).not.toContain(await defaultCard())
    await choose(former)
    await pages.open(location)
    expect(await defaultCard()).toBe(former)
  })

  test('stays another one if the customer has chosen another default since', async () => {
    const { customer } = await subscribed()
    const number = '4000000000003220'
    const page = await pages.open(`${await enter(customer)}/cards/add`)
    const authentication = await pages.press(page, 'CVC', { ...CARD, number, default: 'yes' })
    const { id: other } = await stripe.paymentMethods.attach('pm_card_mastercard', { customer })
    await stripe.customers.update(customer, { invoice_settings: { default_payment_method: other } })
    await pages.open(await decided(authentication, 'succeed'))
    const { invoice_settings } = (await stripe.customers.retrieve(customer)) as Stripe.Customer
    expect(invoice_settings.default_payment_method).toBe(other)
  })
})

describe('a change of plan', () => {
  const ALWAYS = {
    subscription_update: {
      enabled: true,
      default_allowed_updates: ['price', 'promotion_code'],
      products: [] as { product: string; prices: string[] }[],
      proration_behavior: 'always_invoice',
    },
  } satisfies Stripe.BillingPortal.ConfigurationCreateParams.Features

  /** Subscribes a customer whose card needs an authentication each time. */
  async function authenticating() {
    const made = await subscribed()
    const { customer } = made
    const card = await stripe.paymentMethods.attach('pm_card_authenticationRequired', { customer })
    await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card.id } })
    const product = String((await stripe.prices.retrieve(pro)).product)
    const products = [{ product, prices: [pro] }]
    const subscription_update = { ...ALWAYS.subscription_update, products }
    return { ...made, configuration: await configured({ subscription_update }) }
  }

  /** Opens the preview of the change to Pro for such a customer. */
  async function previewed(query = '') {
    const { customer, subscription, configuration } = await authenticating()
    const url = await enter(customer, { configuration })
    const page = await pages.open(`${url}/subscriptions/${subscription}/confirm?price=${pro}${query}`)
    return { customer, subscription, url, page }
  }
  const priceOf = async (subscription: string) =>
    (await stripe.subscriptions.retrieve(subscription)).items.data[0]?.price.id

  test.each([
    ['succeed', 'Your plan was updated.', true],
    ['fail', 'Your plan was not changed.', false],
  ])('whose payment needs an authentication is made after it: %s', async (outcome, message, changes) => {
    const { customer, subscription, page } = await previewed()
    const authentication = await pages.press(page, 'Confirm')
    expect(authentication.html).toContain('Authenticate your payment')
    expect(authentication.html).toContain('$20.00')
    expect(page.html).toContain('Unused time on Basic after January 1, 2026')
    expect(await priceOf(subscription)).toBe(basic)
    const location = await decided(authentication, outcome)
    for (const forged of [location.replace(/token=\w/, 'token=_'), location.split('?')[0] ?? ''])
      expect((await pages.open(forged)).status).toBe(404)
    expect((await pages.open(location)).html).toContain(message)
    expect(await priceOf(subscription)).toBe(changes ? pro : basic)
    expect((await stripe.subscriptions.retrieve(subscription)).pending_update).toBeNull()
    const [invoice] = (await stripe.invoices.list({ customer, limit: 1 })).data
    expect(invoice?.status).toBe(changes ? 'paid' : 'void')
    // The address can be opened again.
    expect((await pages.open(location)).html).toContain(message)
  })

  test('can be confirmed again after an authentication that failed', async () => {
    const { customer, subscription, item, configuration } = await authenticating()
    const url = await enter(customer, {
      configuration,
      flow_data: {
        type: 'subscription_update_confirm',
        subscription_update_confirm: { subscription, items: [{ id: item, price: pro, quantity: 1 }] },
      },
    })
    const authentication = await pages.press(await pages.open(url), 'Confirm')
    const location = await decided(authentication, 'fail')
    const again = await pages.press(await pages.open(location), 'Confirm')
    expect(again.html).toContain('Authenticate your payment')
  })

  test('whose authentication was left is continued in another session', async () => {
    const { customer, subscription, page } = await previewed()
    await pages.press(page, 'Confirm')
    const url = await enter(customer)
    const home = await pages.open(url)
    expect(home.html).toMatch(/update"[^>]*>Authenticate payment/)
    const update = `${url}/subscriptions/${subscription}/update`
    expect((await pages.open(update, { 'Sec-Purpose': 'prefetch' })).status).toBe(503)
    const again = await pages.open(update)
    expect(again.html).toContain('Authenticate your payment')
    const location = await decided(again, 'succeed')
    expect(location).toContain(url)
    expect((await pages.open(location)).html).toContain('Your plan was updated.')
    expect(await priceOf(subscription)).toBe(pro)
  })

  test('whose authentication was left is continued by its flow, also by a form that was sent twice', async () => {
    const { customer, subscription, item, configuration } = await authenticating()
    const url = await enter(customer, {
      configuration,
      flow_data: {
        type: 'subscription_update_confirm',
        subscription_update_confirm: { subscription, items: [{ id: item, price: pro, quantity: 1 }] },
      },
    })
    const page = await pages.open(url)
    await pages.press(page, 'Confirm')
    expect((await pages.press(page, 'Confirm')).html).toContain('Authenticate your payment')
    const again = await pages.open(url)
    expect(again.html).toContain('Authenticate your payment')
    await pages.open(await decided(again, 'succeed'))
    expect(await priceOf(subscription)).toBe(pro)
  })

  test('whose authentication was left can be withdrawn', async () => {
    const { subscription, url, page } = await previewed()
    await pages.press(page, 'Confirm')
    const home = await pages.open(url)
    expect(home.html).toContain('Your change of plan waits for its payment.')
    expect(home.html).not.toContain('Update plan')
    const kept = await pages.press(home, 'Keep current plan')
    expect(kept.html).toContain('Your plan stays as it is.')
    expect(kept.html).toContain('Update plan')
    expect((await stripe.subscriptions.retrieve(subscription)).pending_update).toBeNull()
    expect((await pages.press(home, 'Keep current plan')).html).toContain('It changed nothing')
  })

  test('with a code is refused if its payment needs an authentication', async () => {
    const coupon = await stripe.coupons.create({ percent_off: 50, duration: 'forever' })
    await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon: coupon.id }, code: 'HALF' })
    const { subscription, page } = await previewed('&promotion_code=half')
    expect((await pages.press(page, 'Confirm')).html).toContain('role="alert"')
    expect(await stripe.subscriptions.retrieve(subscription)).toMatchObject({
      pending_update: null,
      discounts: [],
    })
  })

  test('at the end of the period can be withdrawn, but not a schedule of the merchant', async () => {
    const { customer, subscription } = await subscribed('pm_card_visa', { items: [{ price: pro }] })
    const product = String((await stripe.prices.retrieve(basic)).product)
    const configuration = await configured({
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['price'],
        products: [{ product, prices: [basic] }],
        schedule_at_period_end: { conditions: [{ type: 'decreasing_item_amount' }] },
      },
    })
    const url = await enter(customer, { configuration })
    const preview = await pages.open(`${url}/subscriptions/${subscription}/confirm?price=${basic}`)
    const home = await pages.press(preview, 'Confirm')
    expect(home.html).toContain('Your plan will change at the end of the period.')
    expect(home.html).toContain('Your plan changes to Basic')
    const kept = await pages.press(home, 'Keep current plan')
    expect(kept.html).toContain('Your plan stays as it is.')
    expect(kept.html).not.toContain('Your plan changes')
    expect(await newest(2)).toContain('subscription_schedule.released')
    expect((await stripe.subscriptions.retrieve(subscription)).schedule).toBeNull()
    expect((await pages.press(home, 'Keep current plan')).html).toContain('It changed nothing')

    const { id: schedule, phases } = await stripe.subscriptionSchedules.create({
      from_subscription: subscription,
    })
    expect((await pages.open(url)).html).not.toContain('Keep current plan')
    // A schedule of the form that the portal makes.
    const [{ start_date, end_date } = { start_date: 0, end_date: 0 }] = phases
    const planned = [
      { start_date, end_date, items: [{ price: pro }] },
      { items: [{ price: basic }], duration: { interval: 'month' } as const },
    ]
    await stripe.subscriptionSchedules.update(schedule, { phases: planned })
    const merchants = await pages.open(url)
    expect(merchants.html).toContain('Your plan changes to Basic')
    expect(merchants.html).not.toContain('Keep current plan')
  })
})

describe('the details', () => {
  test('are changed as far as the configuration allows', async () => {
    const { customer } = await subscribed()
    const configuration = await configured({
      customer_update: { enabled: true, allowed_updates: ['email', 'address'] },
    })
    const page = await pages.open(`${await enter(customer, { configuration })}/details`)
    expect(page.html).not.toContain('Phone')
    const wrong = await pages.press(page, 'Save', { email: 'no address', address_country: 'Germany' })
    expect(wrong.html).toContain('This is not an email address')
    expect(wrong.html).toContain('Choose a country.')
    const done = await pages.press(page, 'Save', {
      email: 'new@example.com',
      name: 'Mallory',
      address_line1: '1 <i>Way</i>',
      address_country: 'DE',
    })
    expect(done.html).toContain('Your details were saved.')
    expect(done.html).toContain('1 &lt;i&gt;Way&lt;/i&gt;')
    expect(done.html).toContain('<li>Germany</li>')
    expect(await stripe.customers.retrieve(customer)).toMatchObject({
      email: 'new@example.com',
      name: null,
      address: { line1: '1 <i>Way</i>', country: 'DE', city: null },
    })
  })

  test('without a field on the page are kept', async () => {
    const { customer } = await subscribed()
    await stripe.customers.update(customer, { phone: '+49 228 5550' })
    const allowing = (...allowed_updates: ('name' | 'phone')[]) => ({
      customer_update: { enabled: true, allowed_updates },
    })
    const configuration = await configured(allowing('name'))
    const page = await pages.open(`${await enter(customer, { configuration })}/details`)
    await stripe.billingPortal.configurations.update(configuration, { features: allowing('name', 'phone') })
    const again = await pages.press(page, 'Save', { name: 'Ada King' })
    expect(again.html).toContain('It changed nothing')
    expect(again.html).toContain('value="+49 228 5550"')
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ name: null, phone: '+49 228 5550' })
    await pages.press(again, 'Save')
    expect(await stripe.customers.retrieve(customer)).toMatchObject({
      name: 'Ada King',
      phone: '+49 228 5550',
    })
  })

  test('keep a country that is not in the list', async () => {
    const { customer } = await subscribed()
    await stripe.customers.update(customer, { address: { country: 'XK' } })
    const page = await pages.open(`${await enter(customer)}/details`)
    expect((await pages.press(page, 'Save', { name: 'Ada' })).html).toContain('Your details were saved.')
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ address: { country: 'XK' } })
  })

  test('are shortened, and stay valid Unicode', async () => {
    const { customer } = await subscribed()
    const page = await pages.open(`${await enter(customer)}/details`)
    await pages.press(page, 'Save', { name: `${'a'.repeat(499)}😀` })
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ name: `${'a'.repeat(499)}\ufffd` })
  })
})

describe('an overdue payment', () => {
  test('is paid by a new card: at its retry, or at once', async () => {
    const { clock, customer, subscription } = await subscribed('pm_card_visa')
    const declining = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
    await stripe.customers.update(customer, { invoice_settings: { default_payment_method: declining.id } })
    await sdk.advance(clock, START + 31 * DAY + 2 * 3_600)
    const url = await enter(customer)
    const page = await pages.open(url)
    expect(page.html).toContain('A payment of <strong>$10.00</strong> failed.')
    expect(page.html).toContain('it is tried again on')
    expect(page.html).not.toContain('Update plan')
    const declined = await pages.press(page, 'Pay $10.00')
    expect(declined.html).toMatch(/role="alert">Your card was declined/)
    await pages.press(await pages.open(`${url}/cards/add`), 'CVC', { ...CARD, default: 'yes' })
    const again = await pages.open(url)
    expect(await stripe.subscriptions.retrieve(subscription)).toMatchObject({ status: 'past_due' })
    const paid = await pages.press(again, 'Pay $10.00')
    expect(paid.html).toContain('Your payment was made.')
    expect(await stripe.subscriptions.retrieve(subscription)).toMatchObject({ status: 'active' })
    expect((await pages.press(again, 'Pay $10.00')).html).toContain('It changed nothing')
  })
})

describe('a flow', () => {
  const redirecting = (url = 'https://shop.example/done') =>
    ({ type: 'redirect', redirect: { return_url: url } }) as const

  test('goes straight to its step, accepts no other, and redirects after it', async () => {
    const { customer, subscription } = await subscribed()
    const url = await enter(customer, {
      flow_data: {
        type: 'subscription_cancel',
        subscription_cancel: { subscription },
        after_completion: redirecting(),
      },
    })
    const page = await pages.open(url)
    expect(page.html).toContain('<h1>Cancel subscription</h1>')
    expect((await pages.open(`${url}/cards/add`)).html).toContain('<h1>Cancel subscription</h1>')
    const done = await pages.press(page, 'Confirm')
    expect([done.status, done.location]).toEqual([303, 'https://shop.example/done'])
    expect((await stripe.subscriptions.retrieve(subscription)).cancel_at_period_end).toBe(true)
    const after = await pages.open(url)
    expect(after.html).toContain('<h1>Done</h1>')
    expect(after.html).toContain('https://shop.example/done')
    expect((await pages.press(page, 'Confirm')).html).toContain('<h1>Done</h1>')
  })

  test('confirms the update that the merchant chose, with its discount, and shows its message', async () => {
    const { customer, subscription, item } = await subscribed()
    const coupon = await stripe.coupons.create({ percent_off: 50, duration: 'forever' })
    const url = await enter(customer, {
      flow_data: {
        type: 'subscription_update_confirm',
        subscription_update_confirm: {
          subscription,
          items: [{ id: item, price: pro, quantity: 2 }],
          discounts: [{ coupon: coupon.id }],
        },
        after_completion: {
          type: 'hosted_confirmation',
          hosted_confirmation: { custom_message: 'Enjoy <Pro>' },
        },
      },
    })
    const page = await pages.open(`${url}?price=${basic}`)
    expect(page.html).toContain('<strong>Pro</strong>, 2 × $30.00 per month')
    expect(page.html).not.toContain('Choose another plan')
    const done = await pages.press(page, 'Confirm')
    expect(done.html).toContain('Enjoy &lt;Pro&gt;')
    expect(done.html).toContain(`href="${RETURN}"`)
    const after = await stripe.subscriptions.retrieve(subscription, { expand: ['discounts'] })
    expect(after.items.data).toMatchObject([{ price: { id: pro }, quantity: 2 }])
    expect(after.discounts).toMatchObject([{ source: { coupon: coupon.id } }])
  })

  test('is completed by no other payment or card of the customer', async () => {
    const { customer, subscription, item } = await subscribed()
    const product = String((await stripe.prices.retrieve(pro)).product)
    const configuration = await configured({
      payment_method_update: { enabled: true },
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['price'],
        products: [{ product, prices: [pro] }],
      },
    })
    const paid = await stripe.paymentIntents.create({
      customer,
      amount: 100,
      currency: 'usd',
      payment_method: 'pm_card_visa',
      confirm: true,
      return_url: RETURN,
    })
    const saved = await stripe.setupIntents.create({
      customer,
      payment_method: 'pm_card_visa',
      confirm: true,
      return_url: RETURN,
    })
    expect([paid.status, saved.status]).toEqual(['succeeded', 'succeeded'])
    for (const [flow_data, path, query] of [
      [
        {
          type: 'subscription_update_confirm',
          subscription_update_confirm: { subscription, items: [{ id: item, price: pro, quantity: 1 }] },
        },
        `/subscriptions/${subscription}/updated`,
        { payment_intent: paid.id, payment_intent_client_secret: paid.client_secret ?? '' },
      ],
      [
        { type: 'payment_method_update' },
        '/cards/added',
        { setup_intent: saved.id, setup_intent_client_secret: saved.client_secret ?? '' },
      ],
    ] as const) {
      const url = await enter(customer, {
        configuration,
        flow_data: flow_data as Stripe.BillingPortal.SessionCreateParams.FlowData,
      })
      expect((await pages.open(`${url}${path}?${new URLSearchParams(query)}`)).status).toBe(404)
      // The flow is still at its step.
      expect((await pages.open(url)).url).not.toBe(url)
    }
  })

  test('replaces the card, and then opens the portal', async () => {
    const { customer } = await subscribed()
    const url = await enter(customer, { flow_data: { type: 'payment_method_update' } })
    const page = await pages.open(url)
    expect(page.html).toContain('<h1>Add payment method</h1>')
    const done = await pages.press(page, 'CVC', CARD)
    expect(done.html).toContain('Current plans')
    expect(done.html).toContain('Mastercard •••• 4444</span> <span class="status good">Default</span>')
  })

  test('lets the customer choose a plan of one subscription', async () => {
    const { customer, subscription } = await subscribed()
    const url = await enter(customer, {
      flow_data: { type: 'subscription_update', subscription_update: { subscription } },
    })
    expect((await pages.open(url)).html).toContain('<h1>Update plan</h1>')
    const page = await pages.open(`${url}/subscriptions/${subscription}/confirm?price=${pro}`)
    expect((await pages.press(page, 'Confirm')).html).toContain('Your plan was updated.')
  })
})
