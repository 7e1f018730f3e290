import type Stripe from 'stripe'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Page, type Pages, pagesOf } from '../../visitor.ts'
import { customerOnClock, idOf, type StripeTwin, startStripe } from '../sdk.ts'

const NOW = Date.UTC(2026, 0, 31, 10) / 1000
const CARD = { number: '4242 4242 4242 4242', expiration: '12 / 34', cvc: '123', name: 'Ada Lovelace' }
const ENTERED = { ...CARD, email: 'ada@shop.example' }

let sdk: StripeTwin
let pages: Pages
let stripe: Stripe
let plan: string
let seat: string
let fee: string
beforeAll(async () => {
  sdk = await startStripe({ now: '2026-01-31T10:00:00Z' })
  pages = pagesOf((url, init) => sdk.twin.sandbox.app.request(url, init))
  stripe = sdk.stripe
  const price = async (name: string, unit_amount: number) => {
    const product = await stripe.products.create({ name })
    const recurring = { interval: 'month' } as const
    return (await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount, recurring })).id
  }
  plan = await price('Pro plan', 2000)
  seat = await price('Seat', 500)
  fee = (await stripe.prices.create({ currency: 'usd', unit_amount: 1000, product_data: { name: 'Setup' } }))
    .id
  const coupon = await stripe.coupons.create({ percent_off: 25, duration: 'once', name: 'Winter' })
  await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon: coupon.id }, code: 'WINTER' })
})
afterAll(() => sdk.close())

const create = (given: Partial<Stripe.Checkout.SessionCreateParams> = {}) =>
  stripe.checkout.sessions.create({
    mode: 'subscription',
    ...(given.mode !== 'setup' && { line_items: [{ price: plan, quantity: 1 }] }),
    success_url: 'https://shop.example/done?session={CHECKOUT_SESSION_ID}&x=1#top',
    cancel_url: 'https://shop.example/pricing',
    ...given,
  })
const retrieve = ({ id }: { id: string }) => stripe.checkout.sessions.retrieve(id)
const pageOf = ({ url }: Stripe.Checkout.Session): Promise<Page> => pages.open(url ?? '')
const chargesOf = async () => (await stripe.charges.list({ limit: 100 })).data.length
/** A payment of 10.00 for something without a product of its own. */
const mug = (more: Partial<Stripe.Checkout.SessionCreateParams> = {}) =>
  create({
    mode: 'payment',
    line_items: [
      { price_data: { currency: 'eur', unit_amount: 1000, product_data: { name: 'Mug' } }, quantity: 2 },
    ],
    ...more,
  })

describe('the page of a session', () => {
  test('shows the lines, the test mode and the clock, and runs no script', async () => {
    const { status, text, html, headers } = await pageOf(await create())
    expect(status).toBe(200)
    for (const part of ['TEST MODE', '2026-01-31 10:00 UTC', 'Default merchant', 'Subscribe to Pro plan'])
      expect(text).toContain(part)
    expect(text).toMatch(/\$20\.00 per month .*Total due today \$20\.00/)
    expect(html).toContain('<a class="back" href="https://shop.example/pricing"')
    expect(html).not.toMatch(/<script|<img|<link| style=| on\w+=/)
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'self' http: https:; frame-ancestors 'none'$/,
    )
    expect(headers.get('cache-control')).toBe('no-store')
    expect(html.length).toBeLessThan(30_000)
  })

  test.each<[string, Partial<Stripe.Checkout.SessionCreateParams>, string, string]>([
    ['a subscription', {}, 'Subscribe', 'Subscribe to Pro plan'],
    [
      'a trial',
      { subscription_data: { trial_period_days: 14 } },
      'Start trial',
      'Then $20.00 per month, from February 14, 2026.',
    ],
    [
      'a first period that is shorter',
      { subscription_data: { billing_cycle_anchor: Date.UTC(2026, 1, 10) / 1000 } },
      'Subscribe',
      '$20.00 per month The first period is shorter. It ends on February 10, 2026.',
    ],
    [
      'a payment',
      {
        mode: 'payment',
        line_items: [
          { price_data: { currency: 'jpy', unit_amount: 1500, product_data: { name: 'Mug' } }, quantity: 1 },
        ],
      },
      'Pay ¥1,500',
      'Total due ¥1,500',
    ],
    [
      'a donation',
      {
        mode: 'payment',
        submit_type: 'donate',
        line_items: [
          { price_data: { currency: 'usd', unit_amount: 700, product_data: { name: 'Trees' } }, quantity: 1 },
        ],
      },
      'Donate $7.00',
      'Trees',
    ],
    ['a saved card', { mode: 'setup', currency: 'usd' }, 'Save card', 'Nothing is charged now'],
  ])('has the button for %s', async (_name, given, button, text) => {
    const session = await create(given)
    const page = await pageOf(session)
    expect(page.text).toContain(text)
    const done = await pages.press(page, button, ENTERED)
    expect([done.status, done.location]).toEqual([
      303,
      `https://shop.example/done?session=${session.id}&x=1#top`,
    ])
    expect((await retrieve(session)).status).toBe('complete')
  })

  test('shows the clock of a customer, whose email address it does not ask for', async () => {
    const { customer } = await customerOnClock(stripe, Date.UTC(2030, 4, 1) / 1000)
    await stripe.customers.update(customer, { email: 'eve@shop.example' })
    const page = await pageOf(await create({ customer }))
    expect(page.text).toContain('2030-05-01 00:00 UTC')
    expect(page.text).toContain('Email eve@shop.example')
    expect(page.html).not.toContain('name="email"')
    expect((await pages.press(page, 'Subscribe', { ...CARD, expiration: '12/28' })).text).toContain(
      'in the past',
    )
    expect((await pages.press(page, 'Subscribe', CARD)).status).toBe(303)
  })

  test('asks for no card if nothing is due and none is collected', async () => {
    const session = await create({
      payment_method_collection: 'if_required',
      subscription_data: { trial_period_days: 7 },
    })
    const page = await pageOf(session)
    expect(page.html).not.toMatch(/Card number|Test cards/)
    expect((await pages.press(page, 'Start trial')).text).toContain('Enter your email address.')
    expect((await pages.press(page, 'Start trial', { email: 'ada@shop.example' })).status).toBe(303)
    expect((await retrieve(session)).status).toBe('complete')
  })

  test('asks for the phone number, the address and the consent, and keeps them', async () => {
    const session = await create({
      phone_number_collection: { enabled: true },
      billing_address_collection: 'required',
      consent_collection: { terms_of_service: 'required' },
      custom_text: { submit: { message: 'We deliver in May' } },
    })
    const page = await pageOf(session)
    expect(page.text).toContain('We deliver in May')
    const wrong = await pages.press(page, 'Subscribe', { ...ENTERED, phone: 'x', city: 'Bonn' })
    for (const error of [
      'not a phone number',
      'Choose a country',
      'first line',
      'postal code',
      'Agree to the terms',
    ])
      expect(wrong.text).toContain(error)
    expect(wrong.alert).toBe('Something is missing or wrong. Check the marked fields.')
    const address = { country: 'DE', line1: 'Am Hof 1', postal_code: '53113' }
    const done = await pages.press(wrong, 'Subscribe', {
      ...CARD,
      ...address,
      phone: '+49 228 5550',
      terms: 'accepted',
    })
    expect(done.status).toBe(303)
    const { customer_details, consent } = await retrieve(session)
    expect(customer_details).toMatchObject({
      email: 'ada@shop.example',
      name: 'Ada Lovelace',
      phone: '+49 228 5550',
      address: {
        city: 'Bonn',
        country: 'DE',
        line1: 'Am Hof 1',
        line2: null,
        postal_code: '53113',
        state: null,
      },
    })
    expect(consent?.terms_of_service).toBe('accepted')
  })

  test('offers payment methods with which the customer pays later', async () => {
    const session = await mug({ allowed_payment_method_types: ['card', 'boleto'] })
    const done = await pages.press(await pageOf(session), 'Pay €20.00', {
      email: 'ada@shop.example',
      pay_with: 'boleto',
    })
    expect(done.status).toBe(303)
    expect(await retrieve(session)).toMatchObject({ status: 'complete', payment_status: 'unpaid' })
  })
})

describe('a form that is made up', () => {
  test.each([
    ['action', 'pay', 'action must be enter or submit'],
    ['pay_with', 'boleto', 'pay_with must be card'],
  ])('is refused for an unknown %s, and charges nothing', async (name, value, message) => {
    const session = await create()
    const refused = await pages.press(await pageOf(session), 'Subscribe', { ...ENTERED, [name]: value })
    expect(refused.alert).toContain(message)
    expect((await stripe.checkout.sessions.retrieve(session.id)).status).toBe('open')
  })
})

describe('changes before the form is submitted', () => {
  const adjustable = () =>
    create({
      allow_promotion_codes: true,
      line_items: [
        { price: plan, quantity: 1 },
        { price: seat, quantity: 2, adjustable_quantity: { enabled: true, minimum: 1, maximum: 9 } },
      ],
    })
  const quantityIn = ({ html }: Page) => / name="(quantity-[^"]+)"/.exec(html)?.[1] ?? ''

  test('a quantity is updated within its limits', async () => {
    const session = await adjustable()
    const page = await pageOf(session)
    const more = await pages.press(page, 'Update', { [quantityIn(page)]: '4' })
    expect(more.text).toMatch(/The total is updated\. .*/)
    expect(more.text).toContain('Total due today $40.00')
    for (const wrong of ['0', '10', '1.5', '-1', 'many', ''])
      expect((await pages.press(more, 'Update', { [quantityIn(page)]: wrong })).text).toContain(
        'Enter a whole number from 1 to 9.',
      )
    expect((await retrieve(session)).amount_total).toBe(4000)
  })

  test('a promotion code is applied and removed', async () => {
    const page = await pageOf(await adjustable())
    expect((await pages.press(page, 'Apply', { promotion_code: 'SUMMER' })).text).toContain(
      'This code is invalid.',
    )
    expect((await pages.press(page, 'Apply')).text).toContain('Enter a promotion code.')
    const applied = await pages.press(page, 'Apply', {
      promotion_code: ' winter ',
      email: 'ada@shop.example',
    })
    expect(applied.text).toContain('Promotion code WINTER')
    expect(applied.text).toMatch(
      /Subtotal \$30\.00 Winter \(25% off once\) -\$7\.50 Total due today \$22\.50/,
    )
    expect(applied.html).toContain('value="ada@shop.example"')
    expect((await pages.press(applied, 'Remove')).text).toContain('Total due today $30.00')
  })

  test('a customer buys only what the page has shown', async () => {
    const session = await adjustable()
    const page = await pageOf(session)
    const before = await chargesOf()
    const changed = await pages.press(page, 'Subscribe', { ...ENTERED, [quantityIn(page)]: '3' })
    expect(changed.text).toContain(
      'The purchase has changed. Check it before you continue. Enter your card again.',
    )
    expect(changed.text).toContain('Total due today $35.00')
    // Another tab still shows the former total.
    const stale = await pages.press(page, 'Subscribe', { ...ENTERED, [quantityIn(page)]: '3' })
    expect(stale.text).toContain('The purchase has changed')
    expect(await chargesOf()).toBe(before)
    expect((await pages.press(changed, 'Subscribe', ENTERED)).status).toBe(303)
    expect((await retrieve(session)).amount_total).toBe(3500)
  })

  test('nothing is bought without a discount that the page showed, although nothing is due', async () => {
    const session = await create({ allow_promotion_codes: true, subscription_data: { trial_period_days: 7 } })
    const applied = await pages.press(await pageOf(session), 'Apply', { promotion_code: 'WINTER' })
    expect(applied.text).toContain('Total due today $0.00')
    await pages.press(applied, 'Remove')
    const stale = await pages.press(applied, 'Start trial', ENTERED)
    expect(stale.text).toContain('The purchase has changed. Check it before you continue.')
    expect(stale.text).not.toContain('WINTER')
    expect((await retrieve(session)).status).toBe('open')
    expect((await pages.press(stale, 'Start trial', ENTERED)).status).toBe(303)
  })

  test('nothing is bought without a token', async () => {
    const session = await create()
    const refused = await pages.press(await pageOf(session), 'Subscribe', { ...ENTERED, token: '' })
    expect(refused.text).toContain('The purchase has changed. Check it before you continue.')
    expect((await retrieve(session)).status).toBe('open')
  })

  test('nothing is bought for another email address than the page showed', async () => {
    const { id: customer } = await stripe.customers.create({ email: 'ada@shop.example' })
    const session = await create({ customer })
    const page = await pageOf(session)
    await stripe.customers.update(customer, { email: 'eve@shop.example' })
    const stale = await pages.press(page, 'Subscribe', CARD)
    expect(stale.text).toContain('The purchase has changed. Check it before you continue.')
    expect(stale.text).toContain('eve@shop.example')
    expect((await retrieve(session)).status).toBe('open')
  })

  describe('of the time', () => {
    afterEach(() => {
      vi.restoreAllMocks()
    })

    /** A trial on a clock, which advances by 23 hours before the next command. */
    async function trial() {
      const { clock, customer } = await customerOnClock(stripe, NOW)
      await stripe.customers.update(customer, { email: 'ada@shop.example' })
      const session = await create({ customer, subscription_data: { trial_period_days: 7 } })
      const { engine } = sdk.twin.sandbox
      const command = engine.command.bind(engine)
      const advanceBeforeNext = () =>
        vi.spyOn(engine, 'command').mockImplementationOnce((async (...given: Parameters<typeof command>) => {
          await sdk.advance(clock, NOW + 23 * 3600)
          return command(...given)
        }) as typeof command)
      return { clock, customer, session, advanceBeforeNext }
    }

    test('while a form waits for the clock are shown first', async () => {
      const { session, advanceBeforeNext } = await trial()
      const page = await pageOf(session)
      expect(page.text).toContain('from February 7, 2026')
      advanceBeforeNext()
      const stale = await pages.press(page, 'Start trial', CARD)
      expect(stale.text).toContain('The purchase has changed. Check it before you continue.')
      expect(stale.text).toContain('from February 8, 2026')
      expect((await retrieve(session)).status).toBe('open')
      expect((await pages.press(stale, 'Start trial', CARD)).status).toBe(303)
    })

    test('while a page waits for the clock are on the page', async () => {
      const { session, advanceBeforeNext } = await trial()
      advanceBeforeNext()
      expect((await pageOf(session)).text).toContain('from February 8, 2026')
    })

    test('while an authentication waits do not change the trial', async () => {
      const { clock, customer, session } = await trial()
      const number = '4000002760003184'
      const sent = await pages.press(await pageOf(session), 'Start trial', { ...CARD, number })
      const bank = await pages.follow(sent)
      await sdk.advance(clock, NOW + 23 * 3600)
      expect((await pages.press(bank, 'Complete authentication')).location).toContain(session.id)
      const [made] = (await stripe.subscriptions.list({ customer })).data
      expect(made?.trial_end).toBe(NOW + 7 * 24 * 3600)
    })
  })

  test('Enter applies what was changed, and otherwise submits the form', async () => {
    const page = await pageOf(await adjustable())
    expect((await pages.press(page, 'Continue', { promotion_code: 'WINTER' })).text).toContain('WINTER')
    expect((await pages.press(await pageOf(await adjustable()), 'Continue', ENTERED)).status).toBe(303)
  })

  test('a code that can no longer be redeemed is said, and can be removed', async () => {
    const coupon = await stripe.coupons.create({ amount_off: 500, currency: 'usd', duration: 'once' })
    const code = await stripe.promotionCodes.create({
      promotion: { type: 'coupon', coupon: coupon.id },
      code: 'ONCE',
    })
    const session = await adjustable()
    await pages.press(await pageOf(session), 'Apply', { promotion_code: 'ONCE' })
    await stripe.promotionCodes.update(code.id, { active: false })
    const page = await pageOf(session)
    expect(page.alert).not.toBe(null)
    expect((await pages.press(page, 'Remove')).text).toContain('Total due today $30.00')
  })
})

describe('the pending items of a customer', () => {
  /** Creates a session for a subscription and a setup fee, and its customer with items from before. */
  async function withPending(...items: Omit<Stripe.InvoiceItemCreateParams, 'customer'>[]) {
    const { id: customer } = await stripe.customers.create({ email: 'ada@shop.example' })
    for (const item of items) await stripe.invoiceItems.create({ customer, currency: 'usd', ...item })
    const line_items = [plan, fee].map((price) => ({ price, quantity: 1 }))
    return create({ customer, line_items, allow_promotion_codes: true })
  }
  const linesOf = async ({ id }: Stripe.Checkout.Session) =>
    (await stripe.checkout.sessions.listLineItems(id)).data.map(({ amount_total }) => amount_total)

  test('have a row of their own, also if a line has the same price', async () => {
    const session = await withPending({ pricing: { price: fee } }, { amount: 777 })
    expect(await linesOf(session)).toEqual([2000, 1000])
    expect(session).toMatchObject({ amount_subtotal: 4777, amount_total: 4777 })
    const page = await pageOf(session)
    expect(page.text).toMatch(
      /Pro plan .*\$20\.00 Setup \$10\.00 .*Open items of your account \$17\.77 Total due today \$47\.77/,
    )
    const discounted = await pages.press(page, 'Apply', { promotion_code: 'WINTER' })
    // 25 % of 10.00 and of 7.77 are taken off the items too.
    expect(discounted.text).toMatch(
      /Open items of your account \$13\.33 Subtotal \$43\.33 Winter \(25% off once\) -\$7\.50 Total due today \$35\.83/,
    )
    expect((await pages.press(discounted, 'Subscribe', CARD)).status).toBe(303)
    const { invoice, ...paid } = await retrieve(session)
    expect(paid).toMatchObject({ amount_subtotal: 4333, amount_total: 3583, payment_status: 'paid' })
    expect(paid.total_details).toMatchObject({ amount_discount: 750 })
    expect(await stripe.invoices.retrieve(idOf(invoice))).toMatchObject({ total: 3583, amount_paid: 3583 })
  })

  test('can be a credit, which exceeds the purchase', async () => {
    const page = await pageOf(await withPending({ amount: -5000 }))
    expect(page.text).toMatch(
      /Open items of your account -\$50\.00 Subtotal -\$20\.00 Credited to your account \$20\.00 Total due today \$0\.00/,
    )
  })
})

describe('a card', () => {
  test('that is declined leaves the page open, with the reason and without the number', async () => {
    const session = await create()
    const declined = await pages.press(await pageOf(session), 'Subscribe', {
      ...ENTERED,
      number: '4000000000009995',
      cvc: '987',
    })
    expect([declined.status, declined.alert]).toEqual([200, 'Your card has insufficient funds.'])
    expect(declined.html).toMatch(/ id="number"[^>]* value=""[^>]* autofocus/)
    expect(declined.html).not.toMatch(/value="(4000|987)/)
    expect(declined.html).toContain('value="ada@shop.example"')
    expect((await pageOf(session)).alert).toBe('Your card has insufficient funds.')
    expect((await pages.press(declined, 'Subscribe', CARD)).status).toBe(303)
  })

  test('that is no test card is refused with the reason', async () => {
    const before = (await stripe.paymentIntents.list({ limit: 100 })).data.length
    const refused = await pages.press(await pageOf(await create()), 'Subscribe', {
      ...ENTERED,
      number: '4111 1111 1111 1111',
    })
    expect(refused.text).toContain('This is not a test card, so it was refused and not stored.')
    expect(refused.html).not.toMatch(/4111/)
    expect((await stripe.paymentIntents.list({ limit: 100 })).data.length).toBe(before)
  })

  test('of the list is filled in, with the other entries', async () => {
    const filled = await pages.press(await pageOf(await create()), '4242 4242 4242 4242', {
      email: 'ada@shop.example',
    })
    expect(filled.html).toContain('value="4242 4242 4242 4242"')
    expect((await pages.press(filled, 'Subscribe')).status).toBe(303)
  })

  test('that must be authenticated leads to the page for that, and then to the shop', async () => {
    const session = await create()
    const sent = await pages.press(await pageOf(session), 'Subscribe', {
      ...ENTERED,
      number: '4000002760003184',
    })
    expect([sent.status, sent.location]).toEqual([303, expect.stringMatching(/^\/c\/authenticate\//)])
    const bank = await pages.follow(sent)
    expect(bank.text).toContain('charges $20.00')
    const failed = await pages.press(bank, 'Fail authentication')
    expect(failed.location).toBe(`/c/pay/${session.id}`)
    const back = await pages.follow(failed)
    expect(back.alert).toMatch(/authenticat/)
    const again = await pages.press(back, 'Subscribe', { ...ENTERED, number: '4000002760003184' })
    const done = await pages.press(await pages.follow(again), 'Complete authentication')
    expect(done.location).toContain(`https://shop.example/done?session=${session.id}`)
    expect((await retrieve(session)).status).toBe('complete')
    // The page of the bank that is still open in another tab leads to the session.
    expect((await pages.press(bank, 'Fail authentication')).location).toBe(`/c/pay/${session.id}`)
  })

  test('that must be authenticated pays nothing when the total has changed in another tab', async () => {
    const session = await create({ allow_promotion_codes: true })
    const page = await pageOf(session)
    const sent = await pages.press(page, 'Subscribe', { ...ENTERED, number: '4000002760003184' })
    const bank = await pages.follow(sent)
    await pages.press(page, 'Apply', { promotion_code: 'WINTER' })
    expect((await pages.press(bank, 'Complete authentication')).text).toContain(
      'The authentication has ended',
    )
    expect(await retrieve(session)).toMatchObject({ status: 'open', payment_status: 'unpaid' })
  })

  test('that must be authenticated leads back when the coupon was deleted, with the reason', async () => {
    const coupon = await stripe.coupons.create({ percent_off: 50, duration: 'once' })
    const session = await create({ discounts: [{ coupon: coupon.id }] })
    const sent = await pages.press(await pageOf(session), 'Subscribe', {
      ...ENTERED,
      number: '4000002760003184',
    })
    await stripe.coupons.del(coupon.id)
    const back = await pages.press(await pages.follow(sent), 'Complete authentication')
    expect(back.location).toBe(`/c/pay/${session.id}`)
    expect((await pages.follow(back)).alert).toContain('was deleted')
  })

  test('is authenticated to be saved', async () => {
    const session = await create({ mode: 'setup', currency: 'usd' })
    const sent = await pages.press(await pageOf(session), 'Save card', {
      ...ENTERED,
      number: '4000002500003155',
    })
    const done = await pages.press(await pages.follow(sent), 'Complete authentication')
    expect(done.location).toContain(session.id)
    expect((await retrieve(session)).status).toBe('complete')
  })
})

describe('a session that is not open', () => {
  test('and complete says so, and a form that is submitted again leads where the first one led', async () => {
    const session = await mug()
    const page = await pageOf(session)
    const before = await chargesOf()
    const [one, two] = await Promise.all([
      pages.press(page, 'Pay', ENTERED),
      pages.press(page, 'Pay', ENTERED),
    ])
    const late = await pages.press(page, 'Pay', ENTERED)
    expect([one, two, late].map(({ location }) => location)).toEqual(
      Array(3).fill(`https://shop.example/done?session=${session.id}&x=1#top`),
    )
    expect(await chargesOf()).toBe(before + 1)
    const done = await pages.open(page.url)
    expect(done.text).toContain('You are all done here')
    expect(done.text).toContain('Continue to https://shop.example')
  })

  test('and expired says so, and can be opened again if the merchant wants that', async () => {
    const { clock, customer } = await customerOnClock(stripe, NOW)
    await stripe.customers.update(customer, { email: 'eve@shop.example' })
    const plain = await create({ customer })
    const recoverable = await create({ customer, after_expiration: { recovery: { enabled: true } } })
    const [page, other] = [await pageOf(plain), await pageOf(recoverable)]
    await sdk.advance(clock, NOW + 25 * 3600)
    const expired = await pages.open(page.url)
    expect(expired.text).toContain('This checkout has expired')
    expect(expired.text).toContain('Back to https://shop.example')
    expect(expired.html).not.toContain('<button')
    expect((await pages.press(page, 'Subscribe', CARD)).status).toBe(400)
    const { after_expiration } = await retrieve(recoverable)
    const again = await pages.press(await pages.open(after_expiration?.recovery?.url ?? ''), 'Start again')
    const next = await pages.follow(again)
    expect((await pages.press(next, 'Subscribe', CARD)).status).toBe(303)
    expect((await pages.press(other, 'Subscribe', CARD)).location).toMatch(/^\/c\/pay\/cs_test_/)
  })
})

test('prices that depend on the quantity are not multiplied in the text', async () => {
  const [recurring, currency] = [{ interval: 'month' }, 'usd'] as const
  const { id: tiered } = await stripe.prices.create({
    product_data: { name: 'Seats' },
    billing_scheme: 'tiered',
    tiers_mode: 'graduated',
    tiers: [
      { up_to: 5, unit_amount: 1000 },
      { up_to: 'inf', unit_amount: 800 },
    ],
    ...{ recurring, currency },
  })
  const { id: packs } = await stripe.prices.create({
    product_data: { name: 'Credits' },
    unit_amount: 1000,
    transform_quantity: { divide_by: 100, round: 'up' },
    ...{ recurring, currency },
  })
  const line_items = [tiered, packs, seat].map((price) => ({ price, quantity: 8 }))
  const { text } = await pageOf(await create({ line_items }))
  expect(text).toContain('Seats 8 units, price by quantity per month $74.00')
  expect(text).toContain('Credits 8 units, $10.00 for 100 per month $10.00')
  expect(text).toContain('Seat 8 × $5.00 per month $40.00')
})
